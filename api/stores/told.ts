import { rfc3339Of } from '../../schemas/http/time.ts';

/** Longer values are cut, as `audit_changes` does. */
const charsMax = 1_024;

/** The `changes` of an entry, as JSON: values that were there before (`from`), or that were asked for (`to`). */
export function toldAs(side: 'from' | 'to', values: Readonly<Record<string, unknown>>): string {
  const all = Object.entries(values).flatMap(([name, value]) => {
    if (value === undefined) return [];
    const text = typeof value === 'bigint' ? rfc3339Of(value) : textOf(value);
    return [[name, { [side]: text.slice(0, charsMax) }] as const];
  });
  return JSON.stringify(Object.fromEntries(all));
}

const textOf = (value: unknown): string =>
  typeof value === 'string' ? value : JSON.stringify(value);
