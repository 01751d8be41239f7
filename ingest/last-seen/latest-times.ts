import { heardBytes, idBytes } from '../auth/known/heard-things.ts';

/** The latest time (ms) of each thing, by the bytes of its id as text: as UUIDs, a hundred thousand took 40 MiB more. */
export class LatestTimes {
  readonly #times = new Map<string, number>();

  get isEmpty(): boolean {
    return this.#times.size === 0;
  }

  note(id: string, atMs: number): void {
    const known = this.#times.get(id);
    if (known === undefined || known < atMs) this.#times.set(id, atMs);
  }

  /** Notes things that were heard, `heardBytes` for each. */
  noteAll(things: Uint8Array): void {
    const bytes = Buffer.from(things.buffer, things.byteOffset, things.length);
    for (let at = 0; at < bytes.length; at += heardBytes) {
      this.note(bytes.toString('latin1', at, at + idBytes), bytes.readDoubleLE(at + idBytes));
    }
  }

  /** All of them, `heardBytes` for each. */
  all(): Uint8Array {
    const all = Buffer.allocUnsafe(this.#times.size * heardBytes);
    let end = 0;
    for (const [id, atMs] of this.#times) {
      end += all.write(id, end, 'latin1');
      end = all.writeDoubleLE(atMs, end);
    }
    return all;
  }
}
