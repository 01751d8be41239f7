import { randomUUID } from 'node:crypto';
import type { Budgets } from '../../budgets/budgets.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { RateLeft } from '../../../schemas/http/rate-limit.ts';
import type { Database } from '../../stores/database.ts';
import { inTurn } from '../../stores/spending.ts';
import type { Throttle } from '../throttle.ts';
import { hashPassword, isPassword } from './passwords.ts';
import { type Credentials, findCredentials, noteFailedLogin } from './sql.ts';

/** Verified against where there is no such account, so that the time taken does not tell. */
const hashOfNobody = hashPassword(randomUUID());

type Attempt = { email: string; password: string; address: string };

export type LoginDependencies = { db: Database; throttle: Throttle; budgets: Budgets };

/**
 * The account of who knows the password.
 *
 * @throws DomainError `login_failed`, the same for an unknown e-mail and a wrong password;
 * `too_many` as `checkPassword`.
 */
export async function login(
  dependencies: LoginDependencies,
  attempt: Attempt,
): Promise<Credentials> {
  const { account, named, left } = await checkPassword(dependencies, attempt);
  if (account !== undefined) return account;
  await noteFailedLogin(dependencies.db, named);
  throw new DomainError('login_failed', undefined, undefined, left);
}

/**
 * Gives the account, if this is its password; the id of the one that was named, known or not; and what is left for
 * tries that fail. Hashing waits for its turn, in which those of one network come one after the other; a try counts
 * before it is hashed.
 *
 * @throws DomainError `too_many` after too many failures of this account, known or not, or of this
 * address, or with too many tries at once.
 */
export async function checkPassword(
  { db, throttle, budgets }: LoginDependencies,
  { email, password, address }: Attempt,
): Promise<{ account: Credentials | undefined; named: string | undefined; left: RateLeft[] }> {
  await throttle.checkAddress(address);
  const { account, name } = await findCredentials(db, email);
  await throttle.checkAccount(name);
  return inTurn(budgets.passwordHashes, 1, async () => {
    const left = await throttle.tryLogin(name, address);
    const isRight = await isPassword(account?.passwordHash ?? (await hashOfNobody), password);
    if (account === undefined || !isRight) return { account: undefined, named: account?.id, left };
    await throttle.loginSucceeded(name, address);
    return { account, named: account.id, left };
  });
}
