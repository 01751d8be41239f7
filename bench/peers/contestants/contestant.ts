import type { Readable } from 'node:stream';
import type { Pack } from '../points.ts';

/** A running system that accepts points over HTTP, acknowledges them and exports them. */
export type Contestant = {
  name: string;
  /** What its acknowledgement promises, and its version. */
  promise: string;
  url: string;
  /** Where points are posted. */
  path: string;
  format(pack: Pack): { headers: Record<string, string>; body: string };
  /** Used so far by all of its processes. */
  cpuSeconds(): number;
  /** Of all of its processes. */
  residentBytes(): number;
  /** Waits until what it acknowledged has reached its store. */
  allStored(): Promise<void>;
  /** Asks the store itself. */
  storedPoints(): Promise<number>;
  /** What points take on the disk once all is merged; what is known of their series, of ours as of theirs, is left out. */
  bytesPerPoint(): Promise<number>;
  /** All of its points, a line each after at most one line of headings, by its fastest way of giving CSV. */
  exportCsv(): Promise<Readable>;
  stop(): Promise<void>;
};
