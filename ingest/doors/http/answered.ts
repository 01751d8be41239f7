import { Latencies } from '../../../infra/runtime/observability/latencies.ts';

/** The answers to requests, counted. */
export class Answered {
  /** Of each status but 202. */
  readonly byStatus: Record<number, number> = {};
  /** From a message's head to its 202. */
  readonly acks = new Latencies();

  count(status: number): void {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }

  /** The number of answers of each status. */
  all(): [string, number][] {
    return [['202', this.acks.cumulative().at(-1) ?? 0], ...Object.entries(this.byStatus)];
  }
}
