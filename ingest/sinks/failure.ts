import type { SinkState } from './sink.ts';

/**
 * What a failure means for a batch. `retry`: nothing is wrong with the batch. `refuse`: it will never be taken as it
 * is. `halt`: the reason is not known; it is tried again, slowly, and an operator should look.
 */
export type InsertDecision = 'retry' | 'refuse' | 'halt';

export type Failure = { decision: InsertDecision; code: string; reason: string };

/** The state of a sink after a failure. */
export const stateAfter = ({ decision }: Failure): SinkState =>
  decision === 'halt' ? 'halted' : 'retrying';
