import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool, type PoolClient } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createLog } from '../../infra/runtime/process/logger.ts';
import { heardBytes, idBytes } from '../../ingest/auth/known/heard-things.ts';
import { uuidToRowBinary } from '../../ingest/codecs/uuid.ts';
import { SeenThings } from '../../ingest/last-seen/last-seen.ts';
import { insertSeen } from '../../ingest/last-seen/sql.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { system } from '../support/system.ts';

const thingCount = 5;
const position = { segment: 1, offset: 0 };
/** Each test has later times than the one before, and none in the future: those do not count. */
let sinceMs = Date.now() - 3_600_000;

let fleet: Fleet;
let pool: Pool;
let things: Thing[];
let directory: string;
let other: PoolClient;

beforeAll(async () => {
  fleet = await Fleet.login(system());
  pool = new Pool({ connectionString: system().databaseUrl, max: 3 });
  things = [];
  for (let count = 0; count < thingCount; count++) things.push(await fleet.thing());
  directory = mkdtempSync(join(tmpdir(), 'millrace-test-seen-'));
  other = await pool.connect();
});

afterAll(async () => {
  other.release();
  await pool.end();
  await fleet.close();
  rmSync(directory, { recursive: true, force: true });
});

/** A report of these things, in this order, as the edge makes it. */
function reportOf(heard: readonly (readonly [thing: Thing, atMs: number])[]) {
  const bytes = new Uint8Array(new ArrayBuffer(heard.length * heardBytes));
  const times = new DataView(bytes.buffer);
  for (const [place, [{ id }, atMs]] of heard.entries()) {
    bytes.set(uuidToRowBinary(id), place * heardBytes);
    times.setFloat64(place * heardBytes + idBytes, atMs, true);
  }
  return bytes;
}

async function seenMs(): Promise<(number | undefined)[]> {
  const { rows } = await other.query<{ thing_id: string; seen_at: Date }>(
    'SELECT thing_id, seen_at FROM things_seen WHERE thing_id = ANY ($1)',
    [things.map(({ id }) => id)],
  );
  const byThing = new Map(rows.map((row) => [row.thing_id, row.seen_at.getTime()]));
  return things.map(({ id }) => byThing.get(id));
}

it.each([
  ['reports wait one by one', 1024 ** 2],
  ['waiting reports become one', 3 * thingCount * heardBytes],
])(
  'what waits for Postgres has the latest time of each thing when it is written: %s',
  async (_, foldBytes) => {
    const stopping = new AbortController();
    const seen = new SeenThings({
      logId: randomUUID(),
      directory,
      pool,
      openReader: () => {
        throw new Error('nothing is read again');
      },
      committed: () => position,
      limits: {
        thingsAtOnceMax: 2,
        retryMs: 10,
        replayBytesMax: 1024,
        foldBytes,
        hearingEveryMs: 0,
      },
      logger: createLog('ingest', 'silent'),
      stopping: stopping.signal,
    });
    const running = seen.run();
    // Another edge writes, and does not end.
    await other.query("SELECT pg_advisory_lock(hashtext('things_seen'))");
    const firstMs = (sinceMs += 60_000);
    const reports = 9;
    for (let turn = 0; turn < reports; turn++) {
      const heard = things.map((thing, at) => [thing, firstMs + turn * 100 + at] as const);
      // One thing is there twice in a statement, as where it was forgotten and looked up again.
      const twice = heard.slice(0, 1).map(([thing, atMs]) => [thing, atMs - 1] as const);
      seen.add({ things: reportOf([...twice, ...heard]), upTo: undefined, hearing: undefined });
    }
    expect((await seenMs()).filter((ms) => (ms ?? 0) >= firstMs)).toEqual([]);
    await other.query("SELECT pg_advisory_unlock(hashtext('things_seen'))");
    const lastMs = firstMs + (reports - 1) * 100;
    await eventually(async () => {
      expect(await seenMs()).toEqual(things.map((_thing, at) => lastMs + at));
    });
    stopping.abort();
    await running;
  },
);

it('a thing that moves while it is heard for the first time stands in its new group', async () => {
  const thing = await fleet.thing();
  const elsewhere = await Fleet.login(system());
  const { groupId, profileId } = await elsewhere.thing();
  await elsewhere.close();
  await other.query('BEGIN');
  await other.query('UPDATE things SET group_id = $2, profile_id = $3 WHERE id = $1', [
    thing.id,
    groupId,
    profileId,
  ]);
  const noting = insertSeen(pool, reportOf([[thing, Date.now() - 1_000]]));
  await eventually(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity
       WHERE datname = current_database() AND wait_event_type = 'Lock' AND query LIKE '%INTO things_seen%'`,
    );
    expect(rows).toHaveLength(1);
  });
  await other.query('COMMIT');
  await noting;
  const { rows } = await other.query('SELECT in_group FROM things_seen WHERE thing_id = $1', [
    thing.id,
  ]);
  expect(rows).toEqual([{ in_group: groupId }]);
  const unheard = await other.query('SELECT FROM things_unheard WHERE thing_id = $1', [thing.id]);
  expect(unheard.rows).toEqual([]);
});
