/** SQL conditions and the values they are bound to. Values never become text of the statement. */
export class Conditions {
  readonly values: unknown[] = [];
  readonly #all: string[] = [];
  #isHeavy = false;

  /** Whether a row may take long to be held against them. */
  get isHeavy(): boolean {
    return this.#isHeavy;
  }

  /** `$n` for a value. */
  bind(value: unknown): string {
    this.values.push(value);
    return `$${this.values.length}`;
  }

  /** Adds a condition that is a part of our own source, its values bound by `bind`. */
  add(condition: string): void {
    this.#all.push(condition);
  }

  /** The column contains the text, in upper or lower case. */
  containsText(column: string, part: string | undefined): void {
    if (part === undefined || part === '') return;
    const pattern = `%${part.replaceAll(/[\\%_]/g, '\\$&')}%`;
    this.add(`${column} ILIKE ${this.bind(pattern)}`);
  }

  equals(column: string, value: string | undefined): void {
    if (value === undefined || value === '') return;
    this.add(`${column} = ${this.bind(value)}`);
  }

  /** The JSON of the column contains the object. Uses the table's GIN index over `metadata`. */
  containsJson(column: string, object: Record<string, unknown> | undefined): void {
    if (object === undefined) return;
    this.#isHeavy = true;
    this.add(`${column} @> ${this.bind(JSON.stringify(object))}::jsonb`);
  }

  /** For WHERE. */
  get text(): string {
    return this.#all.length === 0 ? 'true' : this.#all.map((one) => `(${one})`).join(' AND ');
  }
}
