import type { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import { type ErrorCode, errorTable } from '../../../schemas/http/errors.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { limits } from '../../limits.ts';
import type { Commands } from '../../commands/commands.ts';
import type { Intake } from '../../intake/intake.ts';
import type { BodyRoom } from '../../intake/kept-body.ts';
import { malformed } from '../../codecs/rejected.ts';
import type { WantedDevices } from '../../intake/gateways/devices.ts';
import { type Refusal, unavailable } from '../../intake/refusal.ts';
import type { Exchange } from '../http/exchange.ts';
import type { MessageRequests } from '../http/messages.ts';
import type { FrameReceiver } from './frame-receiver.ts';
import { controlIn, StreamCommands } from './stream-commands.ts';
import { beyondWindow, type Ending, Stream } from './stream.ts';
import type { ConnectionOwner, ThingConnections } from '../thing-connections.ts';

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

type StreamsOptions = {
  intake: Intake;
  /** Tells whose request it is that opens a stream, and refuses it. */
  requests: MessageRequests;
  frames: FrameReceiver;
  subtopicCharsMax: number;
  bodies: BodyRoom;
  commands: Commands;
  counts: ThingConnections;
  isProxy: (address: string) => boolean;
};

/** All open streams: who may open one, and when it ends. */
export class Streams {
  /** Frames that came. */
  framesReceived = 0;

  readonly #options: StreamsOptions;
  readonly #open = new Set<Stream>();
  /** Those that asked for commands. */
  readonly #asked = new Map<Stream, StreamCommands>();
  #timer: NodeJS.Timeout | undefined;
  #stopped: PromiseWithResolvers<void> | undefined;

  constructor(options: StreamsOptions) {
    this.#options = options;
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
    const { intake, requests, subtopicCharsMax, isProxy } = this.#options;
    const { credential, requestId } = exchange;
    const contentType = exchange.contentType || usualType;
    const subtopic = parseSubtopic(exchange.subtopicPath, subtopicCharsMax);
    if (!subtopic.ok) return requests.refuse(exchange, malformed(subtopic.detail));
    const isOfProxy = isProxy(exchange.clientAddress());
    const network = exchange.network();
    const known = await requests.identify(exchange);
    if (known === undefined) return;
    if (this.#stopped !== undefined) {
      return requests.refuse(exchange, unavailable(ends.stopping.reason));
    }
    const unusable = intake.refusesType(contentType, known);
    if (unusable !== undefined) return requests.refuse(exchange, unusable);
    const owner: ConnectionOwner = {
      door: 'ws',
      thing: Buffer.from(known.publisher).toString('latin1'),
      org: known.meter?.id ?? '',
      network: isOfProxy ? undefined : network,
    };
    const refusal = this.#options.counts.refusal(owner);
    if (refusal !== undefined) return requests.refuse(exchange, refusal, { close: true });
    accept(
      new Stream({
        owner,
        credential,
        contentType,
        subtopic: subtopic.subtopic,
        requestId,
        network,
      }),
    );
  }

  opened(stream: Stream): void {
    this.#open.add(stream);
    this.#options.counts.opened(stream.owner);
    this.#timer ??= setInterval(() => this.#lookAtKeys(), limits.streamKeysMs);
  }

  closed(stream: Stream): void {
    stream.disconnect();
    this.#asked.get(stream)?.end();
    this.#asked.delete(stream);
    this.#open.delete(stream);
    this.#options.counts.closed(stream.owner);
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
    const { intake, commands } = this.#options;
    const control = isBinary ? undefined : controlIn(frame);
    if (control !== undefined) {
      const asked = this.#asked.get(stream) ?? new StreamCommands(stream, commands);
      this.#asked.set(stream, asked);
      return asked.take(control);
    }
    const thing = stream.isHolding ? undefined : intake.recall(stream);
    if (thing !== undefined) {
      this.#take(stream, thing, frame, isBinary);
    } else if (stream.unansweredBytes + frame.length > limits.streamWindowBytes) {
      stream.end(beyondWindow);
    } else {
      this.#hold(stream, frame, isBinary);
    }
  }

  #take(stream: Stream, thing: KnownThing | Refusal, frame: Uint8Array, isBinary: boolean): void {
    const waiting = this.#options.frames.take(stream, thing, frame, isBinary);
    if (waiting !== undefined) this.#hold(stream, waiting.rest, isBinary, waiting.wanted);
  }

  /** Keeps a frame until the key of its stream is known, or the device of its first message. */
  #hold(stream: Stream, frame: Uint8Array, isBinary: boolean, wanted?: WantedDevices): void {
    if (stream.hold(frame, isBinary, this.#options.bodies)) void this.#lookUp(stream, wanted);
    else stream.end(ends.noRoom);
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
      if (!stream.isOpen || this.#options.intake.recall(stream) !== undefined) continue;
      void this.#lookUp(stream);
    }
  }

  /** Looks the key of a stream up, and a device for which it waits, and then takes what waited for that. */
  async #lookUp(stream: Stream, wanted?: WantedDevices): Promise<void> {
    if (stream.isLookedUp) return;
    stream.isLookedUp = true;
    const { intake } = this.#options;
    if (wanted !== undefined) await intake.findDevices(wanted, stream);
    const found = await intake.find(stream);
    stream.isLookedUp = false;
    if (found.kind === 'refused' && errorTable[found.code].status === 401) {
      return stream.end(endOfKey(found.code));
    }
    stream.releaseHeld((frame, isBinary) => this.#take(stream, found, frame, isBinary));
  }
}
