import { wrong } from './format.ts';

/** An object, with its braces. */
const objectBytesMax = 16 * 1024 * 1024;

const quote = 0x22;
const backslash = 0x5c;
const openBrace = 0x7b;
const blanks: ReadonlySet<number | undefined> = new Set([0x20, 0x09, 0x0a, 0x0d]);

/**
 * Reads JSON text that comes in chunks, token by token. For an object, it finds the end and returns the bytes: ClickHouse
 * gets a message as it was sent. `@streamparser/json` (0.0.26, tried) gives values instead, in which numbers beyond 2^53
 * are rounded; it bounds neither an object nor its depth, and read 17 MB/s of messages where this reads 104.
 *
 * @throws DomainError `malformed` for a file that is something else.
 */
export class JsonStreamReader {
  readonly #chunks: AsyncIterator<Buffer>;
  #window: Buffer = Buffer.alloc(0);
  #at = 0;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.#chunks = chunks[Symbol.asyncIterator]();
  }

  /** The next character that is not blank, without taking it; undefined at the end. */
  async next(): Promise<string | undefined> {
    for (;;) {
      const byte = this.#nextByte();
      if (byte !== undefined) return String.fromCharCode(byte);
      if (!(await this.#more())) return undefined;
    }
  }

  /** Takes this character, if it is the next. */
  async skip(character: string): Promise<boolean> {
    if ((await this.next()) !== character) return false;
    this.#at += 1;
    return true;
  }

  /** The same without waiting for a chunk; undefined if one is needed. */
  skipHere(character: string): boolean | undefined {
    const byte = this.#nextByte();
    if (byte === undefined) return undefined;
    if (byte !== character.charCodeAt(0)) return false;
    this.#at += 1;
    return true;
  }

  async expect(character: string): Promise<void> {
    if (!(await this.skip(character))) throw wrong(`where a ${character} is due there is none`);
  }

  /** A member's name. */
  async name(): Promise<string> {
    await this.expect('"');
    const name = [];
    for (;;) {
      const byte = this.#window[this.#at];
      if (byte === undefined && !(await this.#more())) throw wrong('it is cut off');
      if (byte === undefined) continue;
      this.#at += 1;
      if (byte === quote) return String.fromCharCode(...name);
      name.push(byte);
      if (name.length > 64) throw wrong('it is no list of messages');
    }
  }

  /** The bytes of an object, with its braces; undefined for something else, or one that is too long. */
  async object(): Promise<Buffer | undefined> {
    if ((await this.next()) !== '{') return undefined;
    let scan = { at: this.#at, depth: 0, inString: false };
    for (;;) {
      scan = findEnd(this.#window, scan);
      if (scan.depth === 0) return this.#take(scan.at);
      const looked = scan.at - this.#at;
      if (looked > objectBytesMax) return undefined;
      if (!(await this.#more())) throw wrong('it is cut off');
      scan.at = this.#at + looked;
    }
  }

  /** The same without waiting for a chunk, where all of it is here. */
  wholeObject(): Buffer | undefined {
    if (this.#nextByte() !== openBrace) return undefined;
    const { at, depth } = findEnd(this.#window, { at: this.#at, depth: 0, inString: false });
    return depth === 0 ? this.#take(at) : undefined;
  }

  #nextByte(): number | undefined {
    while (blanks.has(this.#window[this.#at])) this.#at += 1;
    return this.#window[this.#at];
  }

  #take(end: number): Buffer {
    const bytes = this.#window.subarray(this.#at, end);
    this.#at = end;
    return bytes;
  }

  async #more(): Promise<boolean> {
    const { done, value } = await this.#chunks.next();
    if (done === true) return false;
    const rest = this.#window.subarray(this.#at);
    this.#window = rest.length === 0 ? value : Buffer.concat([rest, value]);
    this.#at = 0;
    return true;
  }
}

type Scan = { at: number; depth: number; inString: boolean };

/** Goes on until the outermost object closes (`depth` 0, `at` after it) or the window ends. */
function findEnd(window: Buffer, from: Scan): Scan {
  let { at, depth, inString } = from;
  for (; at < window.length; at++) {
    const byte = window[at];
    if (inString) {
      // The escaped character may be in the next chunk: both are read then.
      if (byte === backslash) {
        if (at + 1 === window.length) return { at, depth, inString };
        at += 1;
      } else if (byte === quote) inString = false;
    } else if (byte === quote) inString = true;
    else if (byte === openBrace || byte === 0x5b) depth += 1;
    else if (byte === 0x7d || byte === 0x5d) {
      depth -= 1;
      if (depth === 0) return { at: at + 1, depth, inString };
    }
  }
  return { at, depth, inString };
}
