import { isUtf8 } from 'node:buffer';
import { type CodecLimits, malformed, type Rejected, tooLarge } from '../rejected.ts';
import { shown } from '../../../schemas/json/shown.ts';

/** RFC 8428 §6: the integer labels and the names they stand for. */
export const senmlLabels = {
  bver: -1,
  bn: -2,
  bt: -3,
  bu: -4,
  bv: -5,
  bs: -6,
  n: 0,
  u: 1,
  v: 2,
  vs: 3,
  vb: 4,
  s: 5,
  t: 6,
  ut: 7,
  vd: 8,
} as const;

const labelNames = new Map<number, string>(
  Object.entries(senmlLabels).map(([name, label]) => [label, name]),
);

const majors = {
  unsigned: 0,
  negative: 1,
  bytes: 2,
  text: 3,
  array: 4,
  map: 5,
  tag: 6,
} as const;

const tags = { time: 1, bignum: 2, negativeBignum: 3, decimal: 4, bytes: 64, map: 259 } as const;

/** Those that only repeat what the label or the item says: encoders write them by default. */
const repeating: ReadonlySet<number> = new Set([tags.time, tags.bytes, tags.map]);
const timeNames: ReadonlySet<string> = new Set(['t', 'bt']);
const noTag = -1;

/** No double is larger than 2^1024. */
const bignumBytesMax = 128;
const decimalItems = 2;
const indefinite = 31;
const breakByte = 0xff;

/** A map or array that is open. `left` is -1 if its length is not given; `key` is the one read last. */
type Level = {
  keys: Set<string> | undefined;
  key: string;
  left: number;
  item: number;
  expectsKey: boolean;
};

/** A part of the bytes. */
export type Span = { start: number; end: number };

/** `unseen`: tags that the decoder need not see. */
type Checked = { readonly kind: 'checked'; readonly unseen: readonly Span[] };

/**
 * Walks CBOR (RFC 8949) once, without recursion, and finds what is wrong with it, so that the decoder
 * after it meets nothing that throws, recurses or allocates beyond the body's size: well-formed, ended
 * where the body ends, depth and counts bounded, text valid, no key twice. RFC 8428 §6 has no tags but those of
 * numbers; those that encoders write by default are taken as well (seconds on times, bytes, maps), others are
 * refused, as are strings in pieces.
 */
export function checkCbor(bytes: Uint8Array, limits: CodecLimits): Rejected | Checked {
  const walk = new CborWalk(bytes, limits);
  return walk.walk() ?? { kind: 'checked', unseen: walk.repeatingTags };
}

class CborWalk {
  readonly repeatingTags: Span[] = [];

  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: CodecLimits;
  readonly #levels: Level[] = [];
  #at = 0;
  /** The tag of the next item. */
  #tag = noTag;

  // The item that is read now: where it begins, and its head.
  #start = 0;
  #info = 0;
  #argument = 0;
  #inTag = noTag;
  #isKey = false;

