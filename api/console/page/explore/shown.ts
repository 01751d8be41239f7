import { type Hole, holeAtEnd, holesAtNulls, longSteps, stepsMaxOf } from '../chart/holes.ts';
import type { Line } from '../chart/chart.tsx';
import type { Asked } from './view.ts';
import { align, hasStates, type Point, type Points } from './read-points.ts';
import { bandsOf } from './states.ts';

/** Messages are on their way for some seconds: that none of these came yet is no outage. */
const arrivalSeconds = 10;

/** The lines and lanes of a chart, over one axis of time. */
export function linesOf(
  all: readonly Points[],
  names: readonly string[],
  { aggregate, gaps }: Pick<Asked, 'aggregate' | 'gaps'>,
  until: number,
): { times: number[]; lines: Line[] } {
  // Where a state ends there is no value of its own.
  const { times, values } = align(
    all.map((one) => (hasStates(one) ? { ...one, points: toldIn(one) } : one)),
  );
  const heardUntil = Math.min(until, Date.now() / 1_000 - arrivalSeconds);
  const lines = names.map((label, i): Line => {
    const one = all[i] ?? { unit: '', points: [] };
    const stepsMax = stepsMaxOf(aggregate !== 'none' && !hasStates(one));
    const holes = gaps === 'null' ? holesIn(one, heardUntil, stepsMax) : [];
    const line = { label, unit: one.unit, values: values[i] ?? [], holes };
    if (!hasStates(one)) return line;
    return { ...line, bands: bandsOf(gaps === 'null' ? one.points : toldIn(one), until) };
  });
  return { times, lines };
}

const toldIn = ({ points }: Points): Point[] => points.filter(([, value]) => value !== null);

/** Between changes much time may pass: their silences are told by nulls, and the one at the end by the last messages. */
function holesIn(one: Points, heardUntil: number, stepsMax: number): Hole[] {
  if (one.isOfChanges !== true) {
    const told = toldIn(one).map(([time]) => time);
    return [...longSteps(told, stepsMax), ...holeAtEnd(told, heardUntil, stepsMax)];
  }
  const { times, usualStep } = one.heard ?? { times: [], usualStep: undefined };
  return [
    ...holesAtNulls(
      one.points.map(([time]) => time),
      one.points.map(([, value]) => value),
    ),
    ...holeAtEnd(times, heardUntil, stepsMax, usualStep),
  ];
}

/** Lines, and pale ones of an earlier time after them, over one axis of time. */
export function linesWithBefore(
  all: readonly Points[],
  before: readonly Points[],
  names: readonly string[],
  {
    asked,
    beforeName,
    until,
  }: { asked: Asked; beforeName: (name: string) => string; until: number },
): { times: number[]; lines: Line[] } {
  const drawn = before.flatMap((one, at) =>
    hasStates(one) || one.points.length === 0 ? [] : [{ one, at }],
  );
  const pale = drawn.map(({ at }) => beforeName(names[at] ?? ''));
  const own = names.map((_, at) => all[at] ?? { unit: '', points: [] });
  const { times, lines } = linesOf(
    [...own, ...drawn.map(({ one }) => one)],
    [...names, ...pale],
    asked,
    until,
  );
  return {
    times,
    lines: lines.map((line, i) => {
      const place = drawn[i - names.length]?.at ?? i;
      const hidden = asked.series[place]?.isHidden === true ? { isHidden: true } : {};
      return { ...line, ...hidden, ...(place === i ? {} : { paleOf: place }) };
    }),
  };
}
