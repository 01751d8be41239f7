/** The body of a management request. */
export const bodyBytesMax = 1024 * 1024;

/** The body of a request that creates several things, profiles or groups at once. */
export const batchBodyBytesMax = 8 * 1024 * 1024;

/** The body of a request that anyone may send. */
export const openBodyBytesMax = 16 * 1024;

/** Values in a body, and in that of a batch: an array or an object is one, and each in it another. */
export const bodyValuesMax = 100_000;
export const batchValuesMax = 250_000;

/** And in that of a hundred searches of the reader. */
export const searchValuesMax = 10_000;

/** A filter on metadata: Postgres holds each array in it against each array that is there. */
export const metadataFilterCharsMax = 4_096;
export const metadataFilterItemsMax = 64;

/** Entities in one batch. */
export const batchItemsMax = 50_000;

/** A larger body lets its connection rest: a millisecond for so many bytes. */
export const bodyFreeBytes = 256 * 1024;
export const bodyBytesPerMs = 8 * 1024;

/**
 * Refusals of one network in a second; after each one more, its connection rests, and those of one network end
 * their rest one after the other.
 */
export const refusalsFreePerSecond = 20;
export const refusalRestMs = 2_000;
export const refusalApartMs = 20;
export const refusalRestMsMax = 30_000;

/** Arrays and objects within each other in a body; the outermost is 1. */
export const bodyDepthMax = 32;

/** Pages of management lists. */
export const pageLimitMax = 200;
export const pageLimitDefault = 10;

/** Hierarchical groups: how deep a tree may be, and how many groups one look along it shows. */
export const treeLevelsMax = 1_000;
export const treeLimitMax = 1_000;

/** How long a client waits before it asks again for what is away. */
export const awayRetrySeconds = 2;

/** How often a stream looks for messages, and whether it still may. */
export const streamPollMs = 1_000;
export const streamHeartbeatMs = 15_000;

/** How long a client may take nothing of a stream that has something for it. */
export const streamStallMsMax = 30_000;

/** How long a stream's last words may take to get out at a stop. */
export const streamStopMsMax = 500;

/** What of a stream is held at once. */
export const streamRowsMax = 1_000;
export const streamCharsMax = 1024 * 1024;

/** What a client must take of a page or an export within this time, while there is something for it. */
export const takenBytesMin = 64 * 1024;
export const takenWithinMs = 30_000;

export const postgresQueryMsMax = 10_000;
/** How long ClickHouse may be silent: before a page, and within an export or a deletion. */
export const clickhouseTimeoutMs = 35_000;
export const clickhouseLongTimeoutMs = 3_600_000;
export const redisCommandMsMax = 1_000;

/** How long a list or a search may take in Postgres. */
export const searchMsMax = 2_000;

/** One that took longer keeps its caller's turn for as long again. */
export const searchFreeMs = 50;

/** A page larger than this keeps its caller's turn for so long that it is one of many: a millisecond for so many bytes. */
export const pageFreeBytes = 256 * 1024;
export const pageBytesPerMs = 32 * 1024;
/** From here on a page may be large: one of a caller at a time. */
export const pageLargeFrom = 50;

/** Credentials that were right not long ago. */
export const knownCredentialsMax = 10_000;

/** After as long a wait for a body it is asked again whether its sender still may. */
export const readmittedAfterMs = 1_000;

/** How long a request may take to arrive. */
export const requestTimeoutMs = 60_000;

/** An upload that takes as long as it takes is given up after as long a silence. */
export const uploadIdleMsMax = 60_000;

/** What is read of a kept upload at once. */
export const readChunkBytes = 1024 * 1024;

/** How long changes of keys stay in the journal: far longer than an edge goes without reading it. */
export const keyJournalSeconds = 3_600;
export const keyJournalCleanMs = 300_000;

/** Keys of certificates: how many are made at once, and how many requests may wait for theirs. */
export const certificatesAtOnce = 2;
export const certificatesWaitingMax = 64;

/** How long a revocation list is good for. */
export const crlSeconds = 7 * 86_400;
/** Webhooks of one thing, one group or one org, and what the headers of one hold. */
export const webhooksPerPlaceMax = 50;
export const webhookHeaderBytesMax = 8 * 1024;
/** What Standard Webhooks asks of a secret. */
export const webhookSecretBytesMin = 24;

/** How long a secret signs beside the one that replaced it. */
export const previousSecretSeconds = 86_400;

/** Messages that one replay delivers again, and how many jobs of them are noted at once. */
export const replayMessagesMax = 100_000;
export const replayJobsAtOnce = 1_000;

/** Jobs that are looked at to tell how many copies wait for a webhook. */
export const waitingJobsCountedMax = 100_000;

/** How long a login at the queues' dashboard lasts. */
export const queueSessionSeconds = 3_600;

/** How long a stop may take. */
export const stopMsMax = 10_000;

if (streamStopMsMax >= stopMsMax) throw new Error('a stream outlasts the stop');
