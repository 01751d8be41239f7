import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { insertPacks, readPacks, rowsOf } from '../../infra/runtime/webhooks/bundles.ts';
import type { PackKey } from '../../schemas/internal/webhook-job.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { packOf } from './packs.ts';
import {
  deleteOldPacks,
  deleteSurplusPacks,
  settlePacks,
} from '../../workers/webhooks/record/sql.ts';

const dayMs = 86_400_000;
const manyRows = 1_000_000;

let pool: Pool;
let thingId: string;

beforeAll(async () => {
  const fleet = await Fleet.login(system());
  thingId = (await fleet.thing()).id;
  await fleet.close();
  pool = openPostgres(system().databaseUrl, 2, 10_000, createLog('test', 'silent'));
});

afterAll(() => pool.end());

/** A pack whose message came so many days ago. */
async function keep(days: number, { settled }: { settled: boolean }): Promise<PackKey> {
  const receivedMs = Date.now() - days * dayMs;
  const pack = packOf([{ thingId, payload: 'x', receivedMs }]);
  await insertPacks(rowsOf(pool), [pack]);
  if (settled) await settlePacks(pool, [pack.key]);
  return pack.key;
}

async function areKept(keys: PackKey[]): Promise<boolean[]> {
  return (await readPacks(rowsOf(pool), keys)).map((pack) => pack !== undefined);
}

describe('a pack of messages', () => {
  it('goes when it is old, and later when it was not sent yet', async () => {
    const keys = [
      await keep(6, { settled: true }),
      await keep(8, { settled: true }),
      await keep(8, { settled: false }),
      await keep(31, { settled: false }),
    ];
    await deleteOldPacks(pool, { settled: 7, unsettled: 30 }, manyRows);
    expect(await areKept(keys)).toEqual([true, false, true, false]);
  });

  it('goes when there are too many, the oldest first, unless it was not sent yet', async () => {
    const [unsent, oldest, newest] = [
      await keep(6.9, { settled: false }),
      await keep(6.8, { settled: true }),
      await keep(0, { settled: true }),
    ];
    await pool.query('ANALYZE webhook_packs');
    expect(await deleteSurplusPacks(pool, 0, 1)).toBe(1);
    expect(await areKept([unsent, oldest, newest])).toEqual([true, false, true]);
    expect(await deleteSurplusPacks(pool, manyRows, 1)).toBe(0);
  });
});
