import assert from 'node:assert/strict';
import { totalmem } from 'node:os';

const MiB = 1024 * 1024;

const running = { rows: 16, insert: 4, command: 4 } as const;
const queriesRunningMax = running.rows + running.insert + running.command;
const queryBytesMax = 8 * MiB;
const engineBytesMax = Math.min(4096 * MiB, Math.floor(totalmem() / 3));

/** Every bound of the embedded ClickHouse, with its unit. How they relate is asserted below. */
export const limits = {
  /**
   * Queries the engine runs at once; the next ones wait. Each kind has slots of its own, so that slow readers and
   * deletions delay no insert. The API's budgets allow 14 queries with slow readers: so some slots are always left for
   * short ones.
   */
  runningMax: running,
  queriesRunningMax,
  /** Queries of a kind that wait; one more is refused with TOO_MANY_SIMULTANEOUS_QUERIES. */
  queriesWaitingMax: 256,
  /** libuv's threads: one per running query, the rest for KILL QUERY, files and gzip. */
  threadsMin: queriesRunningMax + 8,

  /** The text of a query and its parameters, wherever they stand; the data of an INSERT has no limit. */
  queryBytesMax,
  /** The request line with its headers: a query and its parameters in the URL, percent-encoded. */
  headerBytesMax: 16 * MiB,
  /** A statement as the engine parses it: the text of a query and its parameters, with every character escaped. */
  sqlBytesMax: 2 * queryBytesMax + MiB,
  connectionsMax: 1024,
  /** How much of a result is buffered, so that an early failure still gets its own status. */
  heldBytesMax: 256 * 1024,
  /** How long a client may read nothing of a result before the query is cancelled. */
  sendStallMsMax: 60_000,
  keepAliveMs: 30_000,

  /** The memory of the engine in all, and of one query of it. */
  engineBytesMax,
  oneQueryBytesMax: Math.floor(engineBytesMax / 2),
  cacheBytesMax: Math.floor(engineBytesMax / 8),

  /** How long the queries that run may take to end once the process stops, and the whole stop. */
  drainMsMax: 2_000,
  stopMsMax: 2_800,
} as const;

assert(limits.drainMsMax < limits.stopMsMax, 'the drain ends before the stop does');
assert(limits.queryBytesMax <= limits.sqlBytesMax, 'the engine parses any query that is taken');
