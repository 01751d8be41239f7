import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { ErrorCode } from '../../schemas/http/errors.ts';
import type { RateLimit } from '../../schemas/http/rate-limit.ts';
import type { Protocol } from '../../schemas/messages/protocols.ts';
import type { Credential } from '../auth/credential.ts';
import type { Guesses } from '../auth/guesses.ts';
import { KnownThing } from '../auth/known/known-things.ts';
import type { ThingKeys } from '../auth/thing-keys.ts';
import type { ThingRates } from '../rates/thing-rates.ts';
import type { Codec } from '../codecs/codec.ts';
import { inflated } from '../codecs/gzip.ts';
import type { Precision } from '../codecs/line/precision.ts';
import type { LineReader, ReadLines } from '../codecs/line/reader.ts';
import { type Rejected, tooLarge } from '../codecs/rejected.ts';
import type { WebhookMessage } from '../codecs/webhook-frame.ts';
import type { Waiter } from '../log/group.ts';
import type { Log } from '../log/log.ts';
import {
  type Devices,
  type FoundDevices,
  idOfThing,
  type WantedDevices,
} from './gateways/devices.ts';
import { cutLevel, deviceOfId, deviceOfName, type NamedDevice } from './gateways/named-device.ts';
import { type RowThings, thingsOfRows } from './gateways/line-devices.ts';
import { appendLines, appendMessages } from './append.ts';
import type { AwaitedMessages } from './awaited-messages.ts';
import { LineMessages } from './line-messages.ts';
import { webhookMessages } from './line-webhooks.ts';
import { ReadMessages } from './read-messages.ts';
import {
  internal,
  logHasNoRoom,
  type Refusal,
  retrySecondsMin,
  tooMany,
  unavailable,
  unreadableConfig,
} from './refusal.ts';

/** Whoever brings messages, and how: a request, a stream. */
export type Source = {
  readonly credential: Credential;
  /**
   * A mark of how it came: two messages of a thing with the same mark come from the same network. 0 where the network
   * was looked at before.
   */
  readonly way: number;
  network(): string;
  readonly protocol: Protocol;
  readonly contentType: string;
  readonly subtopic: string;
  readonly requestId: string;
  /** The id of another thing that the message names, as a gateway may; absent or '': none. */
  readonly deviceId?: string;
  /** The devices that `findDevices` looked up last. */
  found?: FoundDevices | undefined;
};

/** A body of line protocol as it came. */
type LineBody = { bytes: Uint8Array; isGzip: boolean; precision: Precision };

/** Refused messages, by the code of the reason; and accepted ones that are not stored. */
type IntakeStats = { refused: Partial<Record<ErrorCode, number>>; notStored: number };

type IntakeOptions = {
  keys: ThingKeys;
  devices: Devices;
  guesses: Guesses;
  unknownKeysPerMinuteMax: number;
  /** How much each thing may send; undefined: no limit. */
  rates: ThingRates | undefined;
  bodyBytesMax: number;
  codec: Codec;
  lines: LineReader;
  awaited: AwaitedMessages;
  log: Log;
  logger: Logger;
};

/**
 * The way of a message from its door into the log, once for all doors, in this order: its credential, its size, the quota
 * of its org, room in the log, the rate of its thing, its profile; then it is read, counted and appended. Checks that
 * cost the least and change nothing come first. So a message for which the log has no room costs neither quota nor rate,
 * while one that can't be read costs its thing a message of the rate, which bounds this work.
 */
export class Intake {
  readonly stats: IntakeStats = { refused: {}, notStored: 0 };

  readonly #options: IntakeOptions;
  readonly #guessing: RateLimit;
  // Filled again for each message: new objects would cost more than what is done with them (benchmark: micro).
  readonly #known = new KnownThing();
  readonly #message = new ReadMessages();
  readonly #lines = new LineMessages();

  constructor(options: IntakeOptions) {
    this.#options = options;
    const quota = options.unknownKeysPerMinuteMax;
    this.#guessing = { name: 'unknown keys', quota, windowSeconds: 60 };
  }

  /**
   * Whose messages they are, if that is in memory; undefined: `find` looks it up. It holds until the next call, and is
   * asked again for what comes later: the key may have changed.
   */
  recall(source: Source): KnownThing | Refusal | undefined {
    const { keys, guesses } = this.#options;
    const thing = this.#known;
    if (!keys.recall(source.credential, thing)) return undefined;
    // With the same way it comes from the network that it was accepted from. To find the network of each message would
    // cost more than all else here.
    if (thing.way === source.way && !guesses.anySpent) return thing;
    const network = source.network();
    return keys.passes(thing, network, source.way) ? thing : this.#spent(network);
  }

