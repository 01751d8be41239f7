import type { Latencies } from '../../../infra/runtime/observability/latencies.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { uuidFromHex } from '../../codecs/uuid.ts';
import { errorTable } from '../../../schemas/http/errors.ts';
import type { CommandParts } from '../../commands/open.ts';
import type { WantedDevices } from '../../intake/gateways/devices.ts';
import type { Intake } from '../../intake/intake.ts';
import type { BodyRoom } from '../../intake/kept-body.ts';
import { limits } from '../../limits.ts';
import type { AccessLog } from '../access-log.ts';
import type { ThingConnections } from '../thing-connections.ts';
import type { RefusedMessages } from '../../rates/refused-messages.ts';
import type { MessageRefused } from './answers.ts';
import { Connecting } from './connecting.ts';
import { type Clock, Connection, type PacketHandler, ticksOf } from './connection.ts';
import { ConnectionLines, lineOf } from './connection-lines.ts';
import type { KeptSessions } from './kept/kept-sessions.ts';
import type { SessionOwners } from './kept/owners.ts';
import { MessageReceiver, usualType } from './messages.ts';
import { wordsOf } from './refusals.ts';
import { SessionCommands } from './session-commands.ts';
import { Sessions } from './sessions.ts';
import { subscribe, unsubscribe } from './subscribing.ts';
import type { Receiver, Transport } from './transport.ts';
import { LastWill, Wills } from './wills.ts';
import type { Disconnect, Incoming, Malformed, PublishAnswer } from './wire/packets.ts';
import { firstFailure, hexOf, type ReasonCode, reasons } from './wire/reasons.ts';

type MqttOptions = {
  intake: Intake;
  commands: CommandParts;
  counts: ThingConnections;
  refused: RefusedMessages;
  isProxy: (address: string) => boolean;
  bodies: BodyRoom;
  recordsPerMessageMax: number;
  subtopicCharsMax: number;
  /** The sessions that are there over a kill of the edge. */
  kept: KeptSessions;
  owners: SessionOwners;
  accessLog: AccessLog;
  logger: Logger;
};

const connectTicks = ticksOf(limits.mqttConnectMsMax);
const endTicks = ticksOf(limits.mqttEndMsMax);
/** Of messages that are refused silently, one in so much time is told in the log. */
const toldTicks = ticksOf(10_000);
/** Sessions and wills need not be looked at with each tick. */
const ticksPerSecond = ticksOf(1_000);

/** The door for MQTT: all its connections, over whatever they come. */
export class Mqtt implements PacketHandler {
  readonly clock: Clock = { tick: 0 };
  readonly packetBytesMax: number;
  readonly bodies: BodyRoom;
  readonly sessions: Sessions;
  readonly wills: Wills;
  readonly connecting: Connecting;
  readonly messages: MessageReceiver;

  readonly #options: MqttOptions;
  readonly #open: Connection[] = [];
  readonly #timer: NodeJS.Timeout;
  #stopped: PromiseWithResolvers<void> | undefined;
  /** When a silent refusal was told in the log last. */
  #toldTick = -Infinity;
  #keyChanges = 0;

  constructor(options: MqttOptions) {
    this.#options = options;
    const { intake, counts, isProxy, subtopicCharsMax, recordsPerMessageMax, logger } = options;
    const sessions = new Sessions(options.kept);
    this.sessions = sessions;
    this.bodies = options.bodies;
    this.packetBytesMax = this.bodies.limits.bodyBytesMax + limits.mqttHeadBytesMax;
    this.wills = new Wills({ intake, sessions, logger });
    this.connecting = new Connecting({
      intake,
      sessions,
      owners: options.owners,
      wills: this.wills,
      counts,
      isProxy,
      opened: (connection) => this.#letIn(connection),
      refused: (connection, reason) => this.#logRefused(connection, reason),
      subtopicCharsMax,
      packetBytesMax: this.packetBytesMax,
    });
    this.messages = new MessageReceiver({
      intake,
      sessions,
      subtopicCharsMax,
      recordsPerMessageMax,
      nameCharsMax: limits.nameCharsMax,
      lookUp: (connection, wanted) => void this.#lookUp(connection, wanted),
      refusedSilently: (connection, why) => this.#refusedSilently(connection, why),
      maker: options.commands.maker,
      logger,
    });
    this.#timer = setInterval(() => this.#tick(), limits.mqttTickMs);
    this.#timer.unref();
  }

