import fc from 'fast-check';

/** A point as both systems get it. */
export type Point = {
  measurement: string;
  tags: Readonly<Record<string, string>>;
  fields: Readonly<Record<string, number | bigint | string | boolean>>;
  /** Nanoseconds since 1970. */
  time: bigint;
};

/** The first time, and how far the points reach. */
export const start = 1_700_000_000_000_000_000n;

/** Numbers whose sums are exact in any order. */
const number = fc.integer({ min: -4_000, max: 4_000 }).map((quarters) => quarters / 4);

const fields = fc
  .record(
    {
      value: number,
      idle: fc.integer({ min: -50, max: 50 }).map(BigInt),
      up: fc.boolean(),
      msg: fc.constantFrom('on', 'off', "o'ff", 'é "x"'),
    },
    { requiredKeys: [] },
  )
  .filter((one) => Object.keys(one).length > 0);

const tags = fc.record(
  { host: fc.constantFrom('a', 'b', 'c d'), region: fc.constantFrom('x', 'y.z') },
  { requiredKeys: ['host'] },
);

/** Points of two measurements over `seconds`, each at a time of its own: InfluxDB has no order for those of one time. */
export function drawPoints(count: number, seconds: number, seed: number): Point[] {
  const drawn = fc.sample(
    fc.record({
      measurement: fc.constantFrom('cpu', 'cpu', 'mem'),
      tags,
      fields,
      time: fc
        .bigInt({ min: 0n, max: BigInt(seconds) * 1_000n })
        .map((ms) => start + ms * 1_000_000n),
    }),
    { numRuns: count, seed },
  );
  return [...new Map(drawn.map((point) => [point.time, point])).values()];
}

/** Line protocol. */
export function lineOf({ measurement, tags: all, fields: values, time }: Point): string {
  const escaped = (text: string) => text.replace(/[,= ]/g, String.raw`\$&`);
  const key = [
    measurement,
    ...Object.entries(all).map(([name, text]) => `${name}=${escaped(text)}`),
  ].join(',');
  const written = Object.entries(values).map(([name, value]) => `${name}=${valueText(value)}`);
  return `${key} ${written.join(',')} ${time}`;
}

function valueText(value: number | bigint | string | boolean): string {
  if (typeof value === 'string') return `"${value.replace(/["\\]/g, String.raw`\$&`)}"`;
  return typeof value === 'bigint' ? `${value}i` : String(value);
}
