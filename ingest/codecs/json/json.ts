import { parseKeeping, restoreNumbers } from '../../../schemas/transform/exact-numbers.ts';
import { Instant } from '../../../schemas/transform/instant.ts';
import { JsonCheck } from './check.ts';
import { JsonColumnBatch } from './column-batch.ts';
import { type CodecLimits, malformed, type Rejected, tooLarge } from '../rejected.ts';
import { isObject } from '../../../schemas/json/shown.ts';
import type { JsonText } from './text.ts';
import type { Transformer } from '../../../schemas/transform/transformer.ts';

/** Keys that filters may look up in all records of one message: this many take about 50 ms. */
const lookupsMax = 500_000;

/**
 * Reads JSON messages: an object or an array of objects, through the profile's transformer. Integers
 * keep all their digits; decimals are written as the double they are.
 */
export class JsonReader {
  readonly batch: JsonColumnBatch;

  readonly #limits: CodecLimits;
  readonly #check = new JsonCheck();
  readonly #now = new Instant();
  readonly #time = new Instant();

  constructor(limits: CodecLimits) {
    this.#limits = limits;
    this.batch = new JsonColumnBatch(limits.recordsPerMessageMax);
  }

  /** Members of all objects in the message, to compare with those in its text. */
  get members(): number {
    return this.#check.members;
  }

  /** Fills `batch`; `nowMs` is the time of receipt. Undefined: accepted. */
  read(text: JsonText, nowMs: number, transformer: Transformer | undefined): Rejected | undefined {
    this.batch.clear();
    this.#now.setMilliseconds(nowMs);
    const rejected = this.#checkAll(text.value);
    if (rejected !== undefined) return rejected;
    const times = transformer?.times;
    const keepsNumbers = this.#check.hasBigInteger || times?.mayBeIn(text.text) === true;
    const value = keepsNumbers ? parseKeeping(text.text, true, times) : text.value;
    const records: readonly unknown[] = Array.isArray(value) ? value : [value];
    for (let i = 0; i < records.length; i++) {
      const record = records[i];
      if (!isObject(record)) continue;
      const failed = this.#record(record, i, transformer, keepsNumbers);
      if (failed !== undefined) return failed;
    }
    return undefined;
  }

  #checkAll(value: unknown): Rejected | undefined {
    this.#check.clear();
    if (!Array.isArray(value)) {
      if (!isObject(value)) return malformed('body: must be an object or an array of objects');
      return this.#checkRecord(value, 0);
    }
    const records: readonly unknown[] = value;
    if (records.length === 0) return malformed('body: must hold at least one record');
    for (let i = 0; i < records.length; i++) {
      const rejected = this.#checkRecord(records[i], i);
      if (rejected !== undefined) return rejected;
    }
    return undefined;
  }

  #checkRecord(record: unknown, index: number): Rejected | undefined {
    if (!isObject(record)) return malformed(`record ${index}: must be an object`);
    const problem = this.#check.problem(record);
    return problem === undefined ? undefined : malformed(`record ${index}: ${problem.slice(1)}`);
  }

  #record(
    record: Readonly<Record<string, unknown>>,
    index: number,
    transformer: Transformer | undefined,
    keepsNumbers: boolean,
  ): Rejected | undefined {
    if (transformer === undefined) return this.#append(record, index, this.#now, keepsNumbers);
    const parts = transformer.data(record);
    if (typeof parts === 'string') return malformed(`record ${index}: ${parts}`);
    if ((this.batch.count + parts.length) * transformer.filterKeys > lookupsMax) {
      return tooLarge('body: too many records for the data_filters of the profile');
    }
    for (const part of parts) {
      const problem = transformer.readTime(part, record, this.#now, this.#time);
      if (problem !== undefined) return malformed(`record ${index}: ${problem}`);
      const kept = transformer.filter(part);
      const rejected = this.#append(kept, index, this.#time, keepsNumbers);
      if (rejected !== undefined) return rejected;
    }
    return undefined;
  }

  #append(
    payload: Readonly<Record<string, unknown>>,
    index: number,
    time: Instant,
    keepsNumbers: boolean,
  ): Rejected | undefined {
    const { batch } = this;
    if (batch.count === batch.capacity) {
      return tooLarge(`body: more than ${this.#limits.recordsPerMessageMax} records`);
    }
    const json = JSON.stringify(payload);
    if (!batch.payloads.append(keepsNumbers ? restoreNumbers(json) : json)) {
      return tooLarge(`record ${index}: payloads are too long together`);
    }
    batch.times.set(batch.count, time.seconds, time.nanos);
    batch.count += 1;
    return undefined;
  }
}
