import { createHash } from 'node:crypto';
import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../../schemas/http/errors.ts';
import { type MessageFormat, messageFormats } from '../../../schemas/messages/tables.ts';

/**
 * A backup, byte for byte:
 *
 *     millrace-backup 1\n
 *     the header, JSON on one line\n
 *     pieces:  S or J (SenML, JSON) · rows · bytes decompressed · bytes · the bytes
 *     E · SHA-256 of everything before it, this E included
 *
 * Numbers have 32 bits, the highest byte first. Each piece is a zstd stream of its own: rows in ClickHouse's Native
 * format, with the columns that the header names. Each row has its identity: the log and the batch it was
 * acknowledged in.
 */
export const magic = 'millrace-backup ';
const version = '1';

const headerBytesMax = 64 * 1024;
/** A piece is held in memory whole. */
export const pieceBytesMax = 64 * 1024 * 1024;

const Count = Type.Integer({ minimum: 0 });
/** Names and ClickHouse's types. */
const Columns = Type.Record(Type.String(), Type.String());

export const Header = Type.Object(
  {
    created: Type.String(),
    counts: Type.Object({ senml: Count, json: Count }),
    columns: Type.Object({ senml: Columns, json: Columns }),
  },
  { additionalProperties: false },
);
export type Header = Static<typeof Header>;

/** `data` is compressed. */
export type Piece = { format: MessageFormat; rows: number; rawBytes: number; data: Buffer };

const kindOf: Readonly<Record<MessageFormat, string>> = { senml: 'S', json: 'J' };
const end = 'E';

const hashBytes = 32;
const pieceHeadBytes = 12;

export function writeHead(header: Header): Buffer {
  return Buffer.from(`${magic}${version}\n${JSON.stringify(header)}\n`);
}

export function writePieceHead({ format, rows, rawBytes, data }: Piece): Buffer {
  const head = Buffer.alloc(1 + pieceHeadBytes);
  head.write(kindOf[format], 'latin1');
  head.writeUInt32BE(rows, 1);
  head.writeUInt32BE(rawBytes, 5);
  head.writeUInt32BE(data.length, 9);
  return head;
}

export function writeEnd(): Buffer {
  return Buffer.from(end);
}

/**
 * Reads a backup. Its content is verified only when all pieces have been read: the hash comes after them.
 *
 * @throws DomainError `malformed` for what is no backup; so does reading the pieces.
 */
export async function readBackup(
  source: Source,
): Promise<{ header: Header; pieces: AsyncGenerator<Piece> }> {
  const first = await source.line(magic.length + 16);
  if (!first.startsWith(magic)) throw wrong('it is no backup');
  if (first !== `${magic}${version}`) throw wrong('its version is not known here');
  const header = parseHeader(await source.line(headerBytesMax));
  return { header, pieces: readPieces(source, header) };
}

async function* readPieces(source: Source, header: Header): AsyncGenerator<Piece> {
  const counts = { senml: 0, json: 0 };
  for (;;) {
    const kind = (await source.take(1)).toString('latin1');
    if (kind === end) break;
    const format = kind === kindOf.senml ? 'senml' : 'json';
    if (kind !== kindOf[format]) throw wrong('a piece is of no known kind');
    const head = await source.take(pieceHeadBytes);
    const [rows, rawBytes, bytes] = [0, 4, 8].map((at) => head.readUInt32BE(at));
    if (rows === undefined || rawBytes === undefined || bytes === undefined) throw wrong('cut');
    if (rows === 0 || rawBytes > pieceBytesMax || bytes > pieceBytesMax) {
      throw wrong('a piece is larger than it may be');
    }
    counts[format] += rows;
    if (counts[format] > header.counts[format]) throw wrong(moreThanCounted(format));
    yield { format, rows, rawBytes, data: await source.take(bytes) };
  }
  const hash = source.hash();
  if (!hash.equals(await source.take(hashBytes))) throw wrong('its checksum does not fit');
  if (!(await source.isOver())) throw wrong('it goes on after its end');
  for (const format of messageFormats) {
    if (counts[format] !== header.counts[format]) {
      throw wrong(`it holds ${counts[format]} ${format} messages, not ${header.counts[format]}`);
    }
  }
}

export function moreThanCounted(format: MessageFormat): string {
  return `it holds more ${format} messages than it says`;
}

function parseHeader(line: string): Header {
  try {
    const value: unknown = JSON.parse(line);
    if (Value.Check(Header, value)) return value;
  } catch {
    // The same error as for a header of another shape.
  }
  throw wrong('its header is damaged');
}

/** A file that can't be restored, and why. */
export function wrong(reason: string): DomainError {
  return new DomainError('malformed', `the file: ${reason}`);
}

/** Reads bytes that come in chunks in portions of other sizes, and hashes what was taken. */
export class Source {
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #hash = createHash('sha256');
  #rest: Buffer = Buffer.alloc(0);

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** @throws DomainError if the bytes end before. */
  async take(bytes: number): Promise<Buffer> {
    await this.#fill(bytes);
    if (this.#rest.length < bytes) throw wrong('it is cut off');
    return this.#pass(bytes);
  }

  /** A line, without its end. */
  async line(bytesMax: number): Promise<string> {
    for (let looked = 0; ; ) {
      const at = this.#rest.indexOf('\n', looked);
      if (at !== -1) return this.#pass(at + 1).toString('utf8', 0, at);
      looked = this.#rest.length;
      if (looked > bytesMax) throw wrong('it is no backup');
      if (!(await this.#fill(looked + 1))) throw wrong('it is cut off');
    }
  }

  /** The next bytes, or fewer at the end, without taking them. */
  async peek(bytes: number): Promise<Buffer> {
    await this.#fill(bytes);
    return this.#rest.subarray(0, bytes);
  }

  /** Takes everything up to the end. */
  async drain(): Promise<void> {
    do this.#pass(this.#rest.length);
    while (await this.#fill(1));
  }

  async isOver(): Promise<boolean> {
    return !(await this.#fill(1));
  }

  /** Ends the source, read or not. */
  async close(): Promise<void> {
    await this.#chunks.return?.();
  }

  /** Of everything that was taken until now. */
  hash(): Buffer {
    return this.#hash.copy().digest();
  }

  #pass(bytes: number): Buffer {
    const passed = this.#rest.subarray(0, bytes);
    this.#rest = this.#rest.subarray(bytes);
    this.#hash.update(passed);
    return passed;
  }

  async #fill(bytes: number): Promise<boolean> {
    if (this.#rest.length >= bytes) return true;
    const chunks = [this.#rest];
    let held = this.#rest.length;
    while (held < bytes) {
      const { done, value } = await this.#chunks.next();
      if (done === true) break;
      chunks.push(value);
      held += value.length;
    }
    this.#rest = chunks.length === 1 ? this.#rest : Buffer.concat(chunks);
    return held >= bytes;
  }
}
