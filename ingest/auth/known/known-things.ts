import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import type { CachedThing } from '../../../schemas/internal/thing-cache.ts';
import { uuidToRowBinary } from '../../codecs/uuid.ts';
import type { Credential } from '../credential.ts';
import { Credentials, shortBytesMax } from './credentials.ts';
import { HeardThings, idBytes } from './heard-things.ts';
import { hasChanged, type Place, Places } from './places.ts';
import type { OrgMeter, OrgMeters } from '../../rates/org-meters.ts';
import { type SharedConfig, SharedConfigs } from './shared-configs.ts';

const none = -1;
/** Bits of what a thing has, or is. */
const webhooksBit = 1;
const gatewayBit = 2;
const rulesBit = 4;

/** A thing that may publish, in the form the hot path needs. */
export class KnownThing {
  readonly kind = 'known';
  /** Its id, as RowBinary has it. */
  readonly publisher = new Uint8Array(idBytes);
  /** Null: its messages are refused (schemas/internal/thing-cache.ts). */
  config: ProfileConfig | null = {};
  hasWebhooks = false;
  /** Whether it may speak for other things of its group. */
  isGateway = false;
  /** Of its group, in hex; '' where it is not known. */
  group = '';
  /** The ids of its group and its profile, 32 bytes, if any rule may be about its records. */
  ruled: Uint8Array<ArrayBuffer> | undefined;
  /** Of its org. */
  meter: OrgMeter | undefined;
  /** The mark of how its last message came whose network was looked at (`Source` of the intake). */
  way = 0;
  /** The slot it was read from, valid until the next call; -1 without one. */
  slot = none;

  /** Called when the slot may be given to another thing before this one is heard. */
  leaveSlot(): void {
    this.slot = none;
  }
}

/** A thing that is not remembered, and known for one message. */
export function knownOnce(thing: CachedThing, meters: OrgMeters): KnownThing {
  const known = new KnownThing();
  const org = thing.places.at(-1);
  if (org !== undefined) known.meter = meters.of(org);
  known.group = thing.places[1] ?? '';
  known.publisher.set(uuidToRowBinary(thing.id));
  known.config = thing.config;
  known.hasWebhooks = thing.hasWebhooks;
  known.ruled = thing.hasRules ? new Places().enter(thing.places)?.bytes : undefined;
  known.isGateway = thing.isGateway;
  return known;
}

/** The networks that a credential was accepted from last: so many are remembered of each. */
const networksPerThing = 4;

/** The bytes of a credential, and of a long one besides, without its characters. */
const slotBytes = 170;
const longBytes = 150;

/**
 * Credential → the thing it names, for `max` credentials in at most `bytesMax`: some 170 bytes for each. They
 * are kept in columns, because a million objects would be work for the garbage collector, and each takes three times
 * that.
 *
 * Where there is no room for one more, any other is removed. Things publish in turns: if the one used longest ago were
 * removed, a fleet just larger than this would never find its things here.
 */
export class KnownThings {
  readonly #max: number;
  readonly #bytesMax: number;
  #credentialBytes = 0;
  readonly #credentials: Credentials;
  /** Slots from here on were never used. */
  #slotsEnd = 0;

  // By slot. Memory that was never written to takes no room.
  readonly #configs: (SharedConfig | undefined)[] = [];
  readonly #places: (Place | undefined)[] = [];
  readonly #publishers: Uint8Array;
  readonly #flags: Uint8Array;
  /** The marks of the networks it was accepted from, the latest first; 0: none. */
  readonly #networks: Uint32Array;
  readonly #ways: Uint32Array;
  /** When its certificate ends (ms); a key has no end. */
  readonly #untils: Float64Array;
  readonly #freed: number[] = [];

  // By the beginning of its look-up: the first slot of each chain, and the next one of each slot.
  readonly #lookups: Float64Array;
  readonly #chains: Int32Array;
  readonly #next: Int32Array;

  readonly #heard: HeardThings;
  readonly #allConfigs = new SharedConfigs();
  readonly #allPlaces: Places;

  constructor(max: number, bytesMax: number, meters?: OrgMeters) {
    this.#allPlaces = new Places(meters);
    this.#max = max;
    this.#bytesMax = bytesMax;
    this.#credentials = new Credentials(max);
    this.#publishers = new Uint8Array(max * idBytes);
    this.#flags = new Uint8Array(max);
    this.#networks = new Uint32Array(max * networksPerThing);
    this.#ways = new Uint32Array(max);
    this.#untils = new Float64Array(max);
    this.#lookups = new Float64Array(max);
    this.#chains = new Int32Array(max).fill(none);
    this.#next = new Int32Array(max);
    this.#heard = new HeardThings(max, this.#publishers);
  }

  get size(): number {
    return this.#credentials.size;
  }

  /** The bytes that all of them take, roughly. */
  get bytes(): number {
    return this.#credentialBytes + this.#allConfigs.bytes + this.#allPlaces.bytes;
  }

  /** Reads the thing that a credential names into `into`: a new object for each message costs more than the rest. */
  read(credential: Credential, into: KnownThing): boolean {
    const slot = this.#credentials.find(credential);
    if (slot === none) return false;
    const place = this.#places[slot];
    if (hasChanged(place)) return false;
    const until = this.#untils[slot] ?? 0;
    if (until !== Infinity && until <= Date.now()) return false;
    const { publisher } = into;
    const start = slot * idBytes;
    for (let at = 0; at < idBytes; at++) publisher[at] = this.#publishers[start + at] ?? 0;
    into.config = this.#configs[slot]?.config ?? null;
    const flags = this.#flags[slot] ?? 0;
    into.hasWebhooks = (flags & webhooksBit) !== 0;
    into.ruled = (flags & rulesBit) === 0 ? undefined : place?.bytes;
    into.isGateway = (flags & gatewayBit) !== 0;
    into.meter = place?.meter;
    into.group = place?.within?.id ?? '';
    into.way = this.#ways[slot] ?? 0;
    into.slot = slot;
    return true;
  }

