import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import type { CachedThing } from '../../schemas/internal/thing-cache.ts';
import { uuidToRowBinary } from '../codecs/row-binary.ts';

/** An id as RowBinary has it. */
export const idBytes = 16;
const none = -1;

/** A thing that may publish, as the hot path wants it. */
export class KnownThing {
  /** Its id, as RowBinary has it. */
  readonly publisher = new Uint8Array(idBytes);
  /** Null: its messages are refused (schemas/internal/thing-cache.ts). */
  config: ProfileConfig | null = {};
  hasWebhooks = false;
  /** Of the network that it was looked up from. */
  network = 0;
  /** Where it stands, until the next change; `none`: it may stand nowhere by now. */
  slot = none;
}

/** A configuration, and how many of the credentials remembered have it. */
type Shared = { readonly config: ProfileConfig | null; readonly text: string; users: number };

/**
 * A profile, group or org that some of what is remembered was made of, and the place that it is in. Changed, it is
 * on the map no more, and all that was made of it is not told any more: a million things of an org take no longer than
 * one.
 */
type Place = {
  readonly id: string;
  readonly within: Place | undefined;
  users: number;
  changed: boolean;
};

/** A thing that is not remembered, and known for one message. */
export function knownOnce(thing: CachedThing, network: number): KnownThing {
  const known = new KnownThing();
  known.publisher.set(uuidToRowBinary(thing.id));
  known.config = thing.config;
  known.hasWebhooks = thing.hasWebhooks;
  known.network = network;
  return known;
}

/** What a credential takes beside its own characters. */
const slotBytes = 186;
/** What a place takes. */
const placeBytes = 250;

/** What is told of a thing that was heard: its id as RowBinary has it, and when (ms, f64). */
export const heardBytes = idBytes + 8;
/** What a configuration takes for each character of its text, and in all: it is made ready for reading. */
const configBytesPerChar = 8;
const configBytesMin = 1_024;

/**
 * Credential → the thing it names, for `max` credentials in at most `bytesMax`: some 190 bytes for each. They
 * stand in columns, because a million objects would be work for the garbage collector, and each takes twice
 * that.
 *
 * Where one more must go in, any goes out. Things publish in turns: with the one used longest ago going out, a
 * fleet just larger than this would never find itself here.
 */
export class KnownThings {
  readonly #max: number;
  readonly #bytesMax: number;
  #bytes = 0;
  readonly #slots = new Map<string, number>();
  /** What `get` tells of, unless given another. */
  readonly #found = new KnownThing();

  // By slot. Memory that was never written to takes no room.
  readonly #credentials: (string | undefined)[] = [];
  readonly #configs: (Shared | undefined)[] = [];
  readonly #places: (Place | undefined)[] = [];
  readonly #publishers: Uint8Array;
  readonly #webhooks: Uint8Array;
  readonly #networks: Uint32Array;
  /** When its certificate ends (ms); a key has no end. */
  readonly #untils: Float64Array;
  readonly #freed: number[] = [];

  /** By slot, when its thing was heard since that was told (ms); 0: it was not. And which slots those are. */
  readonly #heardAt: Float64Array;
  #heard: number[] = [];
  /** Of things that stand nowhere by now, by their ids as text of their bytes. */
  readonly #heardElsewhere = new Map<string, number>();

  // By the beginning of its look-up: the first slot of each chain, and the next one of each slot.
  readonly #lookups: Float64Array;
  readonly #chains: Int32Array;
  readonly #next: Int32Array;

  /** So that a profile that many things have stands here once, and is made ready for reading once. */
  readonly #shared = new Map<string, Shared>();
  /** By their ids. */
  readonly #placed = new Map<string, Place>();

  constructor(max: number, bytesMax: number) {
    this.#max = max;
    this.#bytesMax = bytesMax;
    this.#publishers = new Uint8Array(max * idBytes);
    this.#webhooks = new Uint8Array(max);
    this.#networks = new Uint32Array(max);
    this.#untils = new Float64Array(max);
    this.#heardAt = new Float64Array(max);
    this.#lookups = new Float64Array(max);
    this.#chains = new Int32Array(max).fill(none);
    this.#next = new Int32Array(max);
  }

