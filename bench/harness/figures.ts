/** One figure, and its goal. */
export type Figure = {
  name: string;
  value: number;
  unit: string;
  goal: string;
  reached: boolean;
  /** What must be known to compare it. */
  note?: string;
  /** The lowest and the highest of the rounds, where the value is their median. */
  spread?: [least: number, most: number];
};

/** A figure with the spread of its rounds, if there were several. */
export function spreadOver(figure: Figure, rounds: readonly number[]): Figure {
  if (rounds.length < 2) return figure;
  return { ...figure, spread: [Math.min(...rounds), Math.max(...rounds)] };
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

/** Round by round, of one thing to another. */
export function ratios(of: readonly number[], to: readonly number[]): number[] {
  return of.map((value, round) => value / (to[round] ?? Number.NaN));
}
