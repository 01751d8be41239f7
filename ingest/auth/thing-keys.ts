import { LRUCache } from 'lru-cache';
import { Value } from 'typebox/value';
import type { Logger } from '../../infra/log.ts';
import type { Redis } from '../../infra/redis.ts';
import type { KeyKind } from '../../infra/secrets.ts';
import {
  type CachedThing,
  ThingCacheEntry,
  thingCacheKey,
  thingCacheSeconds,
} from '../../schemas/thing-cache.ts';
import { uuidToRowBinary } from '../codecs/row-binary.ts';
import { fingerprintOf } from './client-certificate.ts';
import type { KeyJournal } from './key-journal.ts';
import { parseSnapshot, type Snapshot } from './snapshot.ts';
import type { LoadedThings } from './things-sql.ts';

/** A thing that may publish, as the hot path wants it. One object per cached credential. */
export type KnownThing = {
  readonly publisher: Uint8Array;
  readonly config: CachedThing['config'];
  readonly hasWebhooks: boolean;
  readonly lookup: string;
  /** When its certificate ends; a key has no end. */
  readonly untilMs: number;
  /** The token bucket of `THING_RATE_LIMIT`. */
  allowance: number;
  allowanceAt: number;
};

/** `malformed`: no thing credential at all. `unavailable`: nobody who would know can be asked. */
export type KeyAnswer = KnownThing | 'malformed' | 'unknown' | 'unavailable';

export type ThingKeysLimits = {
  knownMax: number;
  unknownMax: number;
  /** Credentials that wait for an answer; more are `unavailable`. */
  waitingMax: number;
  perLoadMax: number;
};

type Waiting = { authorization: string; lookup: string; resolve: (answer: KeyAnswer) => void };

/**
 * The credential in an `Authorization` header, or a client certificate's → the thing behind it: from
 * memory, else Redis, else Postgres; the keys that arrive meanwhile share one question. The journal
 * tells when an answer no longer holds.
 */
export class ThingKeys {
  readonly #known: LRUCache<string, KnownThing>;
  readonly #unknown: LRUCache<string, string>;
  /** Lookup → the header under which it is remembered. */
  readonly #byLookup = new Map<string, string>();
  readonly #waiting = new Map<string, Promise<KeyAnswer>>();
  readonly #lookup: (kind: KeyKind, key: string) => Buffer;
  readonly #load: (lookups: string[]) => Promise<LoadedThings>;
  readonly #redis: Redis;
  readonly #journal: KeyJournal;
  readonly #limits: ThingKeysLimits;
  readonly #logger: Logger;
  #queue: Waiting[] = [];