  get size(): number {
    return this.#slots.size;
  }

  /** What all of them take, about. */
  get bytes(): number {
    return this.#bytes;
  }

  /** The thing behind a credential, told by `into`; of its own it has one object for all of them. */
  get(credential: string, into = this.#found): KnownThing | undefined {
    const slot = this.#slots.get(credential);
    if (slot === undefined) return undefined;
    if (hasChanged(this.#places[slot])) return undefined;
    const until = this.#untils[slot] ?? 0;
    if (until !== Infinity && until <= Date.now()) return undefined;
    const { publisher } = into;
    const start = slot * idBytes;
    for (let at = 0; at < idBytes; at++) publisher[at] = this.#publishers[start + at] ?? 0;
    into.config = this.#configs[slot]?.config ?? null;
    into.hasWebhooks = this.#webhooks[slot] === 1;
    into.network = this.#networks[slot] ?? 0;
    // Others may be asked about later.
    into.slot = into === this.#found ? slot : none;
    return into;
  }

  /** `lookup`: the hex text under which it is forgotten. */
  set(credential: string, lookup: string, thing: CachedThing, network = 0): void {
    const publisher = uuidToRowBinary(thing.id);
    const known = this.#slots.get(credential);
    if (known !== undefined) this.#remove(known);
    const slot = this.#freeSlot();
    this.#slots.set(credential, slot);
    this.#credentials[slot] = credential;
    this.#bytes += slotBytes + credential.length;
    this.#configs[slot] = this.#share(thing.config);
    this.#places[slot] = this.#enter(thing.places);
    this.#publishers.set(publisher, slot * idBytes);
    this.#webhooks[slot] = thing.hasWebhooks ? 1 : 0;
    this.#networks[slot] = network;
    this.#untils[slot] = thing.until_ms ?? Infinity;
    const beginning = beginningOf(lookup);
    const chain = beginning % this.#max;
    this.#lookups[slot] = beginning;
    this.#next[slot] = this.#chains[chain] ?? none;
    this.#chains[chain] = slot;
    while (this.#bytes > this.#bytesMax && this.#slots.size > 1) this.#removeAny(slot);
  }

  /** A message of this thing has come. Of one that `get` told of by itself: before anything else is asked. */
  heard({ slot, publisher }: KnownThing, atMs: number): void {
    if (slot === none) return this.#noteElsewhere(publisher, atMs);
    if (this.#heardAt[slot] === 0) this.#heard.push(slot);
    this.#heardAt[slot] = atMs;
  }

  /** Which things were heard since this was asked last, and when: `heardBytes` for each, of so many at most. */
  takeHeard(thingsMax: number): Uint8Array<ArrayBuffer> {
    const elsewhere = [...this.#heardElsewhere];
    this.#heardElsewhere.clear();
    const slots = this.#heard.splice(-thingsMax);
    const taken = Buffer.from(new ArrayBuffer((slots.length + elsewhere.length) * heardBytes));
    let end = 0;
    for (const [id, atMs] of elsewhere) {
      taken.write(id, end, 'latin1');
      end = taken.writeDoubleLE(atMs, end + idBytes);
    }
    for (const slot of slots) {
      const atMs = this.#heardAt[slot] ?? 0;
      // It was given to another thing since.
      if (atMs === 0) continue;
      this.#heardAt[slot] = 0;
      const start = slot * idBytes;
      for (let at = 0; at < idBytes; at++) taken[end + at] = this.#publishers[start + at] ?? 0;
      end = taken.writeDoubleLE(atMs, end + idBytes);
    }
    return new Uint8Array(taken.buffer, 0, end);
  }

  /** Forgets what has this look-up, or is of the place with this id, and what it can't be told from. */
  forget(lookup: string): void {
    const place = this.#placed.get(lookup);
    if (place !== undefined) {
      place.changed = true;
      this.#placed.delete(lookup);
    }
    const beginning = beginningOf(lookup);
    let slot = this.#chains[beginning % this.#max] ?? none;
    while (slot !== none) {
      const next = this.#next[slot] ?? none;
      if (this.#lookups[slot] === beginning) this.#remove(slot);
      slot = next;
    }
  }

  clear(): void {
    for (const slot of this.#heard) this.#leave(slot);
    this.#heard = [];
    this.#slots.clear();
    this.#credentials.length = 0;
    this.#configs.length = 0;
    this.#places.length = 0;
    this.#freed.length = 0;
    this.#chains.fill(none);
    this.#shared.clear();
    this.#placed.clear();
    this.#bytes = 0;
  }

  #freeSlot(): number {
    if (this.#slots.size === this.#max) this.#removeAny();
    return this.#freed.pop() ?? this.#slots.size;
  }

  /** Any but `kept`. Slots that are free are few: the next ones to come take them. */
  #removeAny(kept = none): void {
    const slots = this.#credentials.length;
    let slot = Math.floor(Math.random() * slots);
    while (slot === kept || this.#credentials[slot] === undefined) slot = (slot + 1) % slots;
    this.#remove(slot);
  }

  #remove(slot: number): void {
    const credential = this.#credentials[slot];
    if (credential === undefined) return;
    this.#leave(slot);
    this.#slots.delete(credential);
    this.#credentials[slot] = undefined;
    this.#bytes -= slotBytes + credential.length;
    this.#unshare(slot);
    this.#exit(this.#places[slot]);
    this.#places[slot] = undefined;
    this.#unchain(slot);
    this.#freed.push(slot);
  }

  /** Another thing may stand there soon. */
  #leave(slot: number): void {
    const atMs = this.#heardAt[slot] ?? 0;
    if (atMs === 0) return;
    this.#heardAt[slot] = 0;
    this.#noteElsewhere(this.#publishers.subarray(slot * idBytes, (slot + 1) * idBytes), atMs);
  }

  #noteElsewhere(publisher: Uint8Array, atMs: number): void {
    const id = Buffer.from(publisher).toString('latin1');
    this.#heardElsewhere.set(id, Math.max(this.#heardElsewhere.get(id) ?? 0, atMs));
  }

  #unchain(slot: number): void {
    const next = this.#next[slot] ?? none;
    const chain = (this.#lookups[slot] ?? 0) % this.#max;
    let before = this.#chains[chain] ?? none;
    if (before === slot) {
      this.#chains[chain] = next;
      return;
    }
    while (this.#next[before] !== slot) before = this.#next[before] ?? none;
    this.#next[before] = next;
  }

  #share(config: ProfileConfig | null): Shared {
    const text = JSON.stringify(config);
    const shared = this.#shared.get(text) ?? { config, text, users: 0 };
    if (shared.users === 0) this.#bytes += bytesOf(shared);
    shared.users += 1;
    this.#shared.set(text, shared);
    return shared;
  }

  #unshare(slot: number): void {
    const shared = this.#configs[slot];
    this.#configs[slot] = undefined;
    if (shared === undefined) return;
    shared.users -= 1;
    if (shared.users > 0) return;
    this.#shared.delete(shared.text);
    this.#bytes -= bytesOf(shared);
  }

  /** One more of what is remembered was made of these places, the innermost of which comes first. */
  #enter(ids: readonly string[]): Place | undefined {
    const [id, ...outer] = ids;
    if (id === undefined) return undefined;
    const known = this.#placed.get(id);
    if (known !== undefined && !hasChanged(known)) {
      known.users += 1;
      return known;
    }
    const place = { id, within: this.#enter(outer), users: 1, changed: false };
    this.#bytes += placeBytes;
    this.#placed.set(id, place);
    return place;
  }

  #exit(place: Place | undefined): void {
    if (place === undefined) return;
    place.users -= 1;
    if (place.users > 0) return;
    this.#bytes -= placeBytes;
    if (this.#placed.get(place.id) === place) this.#placed.delete(place.id);
    this.#exit(place.within);
  }
}

function hasChanged(place: Place | undefined): boolean {
  for (let at = place; at !== undefined; at = at.within) if (at.changed) return true;
  return false;
}

const bytesOf = ({ text }: Shared): number => configBytesMin + text.length * configBytesPerChar;

/** 52 bits of a look-up: an HMAC or a fingerprint, in which no two keys begin alike. */
function beginningOf(lookup: string): number {
  return Number.parseInt(lookup.slice(0, 13), 16);
}
