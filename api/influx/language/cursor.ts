import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import { Lexer, type Token } from './lexer.ts';

/** Values for `$name` in a query, as the client's `params` has them. */
export type Parameters = Readonly<Record<string, unknown>>;

/** Where the parser is in a query, and how deep: it takes one token after the other. */
export class Cursor {
  readonly #lexer: Lexer;
  readonly #parameters: Parameters;
  #place = 0;
  #next: Token | undefined;
  #depth = 0;
  #operators = 0;

  constructor(text: string, parameters: Parameters) {
    this.#lexer = new Lexer(text);
    this.#parameters = parameters;
  }

  /** The next token, which stays the next. */
  get next(): Token {
    this.#next ??= this.#lexer.tokenAt(this.#place);
    return this.#next;
  }

  get isAtEnd(): boolean {
    return this.next.kind === 'end';
  }

  take(): Token {
    const { next } = this;
    this.#place = next.end;
    this.#next = undefined;
    return next;
  }

  isKeyword(word: string): boolean {
    const { next } = this;
    return next.kind === 'keyword' && next.word === word;
  }

  isSign(sign: string): boolean {
    const { next } = this;
    return next.kind === 'sign' && next.sign === sign;
  }

  /** Whether the sign stands right after the last token, without a space. */
  isSignHere(sign: string): boolean {
    return this.isSign(sign) && this.next.at === this.#place;
  }

  /** Whether it was there. */
  takeKeyword(word: string): boolean {
    const isThere = this.isKeyword(word);
    if (isThere) this.take();
    return isThere;
  }

  /** Whether it was there. */
  takeSign(sign: string): boolean {
    const isThere = this.isSign(sign);
    if (isThere) this.take();
    return isThere;
  }

  mustTakeKeyword(word: string): void {
    if (!this.takeKeyword(word)) this.fail(word);
  }

  mustTakeSign(sign: string): void {
    if (!this.takeSign(sign)) this.fail(sign);
  }

  /** A name; of `a.b` only the `a`. */
  mustTakeName(): string {
    const { next } = this;
    if (next.kind !== 'name') this.fail('identifier');
    this.take();
    return next.name;
  }

  mustTakeCount(): number {
    const { next } = this;
    if (next.kind !== 'integer') this.fail('integer');
    const count = Number(next.digits);
    if (!Number.isSafeInteger(count)) {
      throw this.#lexer.failure('unable to parse integer', next.at);
    }
    this.take();
    return count;
  }

  /** The pattern of a regular expression, if one is next. */
  takeRegex(): string | undefined {
    const found = this.#lexer.regexAt(this.#place);
    if (found === undefined) return undefined;
    this.#place = found.end;
    this.#next = undefined;
    return found.pattern;
  }

  /** @throws DomainError `malformed`: something else is next than what is expected. */
  fail(...expected: string[]): never {
    const { next } = this;
    throw this.#lexer.failure(`found ${next.found}, expected ${expected.join(', ')}`, next.at);
  }

  /** @throws DomainError `malformed` with the place of the next token. */
  refuse(problem: string): never {
    throw this.#lexer.failure(problem, this.next.at);
  }

  /** Parses what is within parentheses. @throws DomainError `malformed` for too many within each other. */
  within<T>(parse: () => T): T {
    this.#depth += 1;
    if (this.#depth > limits.influxDepthMax) {
      this.refuse(`more than ${limits.influxDepthMax} parentheses within each other`);
    }
    const parsed = parse();
    this.#depth -= 1;
    return parsed;
  }

  /** @throws DomainError `malformed` for too many operators in all. */
  countOperator(): void {
    this.#operators += 1;
    if (this.#operators > limits.influxOperatorsMax) {
      this.refuse(`more than ${limits.influxOperatorsMax} operators`);
    }
  }

  /** @throws DomainError `malformed` if there is none of this name. */
  valueOf(parameter: string): string | number | boolean {
    const value = Object.hasOwn(this.#parameters, parameter)
      ? this.#parameters[parameter]
      : undefined;
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') {
      return value;
    }
    const problem = value === undefined ? 'missing parameter' : 'is no text, number or boolean';
    throw new DomainError('malformed', `error parsing query: ${problem}: ${parameter}`);
  }
}
