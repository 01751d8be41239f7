import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import type { Tracing } from '../../../infra/runtime/observability/tracing.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { ErrorCode } from '../../../schemas/http/errors.ts';
import type { RateLimit } from '../../../schemas/http/rate-limit.ts';
import { parseSubtopic } from '../../../schemas/messages/subtopic.ts';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import type { Guesses } from '../../auth/guesses.ts';
import { KnownThing } from '../../auth/known-things.ts';
import type { KeyAnswer, ThingKeys } from '../../auth/thing-keys.ts';
import type { ThingRates } from '../../auth/rates/thing-rates.ts';
import type { OverQuota } from '../../auth/rates/org-quota.ts';
import type { Codec } from '../../codecs/codec.ts';
import type { Rejected } from '../../codecs/rejected.ts';
import { type ColumnBatch, type Envelope, rowBytes, writeRow } from '../../codecs/row-binary.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import {
  type WebhookMessage,
  webhookFrameBytesMax,
  writeWebhookFrame,
} from '../../codecs/webhook-frame.ts';
import { limits } from '../../limits.ts';
import { frameBytes } from '../../log/format.ts';
import type { Log } from '../../log/log.ts';
import type { Exchange } from './exchange.ts';
import { TracedMessage } from './traced-message.ts';

/** Refused messages, by the code of the reason; and accepted ones that are not stored. */
export type ReceiveStats = { refused: Partial<Record<ErrorCode, number>>; notStored: number };

/** Who is told of a commit: each of a message or several. */
export type Waiter = { afterCommit(durable: boolean, nowMs: number): void };

export const retryAfterSeconds = 1;

/** What is said of a thing whose profile can't be read. */
export const configRefusal = `the config of the thing's profile: has more than ${limits.configBytesMax} bytes, or is none`;

/** Takes a message from its head to the log: finds its thing, asks for room, reads the body, appends. */
export class Receiver {
  readonly stats: ReceiveStats = { refused: {}, notStored: 0 };

  readonly #keys: ThingKeys;
  readonly #log: Log<Waiter>;
  readonly #codec: Codec;
  readonly #guesses: Guesses;
  /** How much each thing may send; undefined: no limit. */
  readonly #rates: ThingRates | undefined;
  readonly #guessing: RateLimit;
  readonly #subtopicCharsMax: number;
  readonly #tracing: Tracing | undefined;
  readonly #logger: Logger;
  /** The thing of the current message: read again for each, never kept. */
  readonly #known = new KnownThing();

