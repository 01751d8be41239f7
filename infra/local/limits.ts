import assert from 'node:assert/strict';

/** The part of the whole stop for each, the last started first. Time that one does not need is for the next one. */
const stopMsMax = {
  api: 2_500,
  workers: 2_500,
  ingest: 5_000,
  migrate: 2_000,
  clickhouse: 3_000,
  postgres: 2_500,
  redis: 1_500,
} as const;

/** Every bound of `npm start` that is not a setting, with its unit. */
export const limits = {
  /** How often an engine is started that exits before it was ever ready. */
  engineTriesMax: 5,
  /** How long the whole stop may take. */
  stopAllMsMax: 15_000,
  stopMsMax,
} as const;

// The migration has ended before the edge and the API start, and the workers stop together with the API.
const { workers, migrate: _migrate, ...oneAfterTheOther } = stopMsMax;
const stopSumMs = Object.values(oneAfterTheOther).reduce<number>((sum, share) => sum + share, 0);
assert(workers <= stopMsMax.api, 'the workers stop while the API does');
assert(stopSumMs < limits.stopAllMsMax, 'the shares of the stop fit the whole');
