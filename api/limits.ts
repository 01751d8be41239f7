/** The body of a management request. */
export const bodyBytesMax = 1024 * 1024;

/** The body of a request that creates several things, profiles or groups at once. */
export const batchBodyBytesMax = 8 * 1024 * 1024;

/** A filter on metadata: Postgres holds each array in it against each array that is there. */
export const metadataFilterCharsMax = 4_096;

/** Entities in one batch. */
export const batchItemsMax = 100_000;

/** Arrays and objects within each other in a body; the outermost is 1. */
export const bodyDepthMax = 32;

/** Pages of management lists, and of the reader. */
export const pageLimitMax = 200;
export const readerLimitMax = 1_000;
export const pageLimitDefault = 10;

/** Hierarchical groups: how deep a tree may be, and how many groups one look along it shows. */
export const treeLevelsMax = 1_000;
export const treeLimitMax = 1_000;

/** How long a client waits before it asks again for what is away. */
export const awayRetrySeconds = 2;

export const postgresConnectionsMax = 20;
export const postgresQueryMsMax = 10_000;
/** How long ClickHouse may be silent: before a page, and within an export or a deletion. */
export const clickhouseTimeoutMs = 35_000;
export const clickhouseLongTimeoutMs = 3_600_000;
export const redisCommandMsMax = 1_000;

/** How long a request may take to arrive. */
export const requestTimeoutMs = 60_000;

/** How long changes of keys stay in the journal: far longer than an edge goes without reading it. */
export const keyJournalSeconds = 3_600;
export const keyJournalCleanMs = 300_000;

/** How long a stop may take. */
export const stopMsMax = 10_000;
