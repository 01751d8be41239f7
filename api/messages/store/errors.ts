import { ClickHouseError } from '@clickhouse/client';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/** ClickHouse's own codes for: too busy, out of time, memory or disk, a replica away, shutting down. */
const awayCodes = new Set('159 202 209 210 241 242 243 279 394 425 999'.split(' '));

/** Gives ClickHouse's errors the domain's names. What is no answer of its means that it is away. */
export function named(error: unknown): unknown {
  if (error instanceof DomainError) return error;
  if (error instanceof ClickHouseError && !awayCodes.has(error.code)) return error;
  const away = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
  away.cause = error;
  return away;
}
