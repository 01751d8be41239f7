import { readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { pickPortsInRow } from '../../../infra/local/installation/ports.ts';
import { limits } from '../../../ingest/limits.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { percentile } from '../../../test/support/statistics.ts';
import { atMost, info } from '../../harness/figures.ts';
import { amount, seconds } from '../../harness/load/durations.ts';
import { createPublishers } from '../../harness/requests.ts';
import type { Bench, BenchEdge, Scenario } from '../../harness/setup.ts';
import { holdMqtt } from '../edge/held-mqtt.ts';

const connections = () => amount(100_000, 2_000);
/** Fewer than a thing may have. */
const perThing = 50;
/** The kernel spreads connections over edges by chance: some get more than others. */
const evenness = 0.96;
const probes = 100;
const restMs = () => seconds(10) * 1_000;

/**
 * 100,000 clients of MQTT that send nothing: what each takes, how soon a message of another thing is acknowledged beside
 * them, and how soon all are back after a kill of their edges. They are at one edge where a process may have as many
 * descriptors (`ulimit -n`), else at as few edges as hold them, which share a port.
 */
export const idleFleet: Scenario = async (bench) => {
  const things = Math.ceil(connections() / perThing);
  const credentials = await createPublishers(bench.fleet, things);
  const perProcess = descriptorsMax() - limits.descriptorsReserved;
  const edgeCount = Math.ceil(connections() / (perProcess * limits.lastingPart * evenness));
  const settings = await settingsOf(edgeCount);
  const edges = await Promise.all(settings.map((own) => bench.startEdge({ settings: own })));
  const alone = await probe(bench, edges[0]);
  const aloneCores = await coresOf(edges);
  const bytesBefore = residentOf(edges);
  const cpuBefore = cpuOf(edges);
  const openedAt = performance.now();
  const holders = await Promise.all(
    shares(connections(), perProcess).map((count) =>
      holdMqtt({ port: edges[0]?.mqttPort ?? 0, count, credentials }),
    ),
  );
  const openedSeconds = (performance.now() - openedAt) / 1_000;
  const cpuMs = ((cpuOf(edges) - cpuBefore) * 1_000) / connections();
  const kibibytes = (residentOf(edges) - bytesBefore) / 1024 / connections();
  const cores = (await coresOf(edges)) - aloneCores;
  const beside = await probe(bench, edges[0]);
  await Promise.all(edges.map((edge) => edge.stop('SIGKILL')));
  const back = Promise.all(holders.map((holder) => holder.openAgain()));
  const again = await Promise.all(
    edges.map(({ dataDir }, at) => bench.startEdge({ settings: settings[at] ?? {}, dataDir })),
  );
  const startedAt = performance.now();
  await back;
  const backSeconds = (performance.now() - startedAt) / 1_000;
  const after = await probe(bench, again[0]);
  await Promise.all(holders.map((holder) => holder.close()));
  await Promise.all(again.map((edge) => edge.stop()));
  return [
    info('idle connections', connections(), 'connections'),
    info('edges that hold them', edgeCount, 'edges'),
    atMost('memory per idle connection', kibibytes, 'KiB', 12),
    info('connections opened', connections() / openedSeconds, 'connections/s'),
    info('CPU of the edges for each', cpuMs, 'ms'),
    info('cores for all that are idle', cores, 'cores'),
    info('ack of another thing without them, p50', percentile(alone, 0.5), 'ms'),
    info('ack of another thing beside them, p50', percentile(beside, 0.5), 'ms'),
    info('ack of another thing beside them, p95', percentile(beside, 0.95), 'ms'),
    info('all are back after a kill, once the edges run', backSeconds, 's'),
    info('ack of another thing after that, p50', percentile(after, 0.5), 'ms'),
  ];
};

/** How many files and sockets a process may have open here. */
function descriptorsMax(): number {
  const line = /^Max open files +\d+ +(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'));
  return Number(line?.[1]);
}

async function settingsOf(edgeCount: number): Promise<Record<string, string>[]> {
  const port = String(await pickPortsInRow(1));
  return Array.from({ length: edgeCount }, (_, index) => ({
    MQTT_PORT: port,
    INGEST_INDEX: String(index),
    INGEST_PROCESSES: String(edgeCount),
    EDGE_STREAMS_PER_ORG_MAX: '1000000',
    EDGE_CONNECTIONS_PER_NETWORK_MAX: '1000000',
  }));
}

/** A number as the sum of as few as possible that are no larger than `max`. */
function shares(all: number, max: number): number[] {
  const count = Math.ceil(all / max);
  return Array.from({ length: count }, (_, at) => Math.floor((all + at) / count));
}

const residentOf = (edges: readonly BenchEdge[]) =>
  edges.reduce((sum, edge) => sum + edge.residentBytes(), 0);

/** How long acknowledgements take for messages that come one after the other (ms). */
async function probe({ fleet }: Bench, edge: BenchEdge | undefined): Promise<number[]> {
  const thing = await fleet.thing();
  const options = { ingestUrl: edge?.url ?? '' };
  const publish = () => fleet.publish(thing.key, [{ n: 'n', v: 1 }], options);
  await eventually(publish);
  const ms: number[] = [];
  for (let at = 0; at < probes; at++) {
    const sentAt = performance.now();
    await publish();
    ms.push(performance.now() - sentAt);
  }
  return ms;
}

const cpuOf = (edges: readonly BenchEdge[]) =>
  edges.reduce((sum, edge) => sum + edge.cpuSeconds(), 0);

async function coresOf(edges: readonly BenchEdge[]): Promise<number> {
  const before = cpuOf(edges);
  await delay(restMs());
  return ((cpuOf(edges) - before) * 1_000) / restMs();
}