  get devices(): Devices {
    return this.#options.devices;
  }

  /** How many things somebody waits for the next message of. */
  get awaitedThings(): number {
    return this.#options.awaited.size;
  }

  /** Grows with each change of a key: who keeps a credential looks at it again then. */
  get keyChanges(): number {
    return this.#options.keys.changes;
  }

  /** Whose messages they are, wherever that is known. */
  async find(source: Source): Promise<KnownThing | Refusal> {
    const network = source.network();
    const found = await this.#options.keys.find(source.credential, network);
    if (found.kind === 'known') return found;
    if (found.kind === 'spent') return this.#spent(network);
    if (found.kind === 'unavailable') return unavailable('keys can not be looked up');
    return { kind: 'refused', code: `credential_${found.kind}` };
  }

  /** Guessing is bounded per network; devices that are known from it already are not affected. */
  #spent(network: string): Refusal {
    const seconds = Math.max(this.#options.guesses.spentSeconds(network), retrySecondsMin);
    const left = { rate: this.#guessing, remaining: 0, resetSeconds: seconds };
    return tooMany('unknown keys from this address', seconds, left);
  }

  /** Why messages of this type are refused; undefined if they are taken. */
  refusesType(contentType: string, { config }: KnownThing): Refusal | undefined {
    return config === null ? undefined : this.#options.codec.refusesType(contentType, config);
  }

  /**
   * Reads a message that a thing has sent. The result is borrowed until the next one is read. Of a gateway's device that is
   * not in memory it is wanted: `findDevices` comes first, and then the message is read again.
   */
  read(
    thing: KnownThing,
    source: Source,
    body: Uint8Array,
    nowMs: number,
  ): ReadMessages | Refusal | WantedDevices {
    const read = this.#tryRead(thing, source, body, nowMs);
    if (this.#options.awaited.size > 0) this.#see(read, source, source.protocol, body, nowMs);
    return read;
  }

  #tryRead(
    thing: KnownThing,
    source: Source,
    body: Uint8Array,
    nowMs: number,
  ): ReadMessages | Refusal | WantedDevices {
    try {
      if (thing.isGateway) return this.#readOfGateway(thing, source, body, nowMs);
      return (
        this.#admit(thing, body.length) ??
        this.#takeRate(thing) ??
        this.#read(thing, source, body, nowMs, source.subtopic)
      );
    } catch (error) {
      return this.#unread(source, error);
    }
  }

  /** Reads a body of line protocol, which counts as one message. The result is borrowed until the next one is read. */
  readLines(
    thing: KnownThing,
    source: Source,
    body: LineBody,
    nowMs: number,
  ): LineMessages | Refusal | WantedDevices {
    const read = this.#tryReadLines(thing, source, body, nowMs);
    if (this.#options.awaited.size > 0) this.#see(read, source, 'line', body.bytes, nowMs);
    return read;
  }

  #tryReadLines(
    thing: KnownThing,
    source: Source,
    body: LineBody,
    nowMs: number,
  ): LineMessages | Refusal | WantedDevices {
    try {
      return (
        this.#admit(thing, body.bytes.length) ??
        this.#takeRateOnce(thing, source) ??
        this.#readLines(thing, source, body, nowMs)
      );
    } catch (error) {
      return this.#unread(source, error);
    }
  }

  /** Somebody waits for the next message of some thing. One that waits for its device comes once more. */
  #see(
    read: ReadMessages | LineMessages | Refusal | WantedDevices,
    { contentType, subtopic }: Source,
    protocol: Protocol,
    body: Uint8Array,
    nowMs: number,
  ): void {
    if (read.kind === 'wanted') return;
    const came = { contentType, subtopic, protocol, body, nowMs };
    this.#options.awaited.see(read, this.#message.publisher, came);
  }

