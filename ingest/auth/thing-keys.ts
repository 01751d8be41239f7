import { LRUCache } from 'lru-cache';
import { Compile } from 'typebox/compile';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import type { KeyKind } from '../../infra/runtime/process/secrets.ts';
import {
  type CachedThing,
  ThingCacheEntry,
  thingCacheKey,
  thingCacheSeconds,
} from '../../schemas/internal/thing-cache.ts';
import type { Credential } from './credential.ts';
import { type Guesses, networkMark } from './guesses.ts';
import type { KeyJournal } from './journal/key-journal.ts';
import { KnownThing, KnownThings, knownOnce } from './known/known-things.ts';
import { parseSnapshot, type Snapshot } from './journal/snapshot.ts';
import type { OrgMeters } from '../rates/org-meters.ts';
import type { LoadedThings, UnknownCredential } from './things-sql.ts';

/** `spent`: nothing is looked up for this network any more. `unavailable`: it can't be looked up. */
type KeyAnswer = KnownThing | UnknownCredential | NotLookedUp;
type NotLookedUp = { readonly kind: 'spent' | 'unavailable' };

const spent: NotLookedUp = { kind: 'spent' };
const unknown: UnknownCredential = { kind: 'unknown' };
const unavailable: NotLookedUp = { kind: 'unavailable' };
/** The mark of none: a thing that a gateway named was accepted from no network by that. */
const noNetwork = 0;

type ThingKeysLimits = {
  knownMax: number;
  /** Of all that is remembered. */
  knownBytesMax: number;
  /** A larger thing is not written to Redis. */
  cachedBytesMax: number;
  unknownMax: number;
  /** An id that names no thing is looked up again after this time: the journal tells of keys alone. */
  unknownIdMs: number;
  /** Credentials that wait for an answer; more are `unavailable`. */
  waitingMax: number;
  perLoadMax: number;
};

type Waiting = {
  credential: Credential;
  lookup: string;
  network: number;
  resolve: (answer: KeyAnswer) => void;
};

/**
 * Credential → the thing it names: from memory, else Redis, else Postgres; the keys that arrive meanwhile share one query.
 * The journal says when an answer is out of date.
 */
export class ThingKeys {
  readonly #known: KnownThings;
  /** Lookups that name no thing, and why. */
  readonly #unknown: LRUCache<string, UnknownCredential>;
  readonly #waiting = new Map<string, Promise<KeyAnswer>>();
  readonly #lookup: (kind: KeyKind, key: string) => Buffer;
  readonly #load: (lookups: string[]) => Promise<LoadedThings>;
  readonly #redis: Redis;
  readonly #journal: KeyJournal;
  readonly #guesses: Guesses;
  readonly #deviceGuesses: Guesses;
  readonly #meters: OrgMeters;
  readonly #limits: ThingKeysLimits;
  readonly #logger: Logger;
  #queue: Waiting[] = [];
  /** How often something was forgotten. */
  changes = 0;
  /** Credentials that are looked up, or wait for their turn. */
  #turns = 0;

