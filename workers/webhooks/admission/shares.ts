import type { Queued, Waiting } from '../record/jobs-sql.ts';

/** What is free of each org's quarter for copies of one kind. */
export class Shares {
  readonly #quarter: number;
  readonly #orgs = new Map<string, number>();
  readonly #webhooks = new Map<string, number>();

  constructor(quarter: number, queued: readonly Queued[]) {
    this.#quarter = quarter;
    for (const { orgId, webhookId, copies } of queued) this.take(orgId, webhookId, copies);
  }

  /** How many copies more a webhook may have: it never has more than is still free after that. */
  room(orgId: string, webhookId: string): number {
    const free = this.#quarter - (this.#orgs.get(orgId) ?? 0);
    return Math.max(0, Math.ceil((free - (this.#webhooks.get(webhookId) ?? 0)) / 2));
  }

  take(orgId: string, webhookId: string, copies: number): void {
    this.#orgs.set(orgId, (this.#orgs.get(orgId) ?? 0) + copies);
    this.#webhooks.set(webhookId, (this.#webhooks.get(webhookId) ?? 0) + copies);
  }
}

/**
 * Whose turn it is to have room: first those whose last try did not fail, and of them who waited longest for it,
 * who is new before all.
 */
export class Turns {
  #round = 0;
  #had = new Map<string, number>();

  /** These webhooks alone wait; what is known of others is forgotten. */
  order(waiting: readonly Waiting[]): Waiting[] {
    const had = new Map<string, number>();
    for (const { webhookId } of waiting) had.set(webhookId, this.#had.get(webhookId) ?? 0);
    this.#had = had;
    return waiting.toSorted(
      (one, other) =>
        Number(one.isFailing) - Number(other.isFailing) ||
        (had.get(one.webhookId) ?? 0) - (had.get(other.webhookId) ?? 0),
    );
  }

  had(webhooks: readonly { webhookId: string }[]): void {
    this.#round += 1;
    for (const { webhookId } of webhooks) this.#had.set(webhookId, this.#round);
  }
}
