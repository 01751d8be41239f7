import type { Spender } from '../../infra/runtime/budgets/budget.ts';
import { networkOf } from '../../infra/runtime/network/client-address.ts';
import type { Caller } from './caller.ts';

/** For whom a caller spends: itself and its org. */
export function spenderOf({ kind, id, org }: Caller): Spender {
  return { caller: `${kind} ${id}`, org, stranger: false };
}

/** For whom someone spends who has shown no valid credential: the network that they call from. */
export function strangerFrom(address: string): Spender {
  return { caller: `network ${networkOf(address)}`, org: undefined, stranger: true };
}
