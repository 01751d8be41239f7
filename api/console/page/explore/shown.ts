import { type Hole, holeAtEnd, longSteps, stepsMaxOf, usualStep } from '../chart/holes.ts';
import type { Line } from '../chart/chart.tsx';
import type { Asked } from './view.ts';
import { align, hasStates, isState, type Points } from './read-points.ts';
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
  const { times, values } = align(all);
  const heardUntil = Math.min(until, Date.now() / 1_000 - arrivalSeconds);
  const lines = names.map((label, i): Line => {
    const one = all[i] ?? { unit: '', points: [] };
    const told = one.points.flatMap(([time, value]) => (value === null ? [] : [time]));
    const stepsMax = stepsMaxOf(aggregate !== 'none' && !hasStates(one));
    const holes =
      gaps === 'null'
        ? [...longSteps(told, stepsMax), ...holeAtEnd(told, heardUntil, stepsMax)]
        : [];
    const line = { label, unit: one.unit, values: values[i] ?? [], holes };
    if (!hasStates(one)) return line;
    return { ...line, bands: bandsIn(one, holes, gaps === 'null' ? undefined : until) };
  });
  return { times, lines };
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

/** The last state is taken to hold until then, or else for as long as one usually does. */
function bandsIn({ points }: Points, holes: readonly Hole[], until: number | undefined) {
  const states = points.flatMap(([time, value]) =>
    isState(value) ? [[time, value] as const] : [],
  );
  const last = states.at(-1)?.[0] ?? 0;
  const usual = usualStep(states.map(([time]) => time)) ?? 0;
  return bandsOf(states, holes, until === undefined ? usual : Math.max(0, until - last));
}
