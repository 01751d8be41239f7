import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { atLeast, atMost, type Figure, info, ratios, spreadOver } from '../harness/figures.ts';
import { calm } from '../harness/load/calm.ts';
import { rounds as ofRun, seconds as ofRound } from '../harness/load/durations.ts';
import { type GroupSeconds, groups, perMillion } from '../harness/threads.ts';
import { median } from '../../test/support/statistics.ts';
import type { Contestant } from './contestants/contestant.ts';
import { makeDataDir } from './contestants/server.ts';
import { progress } from '../harness/progress.ts';

const roundSeconds = ofRound(5);
const warmUpSeconds = ofRound(1);
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
/** Between the first second of a load and that of the next: more than any comes to. */
const secondsApart = Math.max(roundSeconds, warmUpSeconds) * 400;

const cpuReadAfterMs = 2_000;

/** Points per second and CPU in relation to a peer, by the name of the load. */
type Goals = Record<string, { faster: Record<string, number>; cpu: Record<string, number> }>;

/** Loads, and what Millrace should reach in them. */
type Plan = { loads: LoadKind[]; goals: Goals };

/** Each system gets points in the form that it likes best. */
export const ownForms: Plan = {
  loads,
  goals: {
    'victoria-metrics': {
      faster: { S1: 1.1, S10: 1.2, S100: 1.5, S1000: 1.4, 'S10 from 256 connections': 1.6 },
      cpu: { S10: 0.9, S100: 0.8 },
    },
    influxdb: { faster: { S1: 3.5, S10: 5, S100: 7 }, cpu: {} },
  },
};

/** Each system gets the same bytes of line protocol, in which each line is of another series. */
export const sameLines: Plan = {
  loads: [
    { points: 10, connections: 64 },
    { points: 100, connections: 64 },
  ],
  goals: {
    'victoria-metrics': { faster: { S10: 1, S100: 0.9 }, cpu: {} },
    influxdb: { faster: { S10: 4, S100: 4 }, cpu: {} },
  },
};

const nameOf = ({ points, connections }: LoadKind): string =>
  connections === 64 ? `S${points}` : `S${points} from ${connections} connections`;

/** The same loads on each system in turn, all of them once in each round. */
export async function rateFigures(
  contestants: Contestant[],
  { loads: kinds, goals }: Plan,
): Promise<Figure[]> {
  const scratch = makeDataDir('requests');
  const requestsPath = ({ name }: Contestant, points: number) => join(scratch, `${name}-${points}`);
  const today = Math.floor(Date.now() / 1_000 / daySeconds) * daySeconds;
  let firstSecond = today - daysAgo * daySeconds;
  const measured: Measured = new Map(kinds.map((kind) => [kind, new Map()]));
  const minutes: number[] = [];
  try {
    for (const points of new Set(kinds.map((kind) => kind.points))) {
      for (const contestant of contestants) {
        contestant.prepare(requestsPath(contestant, points), points);
      }
    }
    progress('requests are prepared');
    for (let round = 0; round <= rounds; round++) {
      const startedAt = performance.now();
      for (const kind of kinds) {
        for (const contestant of contestants) {
          const options = {
            requestsPath: requestsPath(contestant, kind.points),
            connections: kind.connections,
            firstSecond,
          };
          if (round === 0) {
            await warmUp(contestant, options);
            continue;
          }
          const one = await runRound(contestant, kind, options);
          const all = measured.get(kind);
          all?.set(contestant.name, [...(all.get(contestant.name) ?? []), one]);
          const rate = one.pointsPerSecond.toFixed(0);
          progress(`${nameOf(kind)} ${contestant.name}: ${rate} points/s`);
        }
        firstSecond += secondsApart;
      }
      const took = (performance.now() - startedAt) / 60_000;
      if (round > 0) minutes.push(took);
      progress(
        `${round === 0 ? 'the warm-up' : `round ${round} of ${rounds}`} took ${took.toFixed(1)} minutes`,
      );
    }
  } finally {
    rmSync(scratch, { recursive: true });
  }
  return [
    ...[...measured].flatMap(([kind, all]) => figuresOf(contestants, all, kind, goals)),
    spreadOver(atMost('one round', median(minutes), 'minutes', 8), minutes),
  ];
}

type Measured = Map<LoadKind, Map<string, Round[]>>;

type Round = {
  pointsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  cpuPerMillion: number;
  groupsPerMillion?: GroupSeconds;
  /** Of one core. */
  generatorShare: number;
  /** Requests that got no success. */
  failed: number;
  storedLessAcknowledged: number;
};

type RoundOptions = { requestsPath: string; connections: number; firstSecond: number };

