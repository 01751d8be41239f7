import { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { ErrorCode } from '../../../schemas/http/errors.ts';
import type { KnownThing } from '../../auth/known-things.ts';
import type { ThingKeys } from '../../auth/thing-keys.ts';
import type { ThingRates } from '../../auth/rates/thing-rates.ts';
import type { Codec } from '../../codecs/codec.ts';
import type { ColumnBatch } from '../../codecs/row-binary.ts';
import type { WebhookMessage } from '../../codecs/webhook-frame.ts';
import type { Log } from '../../log/log.ts';
import {
  append,
  configRefusal,
  logHasNoRoom,
  type ReceiveStats,
  retryAfterSeconds,
  type Waiter,
} from '../http/messages.ts';
import { FrameMessages } from './frames.ts';
import { GatheredMessages } from '../../intake/gathered.ts';
import { beyondWindow, type Ending, type Stream } from './stream.ts';

const cutMessage: Ending = { code: 1007, reason: 'a message is longer than its frame' };
const fault: Ending = { code: 1011, reason: 'internal' };

export type FrameReceiverOptions = {
  keys: ThingKeys;
  log: Log<Waiter>;
  codec: Codec;
  rates: ThingRates | undefined;
  bodyBytesMax: number;
  recordsPerMessageMax: number;
  nameCharsMax: number;
  stats: ReceiveStats;
  logger: Logger;
};

/**
 * Takes the messages of frames to the log, as `Receiver` takes those of requests. Those of one frame that are only for
 * the store go there as one row.
 */
export class FrameReceiver {
  /** From a frame to the commit that has its last message. */
  readonly acks = new Latencies();

  readonly #options: FrameReceiverOptions;
  readonly #messages = new FrameMessages();
  readonly #gathered: GatheredMessages;
  /** Those to which there is something to tell. */
  #toTell: Stream[] = [];
  #isScheduled = false;

  // Of the frame that is read.
  #nowMs = 0;
  #startedMs = 0;

  constructor(options: FrameReceiverOptions) {
    this.#options = options;
    this.#gathered = new GatheredMessages(options.recordsPerMessageMax, options.nameCharsMax);
  }

  take(stream: Stream, thing: KnownThing, frame: Uint8Array, isBinary: boolean): void {
    try {
      this.#tryTake(stream, thing, frame, isBinary);
    } catch (error) {
      // A bug of ours: it must not end the edge for all the others.
      const { logger } = this.#options;
      logger.error({ request_id: stream.requestId, error }, 'a frame could not be taken');
      this.#gathered.clear();
      stream.breakOff(fault);
    }
  }

  #tryTake(stream: Stream, thing: KnownThing, frame: Uint8Array, isBinary: boolean): void {
    const messages = this.#messages;
    if (!this.#options.log.tryReserve(frame.length)) {
      return this.refuseAll(stream, frame, isBinary, logHasNoRoom.code, logHasNoRoom.detail);
    }
    this.#nowMs = Date.now();
    this.#startedMs = performance.now();
    messages.begin(frame, isBinary);
    let fits = true;
    while (fits && messages.next()) {
      fits = stream.receive(messages.cost);
      if (fits) this.#message(stream, thing, frame.subarray(messages.start, messages.end));
    }
    this.#writeGathered(stream, thing);
    this.#endFrame(stream, fits);
  }

  /** Refuses all messages of a frame, which are not read. */
  refuseAll(
    stream: Stream,
    frame: Uint8Array,
    isBinary: boolean,
    code: ErrorCode,
    detail: string,
    retryAfter?: number,
  ): void {
    const messages = this.#messages;
    const from = stream.received + 1;
    messages.begin(frame, isBinary);
    let fits = true;
    while (fits && messages.next()) fits = stream.receive(messages.cost);
    if (stream.received >= from) {
      this.refuse(stream, from, stream.received, code, detail, retryAfter);
    }
    this.#endFrame(stream, fits);
  }

  #endFrame(stream: Stream, fits: boolean): void {
    if (!fits) stream.end(beyondWindow);
    else if (this.#messages.isCut) stream.end(cutMessage);
    else this.#tellSoon(stream);
  }

  /** Tells those that are listed, such as those whose messages were in a commit: each once, however many they were. */
  tell(): void {
    const streams = this.#toTell;
    if (streams.length === 0) return;
    this.#toTell = [];
    for (const stream of streams) {
      stream.isListed = false;
      stream.tell();
    }
  }

  #list(stream: Stream): void {
    if (stream.isListed) return;
    stream.isListed = true;
    this.#toTell.push(stream);
  }

  /**
   * Of messages that no commit answers. Not at once: what comes in one turn of the event loop must fit the window, and
   * so one stream can't keep the others waiting.
   */
  #tellSoon(stream: Stream): void {
    if (!stream.isToBeTold) return;
    this.#list(stream);
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => {
      this.#isScheduled = false;
      this.tell();
    });
  }

  #message(stream: Stream, thing: KnownThing, body: Uint8Array): void {
    try {
      this.#tryMessage(stream, thing, body);
    } catch (error) {
      // As well: the other messages of the frame are taken.
      const { logger } = this.#options;
      logger.error({ request_id: stream.requestId, error }, 'a message could not be read');
      this.#refuseLast(stream, thing, 'internal');
    }
  }

  #tryMessage(stream: Stream, thing: KnownThing, body: Uint8Array): void {
    const { rates, bodyBytesMax, codec, keys, stats } = this.#options;
    const nowMs = this.#nowMs;
    if (stream.isRefusedOften) {
      return this.#refuseLast(stream, thing, 'too_many', 'after too many refused messages');
    }
    const over = thing.meter?.over();
    if (over !== undefined) {
      const detail = `the quota of ${over.left.rate.name}`;
      return this.#refuseLast(stream, thing, 'too_many', detail, over.retrySeconds);
    }
    if (rates !== undefined && rates.take(thing.publisher, performance.now()) === undefined) {
      const retryAfter = rates.rate.windowSeconds ?? retryAfterSeconds;
      return this.#refuseLast(stream, thing, 'too_many', 'messages of this thing', retryAfter);
    }
    if (body.length > bodyBytesMax) {
      return this.#refuseLast(stream, thing, 'too_large', `more than ${bodyBytesMax} bytes`);
    }
    const { publisher, config, hasWebhooks } = thing;
    if (config === null) return this.#refuseLast(stream, thing, 'malformed', configRefusal);
    const { contentType, subtopic, requestId } = stream;
    const batch = codec.read(body, contentType, config, nowMs);
    if ('code' in batch) return this.#refuseLast(stream, thing, batch.code, batch.detail);
    keys.heard(thing, nowMs);
    // Now, though the log may have no room: the quota must hold for the next message of the frame.
    thing.meter?.count(batch.count);
    const isStored = config.write !== false;
    if (!isStored) stats.notStored += 1;
    if (hasWebhooks) {
      const payload = codec.webhookPayload(batch, body, contentType, config);
      const forWebhooks: WebhookMessage = {
        publisher,
        protocol: 'ws',
        payload,
        subtopic,
        requestId,
        atMs: nowMs,
      };
      this.#append(stream, thing, isStored ? batch : undefined, forWebhooks);
    } else if (isStored) {
      this.#gather(stream, thing, batch);
    }
  }

  #gather(stream: Stream, thing: KnownThing, batch: ColumnBatch): void {
    const gathered = this.#gathered;
    // A message that is alone in its frame needs no copy.
    const isAlone = gathered.messages === 0 && this.#messages.isLast;
    if (!isAlone && gathered.add(batch)) return;
    this.#writeGathered(stream, thing, stream.received - 1);
    if (isAlone || !gathered.add(batch)) this.#append(stream, thing, batch, undefined);
  }

  /** Writes the message that came last. */
  #append(
    stream: Stream,
    thing: KnownThing,
    batch: ColumnBatch | undefined,
    forWebhooks: WebhookMessage | undefined,
  ): void {
    const to = stream.received;
    this.#write(new Part(this, stream, to, to, stream.receivedBytes), thing, batch, forWebhooks);
  }

  /** Writes the messages that were gathered. `to` is the last of them: the newest message, or the one before it. */
  #writeGathered(stream: Stream, thing: KnownThing, to = stream.received): void {
    const gathered = this.#gathered;
    const { batch, messages } = gathered;
    if (batch === undefined) return;
    const bytesTo = stream.receivedBytes - (to === stream.received ? 0 : this.#messages.cost);
    this.#write(new Part(this, stream, to - messages + 1, to, bytesTo), thing, batch, undefined);
    gathered.clear();
  }

  #write(
    part: Part,
    { publisher }: KnownThing,
    batch: ColumnBatch | undefined,
    forWebhooks: WebhookMessage | undefined,
  ): void {
    const { stream, from, to } = part;
    part.startedMs = this.#startedMs;
    const { subtopic } = stream;
    const messages = to - from + 1;
    const refusal = append(
      this.#options.log,
      part,
      batch,
      { publisher, protocol: 'ws', subtopic },
      forWebhooks,
      messages,
    );
    if (refusal === undefined) return stream.appended();
    this.refuse(stream, from, to, refusal.code, refusal.detail);
  }

  #refuseLast(
    stream: Stream,
    thing: KnownThing,
    code: ErrorCode,
    detail?: string,
    retryAfter?: number,
  ): void {
    this.#writeGathered(stream, thing, stream.received - 1);
    this.refuse(stream, stream.received, stream.received, code, detail, retryAfter);
  }

  /** Refuses messages by their numbers, and counts them. */
  refuse(
    stream: Stream,
    from: number,
    to: number,
    code: ErrorCode,
    detail?: string,
    retryAfter = retryAfterSeconds,
  ): void {
    const { refused } = this.#options.stats;
    refused[code] = (refused[code] ?? 0) + to - from + 1;
    const later = code === 'unavailable' || code === 'too_many';
    stream.refuse(from, to, code, detail, later ? retryAfter : undefined);
  }

  /** A part of a stream is on the disk, or the disk failed. */
  settled({ stream, from, to, bytesTo, startedMs }: Part, durable: boolean, nowMs: number): void {
    if (durable) this.acks.observe(nowMs - startedMs);
    else this.refuse(stream, from, to, 'unavailable', 'the disk failed');
    stream.settled(to, bytesTo);
    this.#list(stream);
  }
}

/** Messages of a stream that follow each other and share their frames of the log. */
class Part implements Waiter {
  readonly stream: Stream;
  /** Their first and last number, and how far into the stream the last one ends. */
  readonly from: number;
  readonly to: number;
  readonly bytesTo: number;
  /** When they came. */
  startedMs = 0;
  readonly #receiver: FrameReceiver;

  constructor(receiver: FrameReceiver, stream: Stream, from: number, to: number, bytesTo: number) {
    this.#receiver = receiver;
    this.stream = stream;
    this.from = from;
    this.to = to;
    this.bytesTo = bytesTo;
  }

  afterCommit(durable: boolean, nowMs: number): void {
    this.#receiver.settled(this, durable, nowMs);
  }
}
