import { randomInt } from 'node:crypto';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import { type Rejected, tooLarge } from '../rejected.ts';
import { kinds } from '../senml/column-batch.ts';
import { Instant } from '../../../schemas/transform/instant.ts';
import { LineBatch } from './batch.ts';
import { type Field, lineEnd, parseLine, type PlainLine } from './plain.ts';
import type { Precision } from './precision.ts';
import { gaveUp, LineScanner } from './scanner.ts';
import { hashWith, none } from './series-cache.ts';
import {
  labelProblem,
  type LineProblem,
  parseKey,
  problemOf,
  type SeriesLimits,
  seriesOf,
  type TagRules,
} from './series.ts';

type LineLimits = SeriesLimits & { recordsMax: number };

/** A body that was read: its batch, and what is wrong with the lines that are not in it. */
export type ReadLines = {
  kind: 'lines';
  /** Borrowed until the next body is read. */
  batch: LineBatch;
  /** A sentence for each line, up to a bound; '' if all lines were taken. */
  problems: string;
};

const newline = 0x0a;
const space = 0x20;
const hash = 0x23;

const problemsMax = 20;
const shownCharsMax = 256;
const notUtf8 = problemOf('not UTF-8');

/** How tags are read by one profile; `seed`: where hashes of keys begin with these rules. */
type Prepared = { rules: TagRules; seed: number };

/** Reads bodies of InfluxDB's line protocol, one at a time, into memory that it keeps for the next one. */
export class LineReader {
  readonly #limits: LineLimits;
  readonly #batch: LineBatch;
  readonly #scanner: LineScanner;
  readonly #prepared = new WeakMap<ProfileConfig, Prepared>();
  /** Of gateways with the profile. */
  readonly #preparedOfGateways = new WeakMap<ProfileConfig, Prepared>();
  readonly #now = new Instant();
  readonly #utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  #seed = randomInt(2 ** 31);
  #problems: string[] = [];
  #problemCount = 0;

  constructor(limits: LineLimits) {
    this.#limits = limits;
    this.#batch = new LineBatch(limits.recordsMax);
    this.#scanner = new LineScanner(this.#batch, limits.nameCharsMax);
  }

