import {
  noProtocol,
  protocolOfCode,
  protocolType,
} from '../../../../schemas/messages/protocols.ts';
import type { Format } from '../../../log/format.ts';
import type { Batch } from '../../../log/reader.ts';
import { type Column, columns, dictionaryType, publisherType } from './columns.ts';
import { NativeBytes } from './native.ts';
import { Numbers } from './numbers.ts';
import { TableOrder } from './order.ts';
import { roomFor } from './room.ts';
import { none, nullableBytes, publisherBytes, Rows, textBytes } from './rows.ts';

/** A batch as one block of ClickHouse's Native format, sorted as its table is. */
export type Block = {
  /** Borrowed until the next block is made. */
  bytes: Buffer;
  /** The columns in it, with their types. */
  structure: string;
  /** The expression that an insert selects for each column: itself, or the default that all records have. */
  selected: ReadonlyMap<string, string>;
};

/** `absent`: the column is left out, and this stands for it in the insert. */
type Part =
  | { kind: 'written'; name: string; type: string; write: () => void }
  | { kind: 'absent'; name: string; absent: string };

/** Makes blocks of the batches of one format, in memory that it keeps for the next one. */
export class BlockWriter {
  readonly #columns: readonly Column[];
  readonly #rows: Rows;
  readonly #order: TableOrder;
  readonly #target = new NativeBytes();
  readonly #words = new Numbers();
  /** Of each record, or message: its word; of each place: where its text is. */
  #wordOf = new Int32Array(0);
  #textAt = new Int32Array(0);

  constructor(format: Format) {
    this.#columns = columns[format];
    this.#rows = new Rows(this.#columns);
    this.#order = new TableOrder(this.#rows);
  }

  write({ body, frames, records }: Batch): Block {
    this.#rows.read(body, frames, records);
    this.#order.sort();
    const parts = this.#parts();
    const written = parts.filter((part) => part.kind === 'written');
    this.#target.begin(written.length, records);
    for (const { name, type, write } of written) {
      this.#target.column(name, type);
      write();
    }
    return {
      bytes: this.#target.bytes.subarray(0, this.#target.end),
      structure: written.map(({ name, type }) => `${name} ${type}`).join(', '),
      selected: new Map(
        parts.map((part) => [part.name, part.kind === 'absent' ? part.absent : part.name]),
      ),
    };
  }

  #parts(): Part[] {
    const { hasSubtopics, hasProtocols, protocols, entries } = this.#rows;
    return [
      { kind: 'written', name: 'publisher', type: publisherType, write: () => this.#publishers() },
      hasSubtopics
        ? {
            kind: 'written',
            name: 'subtopic',
            type: dictionaryType,
            write: () => this.#subtopics(),
          }
        : { kind: 'absent', name: 'subtopic', absent: "''" },
      hasProtocols
        ? { kind: 'written', name: 'protocol', type: protocolType, write: () => this.#protocols() }
        : {
            kind: 'absent',
            name: 'protocol',
            absent: `'${protocolOfCode(protocols[0] ?? noProtocol) ?? ''}'`,
          },
      ...this.#columns.map(({ name, type, absent, shape }, at): Part => {
        const { used = false, starts = new Int32Array(0) } = entries[at] ?? {};
        return used
          ? { kind: 'written', name, type, write: () => this.#entries(shape, starts) }
          : { kind: 'absent', name, absent };
      }),
    ];
  }

  /** Each group has a key of the dictionary. */
  #publishers(): void {
    const { groups, groupStarts, publishers } = this.#order;
    const { body, records } = this.#rows;
    this.#target.dictionary(groups, groups * publisherBytes, records);
    for (let group = 0; group < groups; group++) {
      const at = publishers[group] ?? 0;
      body.copy(this.#target.bytes, this.#target.end, at, at + publisherBytes);
      this.#target.end += publisherBytes;
    }
    this.#target.positions(groups, groupStarts, 0);
  }

