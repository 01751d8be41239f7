import { randomUUID } from 'node:crypto';
import { hash, verify } from '@node-rs/argon2';
import { DomainError } from '../../schemas/errors.ts';
import type { Throttle } from '../access/throttle.ts';
import type { Database } from '../database.ts';
import type { Tokens } from './jwt.ts';
import { findCredentials } from './sql.ts';

/** Verified against where there is no such account, so that the time taken does not tell. */
const hashOfNobody = hash(randomUUID());

/**
 * A token for who knows the password.
 *
 * @throws DomainError `unauthenticated`, the same for an unknown e-mail and a wrong password;
 * `tooMany` after too many failures of this account, known or not, or of this address.
 */
export async function login(
  { db, tokens, throttle }: { db: Database; tokens: Tokens; throttle: Throttle },
  attempt: { email: string; password: string; address: string },
): Promise<string> {
  const { email, password, address } = attempt;
  await throttle.checkLogin(email, address);
  const account = await findCredentials(db, email);
  const right = await verify(account?.passwordHash ?? (await hashOfNobody), password);
  if (account === undefined || !right) {
    await throttle.loginFailed(email, address);
    throw new DomainError('unauthenticated');
  }
  // Once more: of a thousand guesses at the same time, the right one must not stand out.
  await throttle.checkLogin(email, address);
  await throttle.loginSucceeded(email);
  return tokens.issue(account.id);
}