  constructor(options: {
    lookup: (kind: KeyKind, key: string) => Buffer;
    load: (lookups: string[]) => Promise<LoadedThings>;
    redis: Redis;
    journal: KeyJournal;
    guesses: Guesses;
    /** Of gateways, by their ids: devices that they name and that are not there. */
    deviceGuesses: Guesses;
    meters: OrgMeters;
    limits: ThingKeysLimits;
    logger: Logger;
  }) {
    this.#lookup = options.lookup;
    this.#load = options.load;
    this.#redis = options.redis;
    this.#journal = options.journal;
    this.#guesses = options.guesses;
    this.#deviceGuesses = options.deviceGuesses;
    this.#meters = options.meters;
    this.#limits = options.limits;
    this.#logger = options.logger;
    this.#known = new KnownThings(
      options.limits.knownMax,
      options.limits.knownBytesMax,
      options.meters,
    );
    this.#unknown = new LRUCache({ max: options.limits.unknownMax });
  }

  /** Reads the thing into `into`, if this credential is in memory. The hot path. */
  recall(credential: Credential, into: KnownThing): boolean {
    return this.#journal.use() && this.#known.read(credential, into);
  }

  /** A message of a thing that was just found has come, by a gateway or by itself. */
  heard(thing: KnownThing, atMs: number, gateway?: KnownThing): void {
    this.#known.heard(thing, atMs, gateway);
  }

  /** As `HeardThings.take`. */
  takeHeard(thingsMax: number): Uint8Array<ArrayBuffer> {
    return this.#known.takeHeard(thingsMax);
  }

  /**
   * True if a remembered thing, which was just read, may publish from this network: always, unless the network has
   * spent its guesses. Then the thing may if it was accepted from there before.
   */
  passes(thing: KnownThing, network: string, way = 0): boolean {
    const mark = networkMark(network);
    const isSpent = this.#guesses.spentSeconds(network) > 0;
    if (isSpent && !this.#known.wasAcceptedFrom(thing, mark)) return false;
    this.#known.acceptedFrom(thing, mark, way);
    return true;
  }

  /** The thing that the credential names, wherever it is known. */
  async find(credential: Credential, network: string): Promise<KeyAnswer> {
    if (!this.#journal.use()) await this.#journal.catchUp();
    const known = new KnownThing();
    if (this.#known.read(credential, known)) {
      const passes = this.passes(known, network);
      // Before the caller goes on, other look-ups may take its slot.
      known.leaveSlot();
      return passes ? known : spent;
    }
    const mark = networkMark(network);
    return this.#inTurn(this.#guesses, network, () => this.#lookUp(credential, mark));
  }

  /**
   * The thing that a gateway names. What is not there counts as a guess of the gateway, and not of its network; what is
   * remembered as unknown costs it nothing.
   */
  async findDevice(device: Credential, gateway: string): Promise<KeyAnswer> {
    if (!this.#journal.use()) await this.#journal.catchUp();
    const known = new KnownThing();
    if (this.#known.read(device, known)) {
      known.leaveSlot();
      return known;
    }
    const why = this.#rememberedUnknown(this.#lookupOf(device));
    if (why !== undefined) return why;
    return this.#inTurn(this.#deviceGuesses, gateway, () => this.#lookUp(device, noNetwork));
  }

  /** The thing of a key that was just made: it may be remembered as unknown. */
  findMade(key: Credential): Promise<KeyAnswer> {
    this.#unknown.delete(this.#lookupOf(key));
    return this.#lookUp(key, noNetwork);
  }

  /** Seconds until a gateway may name devices again that are not known here. */
  deviceSpentSeconds(gateway: string): number {
    return this.#deviceGuesses.spentSeconds(gateway);
  }

  /** Waits for its turn among the look-ups of a network or a gateway. */
  async #inTurn(
    guesses: Guesses,
    of: string,
    lookUp: () => Promise<KeyAnswer>,
  ): Promise<KeyAnswer> {
    if (this.#turns >= this.#limits.waitingMax) return unavailable;
    this.#turns += 1;
    try {
      if (!(await guesses.turn(of))) return spent;
      let answer: KeyAnswer = unavailable;
      try {
        answer = await lookUp();
        return answer;
      } finally {
        guesses.done(of, isUnknown(answer));
      }
    } finally {
      this.#turns -= 1;
    }
  }

  #lookupOf({ kind, key }: Credential): string {
    if (kind === 'certificate' || kind === 'id') return key;
    return this.#lookup(kind, key).toString('hex');
  }

  #rememberedUnknown(lookup: string): UnknownCredential | undefined {
    return this.#journal.isFresh() ? this.#unknown.get(lookup) : undefined;
  }

  async #lookUp(credential: Credential, network: number): Promise<KeyAnswer> {
    const lookup = this.#lookupOf(credential);
    const asked = this.#waiting.get(lookup);
    if (asked !== undefined) return asked;
    const why = this.#rememberedUnknown(lookup);
    if (why !== undefined) return why;
    const { promise, resolve } = Promise.withResolvers<KeyAnswer>();
    this.#waiting.set(lookup, promise);
    if (this.#queue.length === 0) setImmediate(() => this.#ask());
    this.#queue.push({ credential, lookup, network, resolve });
    return promise.finally(() => this.#waiting.delete(lookup));
  }

  /** Forgets what the journal names: a key, or all that was made of a profile, a group or an org. */
  forget(lookup: string): void {
    this.changes += 1;
    this.#known.forget(lookup);
    this.#unknown.delete(lookup);
  }

  forgetAll(): void {
    this.changes += 1;
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
        const loaded = things.get(waiting.lookup) ?? unknown;
        if (loaded.kind !== 'thing') {
          waiting.resolve(this.#rememberUnknown(waiting, loaded, snapshot));
          continue;
        }
        found.push([waiting.lookup, loaded.thing]);
        waiting.resolve(this.#rememberKnown(waiting, loaded.thing, snapshot));
      }
      this.#writeToRedis(found, snapshot);
    } catch (error) {
      this.#logger.debug({ error }, 'keys could not be looked up');
      for (const { resolve } of missing) resolve(unavailable);
    }
  }

  /** Resolves those that Redis has; returns the others. */
  async #answerFromRedis(asked: Waiting[]): Promise<Waiting[]> {
    // Without the journal there is no telling whether an entry still holds.
    if (this.#redis.status !== 'ready' || !this.#journal.hasStarted()) return asked;
    try {
      const texts = await this.#redis.mget(asked.map(({ lookup }) => thingCacheKey(lookup)));
      return asked.filter((waiting, index) => {
        const entry = parseEntry(texts[index]);
        if (entry === undefined || !this.#holds(waiting.lookup, entry.thing, entry.snapshot)) {
          return true;
        }
        if ((entry.thing.until_ms ?? Infinity) <= Date.now()) return true;
        waiting.resolve(this.#rememberKnown(waiting, entry.thing, entry.snapshot));
        return false;
      });
    } catch {
      return asked;
    }
  }

  /** Whether what was read of a key in this snapshot is still true. */
  #holds(lookup: string, thing: CachedThing, snapshot: Snapshot): boolean {
    const isCurrent = (one: string) => this.#journal.isCurrent(one, snapshot);
    return isCurrent(thing.changes_under ?? lookup) && thing.places.every(isCurrent);
  }

  #rememberKnown(
    { credential, lookup, network }: Waiting,
    thing: CachedThing,
    snapshot: Snapshot,
  ): KnownThing {
    if (this.#holds(lookup, thing, snapshot)) {
      this.#unknown.delete(lookup);
      this.#known.set(credential, thing.changes_under ?? lookup, thing, network);
    }
    return knownOnce(thing, this.#meters);
  }

  #rememberUnknown(
    { credential, lookup }: Waiting,
    why: UnknownCredential,
    snapshot: Snapshot,
  ): UnknownCredential {
    if (this.#journal.isCurrent(lookup, snapshot)) {
      this.#known.forget(lookup);
      const { unknownIdMs } = this.#limits;
      this.#unknown.set(lookup, why, credential.kind === 'id' ? { ttl: unknownIdMs } : {});
    }
    return why;
  }

  #writeToRedis(found: [string, CachedThing][], snapshot: Snapshot): void {
    if (found.length === 0 || this.#redis.status !== 'ready') return;
    const pipeline = this.#redis.pipeline();
    for (const [lookup, thing] of found) {
      const entry: ThingCacheEntry = { snapshot: snapshot.text, thing };
      const text = JSON.stringify(entry);
      // Each key would bring its large profile into Redis again. There are few, and they come from Postgres.
      if (text.length > this.#limits.cachedBytesMax) continue;
      pipeline.set(thingCacheKey(lookup), text, 'EX', thingCacheSeconds);
    }
    pipeline.exec().catch((error: unknown) => {
      this.#logger.debug({ error }, 'keys could not be cached');
    });
  }
}

/** Compiled: an edge that starts reads an entry for each thing of its fleet. */
const cacheEntry = Compile(ThingCacheEntry);

const isUnknown = ({ kind }: KeyAnswer): boolean =>
  kind === 'unknown' || kind === 'expired' || kind === 'revoked';

function parseEntry(
  text: string | null | undefined,
): { snapshot: Snapshot; thing: CachedThing } | undefined {
  if (text === null || text === undefined) return undefined;
  try {
    const { snapshot, thing } = cacheEntry.Parse(JSON.parse(text));
    return { snapshot: parseSnapshot(snapshot), thing };
  } catch {
    return undefined;
  }
}
