import type { Tokens } from '../../access/tokens/jwt.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { findUser } from '../../access/sql.ts';
import { type Attempt, checkPassword, type LoginDependencies } from '../../access/tokens/login.ts';

/**
 * Gives a token for the dashboard to an admin who knows their password.
 *
 * @throws DomainError `login_failed`, `forbidden` for a user who is none, `too_many` as `checkPassword`.
 */
export async function logIn(
  dependencies: LoginDependencies & { queueTokens: Tokens },
  attempt: Attempt,
): Promise<string> {
  const { account, left } = await checkPassword(dependencies, attempt);
  if (account === undefined) throw new DomainError('login_failed', undefined, undefined, left);
  const user = await findUser(dependencies.db, account.id, account.tokenGeneration);
  if (typeof user === 'string') throw new DomainError(user);
  if (!user.platformAdmin) {
    throw new DomainError('forbidden', 'only the platform’s admin sees the queues');
  }
  return dependencies.queueTokens.issue({ userId: user.id, generation: account.tokenGeneration });
}
