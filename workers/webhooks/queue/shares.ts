import type { Queued, Waiting } from '../record/jobs-sql.ts';

/** How much of each org's share of the queue is free, for deliveries of one kind. */
export class Shares {
  readonly #share: number;
  readonly #orgs = new Map<string, number>();
  readonly #webhooks = new Map<string, number>();

  constructor(share: number, queued: readonly Queued[]) {
    this.#share = share;
    for (const { orgId, webhookId, deliveries } of queued) this.take(orgId, webhookId, deliveries);
  }

  /** How many deliveries more a webhook may have: with them it has no more than are still free for the others. */
  room(orgId: string, webhookId: string): number {
    const free = this.#share - (this.#orgs.get(orgId) ?? 0);
    return Math.max(0, Math.ceil((free - (this.#webhooks.get(webhookId) ?? 0)) / 2));
  }

  take(orgId: string, webhookId: string, deliveries: number): void {
    this.#orgs.set(orgId, (this.#orgs.get(orgId) ?? 0) + deliveries);
    this.#webhooks.set(webhookId, (this.#webhooks.get(webhookId) ?? 0) + deliveries);
  }
}

/**
 * The order in which webhooks get room: first those whose last attempt did not fail; among equals, first new ones, then
 * those that have waited longest.
 */
export class Turns {
  #round = 0;
  #served = new Map<string, number>();

  /** Only these webhooks wait; what is known of others is forgotten. */
  order(waiting: readonly Waiting[]): Waiting[] {
    const served = new Map<string, number>();
    for (const { webhookId } of waiting) served.set(webhookId, this.#served.get(webhookId) ?? 0);
    this.#served = served;
    return waiting.toSorted(
      (one, other) =>
        Number(one.isFailing) - Number(other.isFailing) ||
        (served.get(one.webhookId) ?? 0) - (served.get(other.webhookId) ?? 0),
    );
  }

  serve(webhooks: readonly { webhookId: string }[]): void {
    this.#round += 1;
    for (const { webhookId } of webhooks) this.#served.set(webhookId, this.#round);
  }
}

/**
 * How many deliveries each waiting webhook may put into the queue, in this order. One part of the share is for webhooks
 * whose last attempt failed and one for the others, so that a large group for a dead one can't take all of it.
 */
export function roomsOf(
  waiting: readonly Waiting[],
  queued: readonly Queued[],
  share: number,
): { webhookId: string; room: number }[] {
  const part = Math.floor(share / 2);
  const sharesOf = (isFailing: boolean) =>
    new Shares(
      part,
      queued.filter((one) => one.isFailing === isFailing),
    );
  const [failing, others] = [sharesOf(true), sharesOf(false)];
  return waiting.flatMap(({ orgId, webhookId, isFailing }) => {
    const shares = isFailing ? failing : others;
    const room = shares.room(orgId, webhookId);
    if (room === 0) return [];
    shares.take(orgId, webhookId, room);
    return [{ webhookId, room }];
  });
}
