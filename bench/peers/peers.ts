import type { Figure } from '../harness/figures.ts';
import type { Scenario } from '../harness/setup.ts';
import type { Contestant } from './contestants/contestant.ts';
import { startInfluxDb } from './contestants/influxdb.ts';
import { unpackedVersion } from './contestants/installed.ts';
import { millrace } from './contestants/millrace.ts';
import { startTimescaleDb } from './contestants/timescaledb.ts';
import { startVictoriaMetrics } from './contestants/victoria-metrics.ts';
import { ownForms, rateFigures, sameLines } from './rates.ts';
import { storedFigures } from './stored.ts';

/** Millrace beside InfluxDB, VictoriaMetrics and TimescaleDB: what they keep, then how fast they take it. */
export const peers: Scenario = async (bench) => {
  const versions = {
    influxDb: find('influxdb'),
    victoriaMetrics: find('victoria-metrics'),
    timescaleDb: find('postgresql-17-timescaledb'),
  };
  // Each part has new stores of the peers; ours is new in the first.
  const ours = () => millrace(bench, 'senml');
  const stored = await among(ours, starters(versions, true), storedFigures);
  const rates = (all: Contestant[]) => rateFigures(all, ownForms);
  return [...stored, ...(await among(ours, starters(versions, false), rates))];
};

/** Millrace beside InfluxDB and VictoriaMetrics, all of which take the same bytes of line protocol. */
export const lines: Scenario = async (bench) => {
  const starts: (() => Promise<Contestant[]>)[] = [];
  const victoriaMetrics = find('victoria-metrics');
  if (victoriaMetrics !== undefined) {
    starts.push(async () => [await startVictoriaMetrics(victoriaMetrics, 'victoria-metrics')]);
  }
  const influxDb = find('influxdb');
  if (influxDb !== undefined) starts.push(async () => [await startInfluxDb(influxDb, false)]);
  return among(
    () => millrace(bench, 'lines'),
    starts,
    (all) => rateFigures(all, sameLines),
  );
};

type Versions = Record<'influxDb' | 'victoriaMetrics' | 'timescaleDb', string | undefined>;

function find(name: string): string | undefined {
  const version = unpackedVersion(name);
  if (version === undefined) {
    process.stdout.write(`  ${name} is skipped: not there (bench/peers/install.sh fetches it)\n`);
  }
  return version;
}

/** `toMerge`: to keep points, which is the same in all forms of a system; else to take them. */
function starters({ influxDb, victoriaMetrics, timescaleDb }: Versions, toMerge: boolean) {
  const all: (() => Promise<Contestant[]>)[] = [];
  if (victoriaMetrics !== undefined) {
    all.push(async () => [await startVictoriaMetrics(victoriaMetrics, 'victoria-metrics')]);
    if (!toMerge) {
      all.push(async () => [await startVictoriaMetrics(victoriaMetrics, 'victoria-metrics-json')]);
    }
  }
  if (influxDb !== undefined) all.push(async () => [await startInfluxDb(influxDb, toMerge)]);
  if (timescaleDb !== undefined) {
    all.push(() =>
      startTimescaleDb(
        timescaleDb,
        toMerge ? ['timescaledb'] : ['timescaledb', 'timescaledb-copy', 'timescaledb-copy-async'],
      ),
    );
  }
  return all;
}

async function among(
  ours: () => Promise<Contestant>,
  starts: (() => Promise<Contestant[]>)[],
  measure: (contestants: Contestant[]) => Promise<Figure[]>,
): Promise<Figure[]> {
  const contestants = [await ours()];
  try {
    for (const start of starts) contestants.push(...(await start()));
    return await measure(contestants);
  } finally {
    for (const contestant of contestants) await contestant.stop();
  }
}
