import { zstdCompressSync, zstdDecompressSync, constants } from 'node:zlib';
import type { QueryResultRow } from 'pg';
import { type BundleKey, webhookBundleId } from '../../../schemas/internal/webhook-job.ts';
import type { Pool } from '../stores/postgres.ts';

/*
 * Bundles of messages for webhooks, as Postgres keeps them: edges put them in, and who sends them, for the first
 * time or once more, takes them out. A bundle is frames of the log side by side, compressed with Zstandard:
 *
 * | offset | type     | what                                              |
 * |--------|----------|---------------------------------------------------|
 * | 0      | u32      | bytes of the payload                              |
 * | 4      | u8       | its type: 0 JSON, 1 SenML in JSON, 2 SenML in CBOR; and 128 where it has a subtopic, |
 * |        |          | 64 where it has the id of its request             |
 * | 5      | f64      | time of receipt, milliseconds                     |
 * | 13     | 16 bytes | the thing, as in RowBinary; zeros: none           |
 * | 29     | u16      | where it has a subtopic: bytes of that            |
 * |        |          | the subtopic                                      |
 * |        | u8       | where it has the id of its request: bytes of that |
 * |        |          | the id, in ASCII                                  |
 * |        |          | the payload                                       |
 */

export const frameLayout = { type: 4, receivedMs: 5, thing: 13, end: 29, subtopic: 31 } as const;
export const hasSubtopic = 128;
/** Frames from before there was one have none. */
export const hasRequestId = 64;
const contentTypes = ['application/json', 'application/senml+json', 'application/senml+cbor'];

/** One frame: where it stands in its source, and `start` and `bytes` of its payload there. */
export type BundleFrame = {
  at: number;
  contentType: string;
  receivedMs: number;
  /** Empty: none. */
  subtopic: string;
  /** Of the request that brought it. Empty: none. */
  requestId: string;
  start: number;
  bytes: number;
};

export function readFrames(source: Buffer): BundleFrame[] {
  const frames: BundleFrame[] = [];
  for (let at = 0; at < source.length; ) {
    const bytes = source.readUInt32LE(at);
    const type = source[at + frameLayout.type] ?? 0;
    const contentType = contentTypes[type % hasRequestId] ?? '';
    const receivedMs = source.readDoubleLE(at + frameLayout.receivedMs);
    let start = at + frameLayout.end;
    let subtopic = '';
    if ((type & hasSubtopic) !== 0) {
      const from = at + frameLayout.subtopic;
      start = from + source.readUInt16LE(at + frameLayout.end);
      subtopic = source.toString('utf8', from, start);
    }
    let requestId = '';
    if ((type & hasRequestId) !== 0) {
      const from = start + 1;
      start = from + source.readUInt8(start);
      requestId = source.toString('latin1', from, start);
    }
    frames.push({ at, contentType, receivedMs, subtopic, requestId, start, bytes });
    at = start + bytes;
  }
  return frames;
}

/** In place of a thing, of a message that none sent. */
export const noThing = '00000000-0000-0000-0000-000000000000';

/** A bundle that is to be kept. */
export type NewBundle = {
  key: BundleKey;
  /** Of each message in turn: where its frame stands in the segment, its thing, and when it came. */
  offsets: number[];
  thingIds: string[];
  receivedMs: number[];
  frames: Buffer;
  /** Of each org: the copies that go to the queue with this bundle, and the bytes it keeps. */
  orgs: BundleOrg[];
};

export type BundleOrg = { id: string; copies: number; bytes: number };

/** One frame, with the bytes of a payload; of a message without a subtopic. */
export function frameOf(message: Omit<BundledMessage, 'subtopic'>): Buffer {
  const { contentType, receivedMs, requestId, thingId, payload } = message;
  const head = Buffer.alloc(frameLayout.end);
  head.writeUInt32LE(payload.length);
  const type = Math.max(0, contentTypes.indexOf(contentType));
  head[frameLayout.type] = requestId === '' ? type : type + hasRequestId;
  head.writeDoubleLE(receivedMs, frameLayout.receivedMs);
  // RowBinary has the halves of a UUID with their least byte first.
  const id = Buffer.from(thingId.replaceAll('-', ''), 'hex');
  head.set(id.subarray(0, 8).toReversed(), frameLayout.thing);
  head.set(id.subarray(8).toReversed(), frameLayout.thing + 8);
  if (requestId === '') return Buffer.concat([head, payload]);
  return Buffer.concat([head, Buffer.of(requestId.length), Buffer.from(requestId), payload]);
}