  /** Messages with the same subtopic share a text of the dictionary; it begins with the empty one. */
  #subtopics(): void {
    const { body, bytes, records, messages, firsts, subtopics } = this.#rows;
    const { places } = this.#order;
    this.#words.clear(bytes);
    this.#wordOf = roomFor(this.#wordOf, messages);
    const wordOf = this.#wordOf;
    for (let message = 0; message < messages; message++) {
      const at = subtopics[message] ?? 0;
      wordOf[message] = body[at] === 0 ? 0 : this.#words.of(at, textBytes(body, at), 0) + 1;
    }
    this.#target.texts(body, this.#words.starts, this.#words.count, records);
    const to = this.#target.placePositions(records);
    const { view } = this.#target;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      const word = wordOf[message] ?? 0;
      for (let record = firsts[message] ?? 0; record < end; record++) {
        view.setInt32(to + (places[record] ?? 0) * 4, word, true);
      }
    }
  }

  #protocols(): void {
    const { messages, records, firsts, protocols } = this.#rows;
    const { places } = this.#order;
    this.#target.reserve(records);
    const { bytes, end: to } = this.#target;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      for (let record = firsts[message] ?? 0; record < end; record++) {
        bytes[to + (places[record] ?? 0)] = protocols[message] ?? noProtocol;
      }
    }
    this.#target.end += records;
  }

  #entries(shape: Column['shape'], starts: Int32Array): void {
    switch (shape) {
      case 'name':
        return this.#names();
      case 'word':
        return this.#wordsOf(starts);
      case 'text':
        return this.#texts(starts);
      case 'time':
        return this.#times();
      case 'double':
        return this.#doubles(starts);
      case 'byte':
        return this.#flags(starts);
      case 'nullable':
        return this.#nullables(starts);
    }
  }

  /** Each series has a text of the dictionary. */
  #names(): void {
    const { series, starts, names } = this.#order;
    const { body, records } = this.#rows;
    this.#target.texts(body, names, series, records);
    this.#target.positions(series, starts, 1);
  }

  #wordsOf(starts: Int32Array): void {
    const { body, records } = this.#rows;
    const { places } = this.#order;
    this.#findWords(starts);
    this.#target.texts(body, this.#words.starts, this.#words.count, records);
    const to = this.#target.placePositions(records);
    const { view } = this.#target;
    for (let record = 0; record < records; record++) {
      view.setInt32(to + (places[record] ?? 0) * 4, this.#wordOf[record] ?? 0, true);
    }
  }

  /** The dictionary comes before the positions, and is known when the last word is. */
  #findWords(starts: Int32Array): void {
    const { body, bytes, messages, records, firsts } = this.#rows;
    const { alike } = this.#order;
    this.#words.clear(bytes);
    this.#wordOf = roomFor(this.#wordOf, records);
    const wordOf = this.#wordOf;
    for (let message = 0; message < messages; message++) {
      const first = firsts[message] ?? 0;
      const end = firsts[message + 1] ?? 0;
      const earlier = alike[message] ?? none;
      let at = starts[message] ?? none;
      for (let record = first; record < end; record++) {
        if (at === none) wordOf[record] = 0;
        else if (earlier !== none) wordOf[record] = wordOf[earlier + record - first] ?? 0;
        else {
          const length = textBytes(body, at);
          wordOf[record] = this.#words.of(at, length, 0) + 1;
          at += length;
        }
      }
    }
  }

  #texts(starts: Int32Array): void {
    const { body, messages, records, firsts } = this.#rows;
    const { places } = this.#order;
    this.#textAt = roomFor(this.#textAt, records);
    const textAt = this.#textAt;
    let bytes = 0;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      let at = starts[message] ?? none;
      for (let record = firsts[message] ?? 0; record < end; record++) {
        textAt[places[record] ?? 0] = at;
        const length = at === none ? 0 : textBytes(body, at);
        bytes += Math.max(length, 1);
        at += length;
      }
    }
    this.#target.reserve(bytes);
    for (let place = 0; place < records; place++) {
      const at = textAt[place] ?? none;
      if (at === none) this.#target.emptyText();
      else this.#target.copyText(body, at);
    }
  }

  #times(): void {
    const { times } = this.#order;
    const bytes = this.#rows.records * 8;
    this.#target.reserve(bytes);
    Buffer.from(times.buffer).copy(this.#target.bytes, this.#target.end, 0, bytes);
    this.#target.end += bytes;
  }

  /** None is NaN, so each keeps its bits. */
  #doubles(starts: Int32Array): void {
    const { bytes, messages, records, firsts } = this.#rows;
    const { places } = this.#order;
    this.#target.reserve(records * 8);
    const { view, end: to } = this.#target;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      let at = starts[message] ?? none;
      const step = at === none ? 0 : 8;
      for (let record = firsts[message] ?? 0; record < end; record++, at += step) {
        const value = at === none ? 0 : bytes.getFloat64(at, true);
        view.setFloat64(to + (places[record] ?? 0) * 8, value, true);
      }
    }
    this.#target.end += records * 8;
  }

  #flags(starts: Int32Array): void {
    const { body, messages, records, firsts } = this.#rows;
    const { places } = this.#order;
    this.#target.reserve(records);
    const { bytes, end: to } = this.#target;
    for (let message = 0; message < messages; message++) {
      const first = firsts[message] ?? 0;
      const end = firsts[message + 1] ?? 0;
      const start = starts[message] ?? none;
      for (let record = first; record < end; record++) {
        const flag = start === none ? 0 : (body[start + record - first] ?? 0);
        bytes[to + (places[record] ?? 0)] = flag;
      }
    }
    this.#target.end += records;
  }

  /** Whether each is null; then all of them. */
  #nullables(starts: Int32Array): void {
    const { body, bytes, messages, records, firsts } = this.#rows;
    const { places } = this.#order;
    this.#target.reserve(records * 9);
    const { bytes: target, view, end: nulls } = this.#target;
    const values = nulls + records;
    for (let message = 0; message < messages; message++) {
      const end = firsts[message + 1] ?? 0;
      let at = starts[message] ?? none;
      for (let record = firsts[message] ?? 0; record < end; record++) {
        const place = places[record] ?? 0;
        const isNull = at === none || body[at] === 1;
        target[nulls + place] = isNull ? 1 : 0;
        view.setFloat64(values + place * 8, isNull ? 0 : bytes.getFloat64(at + 1, true), true);
        if (at !== none) at += nullableBytes(body, at);
      }
    }
    this.#target.end += records * 9;
  }
}
