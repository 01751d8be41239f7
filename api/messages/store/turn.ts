import type { ServerResponse } from 'node:http';
import type { Budget, Lease } from '../../../infra/runtime/budgets/budget.ts';
import type { Caller } from '../../access/caller.ts';
import { spenderOf } from '../../access/spender.ts';
import { named } from './errors.ts';

/**
 * Waits for the caller's turn.
 *
 * @throws DomainError `too_many`, `unavailable`; the latter as well for one that left meanwhile.
 */
export async function takeTurn(
  budget: Budget,
  caller: Caller,
  signal: AbortSignal,
): Promise<Lease> {
  try {
    return await budget.wait(spenderOf(caller), signal);
  } catch (error) {
    throw named(error);
  }
}

/** Waits for it, and keeps it until the answer is over. @throws as `takeTurn` */
export async function takeTurnFor(
  response: ServerResponse,
  budget: Budget,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  const lease = await takeTurn(budget, caller, signal);
  if (response.destroyed) lease.release();
  else response.once('close', lease.release);
}
