import { isWithinTime } from '../../../schemas/transform/instant.ts';
import type { Precision } from './precision.ts';
import { type LineProblem, parseKey, problemOf, unescapeLabel } from './series.ts';

/** A line that was read the plain way: what begins it, its fields, and its time, if it has one. */
export type PlainLine = {
  kind: 'line';
  key: string;
  measurement: string;
  fields: readonly Field[];
  time: Time | undefined;
};

type Time = { kind: 'time'; seconds: number; nanos: number };

export type Field = { key: string; value: number | boolean | string };

/** Reads any line as InfluxDB does. It finds the words for what is wrong with one. */
export function parseLine(line: string, precision: Precision): PlainLine | LineProblem {
  const key = parseKey(line);
  if (key.kind === 'wrong') return key;
  const fields = new FieldsParser(line, skipBlank(line, key.end));
  const wrong = fields.parse();
  if (wrong !== undefined) return wrong;
  const text = line.slice(fields.at).replace(/^[ \t\0]+/, '');
  const [digits = '', rest = ''] = /^(-?\d*)(.*)$/s.exec(text)?.slice(1) ?? [];
  if (rest !== '' && rest[0] !== ' ') return problemOf('bad timestamp');
  if (/[^ ]/.test(rest)) return problemOf('point is invalid');
  const time = digits === '' ? undefined : timeOf(digits, precision);
  if (time?.kind === 'wrong') return time;
  const { measurement, end } = key;
  return { kind: 'line', key: line.slice(0, end), measurement, fields: fields.all, time };
}

function skipBlank(line: string, from: number): number {
  let at = from;
  while (line[at] === ' ' || line[at] === '\t' || line[at] === '\0') at += 1;
  return at;
}

const outOfTime = problemOf('time outside range -9223372036854775806 - 9223372036854775806');

function timeOf(text: string, { unitSeconds, fractionDigits }: Precision): Time | LineProblem {
  const isNegative = text[0] === '-';
  const digits = isNegative ? text.slice(1) : text;
  if (digits === '') return problemOf(notParsed('-', 'invalid syntax'));
  const count = integerIn(text);
  if (count === undefined || !isInt64(count))
    return problemOf(notParsed(text, 'value out of range'));
  const nanos = (count * BigInt(unitSeconds) * 1_000_000_000n) / 10n ** BigInt(fractionDigits);
  const whole = nanos / 1_000_000_000n;
  const rest = Number(nanos % 1_000_000_000n);
  const seconds = Number(whole) - (rest < 0 ? 1 : 0);
  if (!isWithinTime(seconds)) return outOfTime;
  return { kind: 'time', seconds, nanos: rest < 0 ? rest + 1e9 : rest };
}

/** A larger one is not read: it would take long. */
const integerDigitsMax = 20;

/** Undefined: it is beyond 64 bits. */
function integerIn(text: string): bigint | undefined {
  const digits = text.replace(/^(-?)0+(?=\d)/, '$1');
  return digits.length > integerDigitsMax + 1 ? undefined : BigInt(digits);
}

const isInt64 = (value: bigint): boolean => BigInt.asIntN(64, value) === value;

/** As Go's library says it. */
const notParsed = (text: string, why: string): string =>
  `strconv.ParseInt: parsing "${text}": ${why}`;

/** The fields of a line, from `at` on, which is where they end after `parse`. */
class FieldsParser {
  at: number;
  readonly all: Field[] = [];
  readonly #line: string;

  constructor(line: string, at: number) {
    this.#line = line;
    this.at = at;
  }

  parse(): LineProblem | undefined {
    const line = this.#line;
    for (let begin = this.at; ; begin = this.at + 1) {
      const equals = this.#keyEnd(begin);
      if (equals === undefined) return problemOf('invalid field format');
      if (equals === begin) return problemOf('missing field key');
      const first = line[equals + 1] ?? ' ';
      if (first === ' ' || first === ',') return problemOf('missing field value');
      const value = this.#value(equals + 1, first);
      if (typeof value === 'object') return value;
      this.all.push({ key: unescapeLabel(line.slice(begin, equals)), value });
      if (line[this.at] !== ',') return undefined;
    }
  }

