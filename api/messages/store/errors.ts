import { ClickHouseError } from '@clickhouse/client';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/**
 * ClickHouse's codes for: too busy, out of time, memory or disk, a replica or a shard away, shutting down; without our
 * tables yet, as a server is that joins a cluster (60, 81); with another password than ours, until both are the new one
 * (516).
 */
const awayCodes = new Set(
  '32 60 81 159 202 209 210 225 241 242 243 279 285 286 319 394 425 516 999'.split(' '),
);

/** ClickHouse counts as unavailable if its code says so, and if the error is not its own answer. */
export function storeErrorOf(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof ClickHouseError && !awayCodes.has(error.code)) return error;
  const away = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
  away.cause = error;
  return away;
}

/** Runs work on the store. @throws as `storeErrorOf` */
export async function withStoreErrors<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw storeErrorOf(error);
  }
}