  /** Connections that are open, from their first byte on. */
  get size(): number {
    return this.#open.length;
  }

  /** From a message to the commit that has it. */
  get acks(): Latencies {
    return this.messages.acks;
  }

  /** A client has connected. The result is told of it; undefined: there is no room, and it is closed again. */
  opened(transport: Transport): Receiver | undefined {
    if (this.#stopped !== undefined) return undefined;
    const connection = new Connection(transport, this);
    connection.index = this.#open.length;
    this.#open.push(connection);
    return connection;
  }

  packet(connection: Connection, packet: Exclude<Incoming, Malformed>): void {
    switch (packet.kind) {
      case 'publish':
        return this.messages.take(connection, packet);
      case 'connect':
        return void this.connecting.connect(connection, packet);
      case 'puback':
      case 'pubrec':
      case 'pubrel':
      case 'pubcomp':
        return this.#answered(connection, packet);
      case 'subscribe':
        subscribe(connection, packet, this.sessions);
        return this.#listen(connection);
      case 'unsubscribe':
        unsubscribe(connection, packet, this.sessions);
        return this.#listen(connection);
      case 'disconnect':
        return this.#disconnect(connection, packet);
      case 'auth':
        return connection.end(reasons.protocolError, 'AUTH needs an authentication method');
      case 'pingreq':
        return;
    }
  }

  #letIn(connection: Connection): void {
    const { accessLog, logger } = this.#options;
    if (!connection.hasEnded && accessLog.takesNext()) {
      connection.lines = new ConnectionLines(connection, logger);
    }
    this.#listen(connection);
  }

