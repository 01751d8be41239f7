import { eventually } from '../../../test/support/eventually.ts';
import { median } from '../../../test/support/statistics.ts';
import { rounds, seconds } from './durations.ts';
import type { BenchProcess } from '../processes.ts';
import { type Bench, type BenchEdge, metric } from '../setup.ts';
import { type Load, load } from './wrk.ts';

export const connections = 64;
export const warmUpSeconds = () => seconds(2);
export const roundSeconds = () => seconds(5);
export const usualRounds = () => rounds(3);

export const acknowledgedMetric = 'millrace_acknowledged_records_total';
export const storedMetric = 'millrace_sink_records_total';
export const pendingMetric = 'millrace_sink_pending_bytes';

/** Loads a server with packs of this many records, a round long unless told otherwise. */
export async function run(
  bench: Bench,
  server: BenchProcess,
  records: number,
  forSeconds = roundSeconds(),
  perSecond = 0,
): Promise<Load> {
  const requestsPath = bench.requests(records);
  return load({ url: server.url, requestsPath, connections, seconds: forSeconds, perSecond });
}

/**
 * Waits until the edge's sinks have delivered everything in its log. Their metrics may be a moment old, so the stored
 * count is compared with the acknowledged one as well.
 */
export async function caughtUp(edge: BenchEdge): Promise<void> {
  await eventually(async () => {
    const acknowledged = await metric(edge.url, acknowledgedMetric);
    const stored = await metric(edge.url, storedMetric);
    return stored >= acknowledged && (await metric(edge.url, pendingMetric)) === 0;
  }, 300_000);
}

/** Loads until each of so many things has published, as with an edge that runs for long: each run begins at another thing. */
export async function publishByAll(
  things: number,
  loadFor: (seconds: number) => Promise<Load>,
): Promise<void> {
  let forSeconds = warmUpSeconds();
  let { requests } = await loadFor(forSeconds);
  while (requests < things) {
    forSeconds = Math.ceil((1.3 * forSeconds * things) / requests);
    ({ requests } = await loadFor(forSeconds));
  }
}

/** Rounds in turn, A B A B: so the ratio of the medians does not depend on the changing speed of the machine. */
export async function inTurns(one: () => Promise<number>, other: () => Promise<number>) {
  const values: { one: number[]; other: number[] } = { one: [], other: [] };
  for (let round = 0; round < usualRounds(); round++) {
    values.one.push(await one());
    values.other.push(await other());
  }
  const [of, to] = [median(values.one), median(values.other)];
  return { of, to, ratio: of / to };
}

/** Two servers in turn under the same load, in requests a second. */
export async function ratio(bench: Bench, one: BenchProcess, other: BenchProcess, records: number) {
  await run(bench, one, records, warmUpSeconds());
  await run(bench, other, records, warmUpSeconds());
  const rate = (server: BenchProcess) => async () =>
    (await run(bench, server, records)).requestsPerSecond;
  return inTurns(rate(one), rate(other));
}
