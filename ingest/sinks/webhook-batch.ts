import type { Pool } from '../../infra/postgres.ts';
import { type WebhookJob, webhookJobId } from '../../schemas/webhook-job.ts';
import { type ForwardedMessage, payloadText, readWebhookFrames } from '../codecs/webhook-frame.ts';
import type { Position } from '../log/format.ts';
import type { Batch } from '../log/reader.ts';
import {
  type IdentifiedMessage,
  insertMessages,
  loadDelivered,
  loadWebhooks,
} from './webhooks-sql.ts';

/** What a stretch of the log means for the queue: up to `to` it is these copies. */
export type WebhookBatch = { to: Position; messages: number; copies: WebhookCopies[] };

/** One message and the webhooks it goes to. */
export type WebhookCopies = { message: Omit<WebhookJob, 'webhook_id'>; webhookIds: string[] };

/** Which things have which webhooks may change; an answer is good for this long. */
const webhooksMsMax = 500;
const thingsMax = 100_000;
/** By how much the clocks of edges and workers may differ. */
const clocksMsMax = 5_000;

/** Turns frames into copies: whose are they, which webhooks are there, which of them have them already? */
export class WebhookBatches {
  readonly #pool: Pool;
  readonly #logId: string;
  #webhooks = new Map<string, { ids: string[]; untilMs: number }>();

  constructor(pool: Pool, logId: string) {
    this.#pool = pool;
    this.#logId = logId;
  }

  /**
   * Keeps the messages of a batch that go to any webhook, so that they can be repeated, and gives their
   * copies. @throws while Postgres is away.
   */
  async prepare(batch: Batch): Promise<WebhookBatch> {
    const read = readWebhookFrames(batch.body);
    await this.#lookUp(read);
    const messages = read
      .map((message, index) => ({ ...message, id: this.#messageId(batch, index) }))
      .filter((message) => this.#webhooksOf(message).length > 0);
    if (messages.length === 0) return { to: batch.to, messages: 0, copies: [] };
    const inserted = await insertMessages(this.#pool, batch.body, messages);
    const copies = messages.map((message) => ({
      message: jobOf(message, batch.body),
      webhookIds: this.#webhooksOf(message),
    }));
    // A message that was not there before was never added to the queue.
    if (inserted < messages.length) await this.#leaveOutDelivered(copies);
    return { to: batch.to, messages: messages.length, copies };
  }

  #messageId({ from, offsets }: Batch, index: number): string {
    return `${this.#logId}-${from.segment}-${offsets[index]}`;
  }

  #webhooksOf({ thingId }: ForwardedMessage): string[] {
    return this.#webhooks.get(thingId)?.ids ?? [];
  }

  async #lookUp(messages: ForwardedMessage[]): Promise<void> {
    const nowMs = performance.now();
    const unknown = new Set<string>();
    for (const { thingId } of messages) {
      const untilMs = this.#webhooks.get(thingId)?.untilMs ?? 0;
      if (untilMs < nowMs) unknown.add(thingId);
    }
    if (unknown.size === 0) return;
    const found = await loadWebhooks(this.#pool, [...unknown]);
    if (this.#webhooks.size > thingsMax) this.#forgetOld(nowMs);
    for (const thingId of unknown) {
      this.#webhooks.set(thingId, {
        ids: found.get(thingId) ?? [],
        untilMs: nowMs + webhooksMsMax,
      });
    }
  }

  #forgetOld(nowMs: number): void {
    for (const [thingId, { untilMs }] of this.#webhooks) {
      if (untilMs < nowMs) this.#webhooks.delete(thingId);
    }
  }

  /** After a crash: what arrived is gone from the queue, so that the queue would take it once more. */
  async #leaveOutDelivered(copies: WebhookCopies[]): Promise<void> {
    const ids = copies.map(({ message }) => message.message_id);
    const receivedMs = Math.min(...copies.map(({ message }) => message.received_at));
    const delivered = await loadDelivered(this.#pool, ids, receivedMs - clocksMsMax);
    const done = new Set(delivered.map((copy) => webhookJobId(copy.messageId, copy.webhookId)));
    if (done.size === 0) return;
    for (const one of copies) {
      const { message_id: messageId } = one.message;
      one.webhookIds = one.webhookIds.filter((id) => !done.has(webhookJobId(messageId, id)));
    }
  }
}

function jobOf(message: IdentifiedMessage, source: Buffer): WebhookCopies['message'] {
  const { start, bytes } = message;
  return {
    thing_id: message.thingId,
    message_id: message.id,
    received_at: message.receivedMs,
    content_type: message.contentType,
    ...payloadText(source.subarray(start, start + bytes)),
  };
}

/** Jobs for all copies, in portions that are not too large to be sent at once. */
export function* portions(
  copies: readonly WebhookCopies[],
  jobsMax: number,
  charsMax: number,
): Generator<WebhookJob[]> {
  let jobs: WebhookJob[] = [];
  let chars = 0;
  for (const { message, webhookIds } of copies) {
    for (const webhookId of webhookIds) {
      if (jobs.length === jobsMax || (chars > 0 && chars + message.payload.length > charsMax)) {
        yield jobs;
        jobs = [];
        chars = 0;
      }
      jobs.push({ ...message, webhook_id: webhookId });
      chars += message.payload.length;
    }
  }
  if (jobs.length > 0) yield jobs;
}
