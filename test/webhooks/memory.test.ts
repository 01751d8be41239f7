import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { Pool } from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const webhooks = 50;
const messages = 20;
const messageBytes = 1_000_000;
const growthBytesMax = 8 * 1024 ** 2;

let fleet: Fleet;
let redis: Redis;
let pool: Pool;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  redis = new Redis(system().redisUrl);
  pool = new Pool({ connectionString: system().databaseUrl, max: 1 });
});

afterAll(async () => {
  redis.disconnect();
  await pool.end();
  await fleet.close();
});

async function usedBytes(): Promise<number> {
  return Number(/^used_memory:(\d+)/m.exec(await redis.info('memory'))?.[1]);
}

describe('messages of a megabyte', () => {
  it('for fifty receivers that are away do not fill Redis', async () => {
    const thing = await fleet.thing();
    const hooks = Array.from({ length: webhooks }, () => ({
      name: randomUUID(),
      url: 'http://127.0.0.1:9/',
    }));
    const made = await fleet.call('POST', `/things/${thing.id}/webhooks`, hooks);
    expect(made.status).toBe(201);
    const ids = [made.body].flat().map((one) => String(Object(one).id));
    const before = await usedBytes();
    for (let at = 0; at < messages; at++) {
      const body = [{ n: 'a', t: 1e9 + at, vs: 'x'.repeat(messageBytes) }];
      expect(await fleet.publish(thing.key, body)).toMatchObject({ status: 202 });
    }
    try {
      // Each delivery failed or was deferred: it waits, and its message is in Postgres once.
      await eventually(async () => {
        const { rows } = await pool.query<{ copies: number }>(
          `SELECT sum(cardinality(offsets))::int AS copies FROM webhook_jobs
           WHERE webhook_id = ANY ($1::uuid[])`,
          [ids],
        );
        expect(rows[0]?.copies).toBe(webhooks * messages);
      }, 40_000);
      expect((await usedBytes()) - before).toBeLessThan(growthBytesMax);
      const { rows } = await pool.query<{ bundles: number }>(
        'SELECT count(*)::int AS bundles FROM webhook_bundles WHERE thing_ids @> ARRAY[$1::uuid]',
        [thing.id],
      );
      expect(rows[0]?.bundles).toBe(messages);
    } finally {
      await fleet.call('DELETE', '/webhooks', { webhook_ids: ids });
    }
  });
});
