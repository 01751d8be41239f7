import { hash } from '@node-rs/argon2';
import { DomainError } from '../../schemas/errors.ts';
import type { Throttle } from '../access/throttle.ts';
import type { Database } from '../database.ts';
import { checkPassword } from '../tokens/login.ts';
import { replacePasswordHash } from './sql.ts';

/**
 * Replaces a password by who knows it. A wrong one counts like a failed login.
 *
 * @throws DomainError `malformed` where it is not the old password, `tooMany` after too many of those.
 */
export async function changePassword(
  parts: { db: Database; throttle: Throttle },
  change: { email: string; from: string; to: string; address: string },
): Promise<void> {
  const { email, from, to, address } = change;
  const account = await checkPassword(parts, { email, password: from, address });
  const changed =
    account !== undefined &&
    (await replacePasswordHash(parts.db, account.id, {
      from: account.passwordHash,
      to: await hash(to),
    }));
  if (!changed) throw new DomainError('malformed', 'old_password is wrong');
}
