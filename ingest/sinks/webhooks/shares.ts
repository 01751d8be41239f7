import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { halfShare } from '../../../infra/runtime/webhooks/jobs.ts';
import { loadOrgs } from './sql.ts';

export type ShareLimits = {
  /** Copies of one org that are on their way; half of them before their first try. */
  deliveriesPerOrgMax: number;
  /** What is kept of one org's messages until their last copy is done. */
  bytesPerOrgMax: number;
};

const ageMsMax = 250;
const orgsMax = 10_000;

/** What each org has, as it was a moment ago, and what was added here since. */
export class OrgShares {
  readonly #pool: Pool;
  readonly #limits: ShareLimits;
  #known = new Map<string, { fresh: number; bytes: number; untilMs: number }>();

  constructor(pool: Pool, limits: ShareLimits) {
    this.#pool = pool;
    this.#limits = limits;
  }

  async lookUp(orgIds: ReadonlySet<string>): Promise<void> {
    const nowMs = performance.now();
    const old = [...orgIds].filter((id) => (this.#known.get(id)?.untilMs ?? 0) < nowMs);
    if (old.length === 0) return;
    const found = await loadOrgs(this.#pool, old);
    if (this.#known.size > orgsMax) this.#known.clear();
    for (const id of old) {
      const { fresh, bytes } = found.get(id) ?? { fresh: 0, bytes: 0 };
      this.#known.set(id, { fresh, bytes, untilMs: nowMs + ageMsMax });
    }
  }

  /** Whether a message is kept. */
  tryKeep(orgId: string, bytes: number): boolean {
    const org = this.#known.get(orgId);
    if (org === undefined || org.bytes + bytes > this.#limits.bytesPerOrgMax) return false;
    org.bytes += bytes;
    return true;
  }

  /** Whether copies go to the queue with their bundle; of an org that has none there, however many they are. */
  tryQueue(orgId: string, copies: number): boolean {
    const org = this.#known.get(orgId);
    if (org === undefined) return false;
    if (org.fresh > 0 && org.fresh + copies > halfShare(this.#limits.deliveriesPerOrgMax))
      return false;
    org.fresh += copies;
    return true;
  }
}
