import type { Spender } from '../budgets/budget.ts';
import { networkOf } from '../../infra/runtime/network/client-address.ts';
import type { Caller } from './caller.ts';

/** The account that a caller's requests are counted on: its own, and its org's. */
export function spenderOf({ kind, id, org }: Caller): Spender {
  return { caller: `${kind} ${id}`, org, stranger: false };
}

/** The account of who has shown no valid credential: the network that they call from. */
export function strangerFrom(address: string): Spender {
  return { caller: `network ${networkOf(address)}`, org: undefined, stranger: true };
}
