import { isUtf8 } from 'node:buffer';
import { type CodecLimits, malformed, type Rejected, shown, tooLarge } from '../rejected.ts';

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

const tags = { bignum: 2, negativeBignum: 3, decimal: 4 } as const;

/** No double is larger than 2^1024. */
const bignumBytesMax = 128;
const decimalItems = 2;
const indefinite = 31;
const breakByte = 0xff;

/** A map or array that is open. `left` is -1 if its length is not given. */
type Level = { keys: Set<string> | undefined; left: number; item: number; expectsKey: boolean };

/**
 * Walks CBOR (RFC 8949) once, without recursion, and finds what is wrong with it, so that the decoder
 * after it meets nothing that throws, recurses or allocates beyond the body's size: well-formed, ended
 * where the body ends, depth and counts bounded, text valid, no key twice. Tags other than those of
 * numbers, and strings in pieces, are refused (RFC 8428 §6 has neither).
 */
export function checkCbor(bytes: Uint8Array, limits: CodecLimits): Rejected | undefined {
  return new CborWalk(bytes, limits).walk();
}

class CborWalk {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #limits: CodecLimits;
  readonly #levels: Level[] = [];
  #at = 0;
  /** Of the next item; -1 without one. */
  #tag = -1;

  // The item that is read now: where it begins, and its head.
  #start = 0;
  #info = 0;
  #argument = 0;
  #inTag = -1;
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
      if (this.#levels.length === 0 && this.#at > 0 && this.#tag === -1) {
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
    this.#tag = -1;
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
        if (this.#inTag !== -1) return this.#refuse('tag is not understood');
        if (!isSimple(this.#info)) return this.#refuse('value is not understood');
        if (level !== undefined) closeItem(level);
        return undefined;
    }
  }

  /** The end of an array or map whose length was not given. */
  #break(level: Level | undefined): Rejected | undefined {
    const mayEnd =
      level?.left === -1 && this.#tag === -1 && (level.keys === undefined || level.expectsKey);
    if (level === undefined || !mayEnd) return this.#refuse('not well-formed');
    level.left = 0;
    return undefined;
  }

  #integer(major: number, level: Level | undefined): Rejected | undefined {
    if (this.#info === indefinite) return this.#refuse('not well-formed');
    if (this.#inTag !== -1) return this.#refuse('tag is not understood');
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
    if (this.#inTag !== -1 && !(isNumber && major === majors.bytes)) {
      return this.#refuse('tag is not understood');
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
    const isDecimal =
      this.#inTag === tags.decimal && major === majors.array && this.#argument === decimalItems;
    if (this.#inTag !== -1 && !isDecimal) return this.#refuse('tag is not understood');
    if (this.#levels.length >= this.#limits.nestingMax) {
      return this.#refuse(`nested deeper than ${this.#limits.nestingMax}`);
    }
    const isMap = major === majors.map;
    const left = this.#info === indefinite ? -1 : this.#argument * (isMap ? 2 : 1);
    // Every item takes a byte at least.
    if (left > this.#bytes.length - this.#at) return this.#refuse('ends too early');
    this.#levels.push({ keys: isMap ? new Set() : undefined, left, item: 0, expectsKey: isMap });
    return undefined;
  }

  #tagged(): Rejected | undefined {
    if (this.#info === indefinite || this.#inTag !== -1) return this.#refuse('not well-formed');
    if (this.#argument < tags.bignum || this.#argument > tags.decimal) {
      return this.#refuse('tag is not understood');
    }
    this.#tag = this.#argument;
    return undefined;
  }

  #refuse(problem: string): Rejected {
    const [outermost] = this.#levels;
    const isInRecord = this.#levels.length > 1 && outermost !== undefined;
    const place = isInRecord ? `record ${outermost.item}` : 'body';
    return malformed(`${place}: ${problem} (byte ${this.#start})`);
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
  return (info >= 20 && info <= 23) || (info >= 25 && info <= 27);
}
