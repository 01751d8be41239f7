/** Shared by the tests of the codecs: limits as in production, and the reading of RowBinary. */
import { Codec } from './codec.ts';
import type { CodecLimits, Rejected } from './rejected.ts';
import { type ColumnBatch, type Envelope, writeRow } from './row-binary.ts';
import { uuidToRowBinary } from './uuid.ts';
import { noProtocol, protocolOfCode } from '../../schemas/messages/protocols.ts';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';

export const limits: CodecLimits = {
  recordsPerMessageMax: 10_000,
  nestingMax: 32,
  nameCharsMax: 1_024,
  membersPerObjectMax: 1_000,
  containersMax: 100_000,
};

export const publisher = uuidToRowBinary('3f2c9a4e-1b7d-4c58-9e21-5d6f7a8b9c0d');

/** Of a message of `publisher` without a subtopic. */
export const envelope: Envelope = { publisher, protocol: 'http', subtopic: '' };

export type SenmlRecord = {
  name: string;
  unit: string;
  time: bigint;
  kind: number;
  value: number;
  text: string;
  sum: number | null;
  updateTime: number | null;
};

/** Reads a SenML message's row; columns left out come back as their defaults. Others may follow it, if they are expected. */
export function decodeSenmlRow(bytes: Buffer, isFollowed = false) {
  const reader = new RowReader(bytes);
  const head = reader.head();
  const names = reader.array(() => reader.string());
  const units = reader.array(() => reader.string());
  const times = reader.array(() => reader.int64());
  const kinds = reader.array(() => reader.take(1)[0] ?? 0);
  const values = reader.array(() => reader.double());
  const texts = reader.array(() => reader.string());
  const sums = reader.array(() => reader.nullable());
  const updateTimes = reader.array(() => reader.nullable());
  if (!isFollowed) reader.finish();
  const records = times.map(
    (time, i): SenmlRecord => ({
      name: names[i] ?? '',
      unit: units[i] ?? '',
      time,
      kind: kinds[i] ?? 0,
      value: values[i] ?? 0,
      text: texts[i] ?? '',
      sum: sums[i] ?? null,
      updateTime: updateTimes[i] ?? null,
    }),
  );
  return { ...head, records, bytes: reader.at };
}

/** Reads a JSON message's row. */
export function decodeJsonRow(bytes: Buffer) {
  const reader = new RowReader(bytes);
  const head = reader.head();
  const createds = reader.array(() => reader.int64());
  const payloads = reader.array(() => reader.string());
  reader.finish();
  const records = createds.map((created, i) => ({ created, payload: payloads[i] ?? '' }));
  return { ...head, records };
}

const target = Buffer.alloc(16 * 1024 * 1024);

export type Sent = { contentType?: string; profile?: ProfileConfig; nowMs?: number };

/** Sends one body through a codec: why it was refused, or what it became. */
export function send(
  codec: Codec,
  body: string | Uint8Array,
  { contentType = 'application/senml+json', profile = {}, nowMs = 1_700_000_000_000 }: Sent = {},
): { rejected: Rejected } | { rejected: undefined; batch: ColumnBatch; row: Buffer } {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const batch = codec.read(bytes, contentType, profile, nowMs);
  if (batch.kind === 'refused') return { rejected: batch };
  const row = target.subarray(0, writeRow(batch, envelope, target, 0));
  return { rejected: undefined, batch, row };
}

/** The SenML records of a body that must be taken. */
export function senml(body: unknown, sent?: Sent): SenmlRecord[] {
  const bytes = body instanceof Uint8Array ? body : JSON.stringify(body);
  const outcome = send(new Codec(limits), bytes, sent);
  if (outcome.rejected !== undefined) throw new Error(outcome.rejected.detail);
  return decodeSenmlRow(outcome.row).records;
}

/** The JSON records of a body that must be taken, their payloads as text. */
export function json(body: string, profile: ProfileConfig = {}, nowMs?: number) {
  const sent = {
    contentType: 'application/json',
    profile,
    ...(nowMs === undefined ? {} : { nowMs }),
  };
  const outcome = send(new Codec(limits), body, sent);
  if (outcome.rejected !== undefined) throw new Error(outcome.rejected.detail);
  return decodeJsonRow(outcome.row).records;
}

/** Why a body is refused; `''` when it is taken. */
export function refusal(body: string | Uint8Array, sent?: Sent): string {
  return send(new Codec(limits), body, sent).rejected?.detail ?? '';
}

class RowReader {
  readonly #bytes: Buffer;
  at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  take(length: number): Buffer {
    const taken = this.#bytes.subarray(this.at, this.at + length);
    if (taken.length !== length) throw new Error('row is too short');
    this.at += length;
    return Buffer.from(taken);
  }

  head() {
    const publisherBytes = this.take(16);
    const protocol = protocolOfCode(this.take(1)[0] ?? noProtocol);
    return { publisher: publisherBytes, protocol, subtopic: this.string() };
  }

  length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.take(1)[0] ?? 0;
      length += (byte & 127) * 2 ** shift;
      if (byte < 128) return length;
    }
  }

  string(): string {
    return this.take(this.length()).toString();
  }

  int64(): bigint {
    return this.take(8).readBigInt64LE();
  }

  double(): number {
    return this.take(8).readDoubleLE();
  }

  nullable(): number | null {
    return this.take(1)[0] === 1 ? null : this.double();
  }

  array<T>(read: () => T): T[] {
    return Array.from({ length: this.length() }, read);
  }

  finish(): void {
    if (this.at !== this.#bytes.length) throw new Error('row is too long');
  }
}
