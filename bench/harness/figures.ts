import type { Bench } from './setup.ts';

/** One figure, beside what it is measured against. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  goal: string;
  reached: boolean;
  /** What must be known to compare it. */
  note?: string;
};

export type Scenario = (bench: Bench) => Promise<Figure[]>;

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}

export function atLeast(name: string, value: number, unit: string, floor: number): Figure {
  return { name, value, unit, goal: `>= ${floor}`, reached: value >= floor };
}

export function atMost(name: string, value: number, unit: string, ceiling: number): Figure {
  return { name, value, unit, goal: `<= ${ceiling}`, reached: value <= ceiling };
}

export function info(name: string, value: number, unit: string): Figure {
  return { name, value, unit, goal: '', reached: true };
}

/** The value that this share of them does not exceed. */
export function percentile(values: number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
