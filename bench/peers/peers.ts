import type { Figure } from '../harness/figures.ts';
import type { Scenario } from '../harness/setup.ts';
import type { Bench } from '../harness/setup.ts';
import type { Contestant } from './contestants/contestant.ts';
import { startInfluxDb } from './contestants/influxdb.ts';
import { millrace } from './contestants/millrace.ts';
import { rateFigures } from './rates.ts';
import { installedVersion } from './contestants/server.ts';
import { storedFigures } from './stored.ts';
import { startVictoriaMetrics } from './contestants/victoria-metrics.ts';

/** Millrace beside InfluxDB and VictoriaMetrics: what they keep, then how fast they take it. */
export const peers: Scenario = async (bench) => {
  const versions = { influxdb: find('influxdb'), victoriaMetrics: find('victoria-metrics') };
  // Each part has new stores of the peers; ours is new in the first.
  const stored = await among(bench, starters(versions, true), storedFigures);
  return [...stored, ...(await among(bench, starters(versions, false), rateFigures))];
};

type Versions = { influxdb: string | undefined; victoriaMetrics: string | undefined };

function find(name: string): string | undefined {
  const version = installedVersion(name);
  if (version === undefined) {
    process.stdout.write(`  ${name} is skipped: not installed (bench/peers/install.sh does it)\n`);
  }
  return version;
}

function starters({ influxdb, victoriaMetrics }: Versions, toMerge: boolean) {
  const all: (() => Promise<Contestant>)[] = [];
  if (influxdb !== undefined) all.push(() => startInfluxDb(influxdb, toMerge));
  if (victoriaMetrics !== undefined) {
    all.push(() => startVictoriaMetrics(victoriaMetrics, 'victoria-metrics'));
    // It stores the same in either form.
    if (!toMerge) all.push(() => startVictoriaMetrics(victoriaMetrics, 'victoria-metrics-json'));
  }
  return all;
}

async function among(
  bench: Bench,
  starts: (() => Promise<Contestant>)[],
  measure: (contestants: Contestant[]) => Promise<Figure[]>,
): Promise<Figure[]> {
  const contestants = [millrace(bench)];
  try {
    for (const start of starts) contestants.push(await start());
    return await measure(contestants);
  } finally {
    for (const contestant of contestants) await contestant.stop();
  }
}
