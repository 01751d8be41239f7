import { isObject, shown } from '../../../schemas/json/shown.ts';

/**
 * Searches a parsed JSON value for what can't be stored: numbers that aren't finite, text with lone surrogates,
 * `__proto__`. Its depth was bounded before.
 */
export class JsonCheck {
  /** Members of all objects in the message, to compare with those in its text. */
  members = 0;
  /** Whether an integer is beyond what a double holds exactly. */
  hasBigInteger = false;

  clear(): void {
    this.members = 0;
    this.hasBigInteger = false;
  }

  /** The fault of `value`: the path to it and `: must …`; undefined: nothing. */
  problem(value: unknown): string | undefined {
    if (typeof value === 'number') {
      if (Number.isSafeInteger(value)) return undefined;
      if (!Number.isFinite(value)) return ': must be a finite number';
      if (Number.isInteger(value)) this.hasBigInteger = true;
      return undefined;
    }
    if (typeof value === 'string') {
      return value.isWellFormed() ? undefined : ': must be well-formed text';
    }
    if (Array.isArray(value)) return this.#arrayProblem(value);
    return isObject(value) ? this.#objectProblem(value) : undefined;
  }

  #arrayProblem(items: readonly unknown[]): string | undefined {
    for (let i = 0; i < items.length; i++) {
      const problem = this.problem(items[i]);
      if (problem !== undefined) return `[${i}]${problem}`;
    }
    return undefined;
  }

  #objectProblem(members: Readonly<Record<string, unknown>>): string | undefined {
    for (const key in members) {
      this.members += 1;
      if (key === '__proto__' || !key.isWellFormed()) return `.${shown(key)}: is not allowed`;
      const problem = this.problem(members[key]);
      if (problem !== undefined)
        return `.${/^[\w-]{1,64}$/.test(key) ? key : shown(key)}${problem}`;
    }
    return undefined;
  }
}
