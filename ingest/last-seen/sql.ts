import { type Pool, transaction } from '../../infra/runtime/stores/postgres.ts';
import { gatewayAt, heardBytes, idBytes } from '../auth/known/heard-things.ts';

const none = `'00000000-0000-0000-0000-000000000000'`;
const unknown = `'ffffffff-ffff-ffff-ffff-ffffffffffff'`;

/**
 * Notes when things were heard (`heardBytes` for each), unless a later time is noted; deleted things are left out. A
 * lock lets one edge at a time do it: two that heard the same things could wait for each other. Nothing was heard in
 * the future: such a time is of a clock that stood ahead, and does not count. A thing that is heard for the first time
 * can't be moved meanwhile: its group is noted with it. Uses the primary keys, in their order: of
 * a million things each costs Postgres a fifth less so. Beside it stands the gateway by which each was heard then: zeros are
 * none, and ones what is not known.
 */
export async function insertSeen(pool: Pool, heard: Uint8Array): Promise<void> {
  await transaction(pool, async (client) => {
    await client.query("SELECT pg_advisory_xact_lock(hashtext('things_seen'))");
    await client.query({
      name: 'insert-seen',
      text: `
        WITH heard AS MATERIALIZED (
          SELECT DISTINCT ON (id) id, least(to_timestamp(ms / 1000), now()) AS at, nullif(gateway, ${none}) AS gateway
          FROM unnest($1::uuid[], $2::float8[], $3::uuid[]) AS heard (id, ms, gateway)
          ORDER BY id, ms DESC
        ),
        known AS (
          UPDATE things_seen
          SET seen_at = CASE WHEN seen_at > now() THEN heard.at ELSE greatest(seen_at, heard.at) END,
              gateway_id = CASE
                WHEN heard.gateway = ${unknown} OR (seen_at > heard.at AND seen_at <= now()) THEN gateway_id
                ELSE heard.gateway
              END
          FROM heard WHERE thing_id = heard.id
          RETURNING thing_id
        )
        INSERT INTO things_seen (thing_id, seen_at, in_group, gateway_id)
        SELECT things.id, heard.at, things.group_id, nullif(heard.gateway, ${unknown})
        FROM heard JOIN things ON things.id = heard.id
        WHERE NOT EXISTS (SELECT FROM known WHERE thing_id = heard.id)
        FOR SHARE OF things`,
      values: [idsOf(heard, 0), timesOf(heard), idsOf(heard, gatewayAt)],
    });
  });
}

/** From when to when an edge could hear things without a break. */
export type Hearing = { fromMs: number; toMs: number };

/** Notes that all that an edge heard until then is in `things_seen`. Uses the primary key. */
export async function noteHearing(pool: Pool, logId: string, hearing: Hearing): Promise<void> {
  await pool.query({
    name: 'note-hearing',
    text: `
      INSERT INTO edges_hearing (log_id, from_at, to_at)
      VALUES ($1, to_timestamp($2::float8 / 1000), least(to_timestamp($3::float8 / 1000), now()))
      ON CONFLICT (log_id) DO UPDATE SET from_at = excluded.from_at, to_at = excluded.to_at, noted_at = now()`,
    values: [logId, hearing.fromMs, hearing.toMs],
  });
}

/** An edge stops: nobody waits for what it hears. Uses the primary key. */
export async function forgetHearing(pool: Pool, logId: string): Promise<void> {
  await pool.query('DELETE FROM edges_hearing WHERE log_id = $1', [logId]);
}

/** The types of Postgres's system catalog (pg_type.dat). */
const uuid = { oid: 2950, bytes: idBytes };
const float8 = { oid: 701, bytes: 8 };

/** The ids that begin so many bytes into each. */
function idsOf(heard: Uint8Array, at: number): Buffer {
  const half = idBytes / 2;
  return arrayOf(uuid, heard, (array, to, start) => {
    const from = start + at;
    // RowBinary has each half of an id backwards.
    for (let n = 0; n < half; n++) {
      array[to + n] = heard[from + half - 1 - n] ?? 0;
      array[to + half + n] = heard[from + idBytes - 1 - n] ?? 0;
    }
  });
}

function timesOf(heard: Uint8Array): Buffer {
  const source = new DataView(heard.buffer, heard.byteOffset, heard.byteLength);
  return arrayOf(float8, heard, (array, to, from) =>
    array.writeDoubleBE(source.getFloat64(from + idBytes, true), to),
  );
}

/**
 * An array of one dimension in the binary form of its protocol (array_recv in PostgreSQL's arrayfuncs.c): it takes no
 * string for each thing, and collecting those was most of what noting them cost.
 */
function arrayOf(
  { oid, bytes }: { oid: number; bytes: number },
  heard: Uint8Array,
  write: (array: Buffer, to: number, from: number) => void,
): Buffer {
  const [dimensions, nulls, first, headBytes, lengthBytes] = [1, 0, 1, 20, 4];
  const count = heard.length / heardBytes;
  const array = Buffer.allocUnsafe(headBytes + count * (lengthBytes + bytes));
  let to = 0;
  for (const word of [dimensions, nulls, oid, count, first]) to = array.writeInt32BE(word, to);
  for (let from = 0; from < heard.length; from += heardBytes) {
    to = array.writeInt32BE(bytes, to);
    write(array, to, from);
    to += bytes;
  }
  return array;
}
