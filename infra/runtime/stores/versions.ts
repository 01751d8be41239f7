/** The oldest version of a database that Millrace works with. */
class LeastVersion {
  readonly #parts: readonly number[];

  constructor(...parts: number[]) {
    this.#parts = parts;
  }

  /** Whether a version, as `16.4 (Debian …)` or `26.7.2.1`, is not older. */
  isMetBy(version: string): boolean {
    const given = version.split('.').map((part) => Number.parseInt(part, 10));
    const differs = this.#parts.findIndex((part, index) => (given[index] ?? 0) !== part);
    return differs < 0 || (given[differs] ?? 0) > (this.#parts[differs] ?? 0);
  }

  toString(): string {
    return this.#parts.join('.');
  }
}

/** What the tests run on is no older: Debian 12 has this Redis and this PostgreSQL. */
export const leastRedis = new LeastVersion(7, 0);