/** Little to find in so few bytes, and the thread that does it has others to do. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const compressFrames = (frames: Buffer): Buffer => zstdCompressSync(frames, compression);
export const decompressFrames = (compressed: Buffer): Buffer => zstdDecompressSync(compressed);

/**
 * Keeps bundles; gives the ids of those that were not there yet. One without a copy for the queue has had its first
 * tries, so to say. Leans on the primary key.
 */
export async function insertBundles(
  rows: Rows,
  bundles: readonly NewBundle[],
): Promise<Set<string>> {
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
      orgCopies: orgs.map(({ copies }) => copies),
      orgBytes: orgs.map(({ bytes }) => bytes),
      isTried: orgs.every(({ copies }) => copies === 0),
      start: start - length,
      length,
      bytes: frames.length,
    };
  });
  // The frames go over as one value, and as bytes: as an array they would be written out in hex.
  const inserted = await rows<BundleKey>(
    `INSERT INTO webhook_packs
       (log_id, segment, first_offset, last_offset, offsets, thing_ids, received_ms, received_at, frames, bytes,
        org_ids, org_copies, org_bytes, tried_at)
     SELECT log, segment, first, last, offsets, "thingIds", "receivedMs",
            to_timestamp("receivedMs"[1]::float8 / 1000),
            substring($1::bytea FROM start FOR length), bytes,
            "orgIds", "orgCopies", "orgBytes", CASE WHEN "isTried" THEN now() END
     FROM json_to_recordset($2::json) AS bundle (
       log text, segment integer, first integer, last integer, offsets integer[],
       "thingIds" uuid[], "receivedMs" bigint[], start integer, length integer, bytes integer,
       "orgIds" uuid[], "orgCopies" integer[], "orgBytes" integer[], "isTried" boolean
     )
     ON CONFLICT (log_id, segment, first_offset, last_offset) DO NOTHING
     RETURNING log_id AS log, segment, first_offset AS first, last_offset AS last`,
    [Buffer.concat(compressed), JSON.stringify(values)],
  );
  return new Set(inserted.map(webhookBundleId));
}

/** A message of a bundle that is kept. */
export type BundledMessage = Pick<
  BundleFrame,
  'contentType' | 'receivedMs' | 'subtopic' | 'requestId'
> & {
  thingId: string;
  payload: Buffer;
};

/** The messages of a bundle by where their frames stand. */
export type BundledMessages = Map<number, BundledMessage>;

/** The rows of one statement. */
export type Rows = <Row extends QueryResultRow>(text: string, values: unknown[]) => Promise<Row[]>;

export const rowsOf =
  (pool: Pool): Rows =>
  async (text, values) =>
    (await pool.query(text, values)).rows;

/** Bundles in the order of their keys; undefined for one that is not kept. Leans on the primary key. */
export async function readBundles(
  rows: Rows,
  keys: readonly BundleKey[],
): Promise<(BundledMessages | undefined)[]> {
  const found = await rows<KeptBundle & { place: number }>(
    `SELECT place::integer, offsets, thing_ids AS "thingIds", frames
     FROM unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
          WITH ORDINALITY AS key (log_id, segment, first_offset, last_offset, place)
     JOIN webhook_packs USING (log_id, segment, first_offset, last_offset)`,
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
    readFrames(source).map(({ contentType, receivedMs, subtopic, requestId, start, bytes }, at) => {
      const payload = source.subarray(start, start + bytes);
      const thingId = thingIds[at] ?? noThing;
      return [offsets[at] ?? 0, { contentType, receivedMs, subtopic, requestId, thingId, payload }];
    }),
  );
}