  constructor(options: {
    lookup: (kind: KeyKind, key: string) => Buffer;
    load: (lookups: string[]) => Promise<LoadedThings>;
    redis: Redis;
    journal: KeyJournal;
    limits: ThingKeysLimits;
    logger: Logger;
  }) {
    this.#lookup = options.lookup;
    this.#load = options.load;
    this.#redis = options.redis;
    this.#journal = options.journal;
    this.#limits = options.limits;
    this.#logger = options.logger;
    this.#known = new LRUCache({
      max: options.limits.knownMax,
      dispose: (thing) => this.#byLookup.delete(thing.lookup),
    });
    this.#unknown = new LRUCache({
      max: options.limits.unknownMax,
      dispose: (lookup) => this.#byLookup.delete(lookup),
    });
  }

  /** The thing, if this credential is in memory. The hot path. */
  remembered(authorization: string): KnownThing | undefined {
    const thing = this.#known.get(authorization);
    return thing !== undefined && isOver(thing.untilMs) ? undefined : thing;
  }

  /** The thing behind the credential, wherever it is known. */
  async find(header: string): Promise<KeyAnswer> {
    const credential = parseCredential(header);
    if (credential === undefined) return 'malformed';
    const { authorization, kind, key } = credential;
    const known = this.remembered(authorization);
    if (known !== undefined) return known;
    if (this.#unknown.get(authorization) !== undefined && this.#journal.isFresh()) return 'unknown';
    const asked = this.#waiting.get(authorization);
    if (asked !== undefined) return asked;
    if (this.#waiting.size >= this.#limits.waitingMax) return 'unavailable';
    const lookup = kind === 'certificate' ? key : this.#lookup(kind, key).toString('hex');
    const { promise, resolve } = Promise.withResolvers<KeyAnswer>();
    this.#waiting.set(authorization, promise);
    if (this.#queue.length === 0) setImmediate(() => this.#ask());
    this.#queue.push({ authorization, lookup, resolve });
    return promise.finally(() => this.#waiting.delete(authorization));
  }

  /** Forgets whatever is remembered of a key. */
  forget(lookup: string): void {
    const authorization = this.#byLookup.get(lookup);
    if (authorization === undefined) return;
    this.#known.delete(authorization);
    this.#unknown.delete(authorization);
  }

  forgetAll(): void {
    this.#known.clear();
    this.#unknown.clear();
  }

  #ask(): void {
    const queue = this.#queue;
    this.#queue = [];
    for (let at = 0; at < queue.length; at += this.#limits.perLoadMax) {
      void this.#answer(queue.slice(at, at + this.#limits.perLoadMax));
    }
  }

  async #answer(asked: Waiting[]): Promise<void> {
    const missing = await this.#answerFromRedis(asked);
    if (missing.length === 0) return;
    try {
      const { snapshot, things } = await this.#load(missing.map(({ lookup }) => lookup));
      const found: [string, CachedThing][] = [];
      for (const waiting of missing) {
        const thing = things.get(waiting.lookup);
        if (thing !== undefined) found.push([waiting.lookup, thing]);
        waiting.resolve(
          thing === undefined
            ? this.#rememberUnknown(waiting, snapshot)
            : this.#rememberKnown(waiting, thing, snapshot),
        );
      }
      this.#writeToRedis(found, snapshot);
    } catch (error) {
      this.#logger.debug({ error }, 'keys could not be looked up');
      for (const { resolve } of missing) resolve('unavailable');
    }
  }

  /** Answers what Redis knows; returns the rest. */
  async #answerFromRedis(asked: Waiting[]): Promise<Waiting[]> {
    // Without the journal there is no telling whether an entry still holds.
    if (this.#redis.status !== 'ready' || !this.#journal.hasStarted()) return asked;
    try {
      const texts = await this.#redis.mget(asked.map(({ lookup }) => thingCacheKey(lookup)));
      return asked.filter((waiting, index) => {
        const entry = parseEntry(texts[index]);
        if (entry === undefined || !this.#journal.isCurrent(waiting.lookup, entry.snapshot)) {
          return true;
        }
        if (isOver(entry.thing.until_ms)) return true;
        waiting.resolve(this.#rememberKnown(waiting, entry.thing, entry.snapshot));
        return false;
      });
    } catch {
      return asked;
    }
  }

  #rememberKnown(waiting: Waiting, thing: CachedThing, snapshot: Snapshot): KnownThing {
    const known: KnownThing = {
      publisher: uuidToRowBinary(thing.id),
      config: thing.config,
      hasWebhooks: thing.hasWebhooks,
      lookup: waiting.lookup,
      untilMs: thing.until_ms ?? Infinity,
      allowance: 0,
      allowanceAt: 0,
    };
    if (this.#journal.isCurrent(waiting.lookup, snapshot)) {
      this.#unknown.delete(waiting.authorization);
      this.#known.set(waiting.authorization, known);
      this.#byLookup.set(waiting.lookup, waiting.authorization);
    }
    return known;
  }

  #rememberUnknown(waiting: Waiting, snapshot: Snapshot): 'unknown' {
    if (this.#journal.isCurrent(waiting.lookup, snapshot)) {
      this.#known.delete(waiting.authorization);
      this.#unknown.set(waiting.authorization, waiting.lookup);
      this.#byLookup.set(waiting.lookup, waiting.authorization);
    }
    return 'unknown';
  }

  #writeToRedis(found: [string, CachedThing][], snapshot: Snapshot): void {
    if (found.length === 0 || this.#redis.status !== 'ready') return;
    const pipeline = this.#redis.pipeline();
    for (const [lookup, thing] of found) {
      const entry: ThingCacheEntry = { snapshot: snapshot.text, thing };
      pipeline.set(thingCacheKey(lookup), JSON.stringify(entry), 'EX', thingCacheSeconds);
    }
    pipeline.exec().catch((error: unknown) => {
      this.#logger.debug({ error }, 'keys could not be cached');
    });
  }
}

/** One spelling is remembered, so that forgetting it forgets the key. */
type Credential = { authorization: string; kind: KeyKind | 'certificate'; key: string };

/** `Thing <key>` or `External <external_key>`, the scheme in any case (RFC 9110 §11.1); a certificate. */
function parseCredential(header: string): Credential | undefined {
  const fingerprint = fingerprintOf(header);
  if (fingerprint !== undefined) {
    return { authorization: header, kind: 'certificate', key: fingerprint };
  }
  const match = /^(thing|external) +(\S.*)$/i.exec(header);
  if (match?.[1] === undefined || match[2] === undefined) return undefined;
  const key = match[2];
  return match[1].toLowerCase() === 'thing'
    ? { authorization: `Thing ${key}`, kind: 'internal', key }
    : { authorization: `External ${key}`, kind: 'external', key };
}

function isOver(untilMs = Infinity): boolean {
  return untilMs !== Infinity && untilMs <= Date.now();
}

function parseEntry(
  text: string | null | undefined,
): { snapshot: Snapshot; thing: CachedThing } | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const { snapshot, thing } = Value.Parse(ThingCacheEntry, JSON.parse(text));
    return { snapshot: parseSnapshot(snapshot), thing };
  } catch {
    return undefined;
  }
}
