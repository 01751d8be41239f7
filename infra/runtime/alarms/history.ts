import type { Value } from './conditions.ts';
import { newPair, type Pair, take, type Update } from './machine.ts';
import type { ActiveRule } from './rule.ts';

/** The value that a series had at an alarm's begin or end, and the unit of its record, if that is known. */
export type SeriesValue = { name: string; value: Value; unit?: string };

/** An episode, by the times of records. */
type Episode = {
  beganUs: number;
  firedUs: number;
  /** Undefined: it goes on. */
  endedUs: number | undefined;
  beganValues: SeriesValue[];
  endedValues: SeriesValue[] | undefined;
};

/** A value with the unit of its record; absent: it has none. */
type Measured = Update & { unit?: string };

/** A value of the series of a condition, by its number. */
export type PastRecord = Measured & { timeUs: number };

/**
 * The newest values of a rule's series, as an alarm tells them. Those that `came` with the transition have their units: of
 * earlier ones no unit is remembered.
 */
export const valuesOf = (
  { conditions }: ActiveRule,
  { newest }: Pair,
  came: readonly Measured[],
): SeriesValue[] =>
  conditions.flatMap(({ name, path }, at) => {
    const value = newest[at]?.value;
    if (value === undefined) return [];
    const unit = came.find((one) => one.condition === at && one.value === value)?.unit;
    return [{ name: name ?? path ?? '', value, ...(unit === undefined ? {} : { unit }) }];
  });

/** The episodes that records have, in the order of their times: of a thing that was ok before them. */
export function alarmsIn(rule: ActiveRule, records: Iterable<PastRecord>): Episode[] {
  const history = new History(rule);
  for (const record of records) history.add(record);
  return history.finish();
}

/** The same, for who has other things to do between two records. */
export class History {
  readonly #rule: ActiveRule;
  readonly #pair: Pair;
  readonly #episodes: Episode[] = [];
  /** Of one time. */
  #updates: PastRecord[] = [];

  constructor(rule: ActiveRule) {
    this.#rule = rule;
    this.#pair = newPair(rule);
  }

  /** How many have begun so far. */
  get episodes(): number {
    return this.#episodes.length;
  }

  /** Takes a record that is not before those that were taken. */
  add(record: PastRecord): void {
    const [first] = this.#updates;
    if (first !== undefined && first.timeUs !== record.timeUs) this.#takeAll(first.timeUs);
    this.#updates.push(record);
  }

  finish(): Episode[] {
    const [first] = this.#updates;
    if (first !== undefined) this.#takeAll(first.timeUs);
    return this.#episodes;
  }

  #takeAll(timeUs: number): void {
    const updates = this.#updates;
    const step = take(this.#rule, this.#pair, timeUs, updates);
    this.#updates = [];
    if (step.kind === 'fired') {
      const { beganUs, firedUs } = step;
      const beganValues = valuesOf(this.#rule, this.#pair, updates);
      const open = { endedUs: undefined, endedValues: undefined };
      this.#episodes.push({ beganUs, firedUs, beganValues, ...open });
    }
    const open = this.#episodes.at(-1);
    if (step.kind === 'ended' && open !== undefined) {
      open.endedUs = step.endedUs;
      open.endedValues = valuesOf(this.#rule, this.#pair, updates);
    }
  }
}
