import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import type { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import type { ErrorCode } from '../../../schemas/http/errors.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import type { Guesses } from '../../auth/guesses.ts';
import { KnownThing } from '../../auth/known-things.ts';
import type { ThingKeys } from '../../auth/thing-keys.ts';
import { limits } from '../../limits.ts';
import type { BodyLimits } from '../../intake/kept-body.ts';
import type { Exchange } from '../http/exchange.ts';
import { type Receiver, retryAfterSeconds } from '../http/messages.ts';
import type { FrameReceiver } from './frame-receiver.ts';
import { beyondWindow, type Ending, Stream } from './stream.ts';
import { StreamCounts, type StreamLimits } from './stream-counts.ts';

const { streamFrameBytesMax } = limits;

const ends = {
  stopping: { code: 1001, reason: 'the edge stops' },
  largeFrame: { code: 1009, reason: `a frame has more than ${streamFrameBytesMax} bytes` },
  noRoom: { code: 1013, reason: 'too many bodies under way' },
} satisfies Record<string, Ending>;

/** Of a key that is no longer valid: 4000 and the status that a request with it is answered. */
const endOfKey = (code: ErrorCode): Ending => ({ code: 4401, reason: code });

/** A frame without a type is of the one that devices send most. */
const usualType = 'application/senml+json';

export type StreamsOptions = {
  keys: ThingKeys;
  guesses: Guesses;
  /** Tells whose request it is that opens a stream. */
  receiver: Receiver;
  frames: FrameReceiver;
  subtopicCharsMax: number;
  bodies: BodyLimits;
  counts: StreamLimits;
  isProxy: (address: string) => boolean;
};

/** All open streams: who may open one, and when it ends. */
export class Streams {
  /** Frames that came. */
  framesReceived = 0;

  readonly #options: StreamsOptions;
  readonly #open = new Set<Stream>();
  readonly #counts: StreamCounts;
  readonly #known = new KnownThing();
  #timer: NodeJS.Timeout | undefined;
  #stopped: PromiseWithResolvers<void> | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
    this.#counts = new StreamCounts(options.counts);
  }

  get size(): number {
    return this.#open.size;
  }

  /** From a frame to the commit of its messages. */
  get acks(): Latencies {
    return this.#options.frames.acks;
  }

  /** A request asks for a stream. It is refused, or `accept` is called with the stream. */
  async ask(exchange: Exchange, accept: (stream: Stream) => void): Promise<void> {
    const { receiver, subtopicCharsMax, isProxy } = this.#options;
    const { authorization } = exchange.head;
    const contentType = exchange.head.contentType || usualType;
    const subtopic = parseSubtopic(exchange.subtopicPath, subtopicCharsMax);
    if (!subtopic.ok) return receiver.refuse(exchange, 'malformed', subtopic.detail);
    const address = exchange.clientAddress();
    const network = networkOf(address);
    const known = await receiver.identify(exchange);
    if (known === undefined) return;
    if (this.#stopped !== undefined) {
      return receiver.refuse(exchange, 'unavailable', ends.stopping.reason);
    }
    const unusable = receiver.refusesType(contentType, known);
    if (unusable !== undefined) return receiver.refuse(exchange, unusable.code, unusable.detail);
    const owner = {
      thing: Buffer.from(known.publisher).toString('latin1'),
      org: known.meter?.id ?? '',
      network: isProxy(address) ? undefined : network,
    };
    const refusal = this.#counts.refusal(owner);
    if (refusal !== undefined) {
      const { code, detail, retryAfterSeconds: seconds } = refusal;
      return receiver.refuse(exchange, code, detail, seconds, { close: true });
    }
    accept(
      new Stream({
        owner,
        authorization,
        contentType,
        subtopic: subtopic.subtopic,
        requestId: exchange.requestId,
        network,
      }),
    );
  }

  opened(stream: Stream): void {
    this.#open.add(stream);
    this.#counts.opened(stream.owner);
    this.#timer ??= setInterval(() => this.#lookAtKeys(), limits.streamKeysMs);
  }

  closed(stream: Stream): void {
    stream.disconnect();
    this.#open.delete(stream);
    this.#counts.closed(stream.owner);
    if (this.#open.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#stopped?.resolve();
  }

  /** A frame has come. It is borrowed until the call returns. */
  frame(stream: Stream, frame: Uint8Array, isBinary: boolean): void {
    if (!stream.isOpen) return;
    this.framesReceived += 1;
    if (frame.length > streamFrameBytesMax) return stream.end(ends.largeFrame);
    const { keys, frames, bodies } = this.#options;
    if (!stream.isHolding && keys.recall(stream.authorization, this.#known)) {
      frames.take(stream, this.#known, frame, isBinary);
    } else if (stream.unansweredBytes + frame.length > limits.streamWindowBytes) {
      stream.end(beyondWindow);
    } else if (!stream.hold(frame, isBinary, bodies)) {
      stream.end(ends.noRoom);
    } else {
      void this.#lookUp(stream);
    }
  }

  /** Ends all of them, once what came is answered. */
  async stop(): Promise<void> {
    this.#stopped = Promise.withResolvers();
    for (const stream of this.#open) stream.end(ends.stopping);
    if (this.#open.size > 0) await this.#stopped.promise;
  }

  /** Ends the streams whose keys are no longer valid, though nothing comes from them. */
  #lookAtKeys(): void {
    for (const stream of this.#open) {
      if (!stream.isOpen || this.#options.keys.recall(stream.authorization, this.#known)) continue;
      void this.#lookUp(stream);
    }
  }

  /** Looks the key of a stream up, and then takes what waited for that. */
  async #lookUp(stream: Stream): Promise<void> {
    if (stream.isLookedUp) return;
    stream.isLookedUp = true;
    const { keys, guesses, frames } = this.#options;
    const answer = await keys.find(stream.authorization, stream.network);
    stream.isLookedUp = false;
    if (typeof answer !== 'string') {
      stream.releaseHeld((frame, isBinary) => frames.take(stream, answer, frame, isBinary));
    } else if (answer === 'unavailable') {
      stream.releaseHeld((frame, isBinary) =>
        frames.refuseAll(stream, frame, isBinary, answer, 'keys can not be looked up'),
      );
    } else if (answer === 'spent') {
      const retryAfter = Math.max(guesses.spentSeconds(stream.network), retryAfterSeconds);
      const detail = 'unknown keys from this address';
      stream.releaseHeld((frame, isBinary) =>
        frames.refuseAll(stream, frame, isBinary, 'too_many', detail, retryAfter),
      );
    } else {
      stream.end(endOfKey(`credential_${answer}`));
    }
  }
}
