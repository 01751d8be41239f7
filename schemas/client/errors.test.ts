import { describe, expect, it } from 'vitest';
import { errorBody, type ErrorCode, errorTable } from '../http/errors.ts';
import { refusalOf } from './errors.ts';

const refused = (code: ErrorCode, detail?: string) => {
  const body = JSON.stringify(errorBody(code, detail, 'id'));
  return refusalOf(errorTable[code].status, () => undefined, body);
};

describe('a refusal', () => {
  it.each([
    ['malformed', '0.url must be an HTTP address', 'url', 'must be an HTTP address'],
    ['malformed', 'name is missing', 'name', 'is missing'],
    ['malformed', 'config.gateway.device: is empty', 'config.gateway.device', 'is empty'],
    ['malformed', 'headers."a \\" b" is no name', 'headers."a \\" b"', 'is no name'],
    ['malformed', 'headers.x-a can not be set: why', 'headers.x-a', 'can not be set: why'],
    ['malformed', 'name', 'name', 'is not as it must be'],
    ['conflict', 'name', 'name', ''],
    ['conflict', 'the org may have no more things: its quota', 'the', expect.any(String)],
    ['not_found', 'user: email', 'email', 'names no user'],
  ] as const)('%s, "%s", names the member %s', (code, detail, path, problem) => {
    expect(refused(code, detail).field).toEqual({ path, problem });
  });

  it('names no member where the code says all, or what is gone', () => {
    expect(refused('conflict').field).toBeUndefined();
    expect(refused('not_found', 'group').field).toBeUndefined();
    expect(refused('internal').detail).toBe('');
  });

  it('has its detail without the phrase of its code, in which no colon stands', () => {
    for (const { phrase } of Object.values(errorTable)) expect(phrase).not.toContain(':');
    expect(refused('forbidden', 'needs: much').detail).toBe('needs: much');
    expect(refusalOf(502, () => undefined, 'a proxy: away').detail).toBe('the server answered 502');
  });
});
