import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { createLog } from '../../../infra/runtime/process/logger.ts';
import { openPostgres, type Pool } from '../../../infra/runtime/stores/postgres.ts';
import { uuidToRowBinary } from '../../../ingest/codecs/uuid.ts';
import { LatestTimes } from '../../../ingest/last-seen/latest-times.ts';
import { insertSeen } from '../../../ingest/last-seen/sql.ts';
import { limits } from '../../../ingest/limits.ts';
import { atLeast, type Figure, info } from '../../harness/figures.ts';
import { amount, seconds } from '../../harness/load/durations.ts';
import { createPublishers } from '../../harness/requests.ts';
import type { Bench, BenchEdge, Scenario } from '../../harness/setup.ts';

const million = 1_000_000;
const allThings = () => amount(10 * million, 100_000);
const edges = 12;
const messages = () => amount(3 * million, 30_000);
const created = () => amount(100_000, 1_000);
const heardTurns = 5;
const streams = () => amount(8_000, 200);

const KnownKeys = Type.Object({
  remembered: Type.Number(),
  bytesOfThings: Type.Number(),
  foundShare: Type.Number(),
});

/**
 * One edge of the many that a fleet of ten million things needs: what it remembers of each thing, how often it finds a
 * key there, and what a stream costs that only stays open.
 */
export const tenMillion: Scenario = async (bench) => {
  const served = Math.ceil(allThings() / edges);
  const own = await knownKeys(served);
  const any = await knownKeys(allThings());
  return [
    info('things of the fleet', allThings(), 'things'),
    info('things of one edge, of twelve', served, 'things'),
    info('memory per thing', own.bytesOfThings / own.remembered, 'bytes'),
    atLeast('keys found in memory, each thing at its edge', own.foundShare, 'ratio', 0.999),
    info('keys found in memory, each thing at any edge', any.foundShare, 'ratio'),
    ...(await openStreams(bench)),
    ...(await inPostgres(bench)),
  ];
};

async function knownKeys(things: number) {
  const script = join(import.meta.dirname, 'known-keys.ts');
  const { stdout } = await promisify(execFile)(process.execPath, [
    '--expose-gc',
    script,
    String(things),
    String(messages()),
  ]);
  return Value.Parse(KnownKeys, JSON.parse(stdout));
}

/** What streams cost an edge from which nothing comes: most of them beside a few, for which it has warmed up. */
async function openStreams(bench: Bench): Promise<Figure[]> {
  const { credentials } = bench;
  // All are of one org.
  const settings = { EDGE_STREAMS_PER_ORG_MAX: String(streams()) };
  const edge = await bench.startEdge({ settings });
  const all = Math.min(streams(), credentials.length * limits.streamsPerThingMax);
  const count = Math.floor(all * 0.9);
  const few = await holdStreams(edge, all - count, credentials);
  const cpuBefore = await cpuShare(edge);
  const bytesBefore = edge.residentBytes();
  const most = await holdStreams(edge, count, credentials.toReversed());
  const cpu = (await cpuShare(edge)) - cpuBefore;
  const bytes = edge.residentBytes() - bytesBefore;
  await most.close();
  await few.close();
  await edge.stop();
  return [
    info('streams that are open', all, 'streams'),
    info('memory per open stream', bytes / count, 'bytes'),
    info('cores for a million open streams', (cpu / count) * million, 'cores'),
  ];
}

/** @throws where they don't open. */
async function holdStreams(edge: BenchEdge, count: number, credentials: string[]) {
  const url = `${edge.url.replace('http', 'ws')}/http/messages/stream`;
  const script = join(import.meta.dirname, 'idle-streams.ts');
  const holder = spawn(process.execPath, [script, url, String(count), ...credentials], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const ended = once(holder, 'exit');
  const [said] = await Promise.race([once(holder.stdout, 'data'), ended]);
  if (String(said) !== 'open\n') throw new Error('the streams did not open');
  return {
    async close(): Promise<void> {
      holder.stdin.end();
      await ended;
    },
  };
}

/** What a thing takes in PostgreSQL, and how many can be noted as heard: all edges write that in turns. */
async function inPostgres({ system, fleet }: Bench): Promise<Figure[]> {
  const pool = openPostgres(system.databaseUrl, 1, 300_000, createLog('bench', 'silent'));
  try {
    const size = async () => {
      await pool.query('VACUUM ANALYZE things');
      const { rows } = await pool.query<{ bytes: string }>(
        'SELECT pg_database_size(current_database()) AS bytes',
      );
      return Number(rows[0]?.bytes);
    };
    const bytesBefore = await size();
    const since = performance.now();
    await createPublishers(fleet, created());
    const perSecond = created() / ((performance.now() - since) / 1_000);
    const bytes = (await size()) - bytesBefore;
    const { rows } = await pool.query<{ id: string }>('SELECT id FROM things');
    const ids = rows.map(({ id }) => id);
    await hear(pool, ids);
    const at = performance.now();
    for (let turn = 0; turn < heardTurns; turn++) await hear(pool, ids);
    const heard = heardTurns * ids.length;
    return [
      info('things created', perSecond, 'things/s'),
      info('PostgreSQL, per thing', bytes / created(), 'bytes'),
      info('things noted as heard', heard / ((performance.now() - at) / 1_000), 'things/s'),
    ];
  } finally {
    await pool.end();
  }
}

async function hear(pool: Pool, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += limits.heardAtOnceMax) {
    await insertSeen(pool, heardOf(ids.slice(at, at + limits.heardAtOnceMax)));
  }
}

function heardOf(ids: string[]): Uint8Array {
  const latest = new LatestTimes();
  const nowMs = Date.now();
  for (const id of ids) latest.note(Buffer.from(uuidToRowBinary(id)).toString('latin1'), nowMs);
  return latest.all();
}

/** Of a core, in a time in which each stream is asked once whether it lives. */
async function cpuShare(edge: BenchEdge): Promise<number> {
  const [cpu, at] = [edge.cpuSeconds(), performance.now()];
  await delay(seconds(limits.streamIdleSeconds) * 1_000);
  return (edge.cpuSeconds() - cpu) / ((performance.now() - at) / 1_000);
}
