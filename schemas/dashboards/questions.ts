import type { ReaderQuery } from '../messages/query.ts';
import type { MessageFormat } from '../messages/tables.ts';
import type { DashboardRange, Panel } from './content.ts';
import { statePage } from '../messages/state-pages.ts';
import { seriesOfPanelMax } from './members.ts';

/*
 * The questions to the reader for the panels of a dashboard. The console asks it for who is signed in, the API for who has a
 * share: both ask the same, and nothing else.
 */

/** The ends of a range, in milliseconds since 1970. */
export type Ends = { from: number; to: number };

/** A series of one thing, with the words for it where the panel has some. */
export type PanelLine = {
  format: MessageFormat;
  thing: string;
  subtopic?: string;
  name: string;
  label?: string;
};

/** The things that each variable stands for, by its name. */
export type VariableThings = Readonly<Record<string, readonly string[]>>;

/** The series of a panel, each of one thing: at most as many as a panel has. */
export function linesOf(panel: Panel, variables: VariableThings): PanelLine[] {
  return panel.series
    .flatMap(({ thing, variable = '', format = 'senml', name = '', ...rest }): PanelLine[] => {
      const things = thing === undefined ? (variables[variable] ?? []) : [thing];
      return things.map((one) => ({ format, thing: one, name, ...rest }));
    })
    .slice(0, seriesOfPanelMax);
}

type Unit = NonNullable<ReaderQuery['agg_interval']>;
type Interval = { unit: Unit; value: number; seconds: number };

const units = {
  s: { unit: 'second', seconds: 1 },
  m: { unit: 'minute', seconds: 60 },
  h: { unit: 'hour', seconds: 3_600 },
  d: { unit: 'day', seconds: 86_400 },
  w: { unit: 'week', seconds: 604_800 },
} as const;
const intervals = '1s 5s 10s 30s 1m 5m 10m 30m 1h 3h 6h 12h 1d 1w 4w 12w 52w 520w'.split(' ');

function intervalOf(text: string): Interval | undefined {
  const [, count = '', letter = ''] = /^(\d+)([smhdw])$/.exec(text) ?? [];
  if (letter !== 's' && letter !== 'm' && letter !== 'h' && letter !== 'd' && letter !== 'w') {
    return undefined;
  }
  const { unit, seconds } = units[letter];
  return { unit, value: Number(count), seconds: seconds * Number(count) };
}

/** Milliseconds of `24h`. */
function lastMs(text: string): number {
  return (intervalOf(text)?.seconds ?? 86_400) * 1_000;
}

/** The ends of a range at a moment. */
export function rangeEnds({ last, from, to }: DashboardRange, now: number): Ends {
  if (last !== undefined) return { from: now - lastMs(last), to: now };
  return { from: Date.parse(from ?? ''), to: Date.parse(to ?? '') };
}

/** As many intervals as one answer has. */
const bucketsMax = 1_000;
const bucketsPerColumn = 25;
const pointsPerColumn = 100;
const sparklinePoints = 100;

/** The interval of a panel's values: its own, unless the range has too many of them. */
function intervalFor(panel: Panel, { from, to }: Ends): Interval {
  const seconds = (to - from) / 1_000;
  const own = intervalOf(panel.interval ?? 'auto');
  if (own !== undefined && seconds / own.seconds <= bucketsMax - 2) return own;
  const most = Math.max(50, panel.w * bucketsPerColumn);
  const fitting = intervals.find((one) => seconds / (intervalOf(one)?.seconds ?? 1) <= most);
  return intervalOf(fitting ?? '520w') ?? { unit: 'year', value: 10, seconds: 315_360_000 };
}

/** A question to the reader, and whether its answer is states or values over time, or the newest one. States are changes, in pages. */
type PanelQuestion = { is: QuestionKind; query: ReaderQuery };
export type QuestionKind = 'values' | 'states' | 'newest';

/** The questions for one series of a panel, over a range. */
export function questionsOf(panel: Panel, line: PanelLine, ends: Ends): PanelQuestion[] {
  const newest: PanelQuestion = {
    is: 'newest',
    query: { ...filterOf(line, ends), limit: 1, offset: 0, dir: 'desc' },
  };
  // A map reads things, and no series.
  if (panel.kind === 'map') return [];
  if (panel.kind === 'table') return [newest];
  if (panel.kind === 'states') {
    const field = line.format === 'json' ? { agg_field: line.name } : {};
    return [
      { is: 'states', query: { ...newest.query, ...field, changes: true, limit: statePage } },
    ];
  }
  const values: PanelQuestion = { is: 'values', query: valuesOf(panel, line, ends) };
  return panel.kind === 'value' ? [newest, values] : [values];
}

function valuesOf(panel: Panel, line: PanelLine, ends: Ends): ReaderQuery {
  const given = panel.aggregation ?? 'none';
  const type = given === 'none' && panel.kind === 'bars' ? 'avg' : given;
  const query = {
    ...filterOf(line, ends),
    ...(line.format === 'json' ? { agg_field: line.name } : {}),
    offset: 0,
    dir: 'asc',
  } as const;
  if (type === 'none') {
    const points = panel.kind === 'value' ? sparklinePoints : panel.w * pointsPerColumn;
    return { ...query, limit: bucketsMax, points };
  }
  const { unit, value } = intervalFor(panel, ends);
  return {
    ...query,
    limit: bucketsMax,
    agg_type: type,
    agg_interval: unit,
    agg_value: value,
    agg_fill: panel.kind === 'bars' ? 'none' : 'null',
  };
}

function filterOf({ format, thing, subtopic, name }: PanelLine, { from, to }: Ends) {
  return {
    publisher: thing,
    ...(subtopic === undefined || subtopic === '' ? {} : { subtopic }),
    ...(format === 'senml' ? { name } : { filter: name }),
    from: `${Math.round(from)}000000`,
    to: `${Math.round(to)}000000`,
  };
}
