import { randomBytes, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Redis } from 'ioredis';
import { Client as Postgres } from 'pg';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { lastAcceptedMs } from '../support/messages/last-accepted.ts';
import { system } from '../support/system.ts';

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

async function rotate(thing: Thing, key: string): Promise<void> {
  const { status: answered } = await fleet.call('PUT', `/things/${thing.id}`, {
    name: `rotated ${key}`,
    type: 'sensor',
    key,
  });
  expect(answered).toBe(200);
}

/**
 * The edge has read all changes until now, so that it forgets nothing of what it reads next: it reads them in the
 * order of their commits, and has read this one.
 */
async function changesAreRead(): Promise<void> {
  const thing = await fleet.thing();
  expect(await status(thing.key)).toBe(202);
  await rotate(thing, `new-${thing.id}`);
  await eventually(async () => (await status(thing.key)) === 401);
}

describe('keys', () => {
  it('a thing authenticates with its own key, and with an external one', async () => {
    const external = `meter-${randomUUID()}`;
    const thing = await fleet.thing({}, external);
    expect(await status(`Thing ${thing.key}`)).toBe(202);
    expect(await status(`External ${external}`)).toBe(202);
    expect(await status(`Thing ${external}`)).toBe(401);
    expect(await status(`External ${thing.key}`)).toBe(401);
  });

  it('no credential, a user’s token and an unknown key are refused', async () => {
    const refused = 'failed to perform authentication over the entity';
    const told = `${refused}: send Authorization: Thing <key>`;
    for (const [credential, error] of [
      ['Bearer abc', told],
      ['Thing unknown', refused],
      ['Thing ', told],
      ['x y', told],
    ] as const) {
      expect(await fleet.publish(credential, message)).toEqual({
        status: 401,
        error,
        retryAfter: undefined,
      });
    }
  });

  it('a rotated key is refused within a second, and the new one is taken', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await rotate(thing, `new-${thing.id}`);
    const since = performance.now();
    expect(await lastAcceptedMs(() => status(thing.key), since)).toBeLessThan(1_000);
    expect(await status(`new-${thing.id}`)).toBe(202);
  });

  it('a removed thing’s key is refused within a second', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    expect(await fleet.call('DELETE', `/things/${thing.id}`)).toMatchObject({ status: 204 });
    const since = performance.now();
    expect(await lastAcceptedMs(() => status(thing.key), since)).toBeLessThan(1_000);
  });

  it('a changed profile is used within a second', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await fleet.call('PUT', `/profiles/${thing.profileId}`, {
      name: `cbor only ${thing.profileId}`,
      config: { content_type: 'application/senml+cbor' },
    });
    const since = performance.now();
    expect(await lastAcceptedMs(() => status(thing.key), since)).toBeLessThan(1_000);
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
    expect(await lastAcceptedMs(() => status(thing.key), since)).toBeLessThan(1_000);
  });

  it('a rotated key is refused within a second though Redis was restarted', async () => {
    const thing = await fleet.thing();
    expect(await status(thing.key)).toBe(202);
    await system().kill('redis', 'SIGKILL');
    await rotate(thing, `new-${thing.id}`);
    const since = performance.now();
    expect(await lastAcceptedMs(() => status(thing.key), since)).toBeLessThan(1_000);
    expect(await status(`new-${thing.id}`)).toBe(202);
  });

  it('an entry in Redis from before a change is not used', async () => {
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
    await changesAreRead();
    expect(await status(thing.key)).toBe(202);
    await suspend('redis');
    await suspend('postgres');
    expect(await status(thing.key)).toBe(202);
    expect(await fleet.publish(fresh.key, message)).toMatchObject({ status: 503, retryAfter: '1' });
    expect(await status('nobody-knows-this-one')).toBe(503);
    resume();
    await eventually(async () => (await status(fresh.key)) === 202, 30_000);
  });

  it('when the budget of guesses is spent, only keys accepted from that address before are accepted', async () => {
    const [known, roaming, elsewhere, fresh] = [
      await fleet.thing(),
      await fleet.thing(),
      await fleet.thing(),
      await fleet.thing(),
    ];
    await changesAreRead();
    // The address our own API names, which passes requests on from this machine.
    const headers = { 'x-forwarded-for': '203.0.113.7' };
    const publish = (key: string) => fleet.publish(key, message, { headers });
    expect(await publish(known.key)).toMatchObject({ status: 202 });
    // First heard elsewhere, and from there in between.
    expect(await status(roaming.key)).toBe(202);
    expect(await publish(roaming.key)).toMatchObject({ status: 202 });
    expect(await status(roaming.key)).toBe(202);
    expect(await status(elsewhere.key)).toBe(202);
    const answers = await Promise.all(
      Array.from({ length: 2_500 }, (_, guess) => publish(`guess-${guess}`)),
    );
    const statuses = answers.map((answer) => answer.status);
    expect(statuses.filter((one) => one === 401)).toHaveLength(1_000);
    expect(statuses.filter((one) => one === 429)).toHaveLength(1_500);
    // Nobody is asked for this address any more: a right guess is answered like a wrong one.
    await suspend('redis');
    await suspend('postgres');
    for (const key of ['one-more', fresh.key, elsewhere.key, `thing  ${elsewhere.key}`]) {
      const { status: answered, retryAfter } = await publish(key);
      expect(answered).toBe(429);
      expect(Number(retryAfter)).toBeGreaterThan(30);
      expect(Number(retryAfter)).toBeLessThanOrEqual(60);
    }
    for (const { key } of [known, roaming, known, roaming]) {
      expect(await publish(key)).toMatchObject({ status: 202 });
    }
    expect(await status(elsewhere.key)).toBe(202);
    resume();
    expect(await status('a-guess-from-elsewhere')).toBe(401);
    expect(await status(fresh.key)).toBe(202);
  });
});

