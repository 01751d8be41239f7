/** How long the whole stop may take. */
const stopAllMsMax = 15_000;

/** Each one's share of it, the last started first. What one does not need is the next one's. */
export const stopMsMax = {
  api: 2_500,
  ingest: 5_000,
  migrate: 2_000,
  clickhouse: 3_000,
  postgres: 2_500,
  redis: 1_500,
};

// The migration is over before the edge and the API begin.
const stopSumMs = Object.values(stopMsMax).reduce((sum, share) => sum + share) - stopMsMax.migrate;
if (stopSumMs >= stopAllMsMax) throw new Error('the shares of the stop exceed the whole');
