/**
 * How many transitions each org may have: so many a second, and some more at once. A fleet that flaps must not hold up the
 * alarms of others, nor PostgreSQL.
 */
export class TransitionBudgets {
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #left = new Map<string, { left: number; atS: number }>();

  constructor(perSecond: number, burst: number) {
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  /** Whether the org has one left, at so many seconds of a steady clock. */
  has(orgId: string, nowS: number): boolean {
    return this.#at(orgId, nowS).left >= 1;
  }

  take(orgId: string, nowS: number): void {
    this.#at(orgId, nowS).left -= 1;
  }

  #at(orgId: string, nowS: number): { left: number; atS: number } {
    const known = this.#left.get(orgId);
    if (known === undefined) {
      const full = { left: this.#burst, atS: nowS };
      this.#left.set(orgId, full);
      return full;
    }
    known.left = Math.min(this.#burst, known.left + (nowS - known.atS) * this.#perSecond);
    known.atS = nowS;
    return known;
  }
}
