import { type Static, Type } from 'typebox';
import { Uuid } from '../../schemas/common.ts';
import { DomainError } from '../../schemas/errors.ts';
import type { Caller } from '../access/caller.ts';
import { requireRole } from '../access/authorize.ts';
import type { Database } from '../database.ts';
import { pageLimitDefault, readerLimitMax } from '../limits.ts';
import { findReach } from './sql.ts';

const Nanoseconds = Type.String({ pattern: '^[+-]?[0-9]{1,19}$' });

export const ReaderQuery = Type.Object({
  publisher: Type.Optional(Uuid),
  from: Type.Optional(Nanoseconds),
  to: Type.Optional(Nanoseconds),
  limit: Type.Integer({ minimum: 1, maximum: readerLimitMax, default: pageLimitDefault }),
  offset: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER, default: 0 }),
  dir: Type.Enum(['asc', 'desc'], { default: 'desc' }),
});
export type ReaderQuery = Static<typeof ReaderQuery>;

/** Which messages are meant: bounded by what the caller may see. */
export type Selection = {
  /** `all` is the platform admin's. */
  publishers: 'all' | readonly string[];
  /** Nanoseconds, both inclusive. */
  from: bigint | undefined;
  to: bigint | undefined;
};

/**
 * Bounds a query by its caller: a user by the groups they are in, a thing by itself.
 *
 * @throws DomainError `forbidden` for somebody else's publisher, `notFound` for an absent one.
 */
export async function select(
  db: Database,
  caller: Caller,
  query: Pick<ReaderQuery, 'publisher' | 'from' | 'to'>,
): Promise<Selection> {
  return {
    publishers: await reachOf(db, caller, query.publisher?.toLowerCase()),
    from: toNanoseconds('from', query.from),
    to: toNanoseconds('to', query.to),
  };
}

async function reachOf(
  db: Database,
  caller: Caller,
  publisher: string | undefined,
): Promise<Selection['publishers']> {
  if (caller.kind === 'thing') {
    if (publisher !== undefined && publisher !== caller.id) throw new DomainError('forbidden');
    return [caller.id];
  }
  if (publisher !== undefined) {
    await requireRole(db, caller, 'viewer', 'thing', publisher);
    return [publisher];
  }
  return caller.platformAdmin ? 'all' : findReach(db, caller.id);
}

function toNanoseconds(field: string, text: string | undefined): bigint | undefined {
  if (text === undefined) return undefined;
  const nanoseconds = BigInt(text.replace(/^\+/, ''));
  if (BigInt.asIntN(64, nanoseconds) !== nanoseconds) {
    throw new DomainError('malformed', `${field} is beyond 64 bits`);
  }
  return nanoseconds;
}
