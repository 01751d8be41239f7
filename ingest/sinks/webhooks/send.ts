import { type Pool, rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { postgresFailure } from '../../../infra/runtime/stores/postgres-failure.ts';
import { insertBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import { readFrames } from '../../../infra/runtime/webhooks/frames.ts';
import {
  countJobDeliveries,
  insertBundleJobs,
  miss,
  type Missed,
  noteMissed,
} from '../../../infra/runtime/webhooks/jobs.ts';
import { type ForwardedMessage, readWebhookFrames } from '../../codecs/webhook-frame.ts';
import { before, type Position } from '../../log/format.ts';
import type { Batch } from '../../log/reader.ts';
import type { SinkTarget } from '../driver.ts';
import type { KeptPosition } from '../kept-position.ts';
import { type Bundle, bundlesOf, deliveryBytes, type Sent } from './bundles.ts';
import { Forwardings } from './forwarding.ts';

type WebhookOutboxOptions = {
  pool: Pool;
  logId: string;
  position: KeptPosition;
  /** Of one org's messages that are kept until their last delivery is done. */
  bytesPerOrgMax: number;
};

/**
 * Writes messages for webhooks into Postgres, once: bundles of them, the jobs of their deliveries, and how far the log is
 * then, in one transaction. Workers put the jobs into the queue.
 */
export class WebhookOutbox implements SinkTarget {
  readonly classify = postgresFailure;
  readonly counts = { messages: 0, deliveries: 0, missed: 0 };
  readonly #options: WebhookOutboxOptions;
  readonly #forwardings: Forwardings;

  constructor(options: WebhookOutboxOptions) {
    this.#options = options;
    this.#forwardings = new Forwardings(options.pool, options.bytesPerOrgMax);
  }

  async send(batch: Batch): Promise<void> {
    try {
      while (!(await this.#trySend(batch)));
    } catch (error) {
      this.#options.position.ended(undefined);
      this.#forwardings.forgetTaken();
      throw error;
    }
  }

  /** The id of the request that brought a frame; undefined if the frame can't be read. */
  describe({ body }: Batch): Record<string, unknown> {
    try {
      return { request_id: readFrames(body)[0]?.requestId };
    } catch {
      return {};
    }
  }

  /** False if Postgres has more of the log than was known: a transaction whose answer was lost has ended. */
  async #trySend(batch: Batch): Promise<boolean> {
    const { pool, position } = this.#options;
    const known = await position.find(batch.from);
    const { bundles, missed } = await this.#bundlesOf(batch, known);
    if (bundles.length === 0 && missed.length === 0) return true;
    const isMoved = await transaction(pool, async (client) => {
      const rows = rowsOf(client);
      if (!(await position.move(rows, known, batch.to))) return false;
      await insertBundles(
        rows,
        bundles.map(({ kept }) => kept),
      );
      await insertBundleJobs(
        rows,
        bundles.map(({ job }) => job),
      );
      await noteMissed(rows, missed);
      return true;
    });
    position.ended(isMoved ? batch.to : undefined);
    if (isMoved) this.#count(bundles, missed);
    return isMoved;
  }

  /** Bundles of those messages that go to any webhook, and what their orgs have no room for. */
  async #bundlesOf(
    { from: { segment }, body, offsets }: Batch,
    known: Position,
  ): Promise<{ bundles: Bundle[]; missed: Missed[] }> {
    const frames = readWebhookFrames(body).flatMap((frame, at) => {
      const offset = offsets[at] ?? 0;
      // Postgres has those before it since a transaction whose end this thread, or one before it, did not see.
      return before({ segment, offset }, known) ? [] : [{ frame, offset }];
    });
    const forwardings = await this.#forwardings.of(frames.map(({ frame }) => frame.thingId));
    const sent = frames.flatMap((one, at): Sent[] => {
      const { orgId, ids } = forwardings[at] ?? { orgId: '', ids: [] };
      return ids.length === 0 ? [] : [{ ...one, orgId, webhookIds: ids }];
    });
    const room = await this.#forwardings.roomOf(new Set(sent.map(({ orgId }) => orgId)));
    const missed = new Map<string, Missed>();
    const kept = sent.filter(({ orgId, frame, webhookIds }) => {
      const isKept = room.tryTake(orgId, bytesOf(frame, webhookIds));
      if (!isKept) for (const id of webhookIds) miss(missed, id, frame.receivedMs);
      return isKept;
    });
    const bundles = bundlesOf({ log: this.#options.logId, segment }, kept, body);
    return { bundles, missed: [...missed.values()] };
  }

  #count(bundles: readonly Bundle[], missed: readonly Missed[]): void {
    for (const { kept, job } of bundles) {
      this.counts.messages += kept.offsets.length;
      this.counts.deliveries += countJobDeliveries(job);
    }
    for (const { deliveries } of missed) this.counts.missed += deliveries;
  }
}

const bytesOf = ({ bytes }: ForwardedMessage, webhookIds: readonly string[]): number =>
  bytes + deliveryBytes * webhookIds.length;
