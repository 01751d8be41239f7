import type { Load } from '../../harness/load/wrk.ts';
import type { Pack } from '../points.ts';

type LoadOptions = {
  requestsPath: string;
  connections: number;
  seconds: number;
  firstSecond: number;
};

/** A way in which points reach a system. */
export type Form = {
  /** Writes all requests of a load as they are sent, except for their second. */
  prepare(path: string, pointsEach: number): void;
  /**
   * Sends the prepared requests for so long, one at a time on each connection. Their second begins where it is told and
   * advances after each turn of all publishers.
   */
  load(options: LoadOptions): Promise<Load>;
  /** Sends these points, however. @throws when some are refused. */
  fill(packs: Iterable<Pack>): Promise<void>;
};
