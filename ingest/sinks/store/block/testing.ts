/** The tests of blocks share this: the reading of ClickHouse's Native format. */
import assert from 'node:assert/strict';

/** The version of a column with a dictionary, and what kind of dictionary it is. */
const dictionaryHead = '01000000000000000206000000000000';

/** Reads a block back: a list of values for each column. */
export class BlockReader {
  readonly columns = new Map<string, { type: string; values: unknown[] }>();
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
    const columns = this.#length();
    const records = this.#length();
    for (let column = 0; column < columns; column++) {
      const [name, type] = [this.#text(), this.#text()];
      this.columns.set(name, { type, values: this.#values(type, records) });
    }
    assert.equal(this.#at, bytes.length);
  }

  #values(type: string, count: number): unknown[] {
    const many = <T>(read: () => T) => Array.from({ length: count }, read);
    switch (type) {
      case 'LowCardinality(UUID)':
        return this.#byDictionary(count, () => this.#take(16).toString('hex'));
      case 'Int64':
        return many(() => this.#take(8).readBigInt64LE());
      case 'Float64':
        return many(() => this.#take(8).readDoubleLE());
      case 'String':
        return many(() => this.#text());
      case 'Nullable(Float64)': {
        const nulls = many(() => this.#take(1)[0]);
        return nulls.map((isNull) => {
          const value = this.#take(8).readDoubleLE();
          return isNull === 1 ? null : value;
        });
      }
      case 'LowCardinality(String)':
        return this.#byDictionary(count, () => this.#text());
      default:
        assert.match(type, /^Enum8/);
        return many(() => this.#take(1)[0]);
    }
  }

  #byDictionary(count: number, read: () => string): unknown[] {
    assert.equal(this.#take(16).toString('hex'), dictionaryHead);
    const keys = Array.from({ length: this.#count() }, read);
    assert.equal(this.#count(), count);
    return Array.from({ length: count }, () => keys[this.#take(4).readUInt32LE()]);
  }

  #take(length: number): Buffer {
    this.#at += length;
    return this.#bytes.subarray(this.#at - length, this.#at);
  }

  #text(): string {
    return this.#take(this.#length()).toString();
  }

  #length(): number {
    let length = 0;
    for (let shift = 0; ; shift += 7) {
      const byte = this.#take(1)[0] ?? 0;
      length |= (byte & 127) << shift;
      if (byte < 128) return length;
    }
  }

  #count(): number {
    return Number(this.#take(8).readBigUInt64LE());
  }
}