  #logRefused(connection: Connection, reason: ReasonCode): void {
    const { accessLog, logger } = this.#options;
    if (!accessLog.takesNext()) return;
    logger.info({ ...lineOf(connection), reason: hexOf(reason) }, 'refused');
  }

  /** The subscriptions of its session may have changed. */
  #listen({ session }: Connection): void {
    if (session === undefined || !session.hasSubscriptions) return session?.commands?.changed();
    session.commands ??= new SessionCommands(session, this.#options.commands.commands);
    session.commands.changed();
  }

  turnEnded(connection: Connection): void {
    this.messages.endTurn(connection);
  }

  closed(connection: Connection): void {
    const last = this.#open.pop();
    if (last !== undefined && last !== connection) {
      this.#open[connection.index] = last;
      last.index = connection.index;
    }
    const { session, owner, lines } = connection;
    lines?.ended();
    if (owner !== undefined) this.#options.counts.closed(owner);
    if (session?.connection === connection) {
      this.sessions.leave(session);
      session.commands?.leave();
      this.#leaveWill(connection);
    }
    if (this.#open.length === 0) this.#stopped?.resolve();
  }

  /** Ends all connections, once what they sent is answered, and sends the wills that wait. */
  async stop(): Promise<void> {
    this.#stopped = Promise.withResolvers();
    this.connecting.isStopping = true;
    // One that ends at once leaves its place to the last one.
    for (const connection of this.#open.slice()) {
      connection.end(reasons.serverShuttingDown, 'the edge stops');
    }
    if (this.#open.length > 0) await this.#stopped.promise;
    clearInterval(this.#timer);
    await this.wills.sendDue(Infinity);
  }

  /** Its owner sees it on the page of the thing, and in the log some of them. */
  #refusedSilently({ session, requestId }: Connection, why: MessageRefused): void {
    if (session === undefined) return;
    const reason = why.kind === 'refused' ? wordsOf(why) : why.detail;
    const { refused, logger } = this.#options;
    refused.note(session.thingId, reason);
    if (this.clock.tick - this.#toldTick < toldTicks) return;
    this.#toldTick = this.clock.tick;
    const { thingId: thing } = session;
    logger.warn({ thing, reason, request_id: requestId }, 'a message was refused silently');
  }

  #leaveWill(connection: Connection): void {
    const { will, session, credential, requestId } = connection;
    if (will === undefined || session === undefined) return;
    const { willSubtopic: subtopic, willDeviceId: deviceId } = connection;
    const contentType = will.contentType ?? usualType;
    const source = { credential, subtopic, deviceId, contentType, requestId };
    this.wills.leave(new LastWill(will, session, source, connection.network()));
  }

  #answered(connection: Connection, { kind, packetId, reason }: PublishAnswer): void {
    const { session, version } = connection;
    if (session === undefined) return;
    if (kind === 'pubrel') {
      return this.messages.release(connection, session, packetId);
    }
    const { outbox } = session;
    if (kind === 'puback' || (kind === 'pubrec' && reason >= firstFailure)) {
      outbox.done(packetId)?.onAcknowledged?.();
    } else if (kind === 'pubcomp') outbox.completed(packetId);
    else {
      const answer = outbox.received(packetId) ? reasons.success : reasons.packetIdNotFound;
      connection.send((to) => to.pubrel(version, packetId, answer));
    }
    connection.sendWaiting();
  }

  #disconnect(connection: Connection, { reason, sessionExpirySeconds }: Disconnect): void {
    const { session } = connection;
    if (session !== undefined && sessionExpirySeconds !== undefined) {
      session.expirySeconds = Math.min(sessionExpirySeconds, limits.mqttSessionSecondsMax);
      session.keep({ afterCommit: () => undefined });
    }
    if (reason === reasons.success) connection.will = undefined;
    connection.end(reasons.success, '');
  }

  #tick(): void {
    const tick = ++this.clock.tick;
    const isSlow = tick % ticksPerSecond === 0;
    // A key is looked at when any has changed, and once a second: a certificate ends by itself.
    const { keyChanges } = this.#options.intake;
    const haveChanged = keyChanges !== this.#keyChanges;
    this.#keyChanges = keyChanges;
    for (let at = this.#open.length - 1; at >= 0; at--) {
      const connection = this.#open[at];
      if (connection === undefined) continue;
      const isItsTurn = haveChanged || at % ticksPerSecond === tick % ticksPerSecond;
      this.#lookAfter(connection, tick, isItsTurn);
    }
    if (isSlow) void this.wills.sendDue();
  }

  #lookAfter(connection: Connection, tick: number, isItsTurn: boolean): void {
    const { phase, sinceTick, keepAliveTicks, held } = connection;
    if (connection.waitingReleases !== undefined) this.messages.releaseWaiting(connection);
    const silentTicks = tick - sinceTick;
    if (phase === 'new' || phase === 'identified') {
      if (silentTicks > connectTicks) connection.breakOff(reasons.success);
    } else if (phase === 'ending') {
      if (silentTicks > endTicks) connection.breakOff(reasons.success);
    } else if (held !== undefined) {
      if (connection.heldUntilTick <= tick) this.#tryHeld(connection);
    } else if (keepAliveTicks > 0 && silentTicks > keepAliveTicks) {
      connection.end(reasons.keepAliveTimeout, 'nothing came for one and a half keep-alives');
    } else if (isItsTurn && this.#options.intake.recall(connection) === undefined) {
      void this.#lookUp(connection);
    }
  }

  /** A message that waited is taken, or waits on. */
  #tryHeld(connection: Connection): void {
    const { held } = connection;
    if (held === undefined) return;
    connection.held = undefined;
    this.messages.take(connection, held);
    this.messages.endTurn(connection);
    connection.readOn();
  }

  /**
   * Looks the key of a connection up, which may have changed, and a device for which it waits, and then takes what waited
   * for that.
   */
  async #lookUp(connection: Connection, wanted?: WantedDevices): Promise<void> {
    if (connection.isLookedUp) return;
    connection.isLookedUp = true;
    if (wanted !== undefined) await this.#options.intake.findDevices(wanted, connection);
    const found = await this.#options.intake.find(connection);
    connection.isLookedUp = false;
    if (connection.phase !== 'open') return;
    if (found.kind === 'refused' && errorTable[found.code].status === 401) {
      return connection.end(reasons.notAuthorized, wordsOf(found));
    }
    if (found.kind === 'known' && connection.session !== undefined) {
      connection.session.groupId = uuidFromHex(found.group);
    }
    // If it can't be looked up, what waits for it waits on.
    if (found.kind === 'refused' && connection.held !== undefined) {
      connection.heldUntilTick = this.clock.tick + ticksPerSecond;
      return;
    }
    this.#tryHeld(connection);
    connection.readOn();
  }
}
