import { addExtension, Decoder } from 'cbor-x/decode';
import { kept } from '../../../schemas/transform/exact-numbers.ts';
import { checkCbor, senmlLabels, type Span } from './cbor-check.ts';
import { type CodecLimits, malformed, type Rejected } from '../rejected.ts';
import { isObject } from '../../../schemas/json/shown.ts';

/** Tag 55799, which marks the bytes as CBOR (RFC 8949 §3.4.6). */
const selfDescribed = [0xd9, 0xd9, 0xf7];

/** Tag 4: mantissa × 10^exponent, which a double may not hold. */
class DecimalFraction {
  /** As JSON writes it; `NaN` for what is none. */
  readonly digits: string;

  constructor(items: unknown) {
    const [exponent, mantissa]: unknown[] = Array.isArray(items) ? items : [];
    const isNumber = Number.isSafeInteger(exponent) && isInteger(mantissa);
    this.digits = isNumber ? `${String(mantissa)}e${String(exponent)}` : 'NaN';
  }
}

addExtension({
  Class: DecimalFraction,
  tag: 4,
  encode: () => new Uint8Array(),
  decode: (items: unknown) => new DecimalFraction(items),
});

/**
 * Reads a body as CBOR and gives it the shape of SenML in JSON: labels by name, numbers as numbers, data
 * as base64url text (RFC 8428 §6).
 */
export class SenmlCbor {
  /** The value in JSON's shape, of the last body that was accepted. */
  value: unknown;

  readonly #limits: CodecLimits;
  readonly #decoder = new Decoder({
    keyMap: senmlLabels,
    mapsAsObjects: true,
    useRecords: false,
  });

  constructor(limits: CodecLimits) {
    this.#limits = limits;
  }

  /** Undefined: accepted, `value` holds it. */
  read(body: Uint8Array): Rejected | undefined {
    this.value = undefined;
    if (body.length === 0) return malformed('body: empty');
    const isMarked = selfDescribed.every((byte, i) => body[i] === byte);
    const start = isMarked ? selfDescribed.length : 0;
    // The decoder keeps a view on what it is given: never on the server's own buffer.
    const bytes = Uint8Array.prototype.slice.call(body, start);
    const checked = checkCbor(bytes, this.#limits);
    if (checked.kind === 'refused') return checked;
    let decoded: unknown;
    try {
      decoded = this.#decoder.decode(
        checked.unseen.length === 0 ? bytes : without(bytes, checked.unseen),
      );
    } catch {
      return malformed('body: not valid CBOR');
    }
    if (!Array.isArray(decoded)) return malformed('body: SenML must be an array of records');
    const records: unknown[] = decoded;
    for (let i = 0; i < records.length; i++) {
      const record = records[i];
      if (!isObject(record)) continue;
      if (record['vd'] !== undefined && !(record['vd'] instanceof Uint8Array)) {
        return malformed(`record ${i}: vd: must be a byte string`);
      }
      records[i] = asJson(record);
    }
    this.value = records;
    return undefined;
  }
}

/** The bytes without these, which are in order. */
function without(bytes: Uint8Array, spans: readonly Span[]): Uint8Array {
  const parts: Uint8Array[] = [];
  let at = 0;
  for (const { start, end } of spans) {
    parts.push(bytes.subarray(at, start));
    at = end;
  }
  parts.push(bytes.subarray(at));
  return Buffer.concat(parts);
}

const isInteger = (value: unknown): boolean =>
  typeof value === 'bigint' || Number.isSafeInteger(value);

/** A record as it would be in JSON. Fields that SenML doesn't know stay as they are. */
function asJson(record: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const json: Record<string, unknown> = {};
  for (const label in record) {
    const field = record[label];
    if (typeof field === 'bigint') json[label] = Number(field);
    else if (field instanceof DecimalFraction) {
      const isTime = label === 't' || label === 'bt';
      json[label] = isTime ? kept(field.digits) : Number(field.digits);
    } else if (label === 'vd' && field instanceof Uint8Array) {
      json[label] = Buffer.from(field).toString('base64url');
    } else json[label] = field;
  }
  return json;
}
