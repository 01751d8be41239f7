import { BytesDamaged } from '../../../../infra/runtime/network/failure.ts';
import { noProtocol, protocolOfCode } from '../../../../schemas/messages/protocols.ts';
import { lengthBytes, readLength } from '../../../codecs/columns.ts';
import type { Column, Shape } from './columns.ts';
import { roomFor } from './room.ts';

export const publisherBytes = 16;

/** Stands for an array that a message does not have. */
export const none = -1;

/**
 * Where everything is in a batch: its messages are rows, one after the other, as codecs/row-binary.ts writes them. A frame
 * of the log has one or several of them.
 */
export class Rows {
  body: Buffer = Buffer.alloc(0);
  bytes: DataView = new DataView(new ArrayBuffer(0));
  messages = 0;
  records = 0;
  /** Of each message: where its publisher is, the code of its protocol, and where its subtopic is. */
  publishers = new Int32Array(0);
  protocols = new Int32Array(0);
  subtopics = new Int32Array(0);
  hasSubtopics = false;
  /** Whether not all came by the same protocol. */
  hasProtocols = false;
  /** Of each message: its first record. After the last message follows the number of all records. */
  firsts = new Int32Array(0);
  /** Of each message: where its labels begin and end: how many records it has, and their names and other words. */
  labels = new Int32Array(0);
  labelEnds = new Int32Array(0);
  /** For each column: where the entries of each message begin, or `none` where all its records have the default. */
  readonly entries: readonly Entries[];
  /** Of these, the times, and the names if there are any. */
  readonly times: Entries;
  readonly names: Entries | undefined;
  readonly #columns: readonly Column[];
  /** For so many messages the arrays have room. */
  #room = 0;

  constructor(columns: readonly Column[]) {
    this.#columns = columns;
    this.entries = columns.map(() => new Entries());
    const ofShape = (wanted: Shape) =>
      this.entries[columns.findIndex(({ shape }) => shape === wanted)];
    this.times = ofShape('time') ?? new Entries();
    this.names = ofShape('name');
  }

  /** Reads messages with so many records. They are at least as many as there are frames. */
  read(body: Buffer, frames: number, records: number): void {
    this.#clear(body, records);
    this.#reserve(frames);
    let at = 0;
    let record = 0;
    let message = 0;
    for (; at < body.length; message++) {
      if (message === this.#room) this.#reserve(message + 1);
      this.firsts[message] = record;
      this.publishers[message] = at;
      at += publisherBytes;
      const protocol = body[at] ?? noProtocol;
      if (protocolOfCode(protocol) === undefined) throw new BytesDamaged('a row has no protocol');
      if (protocol !== body[publisherBytes]) this.hasProtocols = true;
      this.protocols[message] = protocol;
      at += 1;
      this.subtopics[message] = at;
      if (body[at] !== 0) this.hasSubtopics = true;
      at += textBytes(body, at);
      const count = readLength(body, at);
      record += count;
      this.labels[message] = at;
      this.labelEnds[message] = at + lengthBytes(count);
      for (let column = 0; column < this.#columns.length; column++) {
        const shape = this.#columns[column]?.shape ?? 'byte';
        const filled = readLength(body, at);
        at += lengthBytes(filled);
        this.entries[column]?.note(message, filled === 0 ? none : at);
        at = entriesEnd(body, at, filled, shape);
        if (shape === 'name' || shape === 'word') this.labelEnds[message] = at;
      }
    }
    this.messages = message;
    this.firsts[message] = record;
    if (at !== body.length || record !== records) {
      throw new BytesDamaged('the rows of a batch are not what its frames say');
    }
  }

  #clear(body: Buffer, records: number): void {
    this.body = body;
    this.bytes = new DataView(body.buffer, body.byteOffset, body.byteLength);
    this.records = records;
    this.hasSubtopics = false;
    this.hasProtocols = false;
    for (const entries of this.entries) entries.used = false;
  }

  #reserve(messages: number): void {
    for (const entries of this.entries) entries.starts = roomFor(entries.starts, messages);
    this.publishers = roomFor(this.publishers, messages);
    this.protocols = roomFor(this.protocols, messages);
    this.subtopics = roomFor(this.subtopics, messages);
    this.labels = roomFor(this.labels, messages);
    this.labelEnds = roomFor(this.labelEnds, messages);
    this.#room = this.publishers.length;
    this.firsts = roomFor(this.firsts, this.#room + 1);
  }
}

/** The entries of one column. */
class Entries {
  /** Of each message: where they begin, or `none`. */
  starts = new Int32Array(0);
  /** Whether any message has some. */
  used = false;

  note(message: number, start: number): void {
    this.starts[message] = start;
    if (start !== none) this.used = true;
  }
}

function entriesEnd(body: Buffer, start: number, count: number, shape: Shape): number {
  switch (shape) {
    case 'name':
    case 'word':
    case 'text': {
      let at = start;
      for (let i = 0; i < count; i++) at += textBytes(body, at);
      return at;
    }
    case 'nullable': {
      let at = start;
      for (let i = 0; i < count; i++) at += nullableBytes(body, at);
      return at;
    }
    case 'time':
    case 'double':
      return start + count * 8;
    case 'byte':
      return start + count;
    default:
      throw new Error(`no such shape: ${String(shape satisfies never)}`);
  }
}

/** The bytes of the text at `offset`, with those of its length. */
export function textBytes(body: Buffer, offset: number): number {
  const first = body[offset] ?? 0;
  if (first < 128) return 1 + first;
  const length = readLength(body, offset);
  return lengthBytes(length) + length;
}

/** The bytes of the number or null at `offset`. */
export function nullableBytes(body: Buffer, offset: number): number {
  return body[offset] === 1 ? 1 : 9;
}