  constructor(bytes: Uint8Array, limits: CodecLimits) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.#limits = limits;
  }

  walk(): Rejected | undefined {
    for (;;) {
      const rejected = this.#closeLevels();
      if (rejected !== undefined) return rejected;
      if (this.#levels.length === 0 && this.#at > 0 && this.#tag === noTag) {
        this.#start = this.#at;
        return this.#at === this.#bytes.length ? undefined : this.#refuse('more than one item');
      }
      const wrong = this.#item();
      if (wrong !== undefined) return wrong;
    }
  }

  /** Closes the levels that have all their items. */
  #closeLevels(): Rejected | undefined {
    const { recordsPerMessageMax } = this.#limits;
    let level = this.#levels.at(-1);
    while (level !== undefined && level.left === 0) {
      if (this.#levels.length === 1 && level.item > recordsPerMessageMax) {
        return tooLarge(`body: more than ${recordsPerMessageMax} records`);
      }
      this.#levels.pop();
      level = this.#levels.at(-1);
      if (level !== undefined) closeItem(level);
    }
    return undefined;
  }

  #item(): Rejected | undefined {
    this.#start = this.#at;
    const first = this.#bytes[this.#at++];
    if (first === undefined) return this.#refuse('ends too early');
    const level = this.#levels.at(-1);
    if (first === breakByte) return this.#break(level);
    const major = first >> 5;
    const info = first & 31;
    const argumentBytes = info < 24 || info === indefinite ? 0 : 1 << (info - 24);
    if (info > 27 && info !== indefinite) return this.#refuse('not well-formed');
    if (this.#at + argumentBytes > this.#bytes.length) return this.#refuse('ends too early');
    this.#info = info;
    this.#argument = readArgument(this.#view, this.#at, info);
    this.#at += argumentBytes;
    this.#isKey = level?.keys !== undefined && level.expectsKey;
    if (this.#isKey && major !== majors.text) {
      if (major !== majors.unsigned && major !== majors.negative) {
        return this.#refuse('labels must be integers or text');
      }
      // The decoder does not take a longer form for the same label.
      if (info > 26) return this.#refuse('label is out of range');
    }
    this.#inTag = this.#tag;
    this.#tag = noTag;
    return this.#ofMajor(major, level);
  }

  #ofMajor(major: number, level: Level | undefined): Rejected | undefined {
    switch (major) {
      case majors.unsigned:
      case majors.negative:
        return this.#integer(major, level);
      case majors.bytes:
      case majors.text:
        return this.#string(major, level);
      case majors.array:
      case majors.map:
        return this.#container(major);
      case majors.tag:
        return this.#tagged();
      default:
        if (!this.#mayHaveTag(isFloat(this.#info) ? tags.time : noTag)) return this.#refuseTag();
        if (!isSimple(this.#info)) return this.#refuse('value is not understood');
        if (level !== undefined) closeItem(level);
        return undefined;
    }
  }

  /** The end of an array or map whose length was not given. */
  #break(level: Level | undefined): Rejected | undefined {
    const mayEnd =
      level?.left === -1 && this.#tag === noTag && (level.keys === undefined || level.expectsKey);
    if (level === undefined || !mayEnd) return this.#refuse('not well-formed');
    level.left = 0;
    return undefined;
  }

  #integer(major: number, level: Level | undefined): Rejected | undefined {
    if (this.#info === indefinite) return this.#refuse('not well-formed');
    if (!this.#mayHaveTag(tags.time)) return this.#refuseTag();
    if (level === undefined) return undefined;
    if (this.#isKey) {
      const label = major === majors.unsigned ? this.#argument : -1 - this.#argument;
      const problem = addKey(level, labelNames.get(label) ?? String(label), this.#limits);
      if (problem !== undefined) return this.#refuse(problem);
    }
    closeItem(level);
    return undefined;
  }

  #string(major: number, level: Level | undefined): Rejected | undefined {
    const bytes = this.#argument;
    if (this.#info === indefinite) return this.#refuse('strings in pieces are not taken');
    if (bytes > this.#bytes.length - this.#at) return this.#refuse('ends too early');
    const isNumber = this.#inTag === tags.bignum || this.#inTag === tags.negativeBignum;
    const isBytes = major === majors.bytes;
    if (!(isNumber && isBytes) && !this.#mayHaveTag(isBytes ? tags.bytes : noTag)) {
      return this.#refuseTag();
    }
    if (isNumber && bytes > bignumBytesMax) return this.#refuse('number is out of range');
    if (major === majors.text) {
      const text = this.#bytes.subarray(this.#at, this.#at + bytes);
      if (!isUtf8(text)) return this.#refuse('text is not valid UTF-8');
      if (this.#isKey && level !== undefined) {
        const problem = addKey(level, Buffer.from(text).toString(), this.#limits);
        if (problem !== undefined) return this.#refuse(problem);
      }
    }
    this.#at += bytes;
    if (level !== undefined) closeItem(level);
    return undefined;
  }

  #container(major: number): Rejected | undefined {
    const isDecimal = major === majors.array && this.#argument === decimalItems;
    const own = major === majors.map ? tags.map : isDecimal ? tags.decimal : noTag;
    if (!this.#mayHaveTag(own)) return this.#refuseTag();
    if (this.#levels.length >= this.#limits.nestingMax) {
      return this.#refuse(`nested deeper than ${this.#limits.nestingMax}`);
    }
    const isMap = major === majors.map;
    const left = this.#info === indefinite ? -1 : this.#argument * (isMap ? 2 : 1);
    // Every item takes a byte at least.
    if (left > this.#bytes.length - this.#at) return this.#refuse('ends too early');
    const keys = isMap ? new Set<string>() : undefined;
    this.#levels.push({ keys, key: '', left, item: 0, expectsKey: isMap });
    return undefined;
  }

  #tagged(): Rejected | undefined {
    if (this.#info === indefinite) return this.#refuse('not well-formed');
    if (this.#inTag !== noTag) return this.#refuseTag();
    this.#tag = this.#argument;
    if (repeating.has(this.#tag)) this.repeatingTags.push({ start: this.#start, end: this.#at });
    return undefined;
  }

  /** True if the item has no tag, or this one. Only the times of a record may be tagged as seconds since 1970. */
  #mayHaveTag(own: number): boolean {
    if (this.#inTag === noTag) return true;
    if (this.#inTag !== own) return false;
    return own !== tags.time || (this.#levels.length === 2 && timeNames.has(this.#member()));
  }

  /** The member of a record whose value is read; empty elsewhere. */
  #member(): string {
    const [outermost, record] = this.#levels;
    const isInRecord = outermost?.keys === undefined && record?.keys !== undefined;
    return isInRecord && !record.expectsKey ? record.key : '';
  }

  #refuseTag(): Rejected {
    return this.#refuse(`tag ${this.#inTag} is not taken here`);
  }

  #refuse(problem: string): Rejected {
    const [outermost] = this.#levels;
    const isInRecord = this.#levels.length > 1 && outermost !== undefined;
    const place = isInRecord ? `record ${outermost.item}` : 'body';
    const member = isInRecord ? this.#member() : '';
    const field = /^\w{0,8}$/.test(member) ? member : shown(member);
    return malformed(
      `${place}: ${field === '' ? '' : `${field}: `}${problem} (byte ${this.#start})`,
    );
  }
}

/** An item of this level is complete. */
function closeItem(level: Level): void {
  if (level.left > 0) level.left -= 1;
  if (level.keys === undefined) {
    level.item += 1;
  } else {
    level.expectsKey = !level.expectsKey;
  }
}

/** Returns what is wrong with the key. */
function addKey(level: Level, key: string, limits: CodecLimits): string | undefined {
  const { keys } = level;
  if (keys === undefined) return undefined;
  if (keys.has(key)) return `${shown(key)}: is given twice`;
  if (keys.size >= limits.membersPerObjectMax) {
    return `more than ${limits.membersPerObjectMax} members`;
  }
  keys.add(key);
  level.key = key;
  return undefined;
}

function readArgument(view: DataView, at: number, info: number): number {
  switch (info) {
    case 24:
      return view.getUint8(at);
    case 25:
      return view.getUint16(at);
    case 26:
      return view.getUint32(at);
    case 27:
      return view.getUint32(at) * 2 ** 32 + view.getUint32(at + 4);
    default:
      return info;
  }
}

/** false, true, null, undefined, and floats of 16, 32 and 64 bits. */
function isSimple(info: number): boolean {
  return (info >= 20 && info <= 23) || isFloat(info);
}

const isFloat = (info: number): boolean => info >= 25 && info <= 27;