  /** `lookup`: the hex text under which it is forgotten. */
  set(credential: Credential, lookup: string, thing: CachedThing, network = 0): void {
    const publisher = uuidToRowBinary(thing.id);
    const known = this.#credentials.find(credential);
    if (known !== none) this.#remove(known);
    const slot = this.#freeSlot();
    this.#credentials.set(slot, credential);
    this.#credentialBytes += bytesOf(this.#credentials.lengthAt(slot));
    this.#configs[slot] = this.#allConfigs.take(thing.config);
    this.#places[slot] = this.#allPlaces.enter(thing.places);
    this.#publishers.set(publisher, slot * idBytes);
    this.#flags[slot] = flagsOf(thing);
    this.#networks.fill(0, slot * networksPerThing, (slot + 1) * networksPerThing);
    this.#networks[slot * networksPerThing] = network;
    this.#ways[slot] = 0;
    this.#untils[slot] = thing.until_ms ?? Infinity;
    const beginning = beginningOf(lookup);
    const chain = beginning % this.#max;
    this.#lookups[slot] = beginning;
    this.#next[slot] = this.#chains[chain] ?? none;
    this.#chains[chain] = slot;
    while (this.bytes > this.#bytesMax && this.size > 1) this.#removeAny(slot);
  }

  /** True for one of the networks that this thing, which was just read, was accepted from last. */
  wasAcceptedFrom({ slot }: KnownThing, network: number): boolean {
    const first = slot * networksPerThing;
    return this.#networks.subarray(first, first + networksPerThing).includes(network);
  }

  /** Remembers that this thing, which was just read, was accepted from a network, by this way. */
  acceptedFrom({ slot }: KnownThing, network: number, way: number): void {
    this.#ways[slot] = way;
    const first = slot * networksPerThing;
    if (this.#networks[first] === network) return;
    const found = this.#networks.subarray(first, first + networksPerThing).indexOf(network);
    const last = found === none ? networksPerThing - 1 : found;
    this.#networks.copyWithin(first + 1, first, first + last);
    this.#networks[first] = network;
  }

  /** A message of this thing has come. */
  heard({ slot, publisher }: KnownThing, atMs: number, gateway?: KnownThing): void {
    if (slot === none) this.#heard.noteId(publisher, atMs, gateway?.publisher);
    else this.#heard.note(slot, atMs, gateway?.publisher);
  }

  /** As `HeardThings.take`. */
  takeHeard(thingsMax: number): Uint8Array<ArrayBuffer> {
    return this.#heard.take(thingsMax);
  }

  /** Forgets what has this lookup, or one that begins with the same bits, and what is of the place with this id. */
  forget(lookup: string): void {
    this.#allPlaces.change(lookup);
    const beginning = beginningOf(lookup);
    let slot = this.#chains[beginning % this.#max] ?? none;
    while (slot !== none) {
      const next = this.#next[slot] ?? none;
      if (this.#lookups[slot] === beginning) this.#remove(slot);
      slot = next;
    }
  }

  clear(): void {
    this.#heard.leaveAll();
    this.#credentials.clear();
    this.#slotsEnd = 0;
    this.#configs.length = 0;
    this.#places.length = 0;
    this.#freed.length = 0;
    this.#chains.fill(none);
    this.#allConfigs.clear();
    this.#allPlaces.clear();
    this.#credentialBytes = 0;
  }

  #freeSlot(): number {
    if (this.size === this.#max) this.#removeAny();
    return this.#freed.pop() ?? this.#slotsEnd++;
  }

  /** Removes any but `kept`. Few slots are free: the next credentials take them. */
  #removeAny(kept = none): void {
    const slots = this.#slotsEnd;
    let slot = Math.floor(Math.random() * slots);
    while (slot === kept || this.#credentials.lengthAt(slot) === 0) slot = (slot + 1) % slots;
    this.#remove(slot);
  }

  #remove(slot: number): void {
    const length = this.#credentials.lengthAt(slot);
    if (length === 0) return;
    this.#credentials.remove(slot);
    this.#heard.leave(slot);
    this.#credentialBytes -= bytesOf(length);
    this.#allConfigs.giveBack(this.#configs[slot]);
    this.#configs[slot] = undefined;
    this.#allPlaces.exit(this.#places[slot]);
    this.#places[slot] = undefined;
    this.#unchain(slot);
    this.#freed.push(slot);
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
}

const flagsOf = ({ hasWebhooks, hasRules, isGateway }: CachedThing): number =>
  (hasWebhooks ? webhooksBit : 0) | (isGateway ? gatewayBit : 0) | (hasRules ? rulesBit : 0);

/** A long one is in two maps. */
function bytesOf(length: number): number {
  return length > shortBytesMax ? slotBytes + longBytes + length : slotBytes;
}

/** The first 52 bits of a lookup, an HMAC or a fingerprint: practically no two keys have the same. */
function beginningOf(lookup: string): number {
  return Number.parseInt(lookup.slice(0, 13), 16);
}
