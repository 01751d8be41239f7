import { randomUUID } from 'node:crypto';
import { Credential, noCredential } from '../../auth/credential.ts';
import type { KnownThing } from '../../auth/known/known-things.ts';
import { uuidFromHex, uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Intake } from '../../intake/intake.ts';
import type { Refusal } from '../../intake/refusal.ts';
import { limits } from '../../limits.ts';
import type { ConnectionOwner, ThingConnections } from '../thing-connections.ts';
import { type Connection, ticksOf } from './connection.ts';
import { reasonOfConnect, wordsOf } from './refusals.ts';
import type { SessionOwners } from './kept/owners.ts';
import { sessionKey, type SessionOwner } from './kept/session-frame.ts';
import type { Session } from './session.ts';
import type { Sessions } from './sessions.ts';
import { targetOf, type TopicRefused } from './topics.ts';
import type { Wills } from './wills.ts';
import type { Connack, Connect } from './wire/packets.ts';
import { hexOf, type ReasonCode, reasons } from './wire/reasons.ts';

type ConnectingOptions = {
  intake: Intake;
  sessions: Sessions;
  owners: SessionOwners;
  wills: Wills;
  counts: ThingConnections;
  isProxy: (address: string) => boolean;
  subtopicCharsMax: number;
  /** Told of each that was let in. */
  opened: (connection: Connection) => void;
  /** Told of each whose CONNECT was refused. */
  refused: (connection: Connection, reason: ReasonCode) => void;
  packetBytesMax: number;
};

/** Why a client may not connect. */
type ConnectRefused = {
  readonly kind: 'refusedConnect';
  readonly reason: ReasonCode;
  readonly words: string;
};

const refusedConnect = (reason: ReasonCode, words: string): ConnectRefused => ({
  kind: 'refusedConnect',
  reason,
  words,
});

/** Lets clients connect: their CONNECT is checked, their key looked up, and their session begun or resumed. */
export class Connecting {
  readonly #counts = new Map<ReasonCode, number>([[reasons.success, 0]]);
  isStopping = false;
  readonly #options: ConnectingOptions;

  constructor(options: ConnectingOptions) {
    this.#options = options;
  }

  /** How many were answered with each reason code, in hex. */
  counts(): [string, number][] {
    return [...this.#counts].map(([reason, count]) => [hexOf(reason), count]);
  }

  #count(reason: ReasonCode): void {
    this.#counts.set(reason, (this.#counts.get(reason) ?? 0) + 1);
  }

  /** Answers a CONNECT. The connection reads nothing more until then. */
  async connect(connection: Connection, connect: Connect): Promise<void> {
    const { version, receiveMax, packetBytesMax, wantsProblemInformation } = connect;
    connection.phase = 'identified';
    const wantsWords = version === 5 && wantsProblemInformation;
    connection.begin({ version, receiveMax, packetBytesMax, wantsWords });
    const credential = this.#check(connection, connect);
    if (credential.kind === 'refusedConnect') return this.#refuse(connection, credential);
    connection.credential = credential;
    const found = await this.#options.intake.find(connection);
    if (connection.phase !== 'identified') return;
    const refused =
      found.kind === 'refused' ? found : await this.#letIn(connection, connect, found);
    if (connection.hasEnded) return;
    if (refused === undefined) return connection.readOn();
    if (refused.kind === 'refusedConnect') return this.#refuse(connection, refused);
    this.#options.intake.refused(refused);
    this.#refuse(connection, refusedConnect(reasonOfConnect(refused), wordsOf(refused)));
  }

