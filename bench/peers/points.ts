import { seededRandom } from '../harness/requests.ts';

/** The same data for every system: series, values of two decimals, advancing times. */
export const publishers = 500;
const names = 20;

type Point = { name: string; timeMs: number; value: number };

/** The points of one publisher that one request carries. */
export type Pack = { publisher: number; points: Point[] };

/** A placeholder in prepared requests, where the load generator writes its current second. */
export const placeholderSecond = 1_111_111_111;

/** Requests of each publisher until the load generator starts again, at later seconds. */
const turnsOf: Record<number, number> = { 1: 400, 10: 100, 100: 20, 1_000: 2 };

/** The points of every request of a load with so many points in each. */
export function* loadPacks(pointsEach: number): Generator<Pack> {
  const random = seededRandom(pointsEach);
  for (let turn = 0; turn < (turnsOf[pointsEach] ?? 1); turn++) {
    for (let publisher = 0; publisher < publishers; publisher++) {
      const points = Array.from({ length: pointsEach }, (_, at) => ({
        name: `sensor${(turn * pointsEach + at) % names}`,
        timeMs: placeholderSecond * 1_000 + at,
        value: twoDecimals(random),
      }));
      yield { publisher, points };
    }
  }
}

const stepsPerPack = 50;
const stepSeconds = 60;

/** All series once a minute from `beginSecond` on, with a jitter of milliseconds: 1,000 points a pack. */
export function* storedPacks(points: number, beginSecond: number): Generator<Pack> {
  const random = seededRandom(points);
  const steps = points / (publishers * names);
  for (let first = 0; first < steps; first += stepsPerPack) {
    for (let publisher = 0; publisher < publishers; publisher++) {
      const pack: Pack = { publisher, points: [] };
      for (let step = first; step < Math.min(first + stepsPerPack, steps); step++) {
        const timeMs = (beginSecond + step * stepSeconds) * 1_000 + Math.floor(random() * 1_000);
        for (let name = 0; name < names; name++) {
          pack.points.push({ name: `sensor${name}`, timeMs, value: twoDecimals(random) });
        }
      }
      yield pack;
    }
  }
}

function twoDecimals(random: () => number): number {
  return Math.round(random() * 10_000) / 100;
}

/** InfluxDB's line protocol, times in milliseconds, tags in order, as its documents advise. */
export function lineProtocol({ publisher, points }: Pack): string {
  return points
    .map(
      ({ name, timeMs, value }) =>
        `sensor,name=${name},publisher=${publisher} value=${value} ${timeMs}\n`,
    )
    .join('');
}
