import { randomUUID } from 'node:crypto';
import { afterEach, describe, expect, it } from 'vitest';
import { system } from '../support/system.ts';
import { away, type Built, buildApi } from '../support/api/build.ts';
import { createEstate, loginAdmin } from '../support/api/people.ts';

let api: Built;

afterEach(() => api.close());

const unavailable = { error: 'service unavailable' };

async function login(server: Built['server'], password: string, remoteAddress: string) {
  const payload = { email: system().adminEmail, password };
  return server.inject({ method: 'POST', url: '/tokens', payload, remoteAddress });
}

async function token(): Promise<string> {
  const answer = await login(api.server, system().adminPassword, '10.0.0.1');
  return `Bearer ${answer.json().token}`;
}

describe('with the edge away', () => {
  it('messages get 503, and everything else works', async () => {
    api = buildApi({ ingestUrl: away.ingestUrl });
    const answer = await api.server.inject({
      method: 'POST',
      url: '/http/messages',
      headers: { authorization: 'Thing x', 'content-type': 'application/senml+json' },
      payload: '[{"n":"x","v":1}]',
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([503, unavailable]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    const health = await api.server.inject('/health');
    expect([health.statusCode, health.json().status]).toEqual([200, 'warn']);
    expect(health.json().checks.ingest).toEqual([{ status: 'warn', output: 'away' }]);
  });
});

describe('with ClickHouse away', () => {
  it('the reader gets 503, health fails, and management works', async () => {
    api = buildApi({ clickhouseUrl: away.clickhouseUrl });
    const headers = { authorization: await token() };
    for (const format of ['senml', 'json']) {
      const answer = await api.server.inject({ url: `/reader/${format}`, headers });
      expect([answer.statusCode, answer.json()]).toMatchObject([503, unavailable]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    const payload = { name: 'org' };
    const made = await api.server.inject({ method: 'POST', url: '/orgs', headers, payload });
    expect(made.statusCode).toBe(201);
    const health = await api.server.inject('/health');
    expect([health.statusCode, health.json().status]).toEqual([503, 'fail']);
  });
});

describe('with Postgres away', () => {
  it('everything that needs it gets 503, never a wrong 401', async () => {
    api = buildApi({ databaseUrl: away.databaseUrl });
    const bearer = `Bearer ${await api.tokens.issue({ userId: randomUUID(), generation: 0 })}`;
    for (const authorization of [bearer, 'Thing x']) {
      const answer = await api.server.inject({ url: '/reader/json', headers: { authorization } });
      expect([answer.statusCode, answer.json()]).toMatchObject([503, unavailable]);
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
    }
    expect((await login(api.server, 'whatever', '10.0.0.2')).statusCode).toBe(503);
    expect((await api.server.inject('/health')).statusCode).toBe(503);
  });
});

describe('with Redis away', () => {
  it('logins go on and are throttled, each process for itself', async () => {
    api = buildApi({ redisUrl: away.redisUrl }, { loginFailuresPerAddressMax: 3 });
    expect(await token()).toMatch(/^Bearer ./);
    const statuses: number[] = [];
    for (let i = 0; i < 5; i++) {
      statuses.push((await login(api.server, 'wrong password', '10.0.0.3')).statusCode);
    }
    expect(statuses).toEqual([401, 401, 401, 429, 429]);
    const health = await api.server.inject('/health');
    expect([health.statusCode, health.json().status]).toEqual([200, 'warn']);
  });

  it('the next message of a thing gets 503 at once: no edge would hear of it', async () => {
    const { thingId } = await createEstate(await loginAdmin());
    api = buildApi({ redisUrl: away.redisUrl });
    const headers = { authorization: await token() };
    const answer = await api.server.inject({ url: `/things/${thingId}/next-message`, headers });
    expect([answer.statusCode, answer.json()]).toMatchObject([503, unavailable]);
    expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0);
  });
});

describe('an IPv6 network', () => {
  it('counts as one address for the limits, and another network as another', async () => {
    api = buildApi({ redisUrl: away.redisUrl }, { unknownKeysPerMinuteMax: 2 });
    const guess = async (remoteAddress: string) => {
      const payload = { key: randomUUID(), type: 'internal' };
      const request = { method: 'POST', url: '/identify', payload, remoteAddress } as const;
      return (await api.server.inject(request)).statusCode;
    };
    const network = ['2001:db8::1', '2001:db8:0:0:ffff::2', '2001:0db8::3:4:5'];
    expect([await guess(network[0] ?? ''), await guess(network[1] ?? '')]).toEqual([404, 404]);
    expect(await guess(network[2] ?? '')).toBe(429);
    expect(await guess('2001:db8:0:1::1')).toBe(404);
    expect(await guess('::ffff:10.0.0.9')).toBe(404);
  });
});

describe('a foreign SECRET_KEY', () => {
  it('is an internal error without details, and not a wrong key', async () => {
    const estate = await createEstate(await loginAdmin());
    api = buildApi();
    const answer = await api.server.inject({
      url: `/things/${estate.thingId}`,
      headers: { authorization: await token() },
    });
    expect([answer.statusCode, answer.json()]).toMatchObject([500, { error: 'internal error' }]);
  });
});