  constructor(options: {
    keys: ThingKeys;
    log: Log<Waiter>;
    codec: Codec;
    guesses: Guesses;
    rates: ThingRates | undefined;
    unknownKeysPerMinuteMax: number;
    subtopicCharsMax: number;
    /** Undefined: nothing is traced. */
    tracing: Tracing | undefined;
    logger: Logger;
  }) {
    this.#keys = options.keys;
    this.#log = options.log;
    this.#codec = options.codec;
    this.#guesses = options.guesses;
    this.#rates = options.rates;
    this.#guessing = {
      name: 'unknown keys',
      quota: options.unknownKeysPerMinuteMax,
      windowSeconds: 60,
    };
    this.#subtopicCharsMax = options.subtopicCharsMax;
    this.#tracing = options.tracing;
    this.#logger = options.logger;
  }

  /** A request's head has arrived; its body follows. */
  message(exchange: Exchange): void {
    if (this.#tracing !== undefined) {
      exchange.traced = TracedMessage.begin(this.#tracing, exchange.head.traceparent);
    }
    if (!this.#keys.recall(exchange.head.authorization, this.#known)) {
      void this.#authenticate(exchange);
      return;
    }
    // With the same way it comes from the network that it was accepted from. To find the network of each message would
    // cost more than all else here.
    if (this.#known.way !== exchange.way || this.#guesses.anySpent) {
      const network = networkOf(exchange.clientAddress());
      if (!this.#keys.passes(this.#known, network, exchange.way)) {
        return this.#refuseSpent(exchange, network);
      }
    }
    exchange.onBody = (body) => {
      // Asked again: the key may have changed while the body came.
      if (this.#keys.recall(exchange.head.authorization, this.#known)) {
        return this.#take(exchange, this.#known, body);
      }
      const held = exchange.hold(body);
      if (held !== undefined)
        void this.#lookUp(exchange, networkOf(exchange.clientAddress()), held);
    };
  }

  /** Whose request it is that sends no message yet. Undefined: it is refused, or its client has gone. */
  async identify(exchange: Exchange): Promise<KnownThing | undefined> {
    const network = networkOf(exchange.clientAddress());
    const answer = await this.#keys.find(exchange.head.authorization, network);
    if (typeof answer !== 'string') return exchange.isOpen ? answer : undefined;
    this.#refuseKey(exchange, network, answer);
    return undefined;
  }

  /** Why messages of this type are refused; undefined if they are taken. */
  refusesType(contentType: string, { config }: KnownThing): Rejected | undefined {
    return config === null ? undefined : this.#codec.refusesType(contentType, config);
  }

  /** The slow way: the key must be looked up, and the body may be here before the answer. */
  async #authenticate(exchange: Exchange): Promise<void> {
    const network = networkOf(exchange.clientAddress());
    const whole = Promise.withResolvers<Uint8Array>();
    exchange.onBody = (body) => {
      const held = exchange.hold(body);
      if (held !== undefined) whole.resolve(held);
    };
    const answer = await this.#keys.find(exchange.head.authorization, network);
    if (typeof answer === 'string') return this.#refuseKey(exchange, network, answer);
    return this.#lookUp(exchange, network, await whole.promise);
  }

  async #lookUp(exchange: Exchange, network: string, body: Uint8Array): Promise<void> {
    const answer = await this.#keys.find(exchange.head.authorization, network);
    if (typeof answer === 'string') return this.#refuseKey(exchange, network, answer);
    this.#take(exchange, answer, body);
  }

  #refuseKey(exchange: Exchange, network: string, answer: Extract<KeyAnswer, string>): void {
    switch (answer) {
      case 'unavailable':
        return this.refuse(exchange, 'unavailable', 'keys can not be looked up');
      case 'spent':
        return this.#refuseSpent(exchange, network);
      case 'malformed': {
        const isMissing = exchange.head.authorization === '';
        const code = isMissing ? 'credential_missing' : 'credential_malformed';
        return this.refuse(exchange, code, 'send Authorization: Thing <key>');
      }
      case 'unknown':
        return this.refuse(exchange, 'credential_unknown');
      case 'expired':
        return this.refuse(exchange, 'credential_expired');
      case 'revoked':
        return this.refuse(exchange, 'credential_revoked');
    }
  }

  /** Guessing is bounded per network; devices that are known from it already are not affected. */
  #refuseSpent(exchange: Exchange, network: string): void {
    const retryAfter = Math.max(this.#guesses.spentSeconds(network), retryAfterSeconds);
    exchange.left = { rate: this.#guessing, remaining: 0, resetSeconds: retryAfter };
    this.refuse(exchange, 'too_many', 'unknown keys from this address', retryAfter);
  }

  /** Refuses a message of a thing that sends faster than it may. */
  #refuseFast(exchange: Exchange, rate: RateLimit): void {
    const retryAfter = rate.windowSeconds ?? retryAfterSeconds;
    exchange.left = { rate, remaining: 0, resetSeconds: retryAfter };
    this.refuse(exchange, 'too_many', 'messages of this thing', retryAfter);
  }

  /** Of an org that has sent what it may. */
  #refuseOver(exchange: Exchange, { left, retrySeconds }: OverQuota): void {
    exchange.left = left;
    this.refuse(exchange, 'too_many', `the quota of ${left.rate.name}`, retrySeconds);
  }

  #take(exchange: Exchange, thing: KnownThing, body: Uint8Array): void {
    try {
      this.#tryTake(exchange, thing, body);
    } catch (error) {
      // A bug in reading one message must not end the edge for all others.
      this.#logger.error({ request_id: exchange.requestId, error }, 'a message could not be read');
      this.refuse(exchange, 'internal');
    }
  }

  #tryTake(exchange: Exchange, thing: KnownThing, body: Uint8Array): void {
    if (!exchange.isOpen) return;
    if (exchange.isLogged)
      exchange.caller = `thing ${uuidFromRowBinary(Buffer.from(thing.publisher), 0)}`;
    const over = thing.meter?.over();
    if (over !== undefined) return this.#refuseOver(exchange, over);
    if (this.#rates !== undefined) {
      exchange.left = this.#rates.take(thing.publisher, performance.now());
      if (exchange.left === undefined) return this.#refuseFast(exchange, this.#rates.rate);
    }
    if (!this.#log.tryReserve(body.length)) {
      return this.refuse(exchange, logHasNoRoom.code, logHasNoRoom.detail);
    }
    const subtopic = parseSubtopic(exchange.subtopicPath, this.#subtopicCharsMax);
    if (!subtopic.ok) return this.refuse(exchange, 'malformed', subtopic.detail);
    const { config } = thing;
    if (config === null) return this.refuse(exchange, 'malformed', configRefusal);
    const nowMs = Date.now();
    const batch = this.#codec.read(body, exchange.head.contentType, config, nowMs);
    if ('code' in batch) return this.refuse(exchange, batch.code, batch.detail);
    this.#keys.heard(thing, nowMs);
    const forWebhooks = thing.hasWebhooks
      ? this.#forWebhooks(exchange, thing.publisher, config, batch, body, subtopic.subtopic, nowMs)
      : undefined;
    const stored = config.write === false ? undefined : batch;
    if (stored === undefined) this.stats.notStored += 1;
    if (stored === undefined && forWebhooks === undefined) exchange.accept();
    else if (!this.#append(exchange, stored, thing.publisher, subtopic.subtopic, forWebhooks))
      return;
    thing.meter?.count(batch.count);
  }

  #forWebhooks(
    { head, requestId }: Exchange,
    publisher: Uint8Array,
    config: ProfileConfig,
    batch: ColumnBatch,
    body: Uint8Array,
    subtopic: string,
    atMs: number,
  ): WebhookMessage {
    const payload = this.#codec.webhookPayload(batch, body, head.contentType, config);
    return { publisher, protocol: 'http', payload, subtopic, requestId, atMs };
  }

  /**
   * Writes a message into the log's next commit: its row for the store, and the webhook frame beside it. Gives true if
   * there is room for it; otherwise it is refused.
   */
  #append(
    exchange: Exchange,
    batch: ColumnBatch | undefined,
    publisher: Uint8Array,
    subtopic: string,
    forWebhooks: WebhookMessage | undefined,
  ): boolean {
    const envelope: Envelope = { publisher, protocol: 'http', subtopic };
    const refusal = append(this.#log, exchange, batch, envelope, forWebhooks);
    if (refusal !== undefined) {
      this.refuse(exchange, refusal.code, refusal.detail);
      return false;
    }
    exchange.traced?.appended();
    return true;
  }

  /** Refuses a request, and counts it. */
  refuse(
    exchange: Exchange,
    code: ErrorCode,
    detail?: string,
    retryAfter = retryAfterSeconds,
    { close = false } = {},
  ): void {
    this.stats.refused[code] = (this.stats.refused[code] ?? 0) + 1;
    const later = code === 'unavailable' || code === 'too_many';
    exchange.refuse(code, detail, { ...(later ? { retryAfter } : {}), close });
  }
}

