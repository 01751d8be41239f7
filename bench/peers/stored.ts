import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, atMost, type Figure, info, ratios, spreadOver } from '../harness/figures.ts';
import { median } from '../../test/support/statistics.ts';
import type { Contestant } from './contestants/contestant.ts';
import { storedPacks } from './points.ts';
import { progress } from '../harness/progress.ts';

/** A million at least: every publisher sends whole packs. */
const points = Math.min(Number(process.env['BENCH_RECORDS'] ?? 1_000_000), 5_000_000);
const daySeconds = 86_400;
const daysAgo = 4;
const exportRounds = 3;
const sampleEveryMs = 200;
const newline = 10;

/** The goals: rows per second in relation to a peer, of each kind of export. */
const exportFloors: Record<ExportKind, Record<string, number>> = {
  'CSV export': { influxdb: 8, 'victoria-metrics': 0.7 },
  'CSV export of three columns': { 'victoria-metrics': 0.9 },
};

type ExportKind = 'CSV export' | 'CSV export of three columns';

/** The same points in every system: their bytes on the disk, and the speed of a CSV export. */
export async function storedFigures(contestants: Contestant[]): Promise<Figure[]> {
  const figures: Figure[] = [];
  const bytes: Record<string, number> = {};
  for (const contestant of contestants) {
    await fill(contestant);
    bytes[contestant.name] = await contestant.bytesPerPoint();
    progress(`${contestant.name} has stored and merged ${points} points`);
    figures.push(
      info(`bytes per point / ${contestant.name}`, bytes[contestant.name] ?? 0, 'bytes'),
    );
  }
  const [ours, victoriaMetrics] = [bytes['millrace'], bytes['victoria-metrics']];
  if (ours !== undefined && victoriaMetrics !== undefined) {
    const name = 'bytes per point to victoria-metrics';
    figures.push(atMost(name, ours / victoriaMetrics, 'ratio', 0.7));
  }
  const named = contestants.filter((one) => one.exportThreeColumns !== undefined);
  return [
    ...figures,
    ...(await exporting('CSV export', contestants)),
    ...(await exporting('CSV export of three columns', named)),
  ];
}

/** @throws when a point is refused, or is not in the store afterwards. */
async function fill(contestant: Contestant): Promise<void> {
  const today = Math.floor(Date.now() / 1_000 / daySeconds) * daySeconds;
  await contestant.fill(storedPacks(points, today - daysAgo * daySeconds));
  await contestant.allStored();
  const stored = await contestant.storedPoints();
  if (stored !== points) throw new Error(`${contestant.name} holds ${stored} of ${points} points`);
}

type Export = { rowsPerSecond: number; bytesPerRow: number; memoryMib: number };

async function exporting(kind: ExportKind, contestants: Contestant[]): Promise<Figure[]> {
  const exports = new Map<string, Export[]>(contestants.map(({ name }) => [name, []]));
  for (let round = -1; round < exportRounds; round++) {
    for (const contestant of contestants) {
      const one = await exportOnce(contestant, kind);
      progress(`${contestant.name}: ${kind}, ${one.rowsPerSecond.toFixed(0)} rows/s`);
      // The first warms up.
      if (round >= 0) exports.get(contestant.name)?.push(one);
    }
  }
  const rates = (name: string) => (exports.get(name) ?? []).map((one) => one.rowsPerSecond);
  const rate = (name: string) => median(rates(name));
  return contestants.flatMap(({ name }) => {
    const bytesPerRow = exports.get(name)?.[0]?.bytesPerRow ?? Number.NaN;
    const memory = Math.max(...(exports.get(name) ?? []).map(({ memoryMib }) => memoryMib));
    const memoryName = `${kind} memory / ${name}`;
    const floor = exportFloors[kind][name];
    return [
      spreadOver(info(`${kind} rows/s / ${name}`, rate(name), 'rows/s'), rates(name)),
      info(`${kind} bytes per row / ${name}`, bytesPerRow, 'bytes'),
      info(`${kind} MB/s / ${name}`, (rate(name) * bytesPerRow) / 1e6, 'MB/s'),
      name === 'millrace'
        ? atMost(memoryName, memory, 'MiB more', 64)
        : info(memoryName, memory, 'MiB more'),
      ...(floor === undefined
        ? []
        : [
            spreadOver(
              atLeast(`${kind} to ${name}`, rate('millrace') / rate(name), 'ratio', floor),
              ratios(rates('millrace'), rates(name)),
            ),
          ]),
    ];
  });
}

/** @throws when points are missing in the export. */
async function exportOnce(contestant: Contestant, kind: ExportKind): Promise<Export> {
  const before = contestant.residentBytes();
  let most = before;
  let running = true;
  const watch = (async () => {
    while (running) {
      most = Math.max(most, contestant.residentBytes());
      await delay(sampleEveryMs);
    }
  })();
  const startedAt = performance.now();
  let lines = 0;
  let bytes = 0;
  const exported =
    kind === 'CSV export' ? contestant.exportCsv() : contestant.exportThreeColumns?.();
  for await (const chunk of (await exported) ?? []) {
    lines += countLines(chunk);
    bytes += Buffer.byteLength(chunk);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  running = false;
  await watch;
  if (lines !== points && lines !== points + 1) {
    throw new Error(`${contestant.name} exported ${lines} lines of ${points} points`);
  }
  return {
    rowsPerSecond: points / seconds,
    bytesPerRow: bytes / points,
    memoryMib: (most - before) / 1024 ** 2,
  };
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(newline); at >= 0; at = chunk.indexOf(newline, at + 1)) lines++;
  return lines;
}
