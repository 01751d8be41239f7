import { DomainError } from '../../schemas/errors.ts';
import { findUser } from '../access/sql.ts';
import type { Parts } from '../parts.ts';
import { type Attempt, checkPassword } from '../tokens/login.ts';

/**
 * A token of the dashboard, for an admin who knows their password.
 *
 * @throws DomainError `unauthenticated`, `forbidden` for a user who is none, `tooMany` as `checkPassword`.
 */
export async function logIn(
  { db, throttle, queueTokens }: Pick<Parts, 'db' | 'throttle' | 'queueTokens'>,
  attempt: Attempt,
): Promise<string> {
  const account = await checkPassword({ db, throttle }, attempt);
  if (account === undefined) throw new DomainError('unauthenticated');
  const user = await findUser(db, account.id);
  if (user?.platformAdmin !== true) {
    throw new DomainError('forbidden', 'only the platform’s admin sees the queues');
  }
  return queueTokens.issue(user.id);
}
