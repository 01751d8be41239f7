import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';

/**
 * A piece of a statement. `found` is how a message tells it. `keyword` is written in capitals, a `name` is an identifier in
 * quotes or without; `bad` is a text without its end, or a character that nothing begins with.
 */
export type Token = { at: number; end: number; found: string } & (
  | { kind: 'keyword'; word: string }
  | { kind: 'name'; name: string }
  | { kind: 'parameter'; name: string }
  | { kind: 'string'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'integer'; digits: string }
  | { kind: 'duration'; nanoseconds: bigint }
  | { kind: 'sign'; sign: string }
  | { kind: 'bad' }
  | { kind: 'end' }
);

const keywords = new Set(
  `ALL ALTER ANALYZE ANY AS ASC BEGIN BY CARDINALITY CREATE CONTINUOUS DATABASE DATABASES DEFAULT DELETE DESC
   DESTINATIONS DIAGNOSTICS DISTINCT DROP DURATION END EVERY EXACT EXPLAIN FIELD FOR FROM GRANT GRANTS GROUP GROUPS IN
   INF INSERT INTO KEY KEYS KILL LIMIT MEASUREMENT MEASUREMENTS NAME OFFSET ON ORDER PASSWORD POLICY POLICIES
   PRIVILEGES QUERIES QUERY READ REPLICATION RESAMPLE RETENTION REVOKE SELECT SERIES SET SHARD SHARDS SHOW SLIMIT SOFFSET
   STATS SUBSCRIPTION SUBSCRIPTIONS TAG TO USER USERS VALUES WHERE WITH WRITE AND OR TRUE FALSE`.split(
    /\s+/,
  ),
);

const spaceOrComment = /(?:\s|--[^\n]*(?:\n|$)|\/\*[^]*?(?:\*\/|$))*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /(?:\d+\.?\d*|\.\d+)/y;
const durationRest = /[A-Za-zµ][A-Za-zµ0-9]*/y;
const sign = /::|=~|!=|!~|<>|<=|>=|[-+*/%&|^=<>(),;:.]/y;
const regex = /\/((?:[^/\\\n]|\\[^\n])*)\//y;
const parameter = /\$(?:([A-Za-z0-9_]+)|"([^"\n]*)")/y;

/** Cuts a query into tokens, one at a time: only the parser knows whether a slash divides or begins a regular expression. */
export class Lexer {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  /** The token at a place, or after the space there. */
  tokenAt(place: number): Token {
    const at = place + this.#match(spaceOrComment, place).length;
    const first = this.#text.charAt(at);
    if (first === '') return { kind: 'end', at: at + 1, end: at, found: 'EOF' };
    if (first === '"' || first === "'") return this.#quoted(at, first);
    const letters = this.#match(word, at);
    if (letters !== '') return wordToken(at, letters);
    if (this.#match(number, at) !== '') return this.#number(at);
    if (first === '$') return this.#parameter(at);
    const found = this.#match(sign, at);
    if (found === '') return { kind: 'bad', at, end: at + 1, found: first };
    return { kind: 'sign', at, end: at + found.length, found, sign: found === '<>' ? '!=' : found };
  }

  /**
   * The pattern of the regular expression at a place or after the space there, and where it ends; undefined where none
   * begins.
   *
   * @throws DomainError `malformed` for one without an end, or that is too long.
   */
  regexAt(place: number): { pattern: string; end: number } | undefined {
    const at = place + this.#match(spaceOrComment, place).length;
    if (this.#text.charAt(at) !== '/') return undefined;
    const written = this.#match(regex, at);
    if (written === '') throw this.failure('bad regex: ', at - 1);
    if (written.length > limits.influxRegexCharsMax) {
      throw this.failure(`regex: is longer than ${limits.influxRegexCharsMax} characters`, at);
    }
    return { pattern: written.slice(1, -1).replaceAll('\\/', '/'), end: at + written.length };
  }

  /** A failure in InfluxDB's words, with the place as it counts them. */
  failure(problem: string, place: number): DomainError {
    const before = this.#text.slice(0, place).split('\n');
    const char = place - (before.slice(0, -1).join('\n').length + (before.length > 1 ? 1 : 0)) + 1;
    const where = `at line ${before.length}, char ${char}`;
    return new DomainError('malformed', `error parsing query: ${problem} ${where}`);
  }

  /** A name or a text in quotes. InfluxDB tells its place as that of the character before it. */
  #quoted(at: number, quote: string): Token {
    let value = '';
    for (let place = at + 1; place < this.#text.length; place++) {
      const char = this.#text.charAt(place);
      if (char === quote) {
        const token = { at: at - 1, end: place + 1, found: value };
        return quote === '"'
          ? { kind: 'name', name: value, ...token }
          : { kind: 'string', value, ...token };
      }
      if (char === '\n') break;
      if (char !== '\\') {
        value += char;
        continue;
      }
      place += 1;
      const escaped = escapes[this.#text.charAt(place)];
      if (escaped === undefined) {
        const found = `\\${this.#text.charAt(place)}`;
        return { kind: 'bad', at: place, end: place + 1, found };
      }
      value += escaped;
    }
    return { kind: 'bad', at: at - 1, end: this.#text.length, found: value };
  }

  #number(at: number): Token {
    const digits = this.#match(number, at);
    const end = at + digits.length;
    const unit = this.#match(durationRest, end);
    if (unit !== '') {
      const found = `${digits}${unit}`;
      const nanoseconds = nanosecondsOfDuration(found);
      if (nanoseconds === undefined) {
        throw new DomainError('malformed', 'error parsing query: invalid duration');
      }
      return { kind: 'duration', nanoseconds, at, end: end + unit.length, found };
    }
    const token = { at, end, found: digits };
    return digits.includes('.')
      ? { kind: 'number', value: Number(digits), ...token }
      : { kind: 'integer', digits, ...token };
  }

  #parameter(at: number): Token {
    const found = this.#match(parameter, at);
    if (found === '') return { kind: 'bad', at, end: at + 1, found: '$' };
    const name = found.slice(1).replaceAll('"', '');
    return { kind: 'parameter', name, at, end: at + found.length, found };
  }

  /** The text that a sticky pattern matches at a place, which may be empty. */
  #match(pattern: RegExp, place: number): string {
    pattern.lastIndex = place;
    return pattern.exec(this.#text)?.[0] ?? '';
  }
}

const escapes: Readonly<Record<string, string>> = { n: '\n', '\\': '\\', '"': '"', "'": "'" };

function wordToken(at: number, letters: string): Token {
  const end = at + letters.length;
  const upper = letters.toUpperCase();
  return keywords.has(upper)
    ? { kind: 'keyword', word: upper, at, end, found: upper }
    : { kind: 'name', name: letters, at, end, found: letters };
}

const unitNanoseconds: Readonly<Record<string, bigint>> = {
  ns: 1n,
  u: 1_000n,
  µ: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
  d: 86_400_000_000_000n,
  w: 604_800_000_000_000n,
};

/** The longest that has 64 bits. */
const durationMax = 2n ** 63n - 1n;

/** Of `90m`, `1h30m`; undefined for what is none, or too long. */
function nanosecondsOfDuration(text: string): bigint | undefined {
  if (!/^(?:\d+(?:ns|ms|[uµsmhdw]))+$/.test(text)) return undefined;
  const parts = [...text.matchAll(/(\d+)(ns|ms|[uµsmhdw])/g)];
  const sum = parts.reduce(
    (all, [, digits = '0', unit = '']) => all + BigInt(digits) * (unitNanoseconds[unit] ?? 0n),
    0n,
  );
  return sum > durationMax ? undefined : sum;
}
