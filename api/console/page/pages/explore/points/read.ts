import { call } from '../../../client/call.ts';
import { chartQuestion } from '../question.ts';
import type { Series, View } from '../view.ts';

/** The points of a series, by time, in seconds. */
export type Points = { unit: string; points: (readonly [time: number, value: number | null])[] };

/** Reads what a chart of this width shows of a series. */
export async function readPoints(
  series: Series,
  view: View,
  ends: { from: number; to: number },
  pixels: number,
  signal: AbortSignal,
): Promise<Points> {
  const query = chartQuestion(series, view, ends, pixels);
  if (series.format === 'senml') {
    const { messages } = await call('readMessages_senml', { query }, signal);
    return {
      unit: messages.findLast(({ unit }) => unit !== undefined)?.unit ?? '',
      points: messages.map(({ time, value = null }) => [time, value]),
    };
  }
  const { messages } = await call('readMessages_json', { query }, signal);
  return {
    unit: '',
    points: messages.map(({ created, payload }) => [created / 1e9, numberAt(payload, series.name)]),
  };
}

const numberIn = (value: unknown): number | null => (typeof value === 'number' ? value : null);

/** The number at a dotted path; a member may have dots in its own name. */
export function numberAt(payload: unknown, path: string): number | null {
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return null;
  if (Object.hasOwn(payload, path)) return numberIn(Reflect.get(payload, path));
  const parts = path.split('.');
  for (let length = parts.length - 1; length > 0; length--) {
    const name = parts.slice(0, length).join('.');
    if (!Object.hasOwn(payload, name)) continue;
    const found = numberAt(Reflect.get(payload, name), parts.slice(length).join('.'));
    if (found !== null) return found;
  }
  return null;
}

/** The dotted paths of all numbers in a payload. */
export function numberPaths(payload: unknown, before = ''): string[] {
  if (typeof payload === 'number') return [before];
  if (typeof payload !== 'object' || payload === null || Array.isArray(payload)) return [];
  return Object.entries(payload).flatMap(([name, value]) =>
    numberPaths(value, before === '' ? name : `${before}.${name}`),
  );
}

/** Several series over one axis of time: where one has no point, `undefined` lets its line go on. */
export function align(all: readonly Points[]): {
  times: number[];
  values: (number | null | undefined)[][];
} {
  const times = [...new Set(all.flatMap(({ points }) => points.map(([time]) => time)))].toSorted(
    (a, b) => a - b,
  );
  const values = all.map(({ points }) => {
    const byTime = new Map(points);
    return times.map((time) => byTime.get(time));
  });
  return { times, values };
}
