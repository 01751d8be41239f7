import type { Pool } from '../../infra/postgres.ts';
import { insertPacks, type NewPack } from '../../infra/webhook-packs.ts';
import { type WebhookPack, webhookJobId, webhookMessageId } from '../../schemas/webhook-job.ts';
import { type ForwardedMessage, readWebhookFrames } from '../codecs/webhook-frame.ts';
import type { Position } from '../log/format.ts';
import type { Batch } from '../log/reader.ts';
import type { Stretch } from './trail.ts';
import { loadDelivered, loadWebhooks } from './webhooks-sql.ts';

/** What a stretch of the log means for the queue: these packs. */
export type WebhookBatch = {
  stretch: Stretch;
  to: Position;
  messages: number;
  copies: number;
  packs: WebhookPack[];
};

/** A pack to be kept, and the webhooks of each of its messages. */
type Pack = NewPack & { webhookIds: string[][] };

/** Which things have which webhooks may change; an answer is good for this long. */
const webhooksMsMax = 500;
const thingsMax = 100_000;
/** By how much the clocks of edges and workers may differ. */
const clocksMsMax = 5_000;

/*
 * What a job costs is shared by the messages in it; what a killed worker had under way is sent once more. A
 * pack ends where so many frames of the log do, with webhooks or without, so that nothing but the log says
 * where.
 */
const packFramesMax = 64;
const packBytesMax = 256 * 1024;

/** Turns frames into packs: whose are they, which webhooks are there, which of them have them already? */
export class WebhookBatches {
  readonly #pool: Pool;
  readonly #logId: string;
  #webhooks = new Map<string, { ids: string[]; untilMs: number }>();

  constructor(pool: Pool, logId: string) {
    this.#pool = pool;
    this.#logId = logId;
  }

  /**
   * Keeps the messages of a batch that go to any webhook, for who sends them, and gives their packs.
   * @throws while Postgres is away.
   */
  async prepare(batch: Batch): Promise<WebhookBatch> {
    const { from, to, body } = batch;
    const frames = readWebhookFrames(body);
    await this.#lookUp(frames);
    const packs = this.#packsOf(batch, frames);
    if (packs.length > 0) {
      const inserted = await insertPacks(this.#pool, packs);
      // A pack that was not there before was never added to the queue.
      if (inserted < packs.length) await this.#leaveOutDelivered(packs);
    }
    const jobs = packs.map(jobOf);
    const messages = jobs.flatMap((pack) => pack.messages);
    return {
      stretch: { segment: from.segment, from: from.offset, to: to.offset },
      to,
      messages: messages.length,
      copies: messages.reduce((sum, { webhook_ids: ids }) => sum + ids.length, 0),
      packs: jobs.filter((pack) => pack.messages.length > 0),
    };
  }

  /** Of each stretch of frames the messages that go to any webhook. */
  #packsOf({ from, offsets, body }: Batch, frames: readonly ForwardedMessage[]): Pack[] {
    return stretchesOf(frames).flatMap(({ start, end }): Pack[] => {
      const stretch = frames.slice(start, end).map((frame, at) => ({
        ...frame,
        offset: offsets[start + at] ?? 0,
        webhookIds: this.#webhooks.get(frame.thingId)?.ids ?? [],
      }));
      const sent = stretch.filter(({ webhookIds }) => webhookIds.length > 0);
      if (sent.length === 0) return [];
      return [
        {
          key: {
            log: this.#logId,
            segment: from.segment,
            first: stretch[0]?.offset ?? 0,
            last: stretch.at(-1)?.offset ?? 0,
          },
          offsets: sent.map(({ offset }) => offset),
          thingIds: sent.map(({ thingId }) => thingId),
          receivedMs: sent.map(({ receivedMs }) => receivedMs),
          frames: Buffer.concat(
            sent.map((frame) => body.subarray(frame.at, frame.start + frame.bytes)),
          ),
          webhookIds: sent.map(({ webhookIds }) => webhookIds),
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
  async #leaveOutDelivered(packs: Pack[]): Promise<void> {
    const ids = packs.flatMap(messageIdsOf);
    const receivedMs = Math.min(...packs.flatMap((pack) => pack.receivedMs));
    const delivered = await loadDelivered(this.#pool, ids, receivedMs - clocksMsMax);
    const done = new Set(delivered.map((copy) => webhookJobId(copy.messageId, copy.webhookId)));
    if (done.size === 0) return;
    for (const pack of packs) {
      const messageIds = messageIdsOf(pack);
      pack.webhookIds = pack.webhookIds.map((webhookIds, at) => {
        return webhookIds.filter((id) => !done.has(webhookJobId(messageIds[at] ?? '', id)));
      });
    }
  }
}

function messageIdsOf({ key: { log, segment }, offsets }: Pack): string[] {
  return offsets.map((offset) => webhookMessageId({ log, segment, offset }));
}

/** Where each pack begins and ends among the frames. */
function stretchesOf(frames: readonly ForwardedMessage[]): { start: number; end: number }[] {
  const stretches: { start: number; end: number }[] = [];
  let start = 0;
  let bytes = 0;
  for (const [at, frame] of frames.entries()) {
    const isFull = at - start === packFramesMax || bytes + frame.bytes > packBytesMax;
    if (isFull && at > start) {
      stretches.push({ start, end: at });
      start = at;
      bytes = 0;
    }
    bytes += frame.bytes;
  }
  if (start < frames.length) stretches.push({ start, end: frames.length });
  return stretches;
}

function jobOf({ key, frames, offsets, webhookIds }: Pack): WebhookPack {
  const messages = offsets.map((offset, at) => ({ offset, webhook_ids: webhookIds[at] ?? [] }));
  return {
    pack: key,
    bytes: frames.length,
    messages: messages.filter(({ webhook_ids: ids }) => ids.length > 0),
  };
}
