import type { BundleKey } from '../../../schemas/internal/webhook-job.ts';
import type { Rows } from '../stores/postgres.ts';
import {
  type BundledMessage,
  compressFrames,
  decompressFrames,
  noThing,
  readFrames,
} from './frames.ts';

/*
 * Bundles of messages for webhooks, as Postgres keeps them in `webhook_bundles`: edges insert them, and whoever delivers
 * their messages, for the first time or once more, reads them.
 */

/** A bundle to be inserted. */
export type NewBundle = {
  key: BundleKey;
  /** Of each message in turn: where its frame stands in the segment, its thing, and when it was received. */
  offsets: number[];
  thingIds: string[];
  receivedMs: number[];
  frames: Buffer;
  /** Of each org, the bytes that it keeps. */
  orgs: { id: string; bytes: number }[];
};

/** Inserts bundles; they are still needed until they are settled. */
export async function insertBundles(rows: Rows, bundles: readonly NewBundle[]): Promise<void> {
  const compressed = bundles.map(({ frames }) => compressFrames(frames));
  let start = 1;
  const values = bundles.map(({ key, offsets, thingIds, receivedMs, frames, orgs }, place) => {
    const length = compressed[place]?.length ?? 0;
    start += length;
    return {
      ...key,
      offsets,
      thingIds,
      receivedMs,
      orgIds: orgs.map(({ id }) => id),
      orgBytes: orgs.map(({ bytes }) => bytes),
      start: start - length,
      length,
      bytes: frames.length,
    };
  });
  // All frames as one value of bytes: pg would write an array of them in hex.
  await rows(
    `INSERT INTO webhook_bundles
       (log_id, segment, first_offset, last_offset, offsets, thing_ids, received_ms, received_at, frames, bytes,
        org_ids, org_bytes)
     SELECT log, segment, first, last, offsets, "thingIds", "receivedMs",
            to_timestamp("receivedMs"[1]::float8 / 1000),
            substring($1::bytea FROM start FOR length), bytes,
            "orgIds", "orgBytes"
     FROM json_to_recordset($2::json) AS bundle (
       log text, segment integer, first integer, last integer, offsets integer[],
       "thingIds" uuid[], "receivedMs" bigint[], start integer, length integer, bytes integer,
       "orgIds" uuid[], "orgBytes" integer[]
     )`,
    [Buffer.concat(compressed), JSON.stringify(values)],
  );
}

/** The messages of a bundle by where their frames stand. */
export type BundledMessages = Map<number, BundledMessage>;

/** Bundles in the order of their keys; undefined for one that is not kept. Uses the primary key. */
export async function readBundles(
  rows: Rows,
  keys: readonly BundleKey[],
): Promise<(BundledMessages | undefined)[]> {
  const found = await rows<KeptBundle & { place: number }>(
    `SELECT place::integer, offsets, thing_ids AS "thingIds", frames
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
          WITH ORDINALITY AS key (log_id, segment, first_offset, last_offset, place)
     JOIN webhook_bundles USING (log_id, segment, first_offset, last_offset)`,
    columnsOf(keys),
  );
  const bundles = new Map(found.map(({ place, ...bundle }) => [place, messagesOf(bundle)]));
  return keys.map((_, at) => bundles.get(at + 1));
}

/** Keys as columns: for unnest. */
export const columnsOf = (keys: readonly BundleKey[]): (string | number)[][] => [
  keys.map(({ log }) => log),
  keys.map(({ segment }) => segment),
  keys.map(({ first }) => first),
  keys.map(({ last }) => last),
];

type KeptBundle = { offsets: number[]; thingIds: string[]; frames: Buffer };

function messagesOf({ offsets, thingIds, frames }: KeptBundle): BundledMessages {
  const source = decompressFrames(frames);
  return new Map(
    readFrames(source).map(({ start, bytes, ...message }, at) => {
      const payload = source.subarray(start, start + bytes);
      return [offsets[at] ?? 0, { ...message, thingId: thingIds[at] ?? noThing, payload }];
    }),
  );
}
