import { DomainError } from '../../schemas/http/errors.ts';

/** One caller, and its org. A stranger has shown no valid credential. */
export type Spender = {
  /** A user, a thing; of a stranger the network that it calls from. */
  caller: string;
  org: string | undefined;
  stranger: boolean;
};

export type BudgetLimits = {
  /** The limit of this process. */
  max: number;
  perOrgMax: number;
  perCallerMax: number;
  /** The part of `max` that all strangers together may hold. The rest is a reserve for authenticated callers. */
  strangersMax: number;
  /** Takers that wait for their turn, in all and of one caller; 0: nobody waits. */
  waitingMax: number;
  waitingPerCallerMax: number;
  waitMsMax: number;
};

/** One request holds this until it releases it. */
export type Lease = { readonly release: () => void };

type Waiting = {
  spender: Spender;
  amount: number;
  since: number;
  admit: (lease: Lease) => void;
};

const retryAfterSeconds = 2;

/**
 * A limited resource that callers share fairly. A request for more than the caller's share fails with `too_many`, and
 * with `unavailable` when nothing is left for anyone. Waiting requests are admitted in this order: the org that holds
 * least, the caller that holds least, the org whose last turn was longest ago, age. So a caller with a thousand requests
 * waits for itself.
 */
export class Budget {
  readonly #what: string;
  readonly #limits: BudgetLimits;
  #held = 0;
  #heldByStrangers = 0;
  readonly #heldByOrg = new Map<string, number>();
  readonly #heldByCaller = new Map<string, number>();
  readonly #waitingOfCaller = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  /** The last turns of those who wait, by org, or by caller where there is none. */
  readonly #turns = new Map<string, { waiting: number; last: number }>();
  #turn = 0;
  readonly #refused = { too_many: 0, unavailable: 0 };

  /** `what` names it in refusals: `exports`, `bytes of bodies`. */
  constructor(what: string, limits: BudgetLimits) {
    this.#what = what;
    this.#limits = limits;
  }

