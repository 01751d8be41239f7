import type { Queue } from 'bullmq';
import type { Pool } from 'pg';
import { rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { readBundles } from '../../../infra/runtime/webhooks/bundles.ts';
import {
  type BundleKey,
  type WebhookJob,
  webhookBundleId,
  webhookMessageId,
} from '../../../schemas/internal/webhook-job.ts';
import type { Thing } from '../fleet.ts';

/** A message as a bundle of the queue has it. */
type Message = {
  jobId: string;
  messageId: string;
  thingId: string;
  requestId: string;
  contentType: string;
  payload: Buffer;
  webhookIds: string[];
};

export function numbersIn({ payload }: Message): number[] {
  const records: { v: number }[] = JSON.parse(payload.toString());
  return records.map(({ v }) => v);
}

/** What the sink of webhooks queued and nobody has taken, while the workers stand still. */
export class QueuedMessages {
  readonly #queue: Queue<WebhookJob>;
  readonly #pool: Pool;

  constructor(queue: Queue<WebhookJob>, pool: Pool) {
    this.#queue = queue;
    this.#pool = pool;
  }

  /** The messages of jobs, with what is kept of them. */
  async messagesIn(jobs: { data: WebhookJob }[]): Promise<Message[]> {
    const keys = jobs.map(({ data }) => data.bundle);
    const kept = await readBundles(rowsOf(this.#pool), keys);
    const things = await Promise.all(keys.map((key) => this.#thingsOf(key)));
    return jobs.flatMap(({ data: { bundle, messages: sent } }, at) =>
      sent.map(({ offset, webhook_ids: webhookIds }): Message => {
        const message = kept[at]?.get(offset);
        const thingId = things[at]?.get(offset);
        if (message === undefined || thingId === undefined) throw new Error('it is not kept');
        const messageId = webhookMessageId({ ...bundle, offset });
        return { ...message, jobId: webhookBundleId(bundle), messageId, thingId, webhookIds };
      }),
    );
  }

  /** Of each message of a bundle its thing, by where it stands. */
  async #thingsOf({ log, segment, first, last }: BundleKey): Promise<Map<number, string>> {
    const { rows } = await this.#pool.query<{ offset: number; thingId: string }>(
      `SELECT at AS offset, thing_id AS "thingId"
       FROM webhook_packs, unnest(offsets, thing_ids) AS message (at, thing_id)
       WHERE (log_id, segment, first_offset, last_offset) = ($1, $2, $3, $4)`,
      [log, segment, first, last],
    );
    return new Map(rows.map(({ offset, thingId }) => [offset, thingId]));
  }

  /** Messages of a thing that wait, oldest first. */
  async messagesOf(thing: Thing): Promise<Message[]> {
    const jobs = await this.#queue.getJobs(['waiting'], 0, -1, true);
    return (await this.messagesIn(jobs)).filter(({ thingId }) => thingId === thing.id);
  }

  /** The numbers in the payloads of a thing's messages that wait. */
  async numbersOf(thing: Thing): Promise<number[]> {
    return (await this.messagesOf(thing)).flatMap(numbersIn);
  }

  /** The numbers in those that wait in Postgres for a place in the queue. */
  async waitingNumbersOf(thing: Thing & { webhookId: string }): Promise<number[]> {
    const { rows } = await this.#pool.query<BundleKey & { bytes: number; offsets: number[] }>(
      `SELECT log_id AS log, segment, first_offset AS first, last_offset AS last, offsets
       FROM webhook_jobs WHERE webhook_id = $1 AND queued_at IS NULL`,
      [thing.webhookId],
    );
    const jobs = rows.map(({ offsets, ...bundle }) => ({
      data: {
        bundle,
        bytes: 0,
        messages: offsets.map((offset) => ({ offset, webhook_ids: [thing.webhookId] })),
      },
    }));
    return (await this.messagesIn(jobs)).flatMap(numbersIn);
  }

  /** Takes what waits, and gives the numbers of a thing in it. One job after the other: what came since stays. */
  async takeNumbers(thing: Thing): Promise<number[]> {
    const jobs = await this.#queue.getJobs(['waiting'], 0, -1, true);
    const numbers: number[] = [];
    for (const job of jobs) {
      const own = (await this.messagesIn([job])).filter(({ thingId }) => thingId === thing.id);
      if (own.length === 0) continue;
      numbers.push(...own.flatMap(numbersIn));
      await job.remove();
    }
    return numbers;
  }
}
