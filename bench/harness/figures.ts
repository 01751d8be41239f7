/** One figure, and its goal. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  goal: string;
  reached: boolean;
  /** What must be known to compare it. */
  note?: string;
};

export function atLeast(name: string, value: number, unit: string, floor: number): Figure {
  return { name, value, unit, goal: `>= ${floor}`, reached: value >= floor };
}

export function atMost(name: string, value: number, unit: string, ceiling: number): Figure {
  return { name, value, unit, goal: `<= ${ceiling}`, reached: value <= ceiling };
}

export function info(name: string, value: number, unit: string): Figure {
  return { name, value, unit, goal: '', reached: true };
}
