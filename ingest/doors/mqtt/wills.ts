import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Credential } from '../../auth/credential.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import type { Intake, Source } from '../../intake/intake.ts';
import type { FoundDevices, WantedDevices } from '../../intake/gateways/devices.ts';
import { diskFailed, type Refusal, unavailable } from '../../intake/refusal.ts';
import { limits } from '../../limits.ts';
import type { Waiter } from '../../log/group.ts';
import { deliver, outgoingOf } from './delivery.ts';
import { isForNow } from './refusals.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import type { Will } from './wire/packets.ts';

/** How often a will that found no room is tried again. */
const retryMs = 1_000;

type WillsOptions = {
  intake: Intake;
  sessions: Sessions;
  logger: Logger;
};

/** The wills of clients whose connections have ended: messages of their things, which are sent now or after a delay. */
export class Wills {
  /** Those that were sent, and those that were refused or found no room. */
  readonly counts = { sent: 0, refused: 0 };
  readonly #options: WillsOptions;
  readonly #waiting = new Set<LastWill>();
  /** The newest of each session. */
  readonly #bySession = new Map<Session, LastWill>();

  constructor(options: WillsOptions) {
    this.#options = options;
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** A connection has ended without a word. Its will is sent after its delay, or with the end of the session. */
  leave(will: LastWill): void {
    if (this.#waiting.size >= limits.mqttWillsMax) {
      this.counts.refused += 1;
      return;
    }
    const seconds = Math.min(will.will.delaySeconds, will.session.expirySeconds);
    will.dueMs = Date.now() + seconds * 1_000;
    this.#waiting.add(will);
    this.#bySession.set(will.session, will);
    if (seconds === 0) void this.#send(will);
  }

  /** The client is back. Its will is sent now if its session has ended, and otherwise not at all. */
  returned(session: Session, hasEnded: boolean): void {
    const will = this.#bySession.get(session);
    if (will?.sending !== undefined || will === undefined) return;
    if (hasEnded) void this.#send(will);
    else this.#remove(will);
  }

  #remove(will: LastWill): void {
    this.#waiting.delete(will);
    if (this.#bySession.get(will.session) === will) this.#bySession.delete(will.session);
  }

  /** Sends those that are due. */
  async sendDue(nowMs = Date.now()): Promise<void> {
    const due = [...this.#waiting].filter((will) => will.dueMs <= nowMs);
    await Promise.all(due.map((will) => will.sending ?? this.#send(will)));
  }

  async #send(will: LastWill): Promise<void> {
    will.sending = this.#sendNow(will);
    await will.sending;
    will.sending = undefined;
  }

  async #sendNow(will: LastWill): Promise<void> {
    const { intake, sessions, logger } = this.#options;
    const thing = intake.recall(will) ?? (await intake.find(will));
    let refusal = thing.kind === 'known' ? await this.#append(will, thing) : thing;
    if (refusal?.kind === 'wanted') {
      await intake.findDevices(refusal, will);
      const gateway = await intake.find(will);
      refusal = gateway.kind === 'known' ? await this.#append(will, gateway) : gateway;
    }
    if (refusal?.kind === 'wanted') refusal = unavailable('devices can not be looked up');
    const isTriedAgain = refusal !== undefined && isForNow(refusal) && will.triesLeft > 0;
    if (isTriedAgain) {
      will.triesLeft -= 1;
      will.dueMs = Date.now() + retryMs;
      return;
    }
    this.#remove(will);
    if (refusal === undefined) {
      this.counts.sent += 1;
      if (!will.isOfDevice) {
        deliver(sessions, will.session, outgoingOf(will.will, will.session.thingId));
      }
      return;
    }
    this.counts.refused += 1;
    intake.refused(refusal);
    logger.debug({ request_id: will.requestId, code: refusal.code }, 'a will was refused');
  }

  /** Resolves once it is on the disk. */
  async #append(will: LastWill, thing: KnownThing): Promise<Refusal | WantedDevices | undefined> {
    const { intake } = this.#options;
    const read = intake.read(thing, will, will.will.payload, Date.now());
    if (read.kind !== 'read') return read;
    will.isOfDevice = read.isOfDevice;
    if (!read.isKept) return undefined;
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const waiter: Waiter = { afterCommit: resolve };
    const refusal = intake.append(read, waiter);
    if (refusal !== undefined) return refusal;
    return (await promise) ? undefined : diskFailed;
  }
}

/** A will, and whose it is. */
export class LastWill implements Source {
  readonly protocol = 'mqtt';
  readonly way = 0;
  readonly will: Will;
  readonly session: Session;
  readonly credential: Credential;
  readonly subtopic: string;
  readonly deviceId: string;
  readonly contentType: string;
  readonly requestId: string;
  /** If a gateway sends it for a device: what was found of that. */
  found: FoundDevices | undefined;
  isOfDevice = false;
  dueMs = 0;
  /** While it is sent. */
  sending: Promise<void> | undefined;
  triesLeft = limits.mqttWillMsMax / retryMs;
  readonly #network: string;

  constructor(
    will: Will,
    session: Session,
    source: Pick<Source, 'credential' | 'subtopic' | 'contentType' | 'requestId'> & {
      deviceId: string;
    },
    network: string,
  ) {
    this.will = will;
    this.session = session;
    this.credential = source.credential;
    this.subtopic = source.subtopic;
    this.deviceId = source.deviceId;
    this.contentType = source.contentType;
    this.requestId = source.requestId;
    this.#network = network;
  }

  network(): string {
    return this.#network;
  }
}
