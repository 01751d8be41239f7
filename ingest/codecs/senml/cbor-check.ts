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

/** A map or array that is open. `left` is -1 where its length is not given. */
type Level = { keys: Set<string> | undefined; left: number; item: number; expectsKey: boolean };

/**
 * Walks CBOR (RFC 8949) once, without recursion, and finds what is wrong with it, so that the decoder
 * after it meets nothing that throws, recurses or allocates beyond the body's size: well-formed, ended
 * where the body ends, depth and counts bounded, text valid, no key twice. Tags other than those of
 * numbers, and strings in pieces, are refused (RFC 8428 §6 has neither).
 */
export function checkCbor(bytes: Uint8Array, limits: CodecLimits): Rejected | undefined {
  const levels: Level[] = [];
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const refuse = (problem: string, at: number): Rejected => {
    const outermost = levels[0];
    const place =
      levels.length > 1 && outermost !== undefined ? `record ${outermost.item}` : 'body';
    return malformed(`${place}: ${problem} (byte ${at})`);
  };
  let at = 0;
  let tag = -1;

  for (;;) {
    let level = levels.at(-1);
    while (level !== undefined && level.left === 0) {
      if (levels.length === 1 && level.item > limits.recordsPerMessageMax) {
        return tooLarge(`body: more than ${limits.recordsPerMessageMax} records`);
      }
      levels.pop();
      level = levels.at(-1);
      if (level !== undefined) closeItem(level);
    }
    if (level === undefined && at > 0 && tag === -1) {
      return at === bytes.length ? undefined : refuse('more than one item', at);
    }

    const start = at;
    const first = bytes[at++];
    if (first === undefined) return refuse('ends too early', start);
    if (first === breakByte) {
      const mayEnd =
        level?.left === -1 && tag === -1 && (level.keys === undefined || level.expectsKey);
      if (level === undefined || !mayEnd) return refuse('not well-formed', start);
      level.left = 0;
      continue;
    }
    const major = first >> 5;
    const info = first & 31;
    const argumentBytes = info < 24 || info === indefinite ? 0 : 1 << (info - 24);
    if (info > 27 && info !== indefinite) return refuse('not well-formed', start);
    if (at + argumentBytes > bytes.length) return refuse('ends too early', start);
    const argument = readArgument(view, at, info);
    at += argumentBytes;
    const isKey = level?.keys !== undefined && level.expectsKey;
    if (isKey && major !== majors.text) {
      if (major !== majors.unsigned && major !== majors.negative) {
        return refuse('labels must be integers or text', start);
      }
      // The decoder does not take a longer form for the same label.
      if (info > 26) return refuse('label is out of range', start);
    }
    const inTag = tag;
    tag = -1;

    switch (major) {
      case majors.unsigned:
      case majors.negative: {
        if (info === indefinite) return refuse('not well-formed', start);
        if (inTag !== -1) return refuse('tag is not understood', start);
        if (!isKey || level === undefined) break;
        const label = major === majors.unsigned ? argument : -1 - argument;
        const problem = addKey(level, labelNames.get(label) ?? String(label), limits);
        if (problem !== undefined) return refuse(problem, start);
        break;
      }
      case majors.bytes:
      case majors.text: {
        if (info === indefinite) return refuse('strings in pieces are not taken', start);
        if (argument > bytes.length - at) return refuse('ends too early', start);
        const isNumber = inTag === tags.bignum || inTag === tags.negativeBignum;
        if (inTag !== -1 && !(isNumber && major === majors.bytes)) {
          return refuse('tag is not understood', start);
        }
        if (isNumber && argument > bignumBytesMax) return refuse('number is out of range', start);
        if (major === majors.text) {
          const text = bytes.subarray(at, at + argument);
          if (!isUtf8(text)) return refuse('text is not valid UTF-8', start);
          if (isKey && level !== undefined) {
            const problem = addKey(level, Buffer.from(text).toString(), limits);
            if (problem !== undefined) return refuse(problem, start);
          }
        }
        at += argument;
        break;
      }
      case majors.array:
      case majors.map: {
        const isDecimal =
          inTag === tags.decimal && major === majors.array && argument === decimalItems;
        if (inTag !== -1 && !isDecimal) return refuse('tag is not understood', start);
        if (levels.length >= limits.nestingMax) {
          return refuse(`nested deeper than ${limits.nestingMax}`, start);
        }
        const isMap = major === majors.map;
        const left = info === indefinite ? -1 : argument * (isMap ? 2 : 1);
        // Every item takes a byte at least.
        if (left > bytes.length - at) return refuse('ends too early', start);
        levels.push({ keys: isMap ? new Set() : undefined, left, item: 0, expectsKey: isMap });
        continue;
      }
      case majors.tag:
        if (info === indefinite || inTag !== -1) return refuse('not well-formed', start);
        if (argument < tags.bignum || argument > tags.decimal) {
          return refuse('tag is not understood', start);
        }
        tag = argument;
        continue;
      default:
        if (inTag !== -1) return refuse('tag is not understood', start);
        if (!isSimple(info)) return refuse('value is not understood', start);
    }
    if (level !== undefined) closeItem(level);
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
