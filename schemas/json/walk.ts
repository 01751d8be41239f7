import {
  quote,
  comma,
  minus,
  plus,
  point,
  slash,
  zero,
  colon,
  openList,
  backslash,
  closeList,
  letterU,
  openObject,
  closeObject,
  apostrophe,
  hash,
  escaped,
  typographic,
  isDigit,
  isLetter,
  isHexDigit,
  isExponent,
  isWordPart,
  hex,
  secondBytes,
} from './bytes.ts';

export type JsonFault = {
  /** From 0. Where the text ends too early: its length. All bytes before it are the beginning of some JSON text. */
  byte: number;
  /** From 1. */
  line: number;
  /** In characters, from 1. */
  column: number;
  /** The element of the outermost list that it is in, from 0. */
  record: number | undefined;
  /** The member that it is in, such as `a.b[2]`; empty where it is in none. */
  member: string;
  /** For a hint that depends on where the text comes from. */
  kind: FaultKind;
  /** Says what stands there, and the cause if one is likely. */
  problem: string;
};

/** `end`: the text ends too early. `notFinite`: NaN and its kind. `second`: another value after the first. */
export type FaultKind = 'end' | 'notFinite' | 'second' | 'other';

const shownCharsMax = 32;
const memberCharsMax = 64;
const utf8BytesMax = 4;

/** A list or an object that is open. */
type Level = {
  isList: boolean;
  /** In a list: the index of the element that comes, or is read. */
  index: number;
  /** In an object: the bounds of the name of the member that is read, without its quotes; 0 before it has one. */
  nameStart: number;
  nameEnd: number;
};

/** The tokens that may come. `first…` may be the end of its list or object as well. */
type Expected = 'value' | 'firstItem' | 'firstName' | 'name' | 'colon' | 'next' | 'end';

type Problem = { at: number; kind: FaultKind; problem: string };

