/** How a value is written: in which unit, and which number is 1 of it. */
export type Unit = { text: string; by: number };

/** The kind of a figure: bytes, milliseconds, something a second, or a number. */
export type Measure = 'bytes' | 'ms' | 'rate' | 'count';

const steps: Readonly<Record<Measure, readonly Unit[]>> = {
  bytes: [
    { text: 'TB', by: 1e12 },
    { text: 'GB', by: 1e9 },
    { text: 'MB', by: 1e6 },
    { text: 'kB', by: 1e3 },
    { text: 'B', by: 1 },
  ],
  ms: [
    { text: 'h', by: 3_600_000 },
    { text: 'min', by: 60_000 },
    { text: 's', by: 1_000 },
    { text: 'ms', by: 1 },
  ],
  rate: [{ text: '/s', by: 1 }],
  count: [{ text: '', by: 1 }],
};

/** The largest unit of which this is at least one. */
export function unitOf(measure: Measure, value: number): Unit {
  const all = steps[measure];
  return all.find(({ by }) => value >= by) ?? all.at(-1) ?? { text: '', by: 1 };
}

const plain = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const compact = new Intl.NumberFormat('en', { notation: 'compact', maximumSignificantDigits: 3 });

/** A number as a person reads it: three digits that count. */
export function written(value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  return (value < 10_000 ? plain : compact).format(value);
}

/** A value in a unit of its own: `4.2 ms`. */
export function withUnit(measure: Measure, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  const { text, by } = unitOf(measure, value);
  return measure === 'rate' || text === ''
    ? `${written(value / by)}${text}`
    : `${written(value / by)} ${text}`;
}
