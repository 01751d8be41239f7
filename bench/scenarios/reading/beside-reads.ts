import { setTimeout as delay } from 'node:timers/promises';
import { Agent, request } from 'undici';
import { costOf, loadFigures, medianRound, type Round } from '../../harness/cost.ts';
import { atLeast, atMost, info } from '../../harness/figures.ts';
import { median, percentile } from '../../../test/support/statistics.ts';
import { type Scenario } from '../../harness/setup.ts';
import { amount } from '../../harness/load/durations.ts';
import {
  caughtUp,
  run,
  roundSeconds,
  usualRounds,
  warmUpSeconds,
} from '../../harness/load/rounds.ts';
import { type Bench, metric } from '../../harness/setup.ts';

const records = 10;
const readsPerSecond = 20;
/** Enough for an export that outlasts a round. */
const storedBefore = () => amount(20_000_000, 2_000_000);

/** Ingest alone, and beside twenty reads a second and one export after the other, in turns; the reads also alone. */
export const besideReads: Scenario = async (bench) => {
  const edge = await bench.startEdge();
  while ((await bench.storedRecords()) < storedBefore()) {
    await run(bench, edge, 100);
    await caughtUp(edge);
  }
  await run(bench, edge, records, warmUpSeconds());
  await caughtUp(edge);
  const alone: Round[] = [];
  const beside: Round[] = [];
  const times: number[] = [];
  const idleTimes: number[] = [];
  let exportedBytes = 0;
  let failed = 0;
  let readingSeconds = 0;
  const list = await bench.fleet.call('GET', '/things?limit=100');
  const things: string[] = Object(list.body).things.map((thing: unknown) => Object(thing).id);
  for (let at = 0; at < usualRounds(); at++) {
    alone.push(await costOf(bench, [edge], () => run(bench, edge, records)));
    const idle = startReaders(bench, things, false);
    await delay(roundSeconds() * 1_000);
    idleTimes.push(...(await idle.stop()).times);
    const readers = startReaders(bench, things, true);
    const readingSince = performance.now();
    beside.push(await costOf(bench, [edge], () => run(bench, edge, records)));
    const read = await readers.stop();
    readingSeconds += (performance.now() - readingSince) / 1_000;
    times.push(...read.times);
    exportedBytes += read.exportedBytes;
    failed += read.failed;
  }
  const refused = await metric(edge.url, 'millrace_refused_messages_total');
  await edge.stop();
  const [without, on] = [medianRound(alone), medianRound(beside)];
  const share = on.result.requestsPerSecond / without.result.requestsPerSecond;
  return [
    ...loadFigures('S10 alone', without, records),
    ...loadFigures('S10 beside reads and an export', on, records),
    atLeast('ingest beside reads and an export to alone', share, 'ratio', 0.7),
    atLeast(
      'reads meanwhile, answered',
      times.length / readingSeconds,
      'reads/s',
      0.95 * readsPerSecond,
    ),
    info('reads without ingest and export, p50', median(idleTimes), 'ms'),
    info('reads meanwhile, p50', median(times), 'ms'),
    atMost('reads meanwhile to without, p50', median(times) / median(idleTimes), 'ratio', 5),
    info('reads meanwhile, p99', percentile(times, 0.99), 'ms'),
    info('exported meanwhile', exportedBytes / 1_000_000, 'MB'),
    atMost('reads that failed', failed, 'requests', 0),
    atMost('refused', refused, 'messages', 0),
  ];
};

/**
 * Reads of the newest messages at fixed times, however long they take, and exports of everything beside them where asked,
 * until stopped.
 */
function startReaders({ fleet, system }: Bench, things: string[], isExporting: boolean) {
  const agent = new Agent({ connections: 32 });
  const leaving = new AbortController();
  const headers = { authorization: `Bearer ${fleet.token}` };
  const times: number[] = [];
  const underWay = new Set<Promise<void>>();
  let exportedBytes = 0;
  let failed = 0;

  async function read(due: number): Promise<void> {
    const thing = things[Math.floor(Math.random() * things.length)] ?? '';
    const url = `${system.apiUrl}/reader/senml?limit=10&publisher=${thing}`;
    const { statusCode, body } = await request(url, {
      dispatcher: agent,
      headers,
      signal: leaving.signal,
    });
    await body.dump();
    if (statusCode === 200) times.push(performance.now() - due);
    else failed += 1;
  }

  async function reading(): Promise<void> {
    for (let due = performance.now(); !leaving.signal.aborted; due += 1_000 / readsPerSecond) {
      await delay(Math.max(0, due - performance.now()));
      const one = read(due)
        .catch(() => {
          if (!leaving.signal.aborted) failed += 1;
        })
        .finally(() => underWay.delete(one));
      underWay.add(one);
    }
  }

  async function exporting(): Promise<void> {
    const url = `${system.apiUrl}/reader/senml/export?convert=csv`;
    while (!leaving.signal.aborted) {
      const { body } = await request(url, { headers, signal: leaving.signal });
      for await (const chunk of body) exportedBytes += Buffer.byteLength(chunk);
    }
  }

  const loops = [reading(), ...(isExporting ? [exporting().catch(onlyWhenLeaving)] : [])];
  function onlyWhenLeaving(error: unknown): void {
    if (!leaving.signal.aborted) throw error;
  }

  return {
    async stop() {
      leaving.abort();
      await Promise.all(loops);
      await Promise.all(underWay);
      await agent.close();
      return { times, exportedBytes, failed };
    },
  };
}
