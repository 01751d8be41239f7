type Budget = { left: number; atS: number };

/**
 * How much of something each org may have: so much a second, and some more at once. What one org makes must not hold up the
 * alarms of others. What a batch takes is given back, if the batch is dropped.
 */
export class OrgBudgets {
  readonly #perSecond: number;
  readonly #atOnce: number;
  readonly #byOrg = new Map<string, Budget>();
  /** As they were before the batch. */
  readonly #before = new Map<string, Budget>();

  constructor(perSecond: number, atOnce: number) {
    this.#perSecond = perSecond;
    this.#atOnce = atOnce;
  }

  /** Whether the org has so much left, at so many seconds of one clock. */
  has(orgId: string, count: number, nowS: number): boolean {
    return this.#at(orgId, nowS).left >= count;
  }

  take(orgId: string, count: number, nowS: number): void {
    this.#at(orgId, nowS).left -= count;
  }

  keep(): void {
    this.#before.clear();
  }

  drop(): void {
    for (const [orgId, budget] of this.#before) this.#byOrg.set(orgId, budget);
    this.#before.clear();
  }

  #at(orgId: string, nowS: number): Budget {
    const known = this.#byOrg.get(orgId) ?? { left: this.#atOnce, atS: nowS };
    if (!this.#before.has(orgId)) {
      this.#before.set(orgId, { ...known });
      this.#byOrg.set(orgId, known);
    }
    if (known.atS === nowS) return known;
    // A clock that was set back gives nothing.
    const seconds = Math.max(0, nowS - known.atS);
    known.left = Math.min(this.#atOnce, known.left + seconds * this.#perSecond);
    known.atS = nowS;
    return known;
  }
}
