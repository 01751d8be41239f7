import { totalmem } from 'node:os';

const MiB = 1024 * 1024;

/**
 * Queries the engine runs at once; the next ones wait. Each kind has slots of its own, so that slow readers and deletions
 * delay no insert. The API's budgets allow 14 queries with slow readers: so some slots are always left for short ones.
 */
export const runningMax = { rows: 16, insert: 4, command: 4 } as const;
export const queriesRunningMax = runningMax.rows + runningMax.insert + runningMax.command;
/** Queries of a kind that wait; one more is refused with TOO_MANY_SIMULTANEOUS_QUERIES. */
export const queriesWaitingMax = 256;
/** libuv's threads: one per running query, the rest for KILL QUERY, files and gzip. */
export const threadsMin = queriesRunningMax + 8;

/** The text of a query and its parameters, wherever they stand; the data of an INSERT has no limit. */
export const queryBytesMax = 8 * MiB;
/** The request line with its headers: a query and its parameters in the URL, percent-encoded. */
export const headerBytesMax = 16 * MiB;
/** What the engine parses as one statement: the above, with every character escaped. */
export const sqlBytesMax = 2 * queryBytesMax + MiB;
export const connectionsMax = 1024;
/** How much of a result is buffered, so that an early failure still gets its own status. */
export const heldBytesMax = 256 * 1024;
/** How long a client may read nothing of a result before the query is cancelled. */
export const sendStallMsMax = 60_000;
export const keepAliveMs = 30_000;

/** What the engine may hold in all, and one query of it. */
export const engineBytesMax = Math.min(4096 * MiB, Math.floor(totalmem() / 3));
export const oneQueryBytesMax = Math.floor(engineBytesMax / 2);
export const cacheBytesMax = Math.floor(engineBytesMax / 8);

/** How long the queries that run may take to end once the process stops, and the whole stop. */
export const drainMsMax = 2_000;
export const stopMsMax = 2_800;

if (drainMsMax >= stopMsMax) throw new Error('the drain must end before the stop does');
