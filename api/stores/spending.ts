import { AsyncLocalStorage } from 'node:async_hooks';
import type { Budget, Spender } from '../budgets/budget.ts';

/** On whose account a request spends budgets, and a signal that aborts when its client leaves. */
type Spending = { spender: Spender; gone: AbortSignal };

const current = new AsyncLocalStorage<Spending>();

/** All that `work` causes, however late, is spent for this request. */
export function spendFor(spending: Spending, work: () => void): void {
  current.run(spending, work);
}

/**
 * Does the work in a turn of the budget, for the request that caused it; what no request caused (what the
 * process does of itself) needs none. `keepMs` tells, by the time that it took and by its result unless it
 * failed, how much longer the turn is kept: what came of it may still take work.
 *
 * @throws DomainError as `Budget.wait`
 */
export async function inTurn<Result>(
  budget: Budget,
  amount: number,
  work: () => Promise<Result>,
  keepMs: (tookMs: number, result?: Result) => number = () => 0,
): Promise<Result> {
  const spending = current.getStore();
  if (spending === undefined) return work();
  const turn = await budget.wait(spending.spender, spending.gone, amount);
  const since = performance.now();
  let result: Result | undefined;
  try {
    result = await work();
    return result;
  } finally {
    const ms = keepMs(performance.now() - since, result);
    if (ms === 0) turn.release();
    else setTimeout(turn.release, ms).unref();
  }
}
