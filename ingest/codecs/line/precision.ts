/** Timestamps count this: so many seconds, or with their last digits parts of one. */
export type Precision = { readonly unitSeconds: number; readonly fractionDigits: number };

const of = (unitSeconds: number, fractionDigits = 0): Precision => ({
  unitSeconds,
  fractionDigits,
});

export const nanoseconds = of(1, 9);
const microseconds = of(1, 6);

/** The names of both versions of InfluxDB. */
const byName: ReadonlyMap<string, Precision> = new Map([
  ['', nanoseconds],
  ['n', nanoseconds],
  ['ns', nanoseconds],
  ['u', microseconds],
  ['us', microseconds],
  ['\u00b5', microseconds],
  ['\u00b5s', microseconds],
  ['ms', of(1, 3)],
  ['s', of(1)],
  ['m', of(60)],
  ['h', of(3_600)],
]);

export const precisionNames = 'n, ns, u, us, ms, s, m, h';

/** The precision with this name in a request; undefined: there is none. */
export const precisionOf = (name: string): Precision | undefined => byName.get(name);
