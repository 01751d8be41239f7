import { LRUCache } from 'lru-cache';
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { type Forwarding, loadKeptBytes, loadWebhooks } from './sql.ts';

/** The webhooks of a thing may change: what was read is valid for this long. */
const webhooksAgeMsMax = 500;
const thingsMax = 100_000;
const bytesAgeMsMax = 250;
const orgsMax = 10_000;

const none: Forwarding = { orgId: '', ids: [] };

/** Which webhooks things have, and how many bytes their orgs keep, as Postgres had it a moment ago. */
export class Forwardings {
  readonly #pool: Pool;
  readonly #bytesPerOrgMax: number;
  readonly #webhooks = new LRUCache<string, Forwarding>({ max: thingsMax, ttl: webhooksAgeMsMax });
  readonly #bytes = new LRUCache<string, { kept: number }>({ max: orgsMax, ttl: bytesAgeMsMax });

  /** `bytesPerOrgMax`: of one org's messages that are kept until their last delivery is done. */
  constructor(pool: Pool, bytesPerOrgMax: number) {
    this.#pool = pool;
    this.#bytesPerOrgMax = bytesPerOrgMax;
  }

  /** Of each thing, in order. */
  async of(thingIds: readonly string[]): Promise<Forwarding[]> {
    const found = new Map<string, Forwarding>();
    const unknown = new Set<string>();
    for (const id of thingIds) {
      const known = this.#webhooks.get(id);
      if (known === undefined) unknown.add(id);
      else found.set(id, known);
    }
    if (unknown.size > 0) {
      const loaded = await loadWebhooks(this.#pool, [...unknown]);
      for (const id of unknown) {
        const forwarding = loaded.get(id) ?? none;
        found.set(id, forwarding);
        this.#webhooks.set(id, forwarding);
      }
    }
    return thingIds.map((id) => found.get(id) ?? none);
  }

  /** How many bytes more each of these orgs may keep. What is taken here counts until Postgres is asked again. */
  async roomOf(orgIds: ReadonlySet<string>): Promise<OrgRoom> {
    const kept = new Map<string, { kept: number }>();
    const unknown: string[] = [];
    for (const id of orgIds) {
      const known = this.#bytes.get(id);
      if (known === undefined) unknown.push(id);
      else kept.set(id, known);
    }
    if (unknown.length > 0) {
      const loaded = await loadKeptBytes(rowsOf(this.#pool), unknown);
      for (const id of unknown) {
        const org = { kept: loaded.get(id) ?? 0 };
        kept.set(id, org);
        this.#bytes.set(id, org);
      }
    }
    return {
      tryTake: (orgId, bytes) => {
        const org = kept.get(orgId);
        if (org === undefined || org.kept + bytes > this.#bytesPerOrgMax) return false;
        org.kept += bytes;
        return true;
      },
    };
  }

  /** Nothing was kept of what was taken last. */
  forgetTaken(): void {
    this.#bytes.clear();
  }
}

type OrgRoom = { tryTake: (orgId: string, bytes: number) => boolean };
