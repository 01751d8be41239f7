import { readFileSync } from 'node:fs';
import { type Bytes, columnBytesMax } from '../columns.ts';
import type { CodecLimits } from '../rejected.ts';
import { Instant, secondsMax, secondsMin } from '../../../schemas/transform/instant.ts';
import type { SenmlColumnBatch } from './column-batch.ts';
import { nameChars } from './names.ts';
import { relativeSecondsMax } from './senml.ts';

const quote = 0x22;
const backslash = 0x5c;

/** A larger body is read the plain way; no setting of the edge lets one come. */
const bodyBytesMax = 4 * 1024 * 1024;
/** The length of a text takes one byte. A longer text is read the plain way. */
const textBytesMax = 127;
/** Texts are copied sixteen bytes at a time. */
const slackBytes = 16;
const pageBytes = 64 * 1024;
const gaveUp = -1;

/** Scans the body in the memory; returns how many records it has. */
type Scan = (bodyBytes: number, nowSeconds: number, nowNanos: number) => number;

/** The exports of assembly/scan.ts. */
type Scanning = {
  readonly memory: { readonly buffer: ArrayBuffer; grow(pages: number): void };
  readonly classes: Constant;
  readonly inName: Constant;
  readonly atNameStart: Constant;
  readonly inText: Constant;
  readonly found: Constant;
  readonly free: Constant;
  setUp(
    names: number,
    units: number,
    texts: number,
    times: number,
    values: number,
    kinds: number,
    body: number,
    recordsMax: number,
    textBytesMax: number,
  ): void;
  setTimes(relativeBelow: number, secondsMin: number, secondsMax: number): void;
  readonly scanJson: Scan;
  readonly scanCbor: Scan;
};
type Constant = { readonly value: number };

// Node has it; its types do not.
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object;
  readonly Instance: new (module: object) => { readonly exports: Scanning };
};

const module = new WebAssembly.Module(
  readFileSync(new URL('./assembly/scan.wasm', import.meta.url)),
);

/**
 * Reads the SenML that devices send most straight from its bytes into the column batch: numbers, strings and booleans
 * with a name, unit and time, and their base fields; in JSON with no white space but spaces where Python writes them,
 * and without escapes in labels; in CBOR with lengths that are given, and the integer labels of RFC 8428 §6. On anything
 * else it gives up, and the whole message is read the plain way (`JsonText` or `SenmlCbor`, `SenmlResolver`), which also
 * finds what is wrong with it. Both ways give the same bytes for the same message; a test compares them.
 */
export class SenmlScanner {
  readonly #batch: SenmlColumnBatch;
  readonly #scanning: Scanning;
  readonly #now = new Instant();

  // All in one memory: the body, the columns that are made of it, and what else was found.
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  readonly #bodyAt: number;
  readonly #names: Bytes;
  readonly #units: Bytes;
  readonly #texts: Bytes;
  readonly #times: Int32Array;
  readonly #values: Float64Array;
  readonly #kinds: Uint8Array;
  readonly #found: Int32Array;

