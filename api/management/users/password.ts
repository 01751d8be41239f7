import { DomainError } from '../../../schemas/http/errors.ts';
import { checkPassword, type LoginDependencies } from '../../access/tokens/login.ts';
import { hashInTurn } from '../../access/tokens/passwords.ts';
import { replacePasswordHash } from './sql.ts';

/**
 * Replaces the password of a user who knows the old one, and ends all their tokens, and all their sessions but the one
 * that asks. A wrong old password counts like a failed login.
 *
 * @throws DomainError `malformed` if it is not the old password, `too_many` after too many of those.
 */
export async function changePassword(
  dependencies: LoginDependencies,
  change: {
    email: string;
    from: string;
    to: string;
    address: string;
    sessionId: string | undefined;
  },
): Promise<void> {
  const { email, from, to, address, sessionId } = change;
  const { account, left } = await checkPassword(dependencies, { email, password: from, address });
  const changed =
    account !== undefined &&
    (await replacePasswordHash(dependencies.db, account.id, {
      from: account.passwordHash,
      to: await hashInTurn(dependencies.budgets, to),
      sessionId,
    }));
  if (!changed) throw new DomainError('malformed', 'old_password is wrong', undefined, left);
}
