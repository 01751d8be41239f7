import type { Pool } from '../../infra/postgres.ts';
import { type WebhookPack, webhookJobId } from '../../schemas/webhook-job.ts';
import { type ForwardedMessage, payloadText, readWebhookFrames } from '../codecs/webhook-frame.ts';
import type { Position } from '../log/format.ts';
import type { Batch } from '../log/reader.ts';
import type { Stretch } from './trail.ts';
import { insertMessages, loadDelivered, loadWebhooks } from './webhooks-sql.ts';

/** What a stretch of the log means for the queue: these packs. */
export type WebhookBatch = {
  stretch: Stretch;
  to: Position;
  messages: number;
  copies: number;
  packs: IdentifiedPack[];
};

export type IdentifiedPack = { firstMessageId: string; chars: number; pack: WebhookPack };

type PackedMessage = WebhookPack['messages'][number];

/** A frame of the batch, and the webhooks it goes to. */
type Forwarded = ForwardedMessage & { id: string; index: number; webhookIds: string[] };

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
   * Keeps the messages of a batch that go to any webhook, so that they can be repeated, and gives their
   * packs. @throws while Postgres is away.
   */
  async prepare(batch: Batch): Promise<WebhookBatch> {
    const { from, to, body } = batch;
    const frames = readWebhookFrames(body);
    await this.#lookUp(frames);
    const messages = frames
      .map((frame, index) => ({
        ...frame,
        index,
        id: this.#messageId(batch, index),
        webhookIds: this.#webhooks.get(frame.thingId)?.ids ?? [],
      }))
      .filter(({ webhookIds }) => webhookIds.length > 0);
    if (messages.length > 0) {
      const inserted = await insertMessages(this.#pool, body, messages);
      // A message that was not there before was never added to the queue.
      if (inserted < messages.length) await this.#leaveOutDelivered(messages);
    }
    const first = firstOfPacks(frames);
    return {
      stretch: { segment: from.segment, from: from.offset, to: to.offset },
      to,
      messages: messages.length,
      copies: messages.reduce((sum, { webhookIds }) => sum + webhookIds.length, 0),
      packs: packsOf(messages, first, (index) => this.#messageId(batch, index), body),
    };
  }

  #messageId({ from, offsets }: Batch, index: number): string {
    return `${this.#logId}-${from.segment}-${offsets[index]}`;
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
  async #leaveOutDelivered(messages: Forwarded[]): Promise<void> {
    const ids = messages.map(({ id }) => id);
    const receivedMs = Math.min(...messages.map((message) => message.receivedMs));
    const delivered = await loadDelivered(this.#pool, ids, receivedMs - clocksMsMax);
    const done = new Set(delivered.map((copy) => webhookJobId(copy.messageId, copy.webhookId)));
    if (done.size === 0) return;
    for (const message of messages) {
      message.webhookIds = message.webhookIds.filter(
        (id) => !done.has(webhookJobId(message.id, id)),
      );
    }
  }
}

/** For each frame the index of the first one of its pack. */
function firstOfPacks(frames: readonly ForwardedMessage[]): number[] {
  let first = 0;
  let bytes = 0;
  return frames.map((frame, index) => {
    bytes += frame.bytes;
    if (index - first === packFramesMax || (index > first && bytes > packBytesMax)) {
      first = index;
      bytes = frame.bytes;
    }
    return first;
  });
}

function packsOf(
  messages: readonly Forwarded[],
  firsts: readonly number[],
  messageId: (index: number) => string,
  source: Buffer,
): IdentifiedPack[] {
  const packs = new Map<number, IdentifiedPack>();
  for (const message of messages) {
    if (message.webhookIds.length === 0) continue;
    const first = firsts[message.index] ?? 0;
    const pack = packs.get(first) ?? {
      firstMessageId: messageId(first),
      chars: 0,
      pack: { messages: [] },
    };
    packs.set(first, pack);
    const packed = packedMessage(message, source);
    pack.pack.messages.push(packed);
    pack.chars += packed.payload.length;
  }
  return [...packs.values()];
}

function packedMessage(message: Forwarded, source: Buffer): PackedMessage {
  const { start, bytes } = message;
  return {
    thing_id: message.thingId,
    message_id: message.id,
    received_at: message.receivedMs,
    content_type: message.contentType,
    ...payloadText(source.subarray(start, start + bytes)),
    webhook_ids: message.webhookIds,
  };
}

/** Packs in portions that are not too large to be sent at once. */
export function* portions(
  packs: readonly IdentifiedPack[],
  packsMax: number,
  charsMax: number,
): Generator<IdentifiedPack[]> {
  let portion: IdentifiedPack[] = [];
  let chars = 0;
  for (const pack of packs) {
    if (portion.length === packsMax || (chars > 0 && chars + pack.chars > charsMax)) {
      yield portion;
      portion = [];
      chars = 0;
    }
    portion.push(pack);
    chars += pack.chars;
  }
  if (portion.length > 0) yield portion;
}
