import type { Value } from './functions.ts';

/** A row of an answer before its columns are worked out: the values of its slots. */
export type SlotRow = {
  /** The values of the tags that the answer is grouped by. */
  tags: readonly string[];
  time: bigint;
  slots: readonly Value[];
};
