import { randomUUID } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { DomainError } from '../../schemas/errors.ts';
import type { Throttle } from '../access/throttle.ts';
import type { Database } from '../database.ts';
import type { Tokens } from './jwt.ts';
import { type Credentials, findCredentials } from './sql.ts';

/** Verified against where there is no such account, so that the time taken does not tell. */
const hashOfNobody = hash(randomUUID());

export type Attempt = { email: string; password: string; address: string };

/**
 * A token for who knows the password.
 *
 * @throws DomainError `unauthenticated`, the same for an unknown e-mail and a wrong password;
 * `tooMany` as `checkPassword`.
 */
export async function login(
  parts: { db: Database; tokens: Tokens; throttle: Throttle },
  attempt: Attempt,
): Promise<string> {
  const account = await checkPassword(parts, attempt);
  if (account === undefined) throw new DomainError('unauthenticated');
  return parts.tokens.issue(account.id);
}

/**
 * The account, if this is its password.
 *
 * @throws DomainError `tooMany` after too many failures of this account, known or not, or of this
 * address.
 */
export async function checkPassword(
  { db, throttle }: { db: Database; throttle: Throttle },
  { email, password, address }: Attempt,
): Promise<Credentials | undefined> {
  await throttle.checkLogin(email, address);
  const account = await findCredentials(db, email);
  const right = await verify(account?.passwordHash ?? (await hashOfNobody), password);
  if (account === undefined || !right) {
    await throttle.loginFailed(email, address);
    return undefined;
  }
  // Once more: of a thousand guesses at the same time, the right one must not stand out.
  await throttle.checkLogin(email, address);
  await throttle.loginSucceeded(email);
  return account;
}
