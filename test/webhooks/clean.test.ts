import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool, rowsOf } from '../../infra/runtime/stores/postgres.ts';
import { insertBundles, readBundles } from '../../infra/runtime/webhooks/bundles.ts';
import type { BundleKey } from '../../schemas/internal/webhook-job.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';
import { bundleOf } from './bundles.ts';
import {
  deleteOldBundles,
  deleteSurplusBundles,
  settleBundles,
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

/** A bundle whose message came so many days ago. */
async function keep(days: number, { settled }: { settled: boolean }): Promise<BundleKey> {
  const receivedMs = Date.now() - days * dayMs;
  const bundle = bundleOf([{ thingId, payload: 'x', receivedMs }]);
  await insertBundles(rowsOf(pool), [bundle]);
  if (settled) await settleBundles(pool, [bundle.key]);
  return bundle.key;
}

async function areKept(keys: BundleKey[]): Promise<boolean[]> {
  return (await readBundles(rowsOf(pool), keys)).map((bundle) => bundle !== undefined);
}

describe('a bundle of messages', () => {
  it('is deleted when it is old, and later when it was not delivered', async () => {
    const keys = [
      await keep(6, { settled: true }),
      await keep(8, { settled: true }),
      await keep(8, { settled: false }),
      await keep(31, { settled: false }),
    ];
    await deleteOldBundles(pool, { settled: 7, unsettled: 30 }, manyRows);
    expect(await areKept(keys)).toEqual([true, false, true, false]);
  });

  it('is deleted when there are too many, the oldest first, unless it was not delivered', async () => {
    const [unsent, oldest, newest] = [
      await keep(6.9, { settled: false }),
      await keep(6.8, { settled: true }),
      await keep(0, { settled: true }),
    ];
    await pool.query('ANALYZE webhook_bundles');
    expect(await deleteSurplusBundles(pool, 0, 1)).toBe(1);
    expect(await areKept([unsent, oldest, newest])).toEqual([true, false, true]);
    expect(await deleteSurplusBundles(pool, manyRows, 1)).toBe(0);
  });
});
