import type { Pool } from '../../../infra/runtime/stores/postgres.ts';
import { halfShare } from '../../../infra/runtime/webhooks/jobs.ts';
import { loadOrgs } from './sql.ts';

export type ShareLimits = {
  /** Deliveries of one org in the queue; half of them before their first attempt. */
  deliveriesPerOrgMax: number;
  /** The bytes of one org's messages that are kept until their last delivery is done. */
  bytesPerOrgMax: number;
};

const ageMsMax = 250;
const orgsMax = 10_000;

/** What each org has in bundles, as Postgres had it a moment ago, and what was added here since. */
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

  /** Whether deliveries go to the queue with their bundle. An org that has none there may add any number. */
  tryQueue(orgId: string, deliveries: number): boolean {
    const org = this.#known.get(orgId);
    if (org === undefined) return false;
    if (org.fresh > 0 && org.fresh + deliveries > halfShare(this.#limits.deliveriesPerOrgMax))
      return false;
    org.fresh += deliveries;
    return true;
  }
}
