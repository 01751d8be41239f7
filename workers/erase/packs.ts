import { type Pool, type PoolClient, transaction } from '../../infra/runtime/stores/postgres.ts';
import {
  columnsOf,
  compressFrames,
  decompressFrames,
  readFrames,
} from '../../infra/runtime/webhooks/bundles.ts';
import type { PackKey } from '../../schemas/internal/webhook-job.ts';

const packsAtOnceMax = 100;

type PackRow = PackKey & {
  offsets: number[];
  thingIds: string[];
  receivedMs: string[];
  frames: Buffer;
};

/** Takes the messages of things out of the packs that are kept for webhooks. */
export async function eraseFromPacks(pool: Pool, thingIds: readonly string[]): Promise<void> {
  const gone = new Set(thingIds);
  let found: number;
  do found = await eraseSome(pool, gone);
  while (found === packsAtOnceMax);
}

/** How many packs held any. */
function eraseSome(pool: Pool, gone: ReadonlySet<string>): Promise<number> {
  return transaction(pool, async (client) => {
    const packs = await findPacks(client, [...gone]);
    for (const pack of packs) await keepOnly(client, pack, (thingId) => !gone.has(thingId));
    return packs.length;
  });
}

/** Leans on `webhook_packs_things`. */
async function findPacks(client: PoolClient, thingIds: string[]): Promise<PackRow[]> {
  const { rows } = await client.query<PackRow>(
    `SELECT log_id AS log, segment, first_offset AS first, last_offset AS last, offsets,
            thing_ids AS "thingIds", received_ms AS "receivedMs", frames
     FROM webhook_packs
     WHERE thing_ids && $1::uuid[]
     LIMIT $2
     FOR UPDATE`,
    [thingIds, packsAtOnceMax],
  );
  return rows;
}

/** Leans on the primary key. */
async function keepOnly(
  client: PoolClient,
  { offsets, thingIds, receivedMs, frames, ...key }: PackRow,
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
    `UPDATE webhook_packs
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