async function warmUp(contestant: Contestant, options: RoundOptions): Promise<void> {
  await contestant.load({ ...options, seconds: warmUpSeconds });
  await contestant.allStored();
  await calm(() => contestant.cpuSeconds());
}

async function runRound(
  contestant: Contestant,
  { points }: LoadKind,
  options: RoundOptions,
): Promise<Round> {
  const storedBefore = await contestant.storedPoints();
  const groupsBefore = contestant.cpuByGroup?.();
  const cpuBefore = contestant.cpuSeconds();
  const loaded = await contestant.load({ ...options, seconds: roundSeconds });
  await delay(cpuReadAfterMs);
  await contestant.allStored();
  const cpu = contestant.cpuSeconds() - cpuBefore;
  const groupsAfter = contestant.cpuByGroup?.();
  const stored = (await contestant.storedPoints()) - storedBefore;
  await calm(() => contestant.cpuSeconds());
  const acknowledged = (loaded.requests - loaded.refused) * points;
  return {
    pointsPerSecond: acknowledged / (loaded.microseconds / 1e6),
    p50Ms: loaded.p50Us / 1_000,
    p99Ms: loaded.p99Us / 1_000,
    cpuPerMillion: cpu / (acknowledged / 1e6),
    ...(groupsBefore === undefined || groupsAfter === undefined
      ? {}
      : { groupsPerMillion: perMillion(groupsAfter, groupsBefore, acknowledged) }),
    generatorShare: ((loaded.cpuMs ?? Number.NaN) * 1_000) / loaded.microseconds,
    failed: loaded.refused + loaded.errors,
    storedLessAcknowledged: stored - acknowledged,
  };
}

function figuresOf(
  contestants: Contestant[],
  measured: Map<string, Round[]>,
  kind: LoadKind,
  goals: Goals,
): Figure[] {
  const size = nameOf(kind);
  const valuesOf = (name: string, of: (round: Round) => number) =>
    (measured.get(name) ?? []).map(of);
  const rates = (name: string) => valuesOf(name, ({ pointsPerSecond }) => pointsPerSecond);
  const cpus = (name: string) => valuesOf(name, ({ cpuPerMillion }) => cpuPerMillion);
  const own = contestants.flatMap(({ name, promise }) => {
    const all = measured.get(name) ?? [];
    const figure = (what: string, of: (round: Round) => number, unit: string) =>
      medianFigure(`${size} ${what} / ${name}`, valuesOf(name, of), unit);
    const failed = all.reduce((sum, round) => sum + round.failed, 0);
    return [
      { ...medianFigure(`${size} points/s / ${name}`, rates(name), 'points/s'), note: promise },
      figure('p50', ({ p50Ms }) => p50Ms, 'ms'),
      figure('p99', ({ p99Ms }) => p99Ms, 'ms'),
      medianFigure(`${size} CPU s per million / ${name}`, cpus(name), 's'),
      figure('load generator', ({ generatorShare }) => generatorShare, 'of a core'),
      info(`${size} failed / ${name}`, failed, 'requests'),
      storedFigure(`${size} stored less acknowledged / ${name}`, all, kind),
      ...groupFigures(size, name, all),
    ];
  });
  const beside = contestants.flatMap(({ name }) => {
    if (name === 'millrace') return [];
    const figure = (
      what: string,
      of: (name: string) => number[],
      goal: (name: string, value: number) => Figure,
    ) => {
      const value = median(of('millrace')) / median(of(name));
      return spreadOver(
        goal(`${size} ${what} to ${name}`, value),
        ratios(of('millrace'), of(name)),
      );
    };
    const { faster = {}, cpu = {} } = goals[name] ?? {};
    const floor = faster[size];
    const ceiling = cpu[size];
    return [
      figure('points/s', rates, (title, value) =>
        floor === undefined ? info(title, value, 'ratio') : atLeast(title, value, 'ratio', floor),
      ),
      figure('CPU', cpus, (title, value) =>
        ceiling === undefined
          ? info(title, value, 'ratio')
          : atMost(title, value, 'ratio', ceiling),
      ),
    ];
  });
  return [...own, ...beside];
}

const medianFigure = (name: string, values: number[], unit: string): Figure =>
  spreadOver(info(name, median(values), unit), values);

/** What the CPU went to, where that is known. */
function groupFigures(size: string, name: string, all: Round[]): Figure[] {
  const known = all.flatMap(({ groupsPerMillion }) => groupsPerMillion ?? []);
  if (known.length === 0) return [];
  return groups.map((group) =>
    medianFigure(
      `${size} CPU s per million of ${name}, ${group}`,
      known.map((one) => one[group]),
      's',
    ),
  );
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