  /** How much is held and waited for now, and how many were refused since the start. */
  stats(): { held: number; waiting: number; too_many: number; unavailable: number } {
    return { held: this.#held, waiting: this.#waiting.size, ...this.#refused };
  }

  /** The most that one caller can ever hold. */
  get shareMax(): number {
    return Math.min(this.#limits.perCallerMax, this.#limits.perOrgMax);
  }

  /** @throws DomainError `too_many`, `unavailable` unless it is there at once. */
  take(spender: Spender, amount = 1): Lease {
    this.#mustBeWithinShare(spender, amount);
    if (!this.#fits(spender, amount)) throw this.#refusal('unavailable');
    return this.#lease(spender, amount);
  }

  /**
   * Waits for its turn, if there is room to wait; `gone` ends the wait.
   *
   * @throws DomainError `too_many`, `unavailable`; the reason of `gone`.
   */
  async wait(spender: Spender, gone: AbortSignal, amount = 1): Promise<Lease> {
    gone.throwIfAborted();
    const { waitingPerCallerMax, waitingMax, waitMsMax } = this.#limits;
    if (amount > this.shareMax) throw this.#refusal('too_many');
    // A later request does not pass one that waits, even if it would fit.
    if (this.#waiting.size === 0 && this.#mayHold(spender, amount)) {
      return this.#lease(spender, amount);
    }
    const ofCaller = this.#waitingOfCaller.get(spender.caller) ?? 0;
    if (ofCaller >= waitingPerCallerMax) throw this.#refusal('too_many');
    if (this.#waiting.size >= waitingMax) throw this.#refusal('unavailable');

    const { promise, resolve, reject } = Promise.withResolvers<Lease>();
    const waiting: Waiting = { spender, amount, since: performance.now(), admit: resolve };
    const late = setTimeout(() => {
      const own = !this.#isWithinShare(spender, amount);
      reject(this.#refusal(own ? 'too_many' : 'unavailable'));
    }, waitMsMax);
    const leave = () => reject(gone.reason);
    gone.addEventListener('abort', leave, { once: true });
    const party = partyOf(spender);
    const turns = this.#turns.get(party) ?? { waiting: 0, last: 0 };
    turns.waiting += 1;
    this.#turns.set(party, turns);
    this.#waiting.add(waiting);
    this.#waitingOfCaller.set(spender.caller, ofCaller + 1);
    this.#admit();
    try {
      return await promise;
    } finally {
      clearTimeout(late);
      gone.removeEventListener('abort', leave);
      this.#waiting.delete(waiting);
      add(this.#waitingOfCaller, spender.caller, -1);
      turns.waiting -= 1;
      if (turns.waiting === 0) this.#turns.delete(party);
    }
  }

  #mustBeWithinShare(spender: Spender, amount: number): void {
    if (!this.#isWithinShare(spender, amount)) throw this.#refusal('too_many');
  }

  #isWithinShare({ caller, org }: Spender, amount: number): boolean {
    const { perCallerMax, perOrgMax } = this.#limits;
    if ((this.#heldByCaller.get(caller) ?? 0) + amount > perCallerMax) return false;
    return org === undefined || (this.#heldByOrg.get(org) ?? 0) + amount <= perOrgMax;
  }

  #fits({ stranger }: Spender, amount: number): boolean {
    if (this.#held + amount > this.#limits.max) return false;
    return !stranger || this.#heldByStrangers + amount <= this.#limits.strangersMax;
  }

  #mayHold(spender: Spender, amount: number): boolean {
    return this.#isWithinShare(spender, amount) && this.#fits(spender, amount);
  }

  #lease(spender: Spender, amount: number): Lease {
    this.#hold(spender, amount);
    let isHeld = true;
    return {
      release: () => {
        if (!isHeld) return;
        isHeld = false;
        this.#hold(spender, -amount);
        this.#admit();
      },
    };
  }

  #hold({ caller, org, stranger }: Spender, amount: number): void {
    this.#held += amount;
    if (stranger) this.#heldByStrangers += amount;
    add(this.#heldByCaller, caller, amount);
    if (org !== undefined) add(this.#heldByOrg, org, amount);
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      this.#waiting.delete(next);
      const turns = this.#turns.get(partyOf(next.spender));
      this.#turn += 1;
      if (turns !== undefined) turns.last = this.#turn;
      next.admit(this.#lease(next.spender, next.amount));
    }
  }

  /** Of those who may hold what they wait for, the one whose org and caller hold least, the oldest of them. */
  #next(): Waiting | undefined {
    let best: Waiting | undefined;
    for (const one of this.#waiting) {
      if (!this.#mayHold(one.spender, one.amount)) continue;
      if (best === undefined || this.#goesFirst(one, best)) best = one;
    }
    return best;
  }

  #goesFirst(one: Waiting, other: Waiting): boolean {
    const byOrg = this.#heldFor(one.spender) - this.#heldFor(other.spender);
    if (byOrg !== 0) return byOrg < 0;
    const heldBy = ({ spender }: Waiting) => this.#heldByCaller.get(spender.caller) ?? 0;
    const byCaller = heldBy(one) - heldBy(other);
    if (byCaller !== 0) return byCaller < 0;
    const turnOf = ({ spender }: Waiting) => this.#turns.get(partyOf(spender))?.last ?? 0;
    const byTurn = turnOf(one) - turnOf(other);
    return byTurn === 0 ? one.since < other.since : byTurn < 0;
  }

  /** How much the org holds; a caller without one stands for itself. */
  #heldFor({ org, caller }: Spender): number {
    return (org === undefined ? this.#heldByCaller.get(caller) : this.#heldByOrg.get(org)) ?? 0;
  }

  #refusal(code: 'too_many' | 'unavailable'): DomainError {
    this.#refused[code] += 1;
    const detail = code === 'too_many' ? `${this.#what} at once` : `${this.#what}: all are in use`;
    const rate = { name: this.#what, quota: this.shareMax };
    const left = code === 'too_many' ? [{ rate, remaining: 0 }] : [];
    return new DomainError(code, detail, retryAfterSeconds, left);
  }
}

/** Who takes turns: an org, or a caller without one. */
function partyOf({ org, caller }: Spender): string {
  return org ?? caller;
}

/** Adds to a sum, which is gone where it is nothing. */
function add(sums: Map<string, number>, key: string, amount: number): void {
  const sum = (sums.get(key) ?? 0) + amount;
  if (sum === 0) sums.delete(key);
  else sums.set(key, sum);
}
