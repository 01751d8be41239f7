/** The bytes of an id in RowBinary. */
export const idBytes = 16;

/** The bytes for each thing that was heard: its id in RowBinary, and the time (ms, f64). */
export const heardBytes = idBytes + 8;

/**
 * When things were heard since the last `take`: by their slots in `KnownThings`, whose ids stand in `publishers` one
 * after the other, or by their ids.
 */
export class HeardThings {
  readonly #publishers: Uint8Array;
  /** By slot (ms); 0: not heard. And which slots those are. */
  readonly #atMs: Float64Array;
  #slots: number[] = [];
  /** By the id as text of its bytes. */
  readonly #withoutSlot = new Map<string, number>();

  constructor(slotsMax: number, publishers: Uint8Array) {
    this.#publishers = publishers;
    this.#atMs = new Float64Array(slotsMax);
  }

  note(slot: number, atMs: number): void {
    if (this.#atMs[slot] === 0) this.#slots.push(slot);
    this.#atMs[slot] = atMs;
  }

  /** Of a thing that has no slot. */
  noteId(publisher: Uint8Array, atMs: number): void {
    const id = Buffer.from(publisher).toString('latin1');
    this.#withoutSlot.set(id, Math.max(this.#withoutSlot.get(id) ?? 0, atMs));
  }

  /** Another thing may have this slot soon. */
  leave(slot: number): void {
    const atMs = this.#atMs[slot] ?? 0;
    if (atMs === 0) return;
    this.#atMs[slot] = 0;
    this.noteId(this.#publishers.subarray(slot * idBytes, (slot + 1) * idBytes), atMs);
  }

  leaveAll(): void {
    for (const slot of this.#slots) this.leave(slot);
    this.#slots = [];
  }

  /** Things heard since the last call, `heardBytes` for each; at most `slotsMax` of those in slots. */
  take(slotsMax: number): Uint8Array<ArrayBuffer> {
    const withoutSlot = [...this.#withoutSlot];
    this.#withoutSlot.clear();
    const slots = this.#slots.splice(-slotsMax);
    const taken = Buffer.from(new ArrayBuffer((slots.length + withoutSlot.length) * heardBytes));
    let end = 0;
    for (const [id, atMs] of withoutSlot) {
      taken.write(id, end, 'latin1');
      end = taken.writeDoubleLE(atMs, end + idBytes);
    }
    for (const slot of slots) {
      const atMs = this.#atMs[slot] ?? 0;
      // The slot was given to another thing since.
      if (atMs === 0) continue;
      this.#atMs[slot] = 0;
      const start = slot * idBytes;
      for (let at = 0; at < idBytes; at++) taken[end + at] = this.#publishers[start + at] ?? 0;
      end = taken.writeDoubleLE(atMs, end + idBytes);
    }
    return new Uint8Array(taken.buffer, 0, end);
  }
}
