/** Which numbers were sent, and what became of each: a byte for a number, since there are many. */
export class Ledger {
  #states = new Uint8Array(1_024 * 1_024);
  #next = 0;
  #acknowledged = 0;

  /** So many numbers that nobody had before. */
  draw(count: number): number[] {
    while (this.#next + count > this.#states.length) {
      const larger = new Uint8Array(2 * this.#states.length);
      larger.set(this.#states);
      this.#states = larger;
    }
    return Array.from({ length: count }, () => this.#next++);
  }

  acknowledge(numbers: number[]): void {
    for (const number of numbers) this.#states[number] = 1;
    this.#acknowledged += numbers.length;
  }

  get sent(): number {
    return this.#next;
  }

  get acknowledged(): number {
    return this.#acknowledged;
  }

  wasSent(number: number): boolean {
    return Number.isInteger(number) && number >= 0 && number < this.#next;
  }

  /** How many acknowledged ones `seen` does not count, and the first of them. */
  missing(seen: Counts): { count: number; first: number[] } {
    const first: number[] = [];
    let count = 0;
    for (let number = 0; number < this.#next; number++) {
      if (this.#states[number] !== 1 || seen.of(number) > 0) continue;
      count += 1;
      if (first.length < 10) first.push(number);
    }
    return { count, first };
  }
}

/** How often each number was seen. */
export class Counts {
  #counts = new Uint16Array(1_024 * 1_024);
  #distinct = 0;
  #repeats = 0;
  /** What was never sent. */
  readonly strangers: number[] = [];

  add(number: number, ledger: Ledger): void {
    if (!ledger.wasSent(number)) {
      this.strangers.push(number);
      return;
    }
    while (number >= this.#counts.length) {
      const larger = new Uint16Array(2 * this.#counts.length);
      larger.set(this.#counts);
      this.#counts = larger;
    }
    const before = this.of(number);
    if (before === 0) this.#distinct += 1;
    else this.#repeats += 1;
    this.#counts[number] = before + 1;
  }

  of(number: number): number {
    return this.#counts[number] ?? 0;
  }

  get distinct(): number {
    return this.#distinct;
  }

  get repeats(): number {
    return this.#repeats;
  }
}
