import { FileError } from './text.ts';

/** One element of the list, as text of the file, and where it begins there: its line and column, from 1. */
export type Element = { line: number; column: number; text: string };

/** The longest element, which is one thing or profile: far longer than any server accepts. */
const elementCharsMax = 8 * 1024 * 1024;

/**
 * Splits a JSON list into its elements, with one of them in memory at a time. `JSON.parse` decides whether an element
 * is JSON.
 */
export async function* readList(chunks: AsyncIterable<string>): AsyncGenerator<Element> {
  const cutter = new Cutter();
  for await (const chunk of chunks) yield* cutter.push(chunk);
  cutter.end();
}

class Cutter {
  #place: 'before' | 'first' | 'next' | 'element' | 'after' = 'before';
  #line = 1;
  /** The column of the character that is read. */
  #column = 0;
  /** Of the element under way: where it began, what came before this chunk, and what is open in it. */
  #startLine = 1;
  #startColumn = 1;
  #text = '';
  #depth = 0;
  #inString = false;
  #escaped = false;

  *push(chunk: string): Generator<Element> {
    let start = 0;
    for (let at = 0; at < chunk.length; at++) {
      const character = chunk[at] ?? '';
      this.#column += 1;
      if (this.#place !== 'element') {
        if (!this.#begins(character)) continue;
        this.#place = 'element';
        this.#startLine = this.#line;
        this.#startColumn = this.#column;
        start = at;
      }
      if (this.#ends(character)) {
        const text = this.#text + chunk.slice(start, at);
        yield { line: this.#startLine, column: this.#startColumn, text };
        this.#text = '';
        this.#place = character === ',' ? 'next' : 'after';
      }
      if (character === '\n') this.#newLine();
    }
    if (this.#place !== 'element') return;
    this.#text += chunk.slice(start);
    if (this.#text.length > elementCharsMax) {
      throw new FileError(this.#startLine, 'the element is too long');
    }
  }

  end(): void {
    if (this.#place === 'before') throw new FileError(this.#line, 'the file is empty');
    if (this.#place !== 'after') throw new FileError(this.#line, 'the list has no end');
  }

  #newLine(): void {
    this.#line += 1;
    this.#column = 0;
  }

  /** Outside of the elements: whether one begins here. */
  #begins(character: string): boolean {
    if (character === '\n') this.#newLine();
    if (/\s/.test(character)) return false;
    if (this.#place === 'after') throw new FileError(this.#line, 'something follows the list');
    if (this.#place === 'before') {
      if (character !== '[') throw new FileError(this.#line, 'the file is not a JSON list');
      this.#place = 'first';
      return false;
    }
    if (character === ']' && this.#place === 'first') {
      this.#place = 'after';
      return false;
    }
    if (character !== ']' && character !== ',') return true;
    throw new FileError(this.#line, `an element is missing before the ${character}`);
  }

  /** Inside of an element: whether it has ended here. */
  #ends(character: string): boolean {
    if (this.#inString) {
      if (this.#escaped) this.#escaped = false;
      else if (character === '\\') this.#escaped = true;
      else if (character === '"') this.#inString = false;
      return false;
    }
    if (character === '"') this.#inString = true;
    else if (character === '{' || character === '[') this.#depth += 1;
    else if (this.#depth === 0) return character === ',' || character === ']';
    else if (character === '}' || character === ']') this.#depth -= 1;
    return false;
  }
}