/** One pass without recursion, so that no depth stops it. */
export class Walk {
  readonly #bytes: Uint8Array;
  readonly #start: number;
  readonly #levels: Level[] = [];
  #at: number;
  #expected: Expected = 'value';

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#start = bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf ? 3 : 0;
    this.#at = this.#start;
  }

  find(): JsonFault | undefined {
    for (;;) {
      const byte = this.#skipSpace();
      if (byte === undefined)
        return this.#expected === 'end' ? undefined : this.#placed(this.#atEnd());
      const problem = this.#step(byte);
      if (problem !== undefined) return this.#placed(problem);
    }
  }

  /** The next byte that is no white space. */
  #skipSpace(): number | undefined {
    let byte = this.#bytes[this.#at];
    while (byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09) {
      this.#at += 1;
      byte = this.#bytes[this.#at];
    }
    return byte;
  }

  #atEnd(): Problem {
    const isEmpty = this.#levels.length === 0;
    if (isEmpty) return other(this.#at, 'there is no value, only white space');
    const where = this.#levels.at(-1)?.isList === true ? 'a list' : 'an object';
    return cut(this.#bytes.length, where);
  }

  #step(byte: number): Problem | undefined {
    switch (this.#expected) {
      case 'firstItem':
        return byte === closeList ? this.#close() : this.#value(byte);
      case 'value':
        return this.#value(byte);
      case 'firstName':
        return byte === closeObject ? this.#close() : this.#name(byte);
      case 'name':
        return this.#name(byte);
      case 'colon':
        if (byte !== colon) return this.#unexpected('a colon');
        this.#at += 1;
        this.#expected = 'value';
        return undefined;
      case 'next':
        return this.#next(byte);
      case 'end':
        break;
    }
    return this.#afterEnd(byte);
  }

  #value(byte: number): Problem | undefined {
    if (byte === quote) return this.#text() ?? this.#valueEnds();
    if (byte === openObject || byte === openList) {
      const isList = byte === openList;
      this.#levels.push({ isList, index: 0, nameStart: 0, nameEnd: 0 });
      this.#expected = isList ? 'firstItem' : 'firstName';
      this.#at += 1;
      return undefined;
    }
    if (isDigit(byte) || (byte === minus && !isLetter(this.#bytes[this.#at + 1]))) {
      return this.#number() ?? this.#valueEnds();
    }
    if (isLetter(byte) || byte === minus) return this.#word() ?? this.#valueEnds();
    return this.#noValue(byte);
  }

  /** Says what stands where a value should. */
  #noValue(byte: number): Problem {
    const at = this.#at;
    switch (byte) {
      case plus:
        return other(at, 'a number begins with +: leave the sign out');
      case point:
        return other(at, 'a number begins with its point: write a 0 before it');
      case comma:
        return other(at, 'a value is missing before the comma');
      case closeList:
      case closeObject:
        return this.#noValueBeforeEnd(byte);
      default:
        return this.#unexpected('a value');
    }
  }

  #noValueBeforeEnd(byte: number): Problem {
    const level = this.#levels.at(-1);
    const closes = String.fromCharCode(byte);
    if (level?.isList !== true) return other(this.#at, `a value is missing before ${closes}`);
    if (byte === closeObject) return other(this.#at, '} stands in a list, which ] ends');
    return other(this.#at, 'the comma before ] is one too many');
  }

  #name(byte: number): Problem | undefined {
    const level = this.#levels.at(-1);
    if (byte !== quote || level === undefined) return this.#noName(byte);
    level.nameStart = this.#at + 1;
    level.nameEnd = level.nameStart;
    const problem = this.#text();
    level.nameEnd = this.#at - 1;
    if (problem !== undefined) level.nameStart = 0;
    this.#expected = 'colon';
    return problem;
  }

  /** Says what stands where the name of a member should. */
  #noName(byte: number): Problem {
    const at = this.#at;
    const isAfterComma = this.#expected === 'name';
    if (byte === closeObject) return other(at, 'the comma before } is one too many');
    if (byte === comma) return other(at, 'a member is missing before the comma');
    if (isDigit(byte) && isAfterComma) {
      return other(
        at,
        'a number stands where a name in double quotes is expected: decimals take a point, not a comma',
      );
    }
    if (isLetter(byte) || isDigit(byte)) {
      const word = this.#wordAt(at);
      return other(at, `the name ${word} has no double quotes: write "${word}"`);
    }
    return this.#unexpected('a name in double quotes');
  }

  #next(byte: number): Problem | undefined {
    const level = this.#levels.at(-1);
    const isList = level?.isList === true;
    if (byte === comma && level !== undefined) {
      level.index += 1;
      level.nameStart = 0;
      this.#at += 1;
      this.#expected = isList ? 'value' : 'name';
      return undefined;
    }
    if (byte === (isList ? closeList : closeObject)) return this.#close();
    if (byte === quote || byte === openList || byte === openObject) {
      return other(this.#at, `a comma is missing before ${nameOfValue(byte)}`);
    }
    return this.#unexpected(isList ? 'a comma or ]' : 'a comma or }');
  }

  #close(): undefined {
    this.#levels.pop();
    this.#at += 1;
    this.#valueEnds();
  }

  #valueEnds(): undefined {
    this.#expected = this.#levels.length === 0 ? 'end' : 'next';
  }

  #afterEnd(byte: number): Problem {
    const at = this.#at;
    if (byte === 0) {
      return other(at, 'byte 0x00 follows the value: is the end of a C string sent with it?');
    }
    if (byte === closeList || byte === closeObject) {
      return other(at, `${String.fromCharCode(byte)} closes nothing`);
    }
    const begins = isDigit(byte) || [quote, openList, openObject, minus].includes(byte);
    if (begins || /^(?:true|false|null)$/.test(this.#wordAt(at))) {
      return { at, kind: 'second', problem: 'a second value begins' };
    }
    return this.#unexpected('the end');
  }

  #number(): Problem | undefined {
    const bytes = this.#bytes;
    let at = this.#at;
    if (bytes[at] === minus) at += 1;
    if (bytes[at] === zero) {
      at += 1;
      if (isDigit(bytes[at])) {
        return other(at, 'a number begins with 0: leave out the zeros before it');
      }
    } else {
      const after = this.#digits(at);
      if (after === at) return this.#noDigit(at, 'a digit is missing after the minus');
      at = after;
    }
    if (bytes[at] === point) {
      const after = this.#digits(at + 1);
      if (after === at + 1) return this.#noDigit(after, 'a digit is missing after the point');
      at = after;
    }
    if (isExponent(bytes[at])) {
      at += 1;
      if (bytes[at] === plus || bytes[at] === minus) at += 1;
      const after = this.#digits(at);
      if (after === at) return this.#noDigit(at, 'a digit is missing in the exponent');
      at = after;
    }
    this.#at = at;
    return undefined;
  }

  #digits(from: number): number {
    let at = from;
    while (isDigit(this.#bytes[at])) at += 1;
    return at;
  }

  #noDigit(at: number, problem: string): Problem {
    return at === this.#bytes.length ? cut(at, 'a number') : other(at, problem);
  }

  /** true, false or null; or what else is written without quotes. */
  #word(): Problem | undefined {
    const at = this.#at;
    const end = this.#wordEnd(at);
    const word = this.#wordAt(at);
    const isWhole = word === 'true' || word === 'false' || word === 'null';
    if (isWhole) {
      this.#at = end;
      return undefined;
    }
    const isCut =
      end === this.#bytes.length && ['true', 'false', 'null'].some((one) => one.startsWith(word));
    if (isCut) return cut(end, `the word ${word}`);
    if (/^-?(?:nan|inf|infinity)$/i.test(word)) {
      return { at, kind: 'notFinite', problem: `${word} is not a JSON number` };
    }
    const lower = word.toLowerCase();
    if (['true', 'false', 'null'].includes(lower))
      return other(at, `${word} is not JSON: write ${lower}`);
    if (lower === 'none') return other(at, `${word} is not JSON: write null`);
    if (lower === 'undefined') return other(at, `${word} is not JSON: leave the member out`);
    return other(at, `${word} has no double quotes`);
  }

  #wordEnd(from: number): number {
    let at = from;
    while (isWordPart(this.#bytes[at])) at += 1;
    return at;
  }

  #wordAt(from: number): string {
    const end = this.#wordEnd(from);
    const isLong = end - from > shownCharsMax;
    return `${this.#decoded(from, isLong ? from + shownCharsMax : end)}${isLong ? '…' : ''}`;
  }

  /** From its quote to after the quote that ends it. */
  #text(): Problem | undefined {
    const bytes = this.#bytes;
    const end = bytes.length;
    let at = this.#at + 1;
    while (at < end) {
      const byte = bytes[at] ?? 0;
      if (byte === quote) {
        this.#at = at + 1;
        return undefined;
      }
      if (byte < 0x20) return controlInText(at, byte);
      if (byte < 0x80 && byte !== backslash) {
        at += 1;
        continue;
      }
      const length = byte === backslash ? this.#escapeBytes(at) : this.#characterBytes(at);
      if (length <= 0) return this.#badCharacter(at, length);
      at += length;
    }
    return cut(end, 'a text');
  }

  /** The length of an escape; 0 if the text ends in it, -1 if it is none. */
  #escapeBytes(at: number): number {
    const kind = this.#bytes[at + 1];
    if (kind === undefined) return 0;
    if (kind !== letterU) return escaped.has(kind) ? 2 : -1;
    for (let digit = at + 2; digit < at + 6; digit++) {
      const byte = this.#bytes[digit];
      if (byte === undefined) return 0;
      if (!isHexDigit(byte)) return -1;
    }
    return 6;
  }

  /** The length of a character after ASCII (RFC 3629 §4); 0 if the text ends in it, -1 if it is none. */
  #characterBytes(at: number): number {
    const first = this.#bytes[at] ?? 0;
    if (first < 0xc2 || first > 0xf4) return -1;
    const length = first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    for (let i = 1; i < length; i++) {
      const byte = this.#bytes[at + i];
      if (byte === undefined) return 0;
      const [least, most] = i === 1 ? secondBytes(first) : [0x80, 0xbf];
      if (byte < least || byte > most) return -1;
    }
    return length;
  }

  #badCharacter(at: number, length: number): Problem {
    const isEscape = this.#bytes[at] === backslash;
    if (length === 0) return cut(this.#bytes.length, isEscape ? 'an escape' : 'a character');
    if (!isEscape) return other(at, notUtf8(this.#bytes[at]));
    if (this.#bytes[at + 1] === letterU)
      return other(at, String.raw`\u is without its four hexadecimal digits`);
    return other(
      at,
      String.raw`${'\\'}${this.#characterAt(at + 1)} is no escape: a backslash itself is written \\`,
    );
  }

  /** Says what stands there instead of what is expected. */
  #unexpected(expected: string): Problem {
    const at = this.#at;
    const byte = this.#bytes[at] ?? 0;
    const next = this.#bytes[at + 1];
    if (byte === apostrophe)
      return other(at, 'a single quote: texts and names stand in double quotes');
    if (byte === hash || (byte === slash && (next === slash || next === 0x2a))) {
      return other(at, 'a comment: JSON has none');
    }
    if (byte >= 0x80) {
      if (this.#isUtf16()) return other(at, 'the text is in UTF-16: send UTF-8');
      const length = this.#characterBytes(at);
      if (length === 0) return cut(this.#bytes.length, 'a character');
      if (length < 0) return other(at, notUtf8(byte));
      const character = this.#characterAt(at);
      if (typographic.has(character))
        return other(at, `${character} is a typographic quote: write "`);
    }
    return other(at, `${this.#shownAt(at)} stands where ${expected} is expected`);
  }

  #isUtf16(): boolean {
    const [first, second] = this.#bytes;
    return (first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff);
  }

  #shownAt(at: number): string {
    const byte = this.#bytes[at] ?? 0;
    if (isLetter(byte) || isDigit(byte)) return this.#wordAt(at);
    if (byte === quote || byte === openList || byte === openObject) return nameOfValue(byte);
    if (byte < 0x20 || byte === 0x7f) return `byte 0x${hex(byte)}`;
    if (byte < 0x80) return String.fromCharCode(byte);
    const character = this.#characterAt(at);
    const code = `U+${(character.codePointAt(0) ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
    return /[\p{L}\p{N}\p{P}\p{S}]/u.test(character) ? `${character} (${code})` : code;
  }

  #characterAt(at: number): string {
    const [character = ''] = this.#decoded(at, at + utf8BytesMax);
    return character < ' ' || character === '\x7f'
      ? `0x${hex(character.charCodeAt(0))}`
      : character;
  }

  #decoded(from: number, to: number): string {
    return new TextDecoder().decode(this.#bytes.subarray(from, to));
  }

  #placed({ at, kind, problem }: Problem): JsonFault {
    const [outermost] = this.#levels;
    let line = 1;
    let column = 1;
    for (let i = this.#start; i < at; i++) {
      const byte = this.#bytes[i] ?? 0;
      if (byte === 0x0a) {
        line += 1;
        column = 1;
      } else if ((byte & 0xc0) !== 0x80) column += 1;
    }
    const record = outermost?.isList === true ? outermost.index : undefined;
    return { byte: at, line, column, record, member: this.#member(), kind, problem };
  }

  #member(): string {
    let member = '';
    for (const [depth, level] of this.#levels.entries()) {
      if (level.isList) member += depth === 0 ? '' : `[${level.index}]`;
      else if (level.nameStart > 0) {
        const name = this.#decoded(
          level.nameStart,
          Math.min(level.nameEnd, level.nameStart + memberCharsMax),
        );
        member += `${member === '' ? '' : '.'}${/^[\w-]+$/.test(name) ? name : JSON.stringify(name)}`;
      }
      if (member.length > memberCharsMax) return `${member.slice(0, memberCharsMax)}…`;
    }
    return member;
  }
}

const other = (at: number, problem: string): Problem => ({ at, kind: 'other', problem });

function cut(at: number, where: string): Problem {
  return { at, kind: 'end', problem: `it ends inside ${where}, after ${at} bytes` };
}

function controlInText(at: number, byte: number): Problem {
  if (byte === 0x09) return other(at, String.raw`a raw tab in a text: write \t`);
  if (byte === 0x0a || byte === 0x0d) {
    return other(
      at,
      String.raw`a raw line break in a text: write \n, or end the text with its quote`,
    );
  }
  return other(at, String.raw`byte 0x${hex(byte)} in a text: write \u00${hex(byte)}`);
}

const notUtf8 = (byte = 0): string => `byte 0x${hex(byte)} is not UTF-8: is the text in Latin-1?`;

function nameOfValue(byte: number): string {
  return byte === quote ? 'a text' : byte === openList ? 'a list' : 'an object';
}
