import type { Readable } from 'node:stream';
import type { GroupSeconds } from '../../harness/threads.ts';
import type { Form } from '../load/form.ts';

/** A running system that accepts points, acknowledges them and exports them. */
export type Contestant = Form & {
  name: string;
  /** What its acknowledgement promises, and its version. */
  promise: string;
  /** Used so far by all of its processes. */
  cpuSeconds(): number;
  /** The same by what it went to, where that is known. */
  cpuByGroup?(): GroupSeconds;
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
  /** The same of time, name and value alone, where it can name columns. */
  exportThreeColumns?(): Promise<Readable>;
  stop(): Promise<void>;
};
