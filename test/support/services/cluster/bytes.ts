import type { Socket } from 'node:net';

/** The bytes that come on a socket, in ClickHouse's native encoding. Each call waits for what it reads. */
export class Bytes {
  readonly #chunks: AsyncIterator<Buffer>;
  /** Larger than what it holds: a block of hundreds of megabytes comes in small chunks. */
  #held = Buffer.alloc(64 * 1024);
  #length = 0;
  #at = 0;
  /** Where the bytes begin that `taken` gives. */
  #mark = 0;

  constructor(socket: Socket) {
    this.#chunks = socket[Symbol.asyncIterator]();
  }

  /** Whether there is nothing more. */
  async isAtEnd(): Promise<boolean> {
    return !(await this.#has(1));
  }

  async take(length: number): Promise<Buffer> {
    if (!(await this.#has(length))) throw new Error('the connection ended within a packet');
    const bytes = this.#held.subarray(this.#at, this.#at + length);
    this.#at += length;
    return bytes;
  }

  async number(): Promise<number> {
    for (let value = 0, factor = 1; ; factor *= 128) {
      const byte = (await this.take(1))[0] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) return value;
    }
  }

  async text(): Promise<string> {
    return (await this.take(await this.number())).toString();
  }

  /** Passes so many texts. It waits only for bytes that are missing: a promise for each takes longer than the text. */
  async passTexts(count: number): Promise<void> {
    for (let left = count; left > 0; left--) {
      if (!this.#passHeldText()) await this.take(await this.number());
    }
  }

  /** False: not all of it is here. */
  #passHeldText(): boolean {
    let at = this.#at;
    let length = 0;
    for (let factor = 1; ; factor *= 128) {
      if (at === this.#length) return false;
      const byte = this.#held[at++] ?? 0;
      length += (byte & 127) * factor;
      if (byte < 128) break;
    }
    if (this.#length - at < length) return false;
    this.#at = at + length;
    return true;
  }

  /** From here on, what is read is kept for `taken`. */
  mark(): void {
    this.#mark = this.#at;
  }

  /** All bytes since the mark. */
  taken(): Buffer {
    return Buffer.from(this.#held.subarray(this.#mark, this.#at));
  }

  /** Forgets what was read. */
  forget(): void {
    this.#held.copyWithin(0, this.#at, this.#length);
    this.#length -= this.#at;
    this.#at = 0;
    this.#mark = 0;
  }

  async #has(length: number): Promise<boolean> {
    while (this.#length - this.#at < length) {
      const next = await this.#chunks.next();
      if (next.done === true) return false;
      this.#add(next.value);
    }
    return true;
  }

  #add(chunk: Buffer): void {
    const length = this.#length + chunk.length;
    if (length > this.#held.length) {
      const larger = Buffer.alloc(2 * length);
      this.#held.copy(larger, 0, 0, this.#length);
      this.#held = larger;
    }
    chunk.copy(this.#held, this.#length);
    this.#length = length;
  }
}

/** A number as a packet has it. */
export function numberBytes(value: number): Buffer {
  const bytes: number[] = [];
  let left = value;
  for (; left > 127; left = Math.floor(left / 128)) bytes.push((left % 128) | 128);
  return Buffer.from([...bytes, left]);
}

export function textBytes(text: string): Buffer {
  const bytes = Buffer.from(text);
  return Buffer.concat([numberBytes(bytes.length), bytes]);
}