  constructor(batch: SenmlColumnBatch, limits: CodecLimits) {
    const scanning = new WebAssembly.Instance(module).exports;
    const recordsMax = Math.min(
      limits.recordsPerMessageMax,
      // Each record is an object of JSON, in one array.
      limits.containersMax - 1,
      Math.floor((columnBytesMax - slackBytes) / (textBytesMax + 1)),
    );
    const textsBytes = recordsMax * (textBytesMax + 1) + slackBytes;
    const timesAt = Math.ceil(scanning.free.value / 8) * 8;
    const valuesAt = timesAt + recordsMax * 8;
    const namesAt = valuesAt + recordsMax * 8;
    const unitsAt = namesAt + textsBytes;
    const textsAt = unitsAt + textsBytes;
    const kindsAt = textsAt + textsBytes;
    const bodyAt = kindsAt + recordsMax;
    // Memory that is never written to takes no room.
    scanning.memory.grow(Math.ceil((bodyAt + bodyBytesMax + slackBytes) / pageBytes));
    scanning.setUp(
      namesAt,
      unitsAt,
      textsAt,
      timesAt,
      valuesAt,
      kindsAt,
      bodyAt,
      recordsMax,
      Math.min(textBytesMax, limits.nameCharsMax),
    );
    scanning.setTimes(relativeSecondsMax, secondsMin, secondsMax);

    const { buffer } = scanning.memory;
    const texts = (at: number) => ({
      bytes: Buffer.from(buffer, at, textsBytes),
      view: new DataView(buffer, at, textsBytes),
    });
    this.#batch = batch;
    this.#scanning = scanning;
    this.#bytes = new Uint8Array(buffer);
    this.#view = new DataView(buffer);
    this.#bodyAt = bodyAt;
    this.#names = texts(namesAt);
    this.#units = texts(unitsAt);
    this.#texts = texts(textsAt);
    this.#times = new Int32Array(buffer, timesAt, recordsMax * 2);
    this.#values = new Float64Array(buffer, valuesAt, recordsMax);
    this.#kinds = new Uint8Array(buffer, kindsAt, recordsMax);
    this.#found = new Int32Array(buffer, scanning.found.value, 6);
    this.#bytes.set(classesFor(scanning), scanning.classes.value);
  }

  /**
   * True: the batch has the message; its names, units and texts are borrowed until the next scan. False: read it the
   * plain way.
   */
  scanJson(body: Uint8Array, nowMs: number): boolean {
    return this.#scan(this.#scanning.scanJson, body, nowMs);
  }

  /** The same for CBOR. */
  scanCbor(body: Uint8Array, nowMs: number): boolean {
    return this.#scan(this.#scanning.scanCbor, body, nowMs);
  }

  /** Whether each record of the message that was scanned last has a name or a base name of its own. */
  get eachIsNamed(): boolean {
    return this.#found[5] === 0;
  }

  #scan(scan: Scan, body: Uint8Array, nowMs: number): boolean {
    const batch = this.#batch;
    batch.clear();
    if (body.length > bodyBytesMax) return false;
    this.#bytes.set(body, this.#bodyAt);
    // A zero stands nowhere in such a message of JSON: nothing of a longer one before it is read.
    this.#view.setFloat64(this.#bodyAt + body.length, 0);
    const now = this.#now;
    now.setMilliseconds(nowMs);
    const count = scan(body.length, now.seconds, now.nanos);
    if (count === gaveUp) return false;
    const found = this.#found;
    batch.names.column.borrow(this.#names, found[0] ?? 0);
    batch.units.borrow(this.#units, found[1] ?? 0, count);
    batch.times.copy(this.#times, count);
    const { values } = batch;
    for (let at = 0; at < count; at++) values[at] = this.#values[at] ?? 0;
    batch.texts.borrow(this.#texts, found[2] ?? 0, count);
    batch.numbers = found[3] ?? 0;
    batch.otherKinds = found[4] ?? 0;
    if (batch.otherKinds > 0) {
      for (let at = 0; at < count; at++) batch.kinds[at] = this.#kinds[at] ?? 0;
    }
    batch.count = count;
    return true;
  }
}

/** For each byte, where in a message it may stand. */
function classesFor({ inName, atNameStart, inText }: Scanning): Uint8Array {
  return Uint8Array.from({ length: 256 }, (_, char) => {
    const name = nameChars[char] ?? 0;
    // Printable ASCII that stands in a JSON string without an escape.
    const isTextChar = char >= 0x20 && char <= 0x7e && char !== quote && char !== backslash;
    return (
      (name > 0 ? inName.value : 0) |
      (name === 2 ? atNameStart.value : 0) |
      (isTextChar ? inText.value : 0)
    );
  });
}
