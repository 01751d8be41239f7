import type { Queue, QueueJob } from '../client/call.ts';

export type QueueName = Queue['name'];
export type JobState = QueueJob['state'];

/** In the order in which a job has them. */
export const jobStates = [
  'waiting',
  'active',
  'delayed',
  'failed',
  'completed',
] as const satisfies readonly JobState[];

/** The time that counts in this state. */
export function timeIn({ state, queued_at, due_at, started_at, ended_at }: QueueJob): string {
  const times = {
    waiting: queued_at,
    active: started_at,
    delayed: due_at,
    failed: ended_at,
    completed: ended_at,
  };
  return times[state] ?? queued_at;
}
