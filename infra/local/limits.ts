/** How often an engine is started that exits before it was ever ready. */
export const engineTriesMax = 5;

/** How long the whole stop may take. */
const stopAllMsMax = 15_000;

/** The part of each, the last started first. Time that one does not need is for the next one. */
export const stopMsMax = {
  api: 2_500,
  workers: 2_500,
  ingest: 5_000,
  migrate: 2_000,
  clickhouse: 3_000,
  postgres: 2_500,
  redis: 1_500,
};

// The migration has ended before the edge and the API start, and the workers stop together with the API.
const { workers, migrate: _migrate, ...oneAfterTheOther } = stopMsMax;
const stopSumMs = Object.values(oneAfterTheOther).reduce((sum, share) => sum + share);
if (workers > stopMsMax.api) throw new Error('the workers take longer to stop than the API');
if (stopSumMs >= stopAllMsMax) throw new Error('the shares of the stop exceed the whole');
