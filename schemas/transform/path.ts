import { KeptDecimals } from './exact-numbers.ts';
import { isObject } from '../json/shown.ts';

/** The result of a path that leads nowhere. */
export const absent = Symbol('absent');

/** A dotted path into an object. A key that contains the dots itself has precedence. */
export class Path {
  readonly text: string;
  /** The keys, and at each depth what is left of the path. */
  readonly #keys: readonly string[];
  readonly #rests: readonly string[];

  constructor(text: string) {
    this.text = text;
    this.#keys = text.split('.');
    this.#rests = this.#keys.map((_, i) => this.#keys.slice(i).join('.'));
  }

  /** The decimals of the members that it may lead to. */
  get decimals(): KeptDecimals {
    return new KeptDecimals(this.#rests, this.#keys.at(-1) ?? '');
  }

  get depth(): number {
    return this.#keys.length;
  }

  /** The value there; `absent` if there is none. */
  find(record: Readonly<Record<string, unknown>>): unknown {
    let value: unknown = record;
    for (let depth = 0; depth < this.#keys.length; depth++) {
      if (!isObject(value)) return absent;
      const rest = this.#rests[depth] ?? '';
      if (Object.hasOwn(value, rest)) return value[rest];
      const key = this.#keys[depth] ?? '';
      if (!Object.hasOwn(value, key)) return absent;
      value = value[key];
    }
    return value;
  }
}
