import { type Pool, type PoolClient, transaction } from '../../infra/runtime/stores/postgres.ts';
import { columnsOf } from '../../infra/runtime/webhooks/bundles.ts';
import {
  compressFrames,
  decompressFrames,
  readFrames,
} from '../../infra/runtime/webhooks/frames.ts';
import type { BundleKey } from '../../schemas/internal/webhook-job.ts';

const bundlesAtOnceMax = 100;

type BundleRow = BundleKey & {
  offsets: number[];
  thingIds: string[];
  receivedMs: string[];
  frames: Buffer;
};

/** Removes the messages of things from the bundles that are kept for webhooks. */
export async function eraseFromBundles(pool: Pool, thingIds: readonly string[]): Promise<void> {
  const gone = new Set(thingIds);
  let found: number;
  do found = await eraseSome(pool, gone);
  while (found === bundlesAtOnceMax);
}

/** How many bundles had any. */
function eraseSome(pool: Pool, gone: ReadonlySet<string>): Promise<number> {
  return transaction(pool, async (client) => {
    const bundles = await findBundles(client, [...gone]);
    for (const bundle of bundles) await keepOnly(client, bundle, (thingId) => !gone.has(thingId));
    return bundles.length;
  });
}

/** Uses `webhook_bundles_things`. */
async function findBundles(client: PoolClient, thingIds: string[]): Promise<BundleRow[]> {
  const { rows } = await client.query<BundleRow>(
    `SELECT log_id AS log, segment, first_offset AS first, last_offset AS last, offsets,
            thing_ids AS "thingIds", received_ms AS "receivedMs", frames
     FROM webhook_bundles
     WHERE thing_ids && $1::uuid[]
     LIMIT $2
     FOR UPDATE`,
    [thingIds, bundlesAtOnceMax],
  );
  return rows;
}

/** Uses the primary key. */
async function keepOnly(
  client: PoolClient,
  { offsets, thingIds, receivedMs, frames, ...key }: BundleRow,
  isKept: (thingId: string) => boolean,
): Promise<void> {
  const source = decompressFrames(frames);
  const kept = readFrames(source).flatMap((frame, at) => {
    const thingId = thingIds[at] ?? '';
    const bytes = source.subarray(frame.at, frame.start + frame.bytes);
    return isKept(thingId) ? [{ offset: offsets[at], thingId, at: receivedMs[at], bytes }] : [];
  });
  const left = Buffer.concat(kept.map(({ bytes }) => bytes));
  await client.query(
    `UPDATE webhook_bundles
     SET offsets = $1, thing_ids = $2, received_ms = $3, frames = $4, bytes = $5
     WHERE log_id = $6 AND segment = $7 AND first_offset = $8 AND last_offset = $9`,
    [
      kept.map(({ offset }) => offset),
      kept.map(({ thingId }) => thingId),
      kept.map(({ at }) => at),
      compressFrames(left),
      left.length,
      ...columnsOf([key]).flat(),
    ],
  );
}