  /** A bug in reading one message must not end the edge for all others. */
  #unread({ requestId }: Source, error: unknown): Refusal {
    this.#options.logger.error({ request_id: requestId, error }, 'a message could not be read');
    return internal;
  }

  /** Looks up devices for which a message waits. What is found is kept with its source. */
  async findDevices(wanted: WantedDevices, source: Source): Promise<void> {
    source.found = await this.#options.devices.find(wanted, source.requestId);
  }

  #admit({ meter, publisher }: KnownThing, bytes: number): Refusal | undefined {
    const { bodyBytesMax, log } = this.#options;
    this.#message.publisher = publisher;
    this.#message.left = undefined;
    if (bytes > bodyBytesMax) return tooLarge(`more than ${bodyBytesMax} bytes`);
    const over = meter?.over();
    if (over !== undefined) {
      return tooMany(`the quota of ${over.left.rate.name}`, over.retrySeconds, over.left);
    }
    return log.tryReserve(bytes) ? undefined : logHasNoRoom;
  }

  #takeRate({ publisher }: KnownThing): Refusal | undefined {
    const { rates } = this.#options;
    if (rates === undefined) return undefined;
    this.#message.left = rates.take(publisher, performance.now());
    if (this.#message.left !== undefined) return undefined;
    const { rate } = rates;
    const seconds = rate.windowSeconds ?? retrySecondsMin;
    const left = { rate, remaining: 0, resetSeconds: seconds };
    return tooMany('messages of this thing', seconds, left);
  }

  /** A message that waited for a look-up was taken from the rate before that. */
  #takeRateOnce(thing: KnownThing, { found }: Source): Refusal | undefined {
    if (found?.isAwaited !== true) return this.#takeRate(thing);
    found.isAwaited = false;
    this.#message.left = found.left;
    return undefined;
  }

  /** A message of a gateway is that of the device that it names, or else its own. It counts for the rates of both. */
  #readOfGateway(
    gateway: KnownThing,
    source: Source,
    body: Uint8Array,
    nowMs: number,
  ): ReadMessages | Refusal | WantedDevices {
    const { found } = source;
    const refusal = this.#admit(gateway, body.length) ?? this.#takeRateOnce(gateway, source);
    if (refusal !== undefined) return refusal;
    const { left } = this.#message;
    const device = this.#namedIn(gateway, source, body);
    if (device === undefined) return this.#read(gateway, source, body, nowMs, source.subtopic);
    if (device.kind === 'refused') return { ...device, left };
    const thing = this.#options.devices.recall(device, gateway, found);
    if (thing === undefined) return this.#wanted(device, gateway, source, body, nowMs);
    if (thing.kind === 'refused') return { left, ...thing };
    this.#message.publisher = thing.publisher;
    const tooOften = this.#takeRate(thing);
    if (tooOften !== undefined) return tooOften;
    this.#message.left = left;
    const read = this.#read(thing, source, body, nowMs, device.subtopic, gateway);
    if (read.kind === 'refused') return read;
    this.#options.keys.heard(gateway, nowMs);
    read.isOfDevice = true;
    return read;
  }

  /** By the topic, else by a level of the subtopic, else by a member of the body. */
  #namedIn(
    { config }: KnownThing,
    { deviceId = '', subtopic, contentType }: Source,
    body: Uint8Array,
  ): NamedDevice | Rejected | undefined {
    if (deviceId !== '') return deviceOfId(deviceId, subtopic);
    const places = config?.gateway;
    if (config === null || places === undefined) return undefined;
    const { device_level: level } = places;
    if (level !== undefined) {
      const cut = cutLevel(subtopic, level);
      return cut && deviceOfName(cut.name, cut.subtopic, places);
    }
    const name = this.#options.codec.deviceIn(body, contentType, config);
    return typeof name === 'string' ? deviceOfName(name, subtopic, places) : name;
  }

  /** Of a body that its own profile could not read, no thing is made. */
  #wanted(
    device: NamedDevice,
    gateway: KnownThing,
    { contentType }: Source,
    body: Uint8Array,
    nowMs: number,
  ): WantedDevices {
    const { config } = gateway;
    const { left } = this.#message;
    const wanted = {
      kind: 'wanted',
      devices: [device],
      gateway: idOfThing(gateway),
      left,
    } as const;
    const mayMake = device.credential.kind === 'external' && config?.gateway?.create_things;
    if (config === null || mayMake !== true) return { ...wanted, making: 'never' };
    const batch = this.#options.codec.read(body, contentType, config, nowMs);
    return { ...wanted, making: batch.kind === 'refused' ? batch : 'ifAbsent' };
  }

  #read(
    thing: KnownThing,
    source: Source,
    body: Uint8Array,
    nowMs: number,
    subtopic: string,
    gateway?: KnownThing,
  ): ReadMessages | Refusal {
    const { codec, keys } = this.#options;
    const message = this.#message;
    const { publisher, config, meter } = thing;
    if (config === null) return unreadableConfig;
    const { protocol, contentType } = source;
    const batch = codec.read(body, contentType, config, nowMs);
    if (batch.kind === 'refused') return { ...batch, left: message.left };
    keys.heard(thing, nowMs, gateway);
    // Before it is in the log, so that the quota holds for the next message of the same frame.
    meter?.count(1, batch.count);
    message.onOutcome = undefined;
    message.isOfDevice = false;
    message.protocol = protocol;
    message.subtopic = subtopic;
    message.records = batch.count;
    message.meter = meter;
    message.batch = config.write === false ? undefined : batch;
    if (message.batch === undefined) this.stats.notStored += 1;
    message.forWebhooks = undefined;
    if (thing.hasWebhooks) {
      const payload = codec.webhookPayload(batch, body, contentType, config);
      const { requestId } = source;
      message.forWebhooks = { publisher, protocol, payload, subtopic, requestId, atMs: nowMs };
    }
    const { ruled } = thing;
    message.forAlarms = ruled && { place: ruled, batch, atMs: nowMs };
    return message;
  }

  #readLines(
    thing: KnownThing,
    source: Source,
    { bytes, isGzip, precision }: LineBody,
    nowMs: number,
  ): LineMessages | Refusal | WantedDevices {
    const { bodyBytesMax, lines } = this.#options;
    const { left } = this.#message;
    const { config } = thing;
    if (config === null) return unreadableConfig;
    const whole = isGzip ? inflated(bytes, bodyBytesMax) : undefined;
    if (whole?.kind === 'refused') return { ...whole, left };
    const body = whole?.bytes ?? bufferOf(bytes);
    const read = lines.read(body, precision, config, nowMs, thing.isGateway);
    if (read.kind === 'refused') return { ...read, left };
    const places = thing.isGateway ? config.gateway : undefined;
    if (places?.device_tag === undefined) return this.#linesOf(thing, source, read, nowMs);
    const { batch } = read;
    const rows = thingsOfRows(batch, thing, places, (device) =>
      this.#options.devices.recall(device, thing, source.found),
    );
    if (rows.kind === 'missing') {
      const making = places.create_things === true ? 'ifAbsent' : 'never';
      return { kind: 'wanted', devices: rows.devices, gateway: idOfThing(thing), making, left };
    }
    const refusal = this.#admitDevices(rows, nowMs, thing);
    this.#message.left = left;
    return refusal ?? this.#linesOf(thing, source, read, nowMs, rows);
  }

  /** Lines of a gateway count for the rate of each device that they are of. */
  #admitDevices(
    { devices, refusal }: RowThings,
    nowMs: number,
    gateway: KnownThing,
  ): Refusal | undefined {
    if (refusal !== undefined) return { ...refusal, left: this.#message.left };
    for (const device of devices) {
      const refused = this.#takeRate(device);
      if (refused !== undefined) return refused;
    }
    for (const device of devices) this.#options.keys.heard(device, nowMs, gateway);
    return undefined;
  }

  #linesOf(
    thing: KnownThing,
    { requestId }: Source,
    { batch, problems }: ReadLines,
    nowMs: number,
    rows?: RowThings,
  ): LineMessages {
    const { publisher, config, meter } = thing;
    this.#options.keys.heard(thing, nowMs);
    const message = this.#lines;
    const records = rows?.records ?? batch.count;
    const isStored = rows?.isStored ?? config?.write !== false;
    if (records > 0) meter?.count(1, records);
    message.publisher = publisher;
    message.onOutcome = undefined;
    message.things = rows?.things;
    const isRuled = rows?.isRuled ?? thing.ruled !== undefined;
    message.batch = isStored || isRuled ? batch : undefined;
    message.isStored = isStored;
    message.ruled = thing.ruled;
    message.atMs = nowMs;
    message.records = records;
    message.meter = meter;
    message.left = this.#message.left;
    message.problems = [problems, rows?.problems ?? ''].filter((one) => one !== '').join('\n');
    if (!isStored && records > 0) this.stats.notStored += 1;
    const common = { publisher, protocol: 'line', requestId, atMs: nowMs } as const;
    const hasWebhooks = rows?.hasWebhooks ?? thing.hasWebhooks;
    message.forWebhooks = hasWebhooks ? webhookMessages(batch, common, rows?.things) : noMessages;
    return message;
  }

  /** Writes messages that were read into the log's next commit: as `appendMessages`. */
  append(read: ReadMessages, waiter: Waiter, session?: Uint8Array): Refusal | undefined {
    return appendMessages(this.#options.log, read, waiter, session);
  }

  /** Writes the rows of a body that was read into the log's next commit: as `appendLines`. */
  appendLines(read: LineMessages, waiter: Waiter): Refusal | undefined {
    return appendLines(this.#options.log, read, waiter);
  }

  /** Counts messages that a door refuses. */
  refused({ code }: Refusal, messages = 1): void {
    const { refused } = this.stats;
    refused[code] = (refused[code] ?? 0) + messages;
  }
}

const noMessages: readonly WebhookMessage[] = [];

const bufferOf = ({ buffer, byteOffset, byteLength }: Uint8Array): Buffer =>
  Buffer.from(buffer, byteOffset, byteLength);
