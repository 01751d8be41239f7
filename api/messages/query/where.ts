import type { Bound } from '../../../infra/runtime/stores/clickhouse-ask.ts';

/** The WHERE of a statement: conditions, which are our own text, and the values that ClickHouse binds to them. */
export class Where {
  readonly bound: Record<string, Bound[string]>;
  readonly #conditions: string[];

  readonly #prefix: string;

  /** The names of placeholders begin with `prefix`: those of one statement differ, wherever they were bound. */
  constructor(from?: Where, prefix = 'p') {
    this.bound = from === undefined ? {} : { ...from.bound };
    this.#conditions = from === undefined ? [] : [...from.#conditions];
    this.#prefix = prefix;
  }

  /** A placeholder for a value of a ClickHouse type. */
  bind(type: string, value: Bound[string]): string {
    const name = `${this.#prefix}${Object.keys(this.bound).length}`;
    this.bound[name] = value;
    return `{${name}:${type}}`;
  }

  add(condition: string): void {
    this.#conditions.push(condition);
  }

  /** A copy that can be narrowed without changing this one. */
  copy(): Where {
    return new Where(this);
  }

  get text(): string {
    return this.#conditions.length === 0 ? 'true' : this.#conditions.join(' AND ');
  }
}
