import { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { GatheredMessages } from '../../intake/gathered.ts';
import type { Intake } from '../../intake/intake.ts';
import type { ReadMessages } from '../../intake/read-messages.ts';
import { diskFailed, type Refusal, retrySecondsMin, tooMany } from '../../intake/refusal.ts';
import type { Waiter } from '../../log/group.ts';
import { FrameMessages } from './frames.ts';
import type { WantedDevices } from '../../intake/gateways/devices.ts';
import { beyondWindow, type Ending, type Stream } from './stream.ts';

const cutMessage: Ending = { code: 1007, reason: 'a message is longer than its frame' };
const fault: Ending = { code: 1011, reason: 'internal' };
const refusedOften = tooMany('after too many refused messages', retrySecondsMin);

type FrameReceiverOptions = {
  intake: Intake;
  recordsPerMessageMax: number;
  nameCharsMax: number;
  logger: Logger;
};

/** Hands the messages of frames to the intake. Those of one frame that are only for the store go there as one row. */
export class FrameReceiver {
  /** From a frame to the commit that has its last message. */
  readonly acks = new Latencies();

  readonly #intake: Intake;
  readonly #logger: Logger;
  readonly #messages = new FrameMessages();
  readonly #gathered: GatheredMessages;
  /** Those to which there is something to tell. */
  #toTell: Stream[] = [];
  #isScheduled = false;

  // Of the frame that is read.
  #nowMs = 0;
  #startedMs = 0;

  constructor({ intake, recordsPerMessageMax, nameCharsMax, logger }: FrameReceiverOptions) {
    this.#intake = intake;
    this.#logger = logger;
    this.#gathered = new GatheredMessages(recordsPerMessageMax, nameCharsMax);
  }

  /** Takes the messages of a frame, or refuses all of them unread. Gives those that wait for the device of a gateway. */
  take(
    stream: Stream,
    thing: KnownThing | Refusal,
    frame: Uint8Array,
    isBinary: boolean,
  ): WaitingMessages | undefined {
    try {
      this.#messages.begin(frame, isBinary);
      if (thing.kind !== 'refused') return this.#takeAll(stream, thing, frame);
      this.#refuseAll(stream, thing);
    } catch (error) {
      // A bug of ours: it must not end the edge for all the others.
      this.#logger.error({ request_id: stream.requestId, error }, 'a frame could not be taken');
      this.#gathered.clear();
      stream.breakOff(fault);
    }
    return undefined;
  }

  #takeAll(stream: Stream, thing: KnownThing, frame: Uint8Array): WaitingMessages | undefined {
    const messages = this.#messages;
    this.#nowMs = Date.now();
    this.#startedMs = performance.now();
    let fits = true;
    while (fits && messages.next()) {
      fits = stream.receive(messages.cost);
      if (!fits) break;
      const wanted = this.#message(stream, thing, frame.subarray(messages.start, messages.end));
      if (wanted === undefined) continue;
      this.#writeGathered(stream, stream.received - 1);
      stream.takeBack(messages.cost);
      this.#tellSoon(stream);
      return { wanted, rest: messages.rest };
    }
    this.#writeGathered(stream);
    this.#endFrame(stream, fits);
    return undefined;
  }

  #refuseAll(stream: Stream, refusal: Refusal): void {
    const from = stream.received + 1;
    let fits = true;
    while (fits && this.#messages.next()) fits = stream.receive(this.#messages.cost);
    if (stream.received >= from) this.#refuse(stream, from, stream.received, refusal);
    this.#endFrame(stream, fits);
  }

  #endFrame(stream: Stream, fits: boolean): void {
    if (!fits) stream.end(beyondWindow);
    else if (this.#messages.isCut) stream.end(cutMessage);
    else this.#tellSoon(stream);
  }

  #message(stream: Stream, thing: KnownThing, body: Uint8Array): WantedDevices | undefined {
    const read = stream.isRefusedOften
      ? refusedOften
      : this.#intake.read(thing, stream, body, this.#nowMs);
    if (read.kind === 'wanted') return read;
    if (read.kind === 'refused') this.#refuseLast(stream, read);
    else if (read.isOfDevice) this.#appendOfDevice(stream, read);
    else if (read.forWebhooks !== undefined) this.#append(stream, read);
    else if (read.isKept) this.#gather(stream, read);
    return undefined;
  }

  /** Those that were gathered are of the gateway itself. */
  #appendOfDevice(stream: Stream, read: ReadMessages): void {
    this.#writeGathered(stream, stream.received - 1);
    if (read.isKept) this.#append(stream, read);
  }

  #gather(stream: Stream, read: ReadMessages): void {
    const gathered = this.#gathered;
    // A message that is alone in its frame needs no copy.
    const isAlone = gathered.all.messages === 0 && this.#messages.isLast;
    if (!isAlone && gathered.add(read)) return;
    this.#writeGathered(stream, stream.received - 1);
    if (isAlone || !gathered.add(read)) this.#append(stream, read);
  }

  /** Writes the message that came last. */
  #append(stream: Stream, read: ReadMessages): void {
    const to = stream.received;
    this.#write(new Part(this, stream, to, to, stream.receivedBytes), read);
  }

  /** Writes the messages that were gathered. `to` is the last of them: the newest message, or the one before it. */
  #writeGathered(stream: Stream, to = stream.received): void {
    const { all } = this.#gathered;
    if (!all.isKept) return;
    const bytesTo = stream.receivedBytes - (to === stream.received ? 0 : this.#messages.cost);
    this.#write(new Part(this, stream, to - all.messages + 1, to, bytesTo), all);
    this.#gathered.clear();
  }

  #write(part: Part, read: ReadMessages): void {
    part.startedMs = this.#startedMs;
    const { stream, from, to } = part;
    const refusal = this.#intake.append(read, part);
    if (refusal === undefined) stream.appended();
    else this.#refuse(stream, from, to, refusal);
  }

  #refuseLast(stream: Stream, refusal: Refusal): void {
    this.#writeGathered(stream, stream.received - 1);
    this.#refuse(stream, stream.received, stream.received, refusal);
  }

  /** Refuses messages by their numbers, and counts them. */
  #refuse(stream: Stream, from: number, to: number, refusal: Refusal): void {
    this.#intake.refused(refusal, to - from + 1);
    stream.refuse(from, to, refusal);
  }

  /** A part of a stream is on the disk, or the disk failed. */
  settled({ stream, from, to, bytesTo, startedMs }: Part, isDurable: boolean, nowMs: number): void {
    if (isDurable) this.acks.observe(nowMs - startedMs);
    else this.#refuse(stream, from, to, diskFailed);
    stream.settled(to, bytesTo);
    // Once all of the commit are settled: each stream is told once, however many of its parts the commit had.
    if (this.#toTell.length === 0) queueMicrotask(() => this.#tell());
    this.#list(stream);
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
      this.#tell();
    });
  }

  #list(stream: Stream): void {
    if (stream.isListed) return;
    stream.isListed = true;
    this.#toTell.push(stream);
  }

  #tell(): void {
    const streams = this.#toTell;
    if (streams.length === 0) return;
    this.#toTell = [];
    for (const stream of streams) {
      stream.isListed = false;
      stream.tell();
    }
  }
}

/** The rest of a frame, whose first message waits until its device is known. */
type WaitingMessages = { readonly wanted: WantedDevices; readonly rest: Uint8Array };

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

  afterCommit(isDurable: boolean, nowMs: number): void {
    this.#receiver.settled(this, isDurable, nowMs);
  }
}
