import { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { CommandMaker } from '../../commands/maker.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { GatheredMessages } from '../../intake/gathered.ts';
import type { Intake } from '../../intake/intake.ts';
import type { ReadMessages } from '../../intake/read-messages.ts';
import type { WantedDevices } from '../../intake/gateways/devices.ts';
import { diskFailed, type Refusal } from '../../intake/refusal.ts';
import { limits } from '../../limits.ts';
import type { Waiter } from '../../log/group.ts';
import type { Answers, MessageRefused } from './answers.ts';
import { type Connection, ticksOf } from './connection.ts';
import { deliver, outgoingOf } from './delivery.ts';
import type { Outgoing } from './outbox.ts';
import { isForNow } from './refusals.ts';
import type { Receiving } from './kept/durable-session.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { type CommandTarget, targetOf, type TopicRefused } from './topics.ts';
import type { Publish, QoS } from './wire/packets.ts';
import { type ReasonCode, reasons } from './wire/reasons.ts';

/** A message without a content type is read as plain JSON is over HTTP. */
export const usualType = 'application/json';

/** A message that waits is tried again so often at least. */
const retryMsMax = 1_000;

type MessageReceiverOptions = {
  intake: Intake;
  /** Makes the commands that things send. */
  maker: CommandMaker;
  sessions: Sessions;
  subtopicCharsMax: number;
  recordsPerMessageMax: number;
  nameCharsMax: number;
  /** Told of each message that a client of 3.1.1 is not told of. */
  refusedSilently: (connection: Connection, why: MessageRefused) => void;
  /** Looks the key of a connection up, and a device, and then takes the message that it holds. */
  lookUp: (connection: Connection, wanted?: WantedDevices) => void;
  logger: Logger;
};

/** Messages by what the client asked of them. */
type Received = Record<`qos${QoS}` | 'retained' | 'again' | 'untold', number>;

/** Hands the messages of connections to the intake. Those that come together and are only for the store share a row. */
export class MessageReceiver {
  readonly received: Received = { qos0: 0, qos1: 0, qos2: 0, retained: 0, again: 0, untold: 0 };
  /** From a message to the commit that has it. */
  readonly acks = new Latencies();

  readonly #options: MessageReceiverOptions;
  readonly #gathered: GatheredMessages;
  /** The number of the first of those that were gathered. */
  #gatheredFrom = 0;
  /** Those to which there is something to tell. */
  #toTell: Connection[] = [];

  // Of the packets that came together, which are all of one connection.
  #nowMs = 0;
  #startedMs = 0;
  /** Whose they are. Undefined: none has asked yet. */
  #sender: KnownThing | Refusal | undefined;

  constructor(options: MessageReceiverOptions) {
    this.#options = options;
    this.#gathered = new GatheredMessages(options.recordsPerMessageMax, options.nameCharsMax);
  }

  /** Takes a message, refuses it, or keeps it and the connection waiting. */
  take(connection: Connection, message: Publish): void {
    if (this.#nowMs === 0) {
      this.#nowMs = Date.now();
      this.#startedMs = performance.now();
    }
    try {
      this.#take(connection, message);
    } catch (error) {
      // A bug of ours: it must not end the edge for all the others.
      const { logger } = this.#options;
      logger.error({ request_id: connection.requestId, error }, 'a message could not be taken');
      this.#gathered.clear();
      connection.breakOff(reasons.unspecifiedError);
    }
  }

  #take(connection: Connection, message: Publish): void {
    const { session } = connection;
    if (session === undefined) return;
    if (message.qos === 2) {
      const state = session.durable.ids.stateOf(message.packetId);
      if (state === 'new' && session.durable.ids.isFull) {
        const words = `more than ${limits.mqttReceiveMax} messages are not released`;
        return connection.end(reasons.receiveMaximumExceeded, words);
      }
      // The client sends it again, because it has not had our PUBREC.
      if (state === 'received') return this.#answerAgain(connection, message);
      if (state !== 'new') return this.#hold(connection, message, 0);
    }
    this.#sender ??= this.#options.intake.recall(connection);
    const thing = this.#sender;
    if (thing === undefined) {
      this.#hold(connection, message, Infinity);
      return this.#options.lookUp(connection);
    }
    if (thing.kind === 'refused') return this.#refuse(connection, message, thing);
    this.#read(connection, session, thing, message);
  }

  #read(connection: Connection, session: Session, thing: KnownThing, message: Publish): void {
    const { intake } = this.#options;
    const other = this.#address(connection, session, thing, message);
    if (other?.kind === 'refusedTopic') return this.#refuse(connection, message, other);
    if (other !== undefined) return this.#command(connection, session, message, other);
    connection.contentType = message.contentType ?? usualType;
    const read = intake.read(thing, connection, message.payload, this.#nowMs);
    if (read.kind === 'refused') return this.#refuse(connection, message, read);
    if (read.kind === 'wanted') {
      this.#hold(connection, message, Infinity);
      return this.#options.lookUp(connection, read);
    }
    this.#count(connection, message);
    const listeners = this.#listenersOf(session, read);
    if (read.isKept) {
      const isAlone =
        read.forWebhooks !== undefined ||
        message.qos === 2 ||
        listeners !== undefined ||
        read.isOfDevice;
      if (isAlone || !this.#gather(connection, read, message)) {
        this.#append(connection, session, read, message);
      }
      return;
    }
    // It is not stored, and went nowhere: there is nothing to wait for.
    this.#writeGathered(connection);
    if (message.qos !== 0) this.#takeNow(connection, message);
    if (listeners !== undefined)
      deliver(this.#options.sessions, session, outgoingOf(message, session.thingId));
  }

  /** Those who subscribe to it. What a gateway sends for a device is no message of the gateway. */
  #listenersOf({ thingId }: Session, { isOfDevice }: ReadMessages) {
    return isOfDevice ? undefined : this.#options.sessions.listenersOf(thingId);
  }

  /** A command to another thing. It is acknowledged once it is written down. */
  #command(
    connection: Connection,
    session: Session,
    { qos, packetId, payload }: Publish,
    { to, subtopic }: CommandTarget,
  ): void {
    this.#writeGathered(connection);
    const { answers, requestId, transport } = connection;
    const at = answers.next;
    if (qos !== 0) answers.add(packetId, qos);
    const body = Uint8Array.from(payload);
    const { address } = transport;
    const sent = { to, sender: session.thingId, subtopic, body, address, requestId };
    void this.#options.maker.send(sent).then((made) => {
      const isMade = made.kind === 'made';
      if (qos === 2 && isMade) session.durable.ids.note([packetId]);
      if (!isMade && qos !== 0 && connection.version === 4 && isForNow(made)) {
        return connection.breakOff(reasons.unspecifiedError);
      }
      if (qos !== 0 && isMade) answers.take(at, at);
      else if (qos !== 0 && !isMade) answers.refuse(at, at, made);
      if (!isMade) this.#options.intake.refused(made);
      return this.#list(connection);
    });
  }

  /**
   * Where the message goes, if not into the store. Devices send under few topics: what the last one means is remembered.
   */
  #address(
    connection: Connection,
    { thingId }: Session,
    { isGateway }: KnownThing,
    { topic }: Publish,
  ): TopicRefused | CommandTarget | undefined {
    const isLast = topic === connection.topic && (isGateway || connection.deviceId === '');
    if (isLast) return undefined;
    const target = targetOf(topic, { thingId, isGateway }, this.#options.subtopicCharsMax);
    if (target.kind !== 'message') return target;
    connection.topic = topic;
    connection.deviceId = target.deviceId;
    connection.subtopic = target.subtopic;
    return undefined;
  }

  #count({ lines }: Connection, { qos, retain, dup }: Publish): void {
    const { received } = this;
    if (lines !== undefined) lines.messages += 1;
    if (qos === 1) received.qos1 += 1;
    else if (qos === 0) received.qos0 += 1;
    else received.qos2 += 1;
    if (retain) received.retained += 1;
    if (dup) received.again += 1;
  }

  /** False: it does not go with those that were gathered, or is too large. */
  #gather(connection: Connection, read: ReadMessages, { qos, packetId }: Publish): boolean {
    const gathered = this.#gathered;
    const { all } = gathered;
    if (all.messages > 0 && all.subtopic !== read.subtopic) this.#writeGathered(connection);
    if (!gathered.add(read)) {
      if (all.messages === 0) return false;
      this.#writeGathered(connection);
      if (!gathered.add(read)) return false;
    }
    if (all.messages === 1) this.#gatheredFrom = connection.answers.next;
    if (qos !== 0) connection.answers.add(packetId, qos);
    return true;
  }

  #writeGathered(connection: Connection): void {
    const { all } = this.#gathered;
    if (!all.isKept) return;
    const part = new Part(this, connection, this.#gatheredFrom, connection.answers.next - 1);
    this.#write(part, all);
    this.#gathered.clear();
  }

  #append(connection: Connection, session: Session, read: ReadMessages, message: Publish): void {
    this.#writeGathered(connection);
    const { qos, packetId } = message;
    const { next } = connection.answers;
    const part = new Part(this, connection, next, qos === 0 ? next - 1 : next);
    part.session = session;
    if (qos !== 0) connection.answers.add(packetId, qos);
    if (qos === 2) part.receiving = session.durable.receive(packetId, part);
    if (this.#listenersOf(session, read) !== undefined) {
      part.delivery = outgoingOf(message, session.thingId);
    }
    this.#write(part, read);
  }

  #write(part: Part, read: ReadMessages): void {
    part.startedMs = this.#startedMs;
    const { waiter = part, frame } = part.receiving ?? {};
    const refusal = this.#options.intake.append(read, waiter, frame);
    if (refusal === undefined) return;
    part.receiving?.takeBack();
    this.#failed(part, refusal, read.messages);
  }

  /** Its messages are in no commit, or in one that failed. */
  #failed(part: Part, refusal: Refusal, messages: number): void {
    const { connection, answers, from, to } = part;
    this.#options.intake.refused(refusal, messages);
    // 3.1.1 can't refuse. Without an acknowledgement the client sends them again over its next connection.
    if (connection.version === 4 && to >= from && isForNow(refusal)) {
      return connection.breakOff(reasons.unspecifiedError);
    }
    answers.refuse(from, to, refusal);
    this.#list(connection);
  }

  /** A message of QoS 1 or 2 for which nothing must be waited. */
  #takeNow(connection: Connection, { qos, packetId }: Publish): void {
    if (qos === 0) return;
    const { answers, session } = connection;
    const at = answers.next;
    answers.add(packetId, qos);
    answers.take(at, at);
    if (qos === 2) session?.durable.ids.note([packetId]);
    this.#list(connection);
  }

  #answerAgain(connection: Connection, message: Publish): void {
    this.received.again += 1;
    this.#writeGathered(connection);
    this.#takeNow(connection, message);
  }

  #refuse(connection: Connection, message: Publish, why: MessageRefused): void {
    const { qos, packetId } = message;
    const isWorthWaiting = why.kind === 'refused' && isForNow(why);
    if (isWorthWaiting && qos !== 0 && connection.version === 4) {
      const ms = Math.min((why.retrySeconds ?? 0) * 1_000, retryMsMax);
      return this.#hold(connection, message, ms);
    }
    this.#writeGathered(connection);
    const { intake, refusedSilently } = this.#options;
    if (why.kind === 'refused') intake.refused(why);
    else intake.refused({ kind: 'refused', code: codeOfTopic(why) });
    if (qos === 0 || connection.version === 4) {
      this.received.untold += 1;
      refusedSilently(connection, why);
    }
    if (qos === 0) return;
    const at = connection.answers.next;
    connection.answers.add(packetId, qos);
    connection.answers.refuse(at, at, why);
    this.#list(connection);
  }

  #hold(connection: Connection, message: Publish, ms: number): void {
    this.#writeGathered(connection);
    connection.hold(message, ticksOf(ms));
  }

  /** Releases a packet id of QoS 2. PUBCOMP follows once that is on the disk: then the client may use the id again. */
  release(connection: Connection, session: Session, packetId: number): void {
    const waiter: Waiter = {
      afterCommit: (isDurable) => {
        // The client releases it again over its next connection.
        if (isDurable) this.#complete(connection, packetId, reasons.success);
        else connection.breakOff(reasons.unspecifiedError);
      },
    };
    const outcome = session.durable.release(packetId, waiter);
    switch (outcome) {
      case 'underWay':
        return;
      case 'released':
        return this.#complete(connection, packetId, reasons.success);
      case 'unknown': {
        // While a client recovers, that is no error (5 §3.7.2.1): PUBCOMP was lost. Some clients would take it for one.
        const reason = connection.isResumed ? reasons.success : reasons.packetIdNotFound;
        return this.#complete(connection, packetId, reason);
      }
      case 'early':
        return connection.end(reasons.protocolError, 'PUBREL came before PUBREC was sent');
      case 'over':
        return connection.breakOff(reasons.sessionTakenOver);
      case 'full':
      case 'tooLarge':
        connection.waitingReleases ??= [];
        connection.waitingReleases.push(packetId);
        return;
      default:
        return outcome satisfies never;
    }
  }

  /** Tries again what found no room in the log. */
  releaseWaiting(connection: Connection): void {
    const { session, waitingReleases: waiting = [] } = connection;
    connection.waitingReleases = undefined;
    if (session === undefined) return;
    for (const packetId of waiting) this.release(connection, session, packetId);
  }

  #complete(connection: Connection, packetId: number, reason: ReasonCode): void {
    connection.complete(packetId, reason);
    this.#list(connection);
  }

  /** No more packets came together with those that were taken. */
  endTurn(connection: Connection): void {
    this.#writeGathered(connection);
    this.#nowMs = 0;
    this.#sender = undefined;
    this.#tell();
  }

  /** Messages are on the disk, or the disk failed. */
  settled(part: Part, isDurable: boolean, nowMs: number): void {
    if (!isDurable) return this.#settledWithout(part);
    const { connection, session, delivery } = part;
    this.acks.observe(nowMs - part.startedMs);
    part.answers.take(part.from, part.to);
    this.#list(connection);
    if (delivery !== undefined && session !== undefined) {
      deliver(this.#options.sessions, session, delivery);
    }
  }

  #settledWithout(part: Part): void {
    this.#failed(part, diskFailed, part.to - part.from + 1);
  }

  /** Once all of a commit are settled: each is told once, with all that the commit has of it. */
  #list(connection: Connection): void {
    if (connection.isListed) return;
    connection.isListed = true;
    if (this.#toTell.length === 0) queueMicrotask(() => this.#tell());
    this.#toTell.push(connection);
  }

  #tell(): void {
    const connections = this.#toTell;
    if (connections.length === 0) return;
    this.#toTell = [];
    for (const connection of connections) {
      connection.isListed = false;
      connection.tell();
    }
  }
}

const codeOfTopic = ({ reason }: TopicRefused) =>
  reason === reasons.notAuthorized ? 'forbidden' : 'malformed';

/** Messages of a connection that follow each other and share their frames of the log. */
class Part implements Waiter {
  readonly connection: Connection;
  readonly answers: Answers;
  /** The numbers of the first and the last one that is answered; none if all have QoS 0. */
  readonly from: number;
  readonly to: number;
  /** When they came. */
  startedMs = 0;
  session: Session | undefined;
  /** Of QoS 2. */
  receiving: Receiving | undefined;
  /** For those who subscribe to it. */
  delivery: Outgoing | undefined;
  readonly #receiver: MessageReceiver;

  constructor(receiver: MessageReceiver, connection: Connection, from: number, to: number) {
    this.#receiver = receiver;
    this.connection = connection;
    this.answers = connection.answers;
    this.from = from;
    this.to = to;
  }

  afterCommit(isDurable: boolean, nowMs: number): void {
    this.#receiver.settled(this, isDurable, nowMs);
  }
}
