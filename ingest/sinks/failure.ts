import type { SinkState } from './sink.ts';

/**
 * What it means for a batch that it could not be delivered. `retry`: nothing is wrong with the batch. `refuse`: it
 * will never be taken as it is. `halt`: for a reason that is not known; it is tried again, slowly, and someone should look.
 */
export type InsertDecision = 'retry' | 'refuse' | 'halt';

export type Failure = { decision: InsertDecision; code: string; reason: string };

/** What a sink is after a failure. */
export const stateAfter = ({ decision }: Failure): SinkState =>
  decision === 'halt' ? 'halted' : 'retrying';
