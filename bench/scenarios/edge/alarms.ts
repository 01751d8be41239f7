import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Pool } from 'pg';
import { eventually } from '../../../test/support/eventually.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { KnownPairs } from '../../../ingest/sinks/alarms/known-pairs.ts';
import { NotOkStates } from '../../../ingest/sinks/alarms/not-ok.ts';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, atMost, type Figure, info } from '../../harness/figures.ts';
import { caughtUp, run, usualRounds, warmUpSeconds } from '../../harness/load/rounds.ts';
import { type Bench, type BenchEdge, metric, type Scenario } from '../../harness/setup.ts';

const records = 10;
/** Longer than an edge takes to learn of a change. */
const learnedMs = 1_500;
const okPairs = 1_000_000;
const notOkPairs = 1_000_000;
const betweenProbesMs = 200;

/** Ingest with a rule for each thing, and with none, in turns; and the memory that things under rules take. */
export const alarms: Scenario = async (bench) => {
  const pool = new Pool({ connectionString: bench.system.databaseUrl, max: 1 });
  const edge = await bench.startEdge();
  const evaluated = () => metric(edge.url, 'millrace_alarm_sink_evaluated_total');
  const off: Round[] = [];
  const on: Round[] = [];
  try {
    await run(bench, edge, records, warmUpSeconds());
    await caughtUp(edge);
    for (let at = 0; at < usualRounds(); at++) {
      off.push(await costOf(bench, [edge], () => run(bench, edge, records)));
      await addRules(bench, pool);
      await delay(learnedMs);
      on.push(await costOf(bench, [edge], () => run(bench, edge, records)));
      await pool.query('DELETE FROM rules');
      await delay(learnedMs);
    }
    const [without, beside] = [medianRound(off), medianRound(on)];
    const share = beside.result.requestsPerSecond / without.result.requestsPerSecond;
    return [
      ...loadFigures('S10 without rules', without, records),
      ...loadFigures('S10, each thing under a rule', beside, records),
      atLeast('ingest with a rule for each thing to without', share, 'ratio', 0.85),
      info('values held against rules, all rounds', await evaluated(), 'values'),
      ...(await noticeFigures(bench, edge, pool)),
      ...memoryFigures(),
    ];
  } finally {
    await edge.stop();
    await pool.end();
  }
};

const probes = 50;

/** At half load: from a record's 202 until its notice is with the receiver. Each probe has a rule of its own. */
async function noticeFigures(bench: Bench, edge: BenchEdge, pool: Pool): Promise<Figure[]> {
  const full = await run(bench, edge, records);
  await caughtUp(edge);
  const thing = await bench.fleet.thing();
  const arrivals = new Map<string, number>();
  const receiver = createServer((request, response) => {
    void note(request, arrivals).finally(() => response.end());
  });
  await once(receiver.listen(0, '127.0.0.1'), 'listening');
  const address = receiver.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  const webhookId = randomUUID();
  await pool.query(
    'INSERT INTO webhooks (id, group_id, name, url, messages) VALUES ($1, $2, $3, $4, false)',
    [webhookId, thing.groupId, 'bench', `http://127.0.0.1:${port}/`],
  );
  await pool.query(
    `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity, receivers, thing_ids)
     SELECT gen_random_uuid(), $1, 'probe' || number, 'all',
            jsonb_build_array(jsonb_build_object('name', 'probe' || number, 'when', '>', 'value', 0)),
            0, 0, 'info', jsonb_build_object('webhook_ids', jsonb_build_array($2::text)), ARRAY [$3::uuid]
     FROM generate_series(1, $4) AS number`,
    [thing.groupId, webhookId, thing.id, probes],
  );
  await delay(learnedMs);
  const seconds = (probes * betweenProbesMs) / 1_000 + 3;
  const loading = run(bench, edge, records, seconds, full.requestsPerSecond / 2);
  const acknowledged = new Map<string, number>();
  for (let probe = 1; probe <= probes; probe++) {
    const name = `probe${probe}`;
    await bench.fleet.publish(thing.key, [{ n: name, v: 1 }], { ingestUrl: edge.url });
    acknowledged.set(name, performance.now());
    await delay(betweenProbesMs);
  }
  await loading;
  await eventually(() => arrivals.size === probes, 60_000);
  receiver.close();
  const ms = [...acknowledged].map(([name, at]) => (arrivals.get(name) ?? Infinity) - at);
  return [
    info('from 202 to the notice at half load, p50', median(ms), 'ms'),
    atMost('from 202 to the notice at half load, p99', percentile(ms, 0.99), 'ms', 2_000),
  ];
}

async function note(request: IncomingMessage, arrivals: Map<string, number>): Promise<void> {
  const notice: unknown = JSON.parse(await text(request));
  arrivals.set(String(Object(notice).rule.name), performance.now());
}

/** One for each thing: its messages have names of their own. None fires. */
async function addRules({ credentials }: Bench, pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO rules (id, group_id, name, match, conditions, for_s, clear_for_s, severity)
     SELECT gen_random_uuid(), group_id, 'bench', 'all',
            jsonb_build_array(jsonb_build_object('name', format('urn:dev:%s:sensor0', number), 'when', '>', 'value', 1000)),
            0, 0, 'info'
     FROM (SELECT DISTINCT group_id FROM things) AS place, generate_series(0, $1) AS number`,
    [credentials.length - 1],
  );
}

function memoryFigures(): Figure[] {
  // First, before there is much to collect.
  const beside = bytesOfNotOk();
  const pairs = new KnownPairs(1);
  const thing = randomBytes(16);
  const view = new DataView(thing.buffer, thing.byteOffset, thing.byteLength);
  for (let at = 0; at < okPairs; at++) {
    thing.writeUInt32LE(at);
    pairs.move(pairs.add(view, 0, 0), at, { breach: false, clears: true });
  }
  pairs.keepMoves();
  const ok = pairs.bytes / okPairs;
  return [
    atMost('memory of a thing that is ok under a rule', ok, 'bytes', 64),
    atMost('memory of a thing that is not', ok + beside, 'bytes', 200),
  ];
}

/** Beside the bytes that it takes as one that is ok. */
function bytesOfNotOk(): number {
  const states = new NotOkStates();
  const alarmId = randomUUID();
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const before = process.memoryUsage();
  for (let at = 0; at < notOkPairs; at++) {
    const state = { kind: 'firing', sinceUs: at } as const;
    states.set(at, { state, sequence: 1, alarmId, episode: 1, savedAtS: 0 });
  }
  collect();
  const after = process.memoryUsage();
  const grown = after.heapUsed + after.arrayBuffers - before.heapUsed - before.arrayBuffers;
  return grown / states.size;
}