/** Why a message does not go into the log. */
export type AppendRefusal = { code: 'unavailable' | 'too_large'; detail: string };

export const logHasNoRoom: AppendRefusal = { code: 'unavailable', detail: 'the log has no room' };
const tooLarge: AppendRefusal = { code: 'too_large', detail: 'the resolved message' };

/**
 * Writes a message into the log's next commit, or several in one row: the row for the store, and what webhooks get of
 * it beside that. Undefined: it is written, and the waiter is told of the commit.
 */
export function append(
  log: Log<Waiter>,
  waiter: Waiter,
  batch: ColumnBatch | undefined,
  envelope: Envelope,
  forWebhooks: WebhookMessage | undefined,
  messages = 1,
): AppendRefusal | undefined {
  let bytesMax = 0;
  if (batch !== undefined) bytesMax += frameBytes(rowBytes(batch, envelope.subtopic));
  if (forWebhooks !== undefined) bytesMax += frameBytes(webhookFrameBytesMax(forWebhooks));
  const group = log.begin(bytesMax);
  if (group === 'full') return logHasNoRoom;
  if (group === 'tooLarge') return tooLarge;
  const { buffer } = group;
  if (batch !== undefined) {
    const end = writeRow(batch, envelope, buffer, group.payloadAt);
    group.frame(batch.format, batch.count, end);
  }
  if (forWebhooks !== undefined) {
    // Its records are counted in the frame for the store.
    group.frame('webhook', 0, writeWebhookFrame(forWebhooks, buffer, group.payloadAt));
  }
  log.append(group, waiter, messages);
  return undefined;
}

/** What a commit means for those whose messages it carried. */
export function answerAll(waiters: Waiter[], durable: boolean): void {
  const nowMs = performance.now();
  for (const waiter of waiters) waiter.afterCommit(durable, nowMs);
}
