import assert from 'node:assert/strict';
import { describe, expect, it } from 'vitest';
import { BytesDamaged, failureOf, nameFailures, NotReached } from './failure.ts';

const withCode = (code: string) => Object.assign(new Error('of Node'), { code });

function assertion(): unknown {
  try {
    return assert.fail('of ours');
  } catch (error) {
    return error;
  }
}

describe('what a failure means, where the far side did not name it', () => {
  it.each(['ECONNREFUSED', 'ECONNRESET', 'ETIMEDOUT', 'EAI_AGAIN', 'EPIPE', 'ENOSPC', 'EMFILE'])(
    '%s passes: it is tried again',
    (code) => {
      expect(failureOf(withCode(code))).toMatchObject({ decision: 'retry', code });
    },
  );

  it('a far side that was not reached is tried again', () => {
    expect(failureOf(new NotReached('no answer in time'))).toEqual({
      decision: 'retry',
      code: 'NotReached',
      reason: 'not reached: no answer in time',
    });
  });

  it('damaged bytes are refused: nothing else is to blame', () => {
    const damaged = new BytesDamaged('the frames end before they should');
    expect(failureOf(damaged)).toMatchObject({ decision: 'refuse', code: 'BytesDamaged' });
  });

  it.each([
    ['a mistake of types', new TypeError('undefined is not a function'), 'TypeError'],
    ['a mistake of ranges', new RangeError('invalid array length'), 'RangeError'],
    ['an answer that is not JSON', new SyntaxError('unexpected token'), 'SyntaxError'],
    ['an assertion', assertion(), 'ERR_ASSERTION'],
    [
      'a code of Node that nobody thought of',
      withCode('ERR_INVALID_ARG_TYPE'),
      'ERR_INVALID_ARG_TYPE',
    ],
    ['a disk that can not be read', withCode('EIO'), 'EIO'],
    ['an error without a code', new Error('socket hang up'), 'Error'],
    ['what is no error', 'thrown text', 'string'],
  ])('%s is not known, and needs somebody to look', (_, error, code) => {
    const failure = failureOf(error);
    expect(failure).toMatchObject({ decision: 'halt', code });
    // The stack says where it was thrown.
    if (error instanceof Error) expect(failure.reason).toContain('failure.test.ts');
  });
});

describe('a failure of a client that has no code', () => {
  async function failing(error: unknown): Promise<unknown> {
    const client = {
      async ask() {
        throw error;
      },
    };
    nameFailures(client, ['ask']);
    return client.ask().catch((named: unknown) => named);
  }

  it('means that the far side was not reached', async () => {
    const cause = new Error('Timeout error.');
    const named = await failing(cause);
    expect(named).toBeInstanceOf(NotReached);
    expect(named).toMatchObject({ message: 'Timeout error.', cause });
  });

  it.each([withCode('ECONNRESET'), new TypeError('of ours'), new NotReached('away')])(
    'keeps its name where it has one: %s',
    async (error) => {
      expect(await failing(error)).toBe(error);
    },
  );
});
