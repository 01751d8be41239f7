import type { Value } from './conditions.ts';
import { newPair, type Pair, take, type Update } from './machine.ts';
import type { ActiveRule } from './rule.ts';

/** The value that a series had at an alarm's begin or end. */
export type SeriesValue = { name: string; value: Value };

/** An episode, by the times of records. */
type Episode = {
  beganUs: number;
  firedUs: number;
  /** Undefined: it goes on. */
  endedUs: number | undefined;
  beganValues: SeriesValue[];
  endedValues: SeriesValue[] | undefined;
};

/** A value of the series of a condition, by its number. */
export type PastRecord = Update & { timeUs: number };

/** The newest values of a rule's series, as an alarm tells them. */
export const valuesOf = ({ conditions }: ActiveRule, { newest }: Pair): SeriesValue[] =>
  conditions.flatMap(({ name, path }, at) => {
    const value = newest[at]?.value;
    return value === undefined ? [] : [{ name: name ?? path ?? '', value }];
  });

/** The episodes that records have, in the order of their times: of a thing that was ok before them. */
export function alarmsIn(rule: ActiveRule, records: Iterable<PastRecord>): Episode[] {
  const pair = newPair(rule);
  const episodes: Episode[] = [];
  let updates: PastRecord[] = [];
  function takeAll(): void {
    const [first] = updates;
    if (first === undefined) return;
    const step = take(rule, pair, first.timeUs, updates);
    if (step.kind === 'fired') {
      const { beganUs, firedUs } = step;
      const beganValues = valuesOf(rule, pair);
      episodes.push({ beganUs, firedUs, endedUs: undefined, beganValues, endedValues: undefined });
    }
    const open = episodes.at(-1);
    if (step.kind === 'ended' && open !== undefined) {
      open.endedUs = step.endedUs;
      open.endedValues = valuesOf(rule, pair);
    }
    updates = [];
  }
  for (const record of records) {
    if (updates[0] !== undefined && updates[0].timeUs !== record.timeUs) takeAll();
    updates.push(record);
  }
  takeAll();
  return episodes;
}
