import { limits } from '../../limits.ts';

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const plus = 0x2b;
const backslash = 0x5c;
const unicodeEscape = 0x75;
const openBracket = 0x5b;
const closeBracket = 0x5d;
const openBrace = 0x7b;
const closeBrace = 0x7d;

/** A number this short and without an exponent is within a double. */
const plainNumberChars = 300;

/**
 * Finds in a JSON text whatever no database of ours keeps as it is, or takes too much to hold: NUL, half a
 * surrogate pair, a number beyond a double, nesting without end, more than `valuesMax` values. One pass over
 * the bytes, which makes nothing: it bounds what a parser is given. What is no JSON, the parser refuses.
 */
export function findProblemInJson(bytes: Buffer, valuesMax: number): string | undefined {
  let depth = 0;
  // Never less than there are: one for each comma and each bracket, and the outermost.
  let values = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at];
    if (byte === quote) {
      at = endOfString(bytes, at + 1);
      if (at === -1) return 'a string holds NUL or half a surrogate pair';
    } else if (byte === comma) {
      values += 1;
    } else if (byte === openBracket || byte === openBrace) {
      values += 1;
      depth += 1;
      if (depth > limits.bodyDepthMax) return `nested deeper than ${limits.bodyDepthMax}`;
    } else if (byte === closeBracket || byte === closeBrace) {
      depth -= 1;
    } else if (isDigit(byte)) {
      const end = endOfNumber(bytes, at);
      if (!isWithinDouble(bytes, at, end)) return 'a number is too large';
      at = end - 1;
    }
    if (values > valuesMax) return `more than ${valuesMax} values`;
  }
  return undefined;
}

/** Where the closing quote is, or the text ends; -1 where the string holds what it must not. */
function endOfString(bytes: Buffer, start: number): number {
  let at = start;
  while (at < bytes.length && bytes[at] !== quote) {
    if (bytes[at] !== backslash) {
      at += 1;
    } else if (bytes[at + 1] !== unicodeEscape) {
      at += 2;
    } else {
      const unit = unitAt(bytes, at);
      if (unit === 0 || isLowHalf(unit)) return -1;
      at += 6;
      if (!isHighHalf(unit)) continue;
      if (!isLowHalf(unitAt(bytes, at))) return -1;
      at += 6;
    }
  }
  return at;
}

/** The code unit that `\uXXXX` at this place stands for; NaN where there is none. */
function unitAt(bytes: Buffer, at: number): number {
  if (bytes[at] !== backslash || bytes[at + 1] !== unicodeEscape) return Number.NaN;
  let unit = 0;
  for (let i = at + 2; i < at + 6; i += 1) unit = unit * 16 + hexDigit(bytes[i]);
  return unit;
}

function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return Number.NaN;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : Number.NaN;
}

const isHighHalf = (unit: number) => unit >= 0xd800 && unit <= 0xdbff;
const isLowHalf = (unit: number) => unit >= 0xdc00 && unit <= 0xdfff;

function isDigit(byte: number | undefined): boolean {
  return byte !== undefined && byte >= 0x30 && byte <= 0x39;
}

const isExponent = (byte: number | undefined) => byte === 0x65 || byte === 0x45;

function endOfNumber(bytes: Buffer, start: number): number {
  let at = start + 1;
  for (let byte = bytes[at]; at < bytes.length; at += 1, byte = bytes[at]) {
    const goesOn =
      isDigit(byte) || byte === point || byte === minus || byte === plus || isExponent(byte);
    if (!goesOn) break;
  }
  return at;
}

function isWithinDouble(bytes: Buffer, start: number, end: number): boolean {
  if (end - start < plainNumberChars) {
    let at = start;
    while (at < end && !isExponent(bytes[at])) at += 1;
    if (at === end) return true;
  }
  // NaN is no number, which the parser says.
  return Math.abs(Number(bytes.toString('latin1', start, end))) !== Number.POSITIVE_INFINITY;
}
