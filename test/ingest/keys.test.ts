import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { eventually } from '../eventually.ts';
import { Fleet, type Thing } from '../fleet.ts';
import { system } from '../system.ts';

const message = [{ n: 'a', v: 1 }];

let fleet: Fleet;
const suspended: number[] = [];

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterEach(() => resume());

afterAll(() => fleet.close());

/** Suspends a service with all its processes: it holds its connections and answers nothing. */
async function suspend(name: string): Promise<void> {
  const pid = await system().pid(name);
  for (const one of [pid, ...childrenOf(pid)]) {
    process.kill(one, 'SIGSTOP');
    suspended.push(one);
  }
}

function resume(): void {
  for (const pid of suspended.splice(0)) process.kill(pid, 'SIGCONT');
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8');
  return text
    .split(' ')
    .filter((child) => child !== '')
    .map(Number);
}

async function status(credential: string): Promise<number> {
  return (await fleet.publish(credential, message)).status;
}

/** Publishes with an old key until it is refused; how long after `since` it was taken last. */
async function lastAcceptedMs(credential: string, since: number): Promise<number> {
  let last = 0;
  for (;;) {
    const sentAt = performance.now();
    if ((await status(credential)) !== 202) return last;
    last = sentAt - since;
    await delay(5);
  }
}

async function rotate(thing: Thing, key: string): Promise<void> {
  const { status: answered } = await fleet.call('PUT', `/things/${thing.id}`, {
    name: `rotated ${key}`,
    type: 'sensor',
    key,
  });
  expect(answered).toBe(200);
}

describe('keys', () => {
  it('a thing authenticates with its own key, and with an external one', async () => {
    const external = `meter-${Date.now()}`;
    const thing = await fleet.thing({}, external);
    expect(await status(`Thing ${thing.key}`)).toBe(202);
    expect(await status(`External ${external}`)).toBe(202);
    expect(await status(`Thing ${external}`)).toBe(401);
    expect(await status(`External ${thing.key}`)).toBe(401);
  });

  it('no credential, a user’s token and an unknown key are refused', async () => {
    for (const credential of ['Bearer abc', 'Thing unknown', 'Thing ', 'x y']) {
      expect(await fleet.publish(credential, message)).toEqual({
        status: 401,
        error: 'failed to perform authentication over the entity',
        retryAfter: undefined,
      });
    }
  });

  it('a rotated key is refused within a second, and the new one is taken', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await rotate(thing, `new-${thing.id}`);
    const since = performance.now();
    expect(await lastAcceptedMs(thing.key, since)).toBeLessThan(1_000);
    expect(await status(`new-${thing.id}`)).toBe(202);
  });

  it('a removed thing’s key is refused within a second', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    expect(await fleet.call('DELETE', `/things/${thing.id}`)).toMatchObject({ status: 204 });
    const since = performance.now();
    expect(await lastAcceptedMs(thing.key, since)).toBeLessThan(1_000);
  });

  it('a changed profile takes hold within a second', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await fleet.call('PUT', `/profiles/${thing.profileId}`, {
      name: `cbor only ${thing.profileId}`,
      config: { content_type: 'application/senml+cbor' },
    });
    const since = performance.now();
    expect(await lastAcceptedMs(thing.key, since)).toBeLessThan(1_000);
    expect(await status(thing.key)).toBe(400);
  });

  it('a rotated key is refused within a second though its notice was lost', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    const redis = new Redis(system().redisUrl);
    await redis.call('CLIENT', 'KILL', 'TYPE', 'pubsub');
    await rotate(thing, `new-${thing.id}`);
    const since = performance.now();
    redis.disconnect();
    expect(await lastAcceptedMs(thing.key, since)).toBeLessThan(1_000);
  });

  it('a rotated key is refused within a second though Redis was restarted', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await system().kill('redis', 'SIGKILL');
    await rotate(thing, `new-${thing.id}`);
    const since = performance.now();
    expect(await lastAcceptedMs(thing.key, since)).toBeLessThan(1_000);
    expect(await status(`new-${thing.id}`)).toBe(202);
  });

  it('an entry in Redis that a change has overtaken is not believed', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    const redis = new Redis(system().redisUrl);
    const entries = await redis.keys('millrace:thing:*');
    const kept = await Promise.all(entries.map(async (key) => [key, (await redis.get(key)) ?? '']));
    await rotate(thing, `new-${thing.id}`);
    await eventually(async () => (await status(thing.key)) === 401);
    // As an edge would leave it that read the old key just before and wrote it just after.
    for (const [key = '', entry = ''] of kept) await redis.set(key, entry);
    redis.disconnect();
    expect(await status(`thing  ${thing.key}`)).toBe(401);
    expect(await status(thing.key)).toBe(401);
  });

  it('a known key works while Redis and Postgres are away; an unknown one gets 503', async () => {
    const thing = await fleet.thing();
    const fresh = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await suspend('redis');
    await suspend('postgres');
    expect(await status(thing.key)).toBe(202);
    expect(await fleet.publish(fresh.key, message)).toMatchObject({ status: 503, retryAfter: '1' });
    expect(await status('nobody-knows-this-one')).toBe(503);
    resume();
    await eventually(async () => (await status(fresh.key)) === 202, 30_000);
  });

  it('guessing is bounded per address, and known devices behind it are not touched', async () => {
    const thing = await fleet.thing();
    const fresh = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    // The address our own API names, which passes requests on from this machine.
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const publish = (key: string) => fleet.publish(key, message, { headers });
    let answered = 401;
    for (let guess = 0; answered === 401 && guess < 5_000; guess += 50) {
      const guesses = Array.from({ length: 50 }, (_, i) => publish(`guess-${guess + i}`));
      answered = Math.max(...(await Promise.all(guesses)).map((answer) => answer.status));
    }
    expect(answered).toBe(429);
    expect(await publish('one-more')).toMatchObject({ status: 429, retryAfter: '60' });
    expect(await publish(thing.key)).toMatchObject({ status: 202 });
    expect(await publish(fresh.key)).toMatchObject({ status: 202 });
    expect(await status('a-guess-from-elsewhere')).toBe(401);
  });
});
