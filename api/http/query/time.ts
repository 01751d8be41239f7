import { DomainError } from '../../../schemas/http/errors.ts';
import { nanosecondsOf } from '../../../schemas/http/time.ts';

/**
 * A time of a request, in nanoseconds since 1970.
 *
 * @throws DomainError `malformed` for what is none, or not within 64 bits.
 */
export function readTime(name: string, given: string | number): bigint {
  const time = nanosecondsOf(given);
  if (time === undefined) {
    throw new DomainError(
      'malformed',
      `${name} is neither integer nanoseconds nor ISO 8601 with a zone (2026-11-21T10:00:00Z)`,
    );
  }
  if (BigInt.asIntN(64, time) !== time) {
    throw new DomainError('malformed', `${name} is beyond 64 bits`);
  }
  return time;
}
