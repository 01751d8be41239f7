import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, atMost, type Figure, info } from '../harness/figures.ts';
import { median } from '../../test/support/statistics.ts';
import type { Contestant } from './contestants/contestant.ts';
import { rounds as ofRun, seconds as ofRound } from '../harness/load/durations.ts';
import { load, prepareRequests } from './load.ts';
import { progress } from './progress.ts';
import { makeDataDir } from './contestants/server.ts';

const roundSeconds = ofRound(10);
const warmUpSeconds = ofRound(2);
const rounds = ofRun(5);
const loads: LoadKind[] = [
  { points: 1, connections: 64 },
  { points: 10, connections: 64 },
  { points: 100, connections: 64 },
  { points: 1_000, connections: 64 },
  { points: 10, connections: 256 },
];

/** Points a request, and connections that send them. */
type LoadKind = { points: number; connections: number };

const daySeconds = 86_400;
const daysAgo = 3;
/** Between the first second of a round and that of the next: more than any round comes to. */
const secondsApart = Math.max(roundSeconds, warmUpSeconds) * 400;

const cpuReadAfterMs = 2_000;
const calmCpuShare = 0.3;
const calmLookMs = 500;
const calmLooksMax = 40;

/** The goals: points per second and CPU in relation to each peer, for these points per request. */
const goals: Record<string, { faster: Record<number, number>; cpu: number }> = {
  influxdb: { faster: { 1: 3, 10: 4, 100: 4, 1_000: 3 }, cpu: 1 / 6 },
  'victoria-metrics': { faster: { 1: 1.1, 10: 1.3, 100: 1.3, 1_000: 1.1 }, cpu: 0.65 },
  'victoria-metrics-json': { faster: { 1: 1.1, 10: 1.3, 100: 1.3, 1_000: 1.1 }, cpu: 0.65 },
};

const nameOf = ({ points, connections }: LoadKind): string =>
  connections === 64 ? `S${points}` : `S${points} from ${connections} connections`;

/** The same load on each system in turn. */
export async function rateFigures(contestants: Contestant[]): Promise<Figure[]> {
  const scratch = makeDataDir('requests');
  const today = Math.floor(Date.now() / 1_000 / daySeconds) * daySeconds;
  let firstSecond = today - daysAgo * daySeconds;
  const figures: Figure[] = [];
  try {
    for (const kind of loads) {
      for (const contestant of contestants) {
        prepareRequests(join(scratch, contestant.name), contestant, kind.points);
      }
      const measured = new Map<string, Round[]>(contestants.map(({ name }) => [name, []]));
      for (let round = -1; round < rounds; round++) {
        const seconds = round < 0 ? warmUpSeconds : roundSeconds;
        for (const contestant of contestants) {
          const requestsPath = join(scratch, contestant.name);
          const one = await runRound(contestant, { ...kind, requestsPath, seconds, firstSecond });
          if (round >= 0) measured.get(contestant.name)?.push(one);
          const rate = one.pointsPerSecond.toFixed(0);
          progress(`${nameOf(kind)} ${contestant.name}: ${rate} points/s`);
        }
        firstSecond += secondsApart;
      }
      figures.push(...figuresOf(contestants, measured, kind));
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return figures;
}

type Round = {
  pointsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuPerMillion: number;
  /** Requests that got no success. */
  failed: number;
  storedLessAcknowledged: number;
};

async function runRound(
  contestant: Contestant,
  options: LoadKind & { requestsPath: string; seconds: number; firstSecond: number },
): Promise<Round> {
  const { points, ...rest } = options;
  const storedBefore = await contestant.storedPoints();
  const cpuBefore = contestant.cpuSeconds();
  const loaded = await load({ url: contestant.url, ...rest });
  await delay(cpuReadAfterMs);
  await contestant.allStored();
  const cpu = contestant.cpuSeconds() - cpuBefore;
  const stored = (await contestant.storedPoints()) - storedBefore;
  await calm(contestant);
  const acknowledged = (loaded.requests - loaded.refused) * points;
  return {
    pointsPerSecond: acknowledged / (loaded.microseconds / 1e6),
    p50Ms: loaded.p50Us / 1_000,
    p99Ms: loaded.p99Us / 1_000,
    cpuPerMillion: cpu / (acknowledged / 1e6),
    failed: loaded.refused + loaded.errors,
    storedLessAcknowledged: stored - acknowledged,
  };
}

/** Waits until a system has finished earlier work, so that it does not slow down the next one. */
async function calm(contestant: Contestant): Promise<void> {
  for (let look = 0; look < calmLooksMax; look++) {
    const before = contestant.cpuSeconds();
    await delay(calmLookMs);
    if (contestant.cpuSeconds() - before < (calmCpuShare * calmLookMs) / 1_000) return;
  }
}

function figuresOf(
  contestants: Contestant[],
  measured: Map<string, Round[]>,
  kind: LoadKind,
): Figure[] {
  const middle = (name: string, of: (round: Round) => number) =>
    median((measured.get(name) ?? []).map(of));
  const rate = (name: string) => middle(name, ({ pointsPerSecond }) => pointsPerSecond);
  const cpu = (name: string) => middle(name, ({ cpuPerMillion }) => cpuPerMillion);
  const size = nameOf(kind);
  const own = contestants.flatMap(({ name, promise }) => {
    const all = measured.get(name) ?? [];
    const failed = all.reduce((sum, round) => sum + round.failed, 0);
    return [
      { ...info(`${size} points/s / ${name}`, rate(name), 'points/s'), note: promise },
      info(
        `${size} p50 / ${name}`,
        middle(name, ({ p50Ms }) => p50Ms),
        'ms',
      ),
      info(
        `${size} p99 / ${name}`,
        middle(name, ({ p99Ms }) => p99Ms),
        'ms',
      ),
      info(`${size} CPU s per million / ${name}`, cpu(name), 's'),
      info(`${size} failed / ${name}`, failed, 'requests'),
      storedFigure(`${size} stored less acknowledged / ${name}`, all, kind),
    ];
  });
  const beside = contestants.flatMap(({ name }) => {
    const goal = goals[name];
    if (goal === undefined) return [];
    const faster = goal.faster[kind.points] ?? 1;
    return [
      atLeast(`${size} points/s to ${name}`, rate('millrace') / rate(name), 'ratio', faster),
      atMost(`${size} CPU to ${name}`, cpu('millrace') / cpu(name), 'ratio', goal.cpu),
    ];
  });
  return [...own, ...beside];
}

/** The worst round. A request under way at the end of the load may be stored without being counted. */
function storedFigure(name: string, all: Round[], { points, connections }: LoadKind): Figure {
  const underWay = connections * points;
  const differences = all.map(({ storedLessAcknowledged }) => storedLessAcknowledged);
  const least = Math.min(...differences);
  const value = least < 0 ? least : Math.max(...differences);
  const reached = least >= 0 && value <= underWay;
  return { name, value, unit: 'points', goal: `0 to ${underWay}`, reached };
}
