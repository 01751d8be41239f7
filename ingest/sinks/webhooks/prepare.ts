import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import {
  groupJobId,
  insertJobs,
  miss,
  type Missed,
  noteMissed,
} from '../../../infra/runtime/webhooks/jobs.ts';
import { insertBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import {
  type WebhookJob,
  webhookJobId,
  webhookMessageId,
  webhookBundleId,
} from '../../../schemas/internal/webhook-job.ts';
import { type ForwardedMessage, readWebhookFrames } from '../../codecs/webhook-frame.ts';
import type { LogRange, Position } from '../../log/format.ts';
import type { Batch } from '../../log/reader.ts';
import {
  type Bundle,
  deliveryBytes,
  countOf,
  jobOf,
  orgsOf,
  rangesOf,
  type Sent,
  waitingOf,
} from './bundles.ts';
import { OrgShares, type ShareLimits } from './shares.ts';
import { type Forwarding, loadDelivered, loadJobs, loadWebhooks, noteTried } from './sql.ts';

/** A batch of the log, with the jobs that it means for the queue. */
export type WebhookBatch = {
  range: LogRange;
  to: Position;
  /** How many frames of the log; and if it is one, its content. */
  frames: number;
  body: Buffer | undefined;
  /** Whether the queue had room for it when it was prepared. */
  hadRoom: boolean;
  messages: number;
  deliveries: number;
  /** Deliveries that wait in Postgres for a place in the queue, and deliveries that are not kept. */
  waiting: number;
  missed: number;
  jobs: WebhookJob[];
};

/** The webhooks of a thing may change: what was read is valid for this long. */
const webhooksMsMax = 500;
const thingsMax = 100_000;
/** By how much the clocks of edges and workers may differ. */
const clocksMsMax = 5_000;

/** Turns frames into bundles: looks up which webhooks their things have, and which deliveries are done already. */
export class WebhookBatches {
  readonly #pool: Pool;
  readonly #logId: string;
  readonly #shares: OrgShares;
  #webhooks = new Map<string, { forwarding: Forwarding | undefined; untilMs: number }>();

  constructor(pool: Pool, logId: string, limits: ShareLimits) {
    this.#pool = pool;
    this.#logId = logId;
    this.#shares = new OrgShares(pool, limits);
  }

  /**
   * Keeps the messages of a batch that go to any webhook, for the workers, and returns the jobs of their bundles.
   * Deliveries over their org's share wait in Postgres, and so do all of them while the queue has no room.
   *
   * @throws while Postgres is away.
   */
  async prepare(batch: Batch, hasRoom: boolean): Promise<WebhookBatch> {
    const { from, to, body } = batch;
    const frames = readWebhookFrames(body);
    await this.#lookUp(frames);
    const missed = new Map<string, Missed>();
    const bundles = this.#bundlesOf(batch, frames, hasRoom, missed);
    const jobs = bundles.length === 0 ? [] : await this.#keep(bundles, hasRoom);
    await noteMissed(rowsOf(this.#pool), [...missed.values()]);
    const deliveries = countOf(jobs);
    const all = bundles.flatMap(({ sent }) => sent.flatMap(({ webhookIds }) => webhookIds)).length;
    return {
      range: { segment: from.segment, from: from.offset, to: to.offset },
      to,
      frames: frames.length,
      body: frames.length === 1 ? Buffer.from(body) : undefined,
      hadRoom: hasRoom,
      messages: jobs.reduce((sum, { messages }) => sum + messages.length, 0),
      deliveries,
      waiting: all - deliveries,
      missed: [...missed.values()].reduce((sum, one) => sum + one.deliveries, 0),
      jobs,
    };
  }

  /**
   * A bundle that was not there before was never added to the queue. Of the others, all deliveries that are not done
   * are due: it is not known whether the queue has them.
   */
  async #keep(bundles: readonly Bundle[], hasRoom: boolean): Promise<WebhookJob[]> {
    const rows = rowsOf(this.#pool);
    const inserted = await insertBundles(rows, bundles);
    const isNew = ({ key }: Bundle) => inserted.has(webhookBundleId(key));
    const old = bundles.filter((bundle) => !isNew(bundle));
    const done = old.length === 0 ? new Set<string>() : await this.#doneOf(old);
    const isQueued = (bundle: Bundle, orgId: string) =>
      isNew(bundle) ? bundle.queued.has(orgId) : hasRoom;
    const dueMs = Date.now();
    const waiting = bundles.flatMap((bundle) =>
      waitingOf(bundle, (orgId) => !isQueued(bundle, orgId), done),
    );
    await insertJobs(
      rows,
      waiting.map((deliveries) => ({ ...deliveries, id: groupJobId(deliveries), dueMs })),
      false,
    );
    if (old.length > 0 && !hasRoom) {
      await noteTried(
        this.#pool,
        old.map(({ key }) => key),
      );
    }
    const jobs = bundles.map((bundle) => jobOf(bundle, (orgId) => isQueued(bundle, orgId), done));
    return jobs.filter(({ messages }) => messages.length > 0);
  }

  /** The bundles of a batch: of each range of its frames, the messages that go to any webhook. */
  #bundlesOf(
    { from, offsets, body }: Batch,
    frames: readonly ForwardedMessage[],
    hasRoom: boolean,
    missed: Map<string, Missed>,
  ): Bundle[] {
    return rangesOf(frames).flatMap(({ start, end }): Bundle[] => {
      const sent = frames.slice(start, end).flatMap((frame, at): Sent[] => {
        const { orgId, ids } = this.#webhooks.get(frame.thingId)?.forwarding ?? noForwarding;
        if (ids.length === 0) return [];
        const isKept = this.#shares.tryKeep(orgId, frame.bytes + deliveryBytes * ids.length);
        if (!isKept) {
          for (const id of ids) miss(missed, id, frame.receivedMs);
          return [];
        }
        return [{ frame, offset: offsets[start + at] ?? 0, orgId, webhookIds: ids }];
      });
      if (sent.length === 0) return [];
      const orgs = orgsOf(sent);
      const queued = new Set<string>();
      for (const { id, deliveries } of orgs) {
        if (hasRoom && this.#shares.tryQueue(id, deliveries)) queued.add(id);
      }
      return [
        {
          key: {
            log: this.#logId,
            segment: from.segment,
            first: offsets[start] ?? 0,
            last: offsets[end - 1] ?? 0,
          },
          offsets: sent.map(({ offset }) => offset),
          thingIds: sent.map(({ frame }) => frame.thingId),
          receivedMs: sent.map(({ frame }) => frame.receivedMs),
          frames: Buffer.concat(
            sent.map(({ frame }) => body.subarray(frame.at, frame.start + frame.bytes)),
          ),
          orgs: orgs.map((org) => (queued.has(org.id) ? org : { ...org, deliveries: 0 })),
          sent,
          queued,
        },
      ];
    });
  }

  async #lookUp(messages: readonly ForwardedMessage[]): Promise<void> {
    const nowMs = performance.now();
    const unknown = new Set<string>();
    for (const { thingId } of messages) {
      const untilMs = this.#webhooks.get(thingId)?.untilMs ?? 0;
      if (untilMs < nowMs) unknown.add(thingId);
    }
    if (unknown.size > 0) {
      const found = await loadWebhooks(this.#pool, [...unknown]);
      if (this.#webhooks.size > thingsMax) this.#forgetOld(nowMs);
      const untilMs = nowMs + webhooksMsMax;
      for (const thingId of unknown) {
        this.#webhooks.set(thingId, { forwarding: found.get(thingId), untilMs });
      }
    }
    const orgIds = new Set<string>();
    for (const { thingId } of messages) {
      const orgId = this.#webhooks.get(thingId)?.forwarding?.orgId;
      if (orgId !== undefined) orgIds.add(orgId);
    }
    await this.#shares.lookUp(orgIds);
  }

  #forgetOld(nowMs: number): void {
    for (const [thingId, { untilMs }] of this.#webhooks) {
      if (untilMs < nowMs) this.#webhooks.delete(thingId);
    }
  }

  /**
   * After a crash, the queue would take a delivery again that is done, or has become a job of its own. Returns the ids
   * of these deliveries.
   */
  async #doneOf(bundles: readonly Bundle[]): Promise<Set<string>> {
    const receivedMs = Math.min(...bundles.flatMap((bundle) => bundle.receivedMs));
    const ids = bundles.flatMap(({ key, offsets }) =>
      offsets.map((offset) => webhookMessageId({ ...key, offset })),
    );
    const keys = bundles.map(({ key }) => key);
    // In this order: a job's row is deleted after its deliveries are written, so that each is seen in one of the two.
    const noted = await loadJobs(this.#pool, keys);
    const delivered = await loadDelivered(this.#pool, ids, receivedMs - clocksMsMax);
    return new Set(
      [...delivered, ...noted].map((delivery) =>
        webhookJobId(delivery.messageId, delivery.webhookId),
      ),
    );
  }
}

const noForwarding: Forwarding = { orgId: '', ids: [] };