  /** Takes the lines that can be read. `nowMs` is the time of those without one. Only a gateway's lines name devices. */
  read(
    body: Buffer,
    precision: Precision,
    profile: ProfileConfig,
    nowMs: number,
    isGateway = false,
  ): ReadLines | Rejected {
    const batch = this.#batch;
    const known = isGateway ? this.#preparedOfGateways : this.#prepared;
    const prepared = known.get(profile) ?? this.#prepare(profile, isGateway);
    batch.clear();
    this.#problems = [];
    this.#problemCount = 0;
    this.#now.setMilliseconds(nowMs);
    const { seed, rules } = prepared;
    const learn = (key: Buffer, keyHash: number) => {
      const series = this.#learn(key, keyHash, rules);
      return typeof series === 'number' ? series : none;
    };
    this.#scanner.begin({ body, precision, seed, nowMs, learn });
    for (let at = 0; at < body.length; ) {
      const first = body[at] ?? 0;
      if (first === newline) {
        at += 1;
        continue;
      }
      // Any other byte may begin a measurement.
      const next = first > space && first !== hash ? this.#scanner.scan(at) : gaveUp;
      if (next !== gaveUp) {
        at = next;
        continue;
      }
      const end = lineEnd(body, at);
      if (!this.#takePlain(body.subarray(at, end), precision, prepared)) return this.#tooMuch();
      at = end + 1;
    }
    return { kind: 'lines', batch, problems: this.#allProblems() };
  }

  /** False: the batch has no room for the line. */
  #takePlain(bytes: Buffer, precision: Precision, prepared: Prepared): boolean {
    const line = this.#textOf(bytes);
    if (line === undefined) return this.#wrong(bytes.toString(), notUtf8);
    const text = line.replace(/^[ \t\0]+/, '').replace(/\r$/, '');
    if (text === '' || text.startsWith('#')) return true;
    const parsed = parseLine(text, precision);
    if (parsed.kind === 'wrong') return this.#wrong(text, parsed);
    const series = this.#seriesFor(parsed.key, prepared);
    if (typeof series !== 'number') return this.#wrong(text, series);
    for (const { key } of parsed.fields) {
      const name = `${parsed.measurement}.${key}`;
      const wrong = labelProblem('field', name, this.#limits.nameCharsMax);
      if (wrong !== undefined) return this.#wrong(text, wrong);
    }
    return this.#append(parsed, series);
  }

  /** Undefined: it is not UTF-8. */
  #textOf(bytes: Uint8Array): string | undefined {
    try {
      return this.#utf8.decode(bytes);
    } catch {
      return undefined;
    }
  }

  #append({ fields, time }: PlainLine, series: number): boolean {
    const batch = this.#batch;
    batch.begin();
    if (!fields.every((field) => this.#appendField(field, series))) return false;
    const { seconds, nanos } = time ?? this.#now;
    batch.end(series, seconds, nanos);
    return true;
  }

  #appendField({ key, value }: Field, series: number): boolean {
    const batch = this.#batch;
    if (typeof value === 'string') {
      const text = Buffer.from(value);
      if (!batch.add(kinds.string, 0) || !batch.text(text, 0, text.length)) return false;
    } else if (!batch.add(typeof value === 'number' ? kinds.value : kinds.bool, Number(value))) {
      return false;
    }
    if (key === 'value') return true;
    const name = Buffer.from(key);
    return batch.name(series, name, 0, name.length);
  }

  /** The series of a key, found by its bytes, as the scanner finds it. */
  #seriesFor(key: string, { seed, rules }: Prepared): number | LineProblem {
    const bytes = Buffer.from(key);
    const keyHash = bytes.reduce(hashWith, seed);
    const known = this.#batch.series.find(bytes, 0, bytes.length, keyHash);
    if (known !== none) return known;
    return this.#learn(bytes, keyHash, rules);
  }

  /** Reads a key that was not seen before. */
  #learn(bytes: Buffer, keyHash: number, rules: TagRules): number | LineProblem {
    const text = this.#textOf(bytes);
    // A space ends it, as in the line.
    const key = text === undefined ? notUtf8 : parseKey(`${text} `);
    if (key.kind === 'wrong') return key;
    const series = seriesOf(key, rules, this.#limits);
    return series.kind === 'wrong' ? series : this.#batch.series.add(bytes, keyHash, series);
  }

  #prepare(profile: ProfileConfig, isGateway: boolean): Prepared {
    const { tags } = profile.line ?? {};
    const device = isGateway ? profile.gateway?.device_tag : undefined;
    const rules = { kept: tags === undefined ? undefined : new Set(tags), device };
    this.#seed = (this.#seed + 1) | 0;
    const prepared = { rules, seed: this.#seed };
    (isGateway ? this.#preparedOfGateways : this.#prepared).set(profile, prepared);
    return prepared;
  }

  #tooMuch(): Rejected {
    return tooLarge(`more than ${this.#limits.recordsMax} fields, or too many bytes of names`);
  }

  /** Notes a line that is not taken. */
  #wrong(line: string, { problem }: LineProblem): true {
    this.#problemCount += 1;
    if (this.#problems.length < problemsMax) {
      this.#problems.push(`unable to parse '${shortened(line)}': ${shortened(problem)}`);
    }
    return true;
  }

  #allProblems(): string {
    const more = this.#problemCount - this.#problems.length;
    const all = this.#problems.join('\n');
    return more > 0 ? `${all}\nand ${more} more lines` : all;
  }
}

function shortened(text: string): string {
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax)}…`.toWellFormed() : text;
}