describe('what an edge remembers of a profile', () => {
  let postgres: Postgres;

  beforeAll(async () => {
    postgres = new Postgres({ connectionString: system().databaseUrl });
    await postgres.connect();
    await postgres.query('ALTER TABLE profiles DROP CONSTRAINT profiles_config_size');
  });

  afterAll(async () => {
    await postgres.query(
      `ALTER TABLE profiles ADD CONSTRAINT profiles_config_size
         CHECK (octet_length(config::text) <= 5120) NOT VALID`,
    );
    await postgres.end();
  });

  /** As a profile of former times may have it: the API takes no such config any more. */
  async function configure(profileId: string, config: object): Promise<void> {
    await postgres.query('UPDATE profiles SET config = $1 WHERE id = $2', [
      JSON.stringify(config),
      profileId,
    ]);
  }

  it('is the part of its config that it uses, and Redis has no more', async () => {
    const thing = await fleet.thing();
    const more = { unknown: 'x'.repeat(1_000), transformer: { unknown: 1, data_field: 'd' } };
    await configure(thing.profileId, { content_type: 'application/json', ...more });
    await eventually(async () => {
      const { status: answered } = await fleet.publish(thing.key, { d: { a: 1 } });
      expect(answered).toBe(202);
      const redis = new Redis(system().redisUrl);
      const entries = await redis.keys('millrace:thing:*');
      const texts = await Promise.all(entries.map((entry) => redis.get(entry)));
      redis.disconnect();
      const own = texts.find((text) => text?.includes(thing.id)) ?? '';
      expect(JSON.parse(own)).toMatchObject({
        thing: {
          config: { content_type: 'application/json', transformer: { data_field: 'd' } },
        },
      });
      expect(own).not.toContain('unknown');
    });
    await eventually(async () => {
      expect((await fleet.readJson(thing.id)).at(-1)?.payload).toEqual({ a: 1 });
    });
  });

  it('has a limit: messages of things with a larger config are refused, and no others', async () => {
    const [large, none, other] = [await fleet.thing(), await fleet.thing(), await fleet.thing()];
    await configure(large.profileId, {
      transformer: { data_field: randomBytes(20_000).toString('hex') },
    });
    await configure(none.profileId, { content_type: 7 });
    await eventually(async () => {
      const answers = await Promise.all(
        [large, none, other].map(({ key }) => fleet.publish(key, message)),
      );
      expect(answers.map((answer) => answer.status)).toEqual([400, 400, 202]);
      expect(answers[0]?.error).toContain("the config of the thing's profile");
    });
  });

  it('is read once for all the things that have it', async () => {
    const { profileId } = await fleet.thing();
    await configure(profileId, { unknown: randomBytes(1_000_000).toString('hex') });
    const things = await fleet.createThings(
      profileId,
      Array.from({ length: 300 }, (_, at) => ({ name: `one of many ${at}`, type: 'sensor' })),
    );
    const answers = await Promise.all(things.map(({ key }) => fleet.publish(key, message)));
    expect(new Set(answers.map((answer) => answer.status))).toEqual(new Set([400]));
    const smaller = { unknown: randomBytes(20_000).toString('hex') };
    await configure(profileId, smaller);
    await eventually(async () => {
      const again = await Promise.all(things.map(({ key }) => fleet.publish(key, message)));
      expect(new Set(again.map((answer) => answer.status))).toEqual(new Set([202]));
    });
  });
});
