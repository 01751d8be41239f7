import assert from 'node:assert/strict';
import { senmlNameCharsMax } from '../schemas/messages/name.ts';
import { columnBytesMax } from './codecs/columns.ts';
import { frameBytes } from './log/format.ts';

/** Every bound of the edge that is not a setting, with its unit. How they relate is asserted below. */
export const limits = {
  /** One segment of the log; the unit in which it grows and is deleted. */
  segmentBytes: 64 * 1024 * 1024,
  /** The most that one write to the log takes; no frame is larger. */
  groupBytesMax: 8 * 1024 * 1024,
  /** Groups that are filled or written at one time. Beyond them the edge answers 503. */
  groupsMax: 4,
  /** All bodies together that came in several pieces and are not whole yet. */
  bufferedBytesMax: 128 * 1024 * 1024,
  /**
   * A chunked body is refused when nothing of it comes for this long: later the server would end it without an answer.
   */
  chunkStallMsMax: 5_000,
  /** The sink of the store. */
  store: {
    insertTimeoutMs: 60_000,
    limits: {
      batchBytesMax: 16 * 1024 * 1024,
      batchFramesMax: Number.MAX_SAFE_INTEGER,
      /**
       * A longer time means fewer parts, and less merging in ClickHouse. With the insert, a reader waits 0.5 s at half
       * load (p50), 1.1 s (p99).
       */
      batchAgeMsMax: 500,
      /** At full speed a batch fills in 0.13 s. */
      pollMs: 50,
      /** Longer than a batch waits to be full, so that the cursor is written once a batch while batches follow. */
      cursorMs: 1_000,
      missingMs: 2_000,
      retryMsMin: 100,
      retryMsMax: 10_000,
    },
  },
  /** How long a start waits for a store that does not answer. */
  revertedQueryMsMax: 2_000,
  /** The sink of webhooks. */
  webhooks: {
    windowBytes: 9 * 1024 * 1024,
    queryMsMax: 10_000,
    limits: {
      batchBytesMax: 4 * 1024 * 1024,
      batchFramesMax: 2_048,
      /** A longer time means fewer commits in Postgres. */
      batchAgeMsMax: 100,
      pollMs: 20,
      cursorMs: 1_000,
      retryMsMin: 100,
      retryMsMax: 2_000,
    },
  },
  /** The sink of alarms. */
  alarms: {
    windowBytes: 9 * 1024 * 1024,
    queryMsMax: 10_000,
    /** Alarms of an org that fire or end: a second, and at once. Beyond them, states move with later records. */
    transitionsPerSecond: 1_000,
    transitionsAtOnce: 20_000,
    /** Values of an org's messages times the rules of which they are: a million takes some 0.15 s of CPU. */
    evaluationsPerSecond: 1_000_000,
    evaluationsAtOnce: 5_000_000,
    /** Rules and the states of other edges are read so often. */
    freshMs: 200,
    /** The snapshot of things that are ok may hold back this part of the log, and is at most so old. */
    snapshotLogPart: 0.1,
    snapshotMsMax: 60_000,
    limits: {
      batchBytesMax: 4 * 1024 * 1024,
      batchFramesMax: 16_384,
      batchAgeMsMax: 100,
      pollMs: 20,
      cursorMs: 1_000,
      retryMsMin: 100,
      retryMsMax: 2_000,
    },
  },
  /** Together with the time to write them, `last_seen` is right within five seconds. */
  heardEveryMs: 2_500,
  /** More would delay acks. Of a million things, 5,000 in one statement cost Postgres a sixth more each. */
  heardAtOnceMax: 20_000,
  /** Reports of last-seen times that wait for Postgres may take this much beside one time for each thing. */
  seenFoldBytes: 16 * 1024 ** 2,
  seenRetryMs: 1_000,
  /** How often each edge notes that it hears things. One that did not look for so long was standing still, or its clock was set. */
  hearingEveryMs: 4_000,
  deafMsMax: 10_000,
  seenQueryMsMax: 10_000,
  /** A frame of a stream. The server keeps one that has not come whole, and counts it nowhere: so it is small. */
  streamFrameBytesMax: 64 * 1024,
  /** So much one stream may send before it is answered. */
  streamWindowBytes: 256 * 1024,
  /** Of acks and refusals that a client does not take. */
  streamUnreadBytesMax: 256 * 1024,
  /** More are old connections of a device that comes back, or one that multiplies what it may hold. */
  streamsPerThingMax: 16,
  mqttConnectionsPerThingMax: 64,
  /** A client that connects must say so within this time. */
  mqttConnectMsMax: 10_000,
  /** Connections that wait to be taken, as far as the kernel allows it: a fleet comes back all at once after a restart. */
  mqttBacklog: 4_096,
  /** How often all connections of MQTT are looked at: one timer is for all. */
  mqttTickMs: 250,
  /** A client of MQTT 5 that wants a longer keep-alive, or none, is told this one. */
  mqttKeepAliveSecondsMax: 1_200,
  /** The kernel asks a silent client after this time whether it is there. */
  mqttProbeMs: 60_000,
  /** Messages of one client that are not answered, or not released, yet. Some clients send thousands at once. */
  mqttReceiveMax: 8_192,
  /** A packet has this much beside its payload: a topic, and properties. */
  mqttHeadBytesMax: 8 * 1024,
  /** Nothing more is read from a client that does not take so much of its answers. */
  mqttUnreadBytesMax: 64 * 1024,
  /** Of a client that must wait, where its transport can't be told to pause. */
  mqttWaitingBytesMax: 1024 * 1024,
  /** A frame of a WebSocket, which the server keeps until it is whole. */
  mqttFrameBytesMax: 256 * 1024,
  /** A connection that ends has so long for what it is still sent. */
  mqttEndMsMax: 5_000,
  mqttClientIdCharsMax: 1_024,
  /** A session is kept no longer without a connection. */
  mqttSessionSecondsMax: 7 * 24 * 3_600,
  /** Sessions that are kept over connections: of one thing, and in all. */
  mqttSessionsPerThingMax: 64,
  mqttSessionsMax: 250_000,
  /** Messages of QoS 2 that were received and not released, of all sessions: some 100 bytes each. */
  mqttUnreleasedMax: 1_000_000,
  /** Of one thing. */
  mqttUnreleasedPerThingMax: 16_384,
  /** So long after a connection of a session has ended, the disk has when that was. */
  mqttSnapshotMs: 10_000,
  mqttSubscriptionsPerSessionMax: 32,
  /** Messages that wait for one client, and their bytes. */
  mqttOutboxMessagesMax: 256,
  mqttOutboxBytesMax: 1024 * 1024,
  /** A will that finds no room is tried again for so long; so many may wait for that, or for their delay. */
  mqttWillMsMax: 60_000,
  mqttWillsMax: 100_000,
  /** Descriptors kept for segments, sinks, databases and the like. Some 50 are used. */
  descriptorsReserved: 256,
  connectionsMin: 64,
  /** Each takes memory as well. */
  connectionsMax: 250_000,
  /** One network may have this part of all connections, and as many that stay open: streams, and those of MQTT. */
  connectionsPerNetworkPart: 1 / 4,
  /** This part of all connections may stay open, for streams and MQTT. */
  lastingPart: 3 / 4,
  /** One org may have this part of those. */
  lastingPerOrgPart: 1 / 2,
  /** The server closes a connection that was idle for 8 to 12 seconds; clients are told to leave it earlier. */
  connectionIdleSeconds: 7,
  connectionRetrySeconds: 15,
  /** A stream from which nothing comes is asked whether it lives, and then closed. */
  streamIdleSeconds: 60,
  /** How often the keys of open streams are looked at. */
  streamKeysMs: 250,
  /** So often the usage of orgs is written to Postgres, and their quotas are read. */
  usageEveryMs: 2_000,
  usageOrgsAtOnceMax: 1_000,
  /** So often refused messages whose senders can't be told are written to Postgres: of so many things. */
  refusedEveryMs: 2_000,
  refusedThingsMax: 10_000,
  reasonCharsMax: 300,
  /** So much of the quarantine is read: its newest part, which has payloads too. */
  quarantineReadBytesMax: 16 * 1024 ** 2,
  quarantineTold: 20,
  quarantineReasonCharsMax: 300,
  nameCharsMax: senmlNameCharsMax,
  /** A body of line protocol may have so many times the records of a message: Telegraf sends a thousand points at once. */
  lineRecordsFactor: 10,
  membersPerObjectMax: 1_000,
  /** Arrays and objects of one message: ten for each of as many records as it may have. */
  containersMax: 100_000,
  /** A million things, and some room: 150 bytes each. */
  knownKeysMax: 2 ** 20,
  /** The part of a profile's config that an edge knows. The API takes less, but did not always. */
  configBytesMax: 16 * 1024,
  /** A whole config in the database: a larger one is not read. */
  configStoredBytesMax: 64 * 1024,
  /** An entry of the key cache in Redis, of which there may be a million. */
  cachedThingBytesMax: 2 * 1024,
  networksMax: 100_000,
  unknownKeysMax: 10_000,
  waitingKeysMax: 20_000,
  /** An id is asked for again after so long: the journal does not tell of a thing that is made under it. */
  unknownIdMs: 5_000,
  /** Devices that one gateway names and that are not there; and gateways whose devices are counted. */
  unknownDevicesPerMinuteMax: 1_000,
  gatewaysMax: 10_000,
  /** Things whose next message somebody waits for. */
  awaitedThingsMax: 1_000,
  /** The outcome of a look-up of a device counts for so long, where it can't be remembered. */
  foundDeviceMs: 250,
  /** Things that are made for devices at one time. Look-ups need the other connections. */
  devicesMadeAtOnce: 2,
  devicesToMakeMax: 1_000,
  /** A device that may not be made is not tried again for so long. */
  devicesRefusedMax: 10_000,
  deviceRefusedMs: 10_000,
  keysPerLoadMax: 1_000,
  /** A device should not wait longer to learn that its key can't be looked up. */
  keyQueryMsMax: 2_000,
  journalPollMs: 200,
  journalRestAfterMs: 5_000,
  journalRestMs: 2_000,
  journalFreshMsMax: 1_000,
  journalGapMsMax: 30 * 60_000,
  journalRememberMs: 20 * 60_000,
  cacheTimeoutMs: 200,
  /** Nothing waits for it. One that is answered later holds all the same, and the log says that it was lost. */
  subscribeTimeoutMs: 5_000,
  /** How often it is looked for commands that became due; a round over all things that listen takes so long. */
  commandPollMs: 1_000,
  commandRoundMs: 60_000,
  /** Who makes a command may commit it so much later. */
  commandOverlapSeconds: 10,
  commandsPolledMax: 5_000,
  /** Things whose commands are asked for in one statement. */
  commandThingsAtOnce: 100,
  /** A command that was handed out is due again after so long, unless its edge still has it. */
  commandHeldSeconds: 30,
  commandListenersPerThingMax: 64,
  commandsPerListenerMax: 16,
  /** Acks that wait for PostgreSQL, and those of one statement. */
  commandAcksMax: 100_000,
  commandAcksAtOnce: 1_000,
  /** Requests about commands that ask PostgreSQL at one time. */
  commandRequestsMax: 256,
  commandQueryMsMax: 5_000,
  /** For so long a request may wait for commands. */
  commandWaitSecondsMax: 60,
  commandRetrySeconds: 30,
  commandNestingMax: 32,
  subtopicCharsMax: 254,
  shutdownMsMax: 4_500,
} as const;

