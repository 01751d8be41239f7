import { randomBytes } from 'node:crypto';

/**
 * Numbers that a double would round, on their way through parsed JSON: integers beyond 2^53, and times in decimals.
 * `JSON.parse` would round them, and its reviver takes a second for a body of them; so they are strings on the way,
 * with a mark that no client can guess.
 */
const secret = randomBytes(12).toString('hex');
const integerMark = `int-${secret}:`;
const decimalMark = `dec-${secret}:`;

/** Digits from which an integer may be beyond 2^53. */
const digitsMin = 16;

/**
 * Knows the members whose decimals are kept, and whether a text may have such a one: with more digits than a double,
 * more than nanoseconds, or an exponent. Looking takes time in proportion to the text, whatever it has.
 */
export class KeptDecimals {
  readonly names: ReadonlySet<string>;
  readonly #afterName: RegExp;
  /** A name may be written with escapes. */
  readonly #anywhere = /\.\d{10}|\d[\d.]{15}|\d[eE]/;

  /** `ending`: of all these names. */
  constructor(names: Iterable<string>, ending: string) {
    this.names = new Set(names);
    const end = ending.replaceAll(/[$()*+./?[\\\]^{|}]/g, String.raw`\$&`);
    this.#afterName = new RegExp(
      String.raw`${end}"\s*:\s*-?(?:\d*\.\d{10}|\d[\d.]{15}|[\d.]+[eE])`,
    );
  }

  mayBeIn(text: string): boolean {
    return (text.includes('\\') ? this.#anywhere : this.#afterName).test(text);
  }
}

/**
 * Parses JSON known to be valid. Decimals of these members, and if so all integers that a double may round, are marked
 * strings.
 */
export function parseKeeping(
  text: string,
  integers: boolean,
  decimals: KeptDecimals | undefined,
): unknown {
  let marked = '';
  let kept = 0;
  /** The string read last, with its quotes, until a value begins. */
  let name = '';
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (char === quote) {
      const start = i;
      for (i += 1; i < text.length && text[i] !== '"'; i++) if (text[i] === '\\') i += 1;
      name = text.slice(start, i + 1);
    } else if (char === minus || isDigit(char)) {
      const start = i;
      while (isNumberPart(text.charCodeAt(i + 1))) i += 1;
      const token = text.slice(start, i + 1);
      const isKept = decimals !== undefined && isNamed(name, decimals.names);
      const mark = markOf(token, integers, isKept);
      if (mark !== undefined) {
        marked += `${text.slice(kept, start)}"${mark}${token}"`;
        kept = i + 1;
      }
    } else if (char === comma || char === openList || char === openObject) name = '';
  }
  return JSON.parse(marked + text.slice(kept));
}

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const openList = 0x5b;
const openObject = 0x7b;

function markOf(token: string, integers: boolean, decimals: boolean): string | undefined {
  const isInteger = /^-?\d+$/.test(token);
  if (isInteger) return integers && token.length >= digitsMin ? integerMark : undefined;
  return decimals ? decimalMark : undefined;
}

function isNamed(name: string, names: ReadonlySet<string>): boolean {
  if (name === '') return false;
  return names.has(name.includes('\\') ? String(JSON.parse(name)) : name.slice(1, -1));
}

/** A number as a string on its way, for what is not parsed from JSON. */
export const kept = (digits: string): string => decimalMark + digits;

/** The digits of a marked number; undefined for anything else. */
export function keptDigits(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const isMarked = value.startsWith(integerMark) || value.startsWith(decimalMark);
  return isMarked ? value.slice(integerMark.length) : undefined;
}

/** Undoes the marks in JSON text: integers keep their digits, decimals are the double they are. */
export function restoreNumbers(text: string): string {
  return text.replaceAll(
    new RegExp(`"(?:${integerMark}(-?\\d+)|${decimalMark}([^"]+))"`, 'g'),
    (_all, integer?: string, decimal?: string) => integer ?? JSON.stringify(Number(decimal)),
  );
}

const isDigit = (char: number): boolean => char >= 0x30 && char <= 0x39;

/** Digits, sign, point and exponent. */
const isNumberPart = (char: number): boolean =>
  isDigit(char) || char === 0x2b || char === minus || char === 0x2e || (char | 0x20) === 0x65;
