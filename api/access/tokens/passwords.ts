import { hash, verify } from '@node-rs/argon2';
import type { Budgets } from '../../budgets/budgets.ts';
import { inTurn } from '../../stores/spending.ts';

/*
 * argon2id. Each hash takes a thread of libuv's four and a core for some milliseconds: of requests, only
 * who holds a turn of `budgets.passwordHashes` calls these, so that there are threads left to verify tokens.
 */

export function hashPassword(password: string): Promise<string> {
  return hash(password);
}

export function hashInTurn({ passwordHashes }: Budgets, password: string): Promise<string> {
  return inTurn(passwordHashes, 1, () => hash(password));
}

export function isPassword(passwordHash: string, password: string): Promise<boolean> {
  return verify(passwordHash, password);
}