assert(limits.groupBytesMax * limits.groupsMax <= limits.segmentBytes, 'all groups fit a segment');
assert(columnBytesMax >= limits.groupBytesMax, 'a column holds what a frame does');
const { store, webhooks, alarms } = limits;
assert(frameBytes(limits.groupBytesMax) <= store.limits.batchBytesMax, 'a frame fits a batch');
assert(frameBytes(limits.groupBytesMax) <= webhooks.windowBytes, 'a frame fits the window');
assert(frameBytes(limits.groupBytesMax) <= alarms.windowBytes, 'a frame fits the window of alarms');
const { batchAgeMsMax, cursorMs } = store.limits;
assert(batchAgeMsMax < cursorMs, 'a busy sink writes its cursor once a batch');
assert(limits.journalPollMs * 3 <= limits.journalFreshMsMax, 'polls may fail without a wrong 401');
assert(limits.streamFrameBytesMax <= limits.streamWindowBytes, 'the window takes any frame');
assert(limits.streamWindowBytes <= limits.groupBytesMax, 'a window fits a commit');
assert(
  limits.connectionsMin * limits.connectionsPerNetworkPart * limits.lastingPart >= 4,
  'each bound of connections and streams leaves some',
);
assert(limits.connectionsPerNetworkPart <= limits.lastingPart, 'streams of one network leave some');
assert(
  limits.connectionRetrySeconds > 12,
  'connections without a request are gone when others try again',
);
assert(limits.lastingPart < 1, 'streams leave connections for requests');
assert(limits.journalPollMs + limits.streamKeysMs < 500, 'a stream ends soon after its key');
assert(limits.journalFreshMsMax <= 1_000, 'a changed key takes hold within a second');
assert(
  limits.mqttTickMs + limits.journalPollMs < 500,
  'a connection of MQTT ends soon after its key',
);
assert(
  limits.mqttReceiveMax <= limits.mqttUnreleasedPerThingMax,
  'a thing with one client may send as many messages as that client is told',
);
assert(limits.mqttReceiveMax < 2 ** 16, 'each message under way has an id of its own');
assert(
  limits.commandPollMs < limits.commandOverlapSeconds * 1_000,
  'a command that is committed late is found',
);