  /** Where the equals sign after a key is. */
  #keyEnd(begin: number): number | undefined {
    const line = this.#line;
    for (let at = begin; at < line.length; at++) {
      const char = line[at];
      if (char === '\\') at += 1;
      else if (char === '=') return at;
      else if (char === ' ' || char === ',') return undefined;
    }
    return undefined;
  }

  #value(start: number, first: string): Field['value'] | LineProblem {
    if (first === '"') return this.#string(start);
    let end = start;
    while (end < this.#line.length && this.#line[end] !== ' ' && this.#line[end] !== ',') end += 1;
    this.at = end;
    const word = this.#line.slice(start, end);
    return /[-0-9.Nn]/.test(first) ? numberOf(word) : booleanOf(word);
  }

  #string(start: number): string | LineProblem {
    const line = this.#line;
    let end = start + 1;
    while (end < line.length && line[end] !== '"') end += line[end] === '\\' ? 2 : 1;
    if (end >= line.length) return problemOf('unbalanced quotes');
    this.at = end + 1;
    const next = line[this.at] ?? ' ';
    if (next !== ' ' && next !== ',') return problemOf('invalid field format');
    return line.slice(start + 1, end).replaceAll(/\\([\\"])/g, '$1');
  }
}

const invalidNumber = problemOf('invalid number');
const decimal = /^-?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?$/;

function numberOf(word: string): number | LineProblem {
  const whole = /^(-?\d+)([iu])$/.exec(word);
  if (whole?.[1] !== undefined) return integerOf(whole[1], whole[2] === 'u');
  const value = decimal.test(word) ? Number(word) : Number.NaN;
  if (Number.isFinite(value)) return value;
  return /^-?[\d.]+[eE][-+\deE.]*$/.test(word) || decimal.test(word)
    ? problemOf('invalid float')
    : invalidNumber;
}

function integerOf(digits: string, isUnsigned: boolean): number | LineProblem {
  const value = integerIn(digits);
  if (isUnsigned) {
    if (digits.startsWith('-')) return invalidNumber;
    if (value !== undefined && BigInt.asUintN(64, value) === value) return Number(value);
    const why = `strconv.ParseUint: parsing "${digits}": value out of range`;
    return problemOf(`unable to parse unsigned ${digits}: ${why}`);
  }
  if (value !== undefined && isInt64(value)) return Number(value);
  return problemOf(`unable to parse integer ${digits}: ${notParsed(digits, 'value out of range')}`);
}

function booleanOf(word: string): boolean | LineProblem {
  if (/^(?:t|T|true|True|TRUE)$/.test(word)) return true;
  if (/^(?:f|F|false|False|FALSE)$/.test(word)) return false;
  return problemOf('invalid boolean');
}

const newline = 0x0a;
const space = 0x20;
const quote = 0x22;
const comma = 0x2c;
const equals = 0x3d;
const backslash = 0x5c;

/**
 * Where the line that begins at `start` ends: at a newline that is in no string, nor after a backslash. At the latest at
 * the end of the body.
 */
export function lineEnd(body: Uint8Array, start: number): number {
  let hasSpace = false;
  let isQuoted = false;
  let fields = 0;
  for (let at = start; at < body.length; at++) {
    const byte = body[at];
    if (byte === backslash) at += 1;
    else if (byte === newline && !isQuoted) return at;
    else if (byte === space) hasSpace = true;
    else if (!hasSpace) continue;
    else if (byte === quote && fields > 0) isQuoted = !isQuoted;
    else if (!isQuoted && byte === equals) fields += 1;
    else if (!isQuoted && byte === comma) fields -= 1;
  }
  return body.length;
}
