/** A value in an answer. */
export type Value = number | string | boolean | null;

/** How the points of an interval become one. A selector chooses one of the points. */
export const aggregates = {
  count: { isSelector: false, arguments: 1, ofAnyKind: true },
  mean: { isSelector: false, arguments: 1, ofAnyKind: false },
  sum: { isSelector: false, arguments: 1, ofAnyKind: false },
  median: { isSelector: false, arguments: 1, ofAnyKind: false },
  stddev: { isSelector: false, arguments: 1, ofAnyKind: false },
  spread: { isSelector: false, arguments: 1, ofAnyKind: false },
  min: { isSelector: true, arguments: 1, ofAnyKind: false },
  max: { isSelector: true, arguments: 1, ofAnyKind: false },
  first: { isSelector: true, arguments: 1, ofAnyKind: true },
  last: { isSelector: true, arguments: 1, ofAnyKind: true },
  percentile: { isSelector: true, arguments: 2, ofAnyKind: false },
} as const;

export type AggregateName = keyof typeof aggregates;

export const isAggregate = (name: string): name is AggregateName => Object.hasOwn(aggregates, name);

/** A point on its way through a function of several points. Times are in nanoseconds. */
type Point = { time: bigint; value: number };

/**
 * Functions that go over the points of a series, in the order of the answer. Each makes a state, which takes a point and
 * gives the value there, or undefined where there is none. `unit` is in nanoseconds; `count` is that of `moving_average`.
 */
const transforms = {
  derivative: ({ unit }: Transform) => derivative(unit, false),
  non_negative_derivative: ({ unit }: Transform) => derivative(unit, true),
  difference: () => difference(false),
  non_negative_difference: () => difference(true),
  elapsed: ({ unit }: Transform) => elapsed(unit),
  cumulative_sum: () => cumulativeSum(),
  moving_average: ({ count }: Transform) => movingAverage(count),
} as const;

type TransformName = keyof typeof transforms;
export type Transform = { name: TransformName; unit: bigint; count: number };
export type TransformState = (point: Point) => number | undefined;

export const isTransform = (name: string): name is TransformName => Object.hasOwn(transforms, name);

export const beginTransform = (transform: Transform): TransformState =>
  transforms[transform.name](transform);

/** Of points at one time only the first counts. */
function derivative(unit: bigint, isNonNegative: boolean): TransformState {
  let before: Point | undefined;
  return (point) => {
    const previous = before;
    if (previous?.time === point.time) return undefined;
    before = point;
    if (previous === undefined) return undefined;
    // Of an answer in descending order too, the later point is the one that comes later there.
    const units = Math.abs(Number(point.time - previous.time)) / Number(unit);
    const slope = (point.value - previous.value) / units;
    return isNonNegative && slope < 0 ? undefined : slope;
  };
}

function difference(isNonNegative: boolean): TransformState {
  let before: Point | undefined;
  return (point) => {
    const previous = before;
    if (previous?.time === point.time) return undefined;
    before = point;
    if (previous === undefined) return undefined;
    const step = point.value - previous.value;
    return isNonNegative && step < 0 ? undefined : step;
  };
}

function elapsed(unit: bigint): TransformState {
  let before: bigint | undefined;
  return ({ time }) => {
    const previous = before;
    before = time;
    return previous === undefined ? undefined : Number((time - previous) / unit);
  };
}

function cumulativeSum(): TransformState {
  let sum = 0;
  return ({ value }) => {
    sum += value;
    return sum;
  };
}

function movingAverage(count: number): TransformState {
  const window: number[] = [];
  let sum = 0;
  return ({ value }) => {
    window.push(value);
    sum += value;
    if (window.length > count) sum -= window.shift() ?? 0;
    return window.length < count ? undefined : sum / count;
  };
}

type Numeric = (...values: number[]) => number;

/** Functions of numbers, with how many they take. */
const mathematics: Readonly<Record<string, { arguments: number; of: Numeric }>> = {
  abs: { arguments: 1, of: Math.abs },
  acos: { arguments: 1, of: Math.acos },
  asin: { arguments: 1, of: Math.asin },
  atan: { arguments: 1, of: Math.atan },
  atan2: { arguments: 2, of: Math.atan2 },
  ceil: { arguments: 1, of: Math.ceil },
  cos: { arguments: 1, of: Math.cos },
  exp: { arguments: 1, of: Math.exp },
  floor: { arguments: 1, of: Math.floor },
  ln: { arguments: 1, of: Math.log },
  log: { arguments: 2, of: (value = 0, base = 0) => Math.log(value) / Math.log(base) },
  log2: { arguments: 1, of: Math.log2 },
  log10: { arguments: 1, of: Math.log10 },
  pow: { arguments: 2, of: Math.pow },
  // Halves away from zero.
  round: { arguments: 1, of: (value = 0) => Math.sign(value) * Math.round(Math.abs(value)) },
  sin: { arguments: 1, of: Math.sin },
  sqrt: { arguments: 1, of: Math.sqrt },
  tan: { arguments: 1, of: Math.tan },
};

export const mathematicsOf = (name: string) =>
  Object.hasOwn(mathematics, name) ? mathematics[name] : undefined;