  #refuse(connection: Connection, { reason, words }: ConnectRefused): void {
    this.#count(reason);
    this.#options.refused(connection, reason);
    connection.refuseConnect(reason, words);
  }

  /** The credential that a client connects with, unless what it says is wrong. */
  #check(connection: Connection, connect: Connect): Credential | ConnectRefused {
    const { version, cleanStart, clientId, authMethod } = connect;
    if (this.isStopping) return refusedConnect(reasons.serverUnavailable, 'the edge stops');
    if (authMethod !== undefined) {
      return refusedConnect(
        reasons.badAuthenticationMethod,
        'only a username and a password are taken',
      );
    }
    if (clientId === '' && version === 4 && !cleanStart) {
      return refusedConnect(reasons.clientIdNotValid, 'the client id is empty');
    }
    if (clientId.length > limits.mqttClientIdCharsMax) {
      return refusedConnect(
        reasons.clientIdNotValid,
        `the client id has more than ${limits.mqttClientIdCharsMax} characters`,
      );
    }
    return credentialOf(connection, connect);
  }

  async #letIn(
    connection: Connection,
    connect: Connect,
    thing: KnownThing,
  ): Promise<Refusal | ConnectRefused | undefined> {
    if (this.isStopping) return refusedConnect(reasons.serverUnavailable, 'the edge stops');
    const thingId = uuidFromRowBinary(Buffer.from(thing.publisher), 0);
    const willRefused = this.#checkWill(connection, connect, thingId, thing.isGateway);
    if (willRefused !== undefined) return refusedConnect(willRefused.reason, willRefused.detail);
    const { sessions, counts, isProxy } = this.#options;
    const clientId = connect.clientId || randomUUID();
    const before = sessions.find({ thingId, clientId });
    // The same client, which comes back: its connection makes room for the new one.
    before?.connection?.breakOff(reasons.sessionTakenOver);
    const owner: ConnectionOwner = {
      door: 'mqtt',
      thing: Buffer.from(thing.publisher).toString('latin1'),
      org: thing.meter?.id ?? '',
      network: isProxy(connection.transport.address) ? undefined : connection.network(),
    };
    const refusal = counts.refusal(owner);
    if (refusal !== undefined) return refusal;
    counts.opened(owner);
    connection.owner = owner;
    const { group } = thing;
    const refused = await this.#begin(connection, connect, { thingId, clientId });
    const { session } = connection;
    if (refused !== undefined || session === undefined) return refused;
    session.groupId = uuidFromHex(group);
    this.#options.opened(connection);
    return undefined;
  }

  #checkWill(
    connection: Connection,
    { will }: Connect,
    thingId: string,
    isGateway: boolean,
  ): TopicRefused | undefined {
    if (will === undefined) return undefined;
    const publisher = { thingId, isGateway };
    const target = targetOf(will.topic, publisher, this.#options.subtopicCharsMax);
    if (target.kind === 'refusedTopic') return target;
    if (target.kind === 'command') {
      const detail = 'a will is a message, and no command';
      return { kind: 'refusedTopic', reason: reasons.notAuthorized, detail };
    }
    connection.willSubtopic = target.subtopic;
    connection.willDeviceId = target.deviceId;
    return undefined;
  }

  /** Resumes the client's session, or begins one, and answers. */
  async #begin(
    connection: Connection,
    connect: Connect,
    owner: SessionOwner,
  ): Promise<ConnectRefused | undefined> {
    const { sessions, owners, wills } = this.#options;
    const expirySeconds = Math.min(connect.sessionExpirySeconds, limits.mqttSessionSecondsMax);
    const isHere = await owners.claim(sessionKey(owner), expirySeconds > 0);
    if (connection.phase !== 'identified') return undefined;
    const before = sessions.find(owner);
    // Another connection of the same client has come meanwhile.
    before?.connection?.breakOff(reasons.sessionTakenOver);
    const resumed = connect.cleanStart || !isHere ? undefined : sessions.resume(owner);
    if (before !== undefined) wills.returned(before, resumed === undefined);
    if (resumed !== undefined) {
      const isOther = resumed.expirySeconds !== expirySeconds;
      resumed.expirySeconds = expirySeconds;
      // Lost with the edge, it ends as its client asked before.
      if (isOther) resumed.keep({ afterCommit: () => undefined });
      this.#open(connection, connect, resumed, true);
      return undefined;
    }
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const session = sessions.begin(owner, expirySeconds, { afterCommit: resolve });
    if (session.kind !== 'session') {
      return refusedConnect(reasons.serverUnavailable, 'the log has no room');
    }
    connection.session = session;
    session.connection = connection;
    const isDurable = await promise;
    if (connection.phase !== 'identified') return undefined;
    if (!isDurable || session.durable.state !== 'open') {
      return refusedConnect(reasons.serverUnavailable, 'the session could not begin');
    }
    this.#open(connection, connect, session, false);
    return undefined;
  }

  #open(connection: Connection, connect: Connect, session: Session, isResumed: boolean): void {
    const wanted = connect.sessionExpirySeconds;
    session.connection = connection;
    connection.session = session;
    connection.isResumed = isResumed;
    connection.will = connect.will;
    const keepAliveSeconds = keepAliveOf(connect);
    connection.keepAliveTicks = ticksOf(keepAliveSeconds * 1_500);
    connection.phase = 'open';
    this.#count(reasons.success);
    const connack: Connack = {
      sessionPresent: isResumed,
      reason: reasons.success,
      sessionExpirySeconds: session.expirySeconds === wanted ? undefined : session.expirySeconds,
      receiveMax: limits.mqttReceiveMax,
      packetBytesMax: this.#options.packetBytesMax,
      retainAvailable: false,
      assignedClientId: connect.clientId === '' ? session.clientId : undefined,
      subscriptionIdsAvailable: false,
      sharedSubscriptionsAvailable: false,
      serverKeepAliveSeconds:
        keepAliveSeconds === connect.keepAliveSeconds ? undefined : keepAliveSeconds,
    };
    connection.send((to) => to.connack(connect.version, connack));
    if (!isResumed || !session.hasOutbox) return;
    session.outbox.sendAgain(connection);
    connection.sendWaiting();
  }
}

/** By its username, a client says of which kind the key is that its password has. */
function credentialOf(
  { transport }: Connection,
  { username, password }: Connect,
): Credential | ConnectRefused {
  const key = password?.toString() ?? '';
  if (key === '') {
    const credential = transport.certificate ?? noCredential;
    if (credential !== noCredential) return credential;
    return refusedConnect(
      reasons.badUserNameOrPassword,
      'send the key of the thing as the password',
    );
  }
  switch (username) {
    case undefined:
    case '':
    case 'internal':
      return new Credential('internal', key);
    case 'external':
      return new Credential('external', key);
    default:
      return refusedConnect(
        reasons.badUserNameOrPassword,
        'the username must be internal, external or empty',
      );
  }
}

/** 3.1.1 has no word for another keep-alive than the client's. */
function keepAliveOf({ version, keepAliveSeconds }: Connect): number {
  const max = limits.mqttKeepAliveSecondsMax;
  if (version === 4) return keepAliveSeconds;
  return keepAliveSeconds === 0 ? max : Math.min(keepAliveSeconds, max);
}
