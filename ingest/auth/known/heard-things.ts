/** The bytes of an id in RowBinary. */
export const idBytes = 16;

/**
 * The bytes for each thing that was heard: its id in RowBinary, the time (ms, f64), and the id of the gateway that sent for it;
 * zeros: it was heard by itself.
 */
export const heardBytes = idBytes + 8 + idBytes;

/** Where the gateway is in these. */
export const gatewayAt = idBytes + 8;

const itself = 0;
const noGateway = '\0'.repeat(idBytes);

/**
 * When things were heard since the last `take`, and by which gateway: by their slots in `KnownThings`, whose ids stand in
 * `publishers` one after the other, or by their ids.
 */
export class HeardThings {
  readonly #publishers: Uint8Array;
  /** By slot (ms); 0: not heard. And which slots those are. */
  readonly #atMs: Float64Array;
  #slots: number[] = [];
  /** By slot, the number of the gateway that sent for it last. */
  readonly #gateways: Int32Array;
  /** By the id as text of its bytes. */
  readonly #withoutSlot = new Map<string, { atMs: number; gateway: number }>();
  /** Ids of gateways as text of their bytes, from number 1 on, since all was taken. */
  #ids = [noGateway];
  readonly #numbers = new Map<string, number>();

  constructor(slotsMax: number, publishers: Uint8Array) {
    this.#publishers = publishers;
    this.#atMs = new Float64Array(slotsMax);
    this.#gateways = new Int32Array(slotsMax);
  }

  note(slot: number, atMs: number, gateway?: Uint8Array): void {
    if (this.#atMs[slot] === 0) this.#slots.push(slot);
    this.#atMs[slot] = atMs;
    // An edge without gateways does not pay for them.
    if (gateway !== undefined) this.#gateways[slot] = this.#numberOf(gateway);
    else if (this.#numbers.size > 0) this.#gateways[slot] = itself;
  }

  /** Of a thing that has no slot. */
  noteId(publisher: Uint8Array, atMs: number, gateway?: Uint8Array): void {
    this.#noteId(publisher, atMs, gateway === undefined ? itself : this.#numberOf(gateway));
  }

  #noteId(publisher: Uint8Array, atMs: number, gateway: number): void {
    const id = textOf(publisher);
    if ((this.#withoutSlot.get(id)?.atMs ?? 0) <= atMs)
      this.#withoutSlot.set(id, { atMs, gateway });
  }

  #numberOf(gateway: Uint8Array): number {
    const id = textOf(gateway);
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const number = this.#ids.push(id) - 1;
    this.#numbers.set(id, number);
    return number;
  }

  /** Another thing may have this slot soon. */
  leave(slot: number): void {
    const atMs = this.#atMs[slot] ?? 0;
    if (atMs === 0) return;
    this.#atMs[slot] = 0;
    const publisher = this.#publishers.subarray(slot * idBytes, (slot + 1) * idBytes);
    this.#noteId(publisher, atMs, this.#takeGateway(slot));
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
    for (const [id, { atMs, gateway }] of withoutSlot) {
      taken.write(id, end, 'latin1');
      end = this.#writeHow(taken, end + idBytes, atMs, gateway);
    }
    for (const slot of slots) {
      const atMs = this.#atMs[slot] ?? 0;
      // The slot was given to another thing since.
      if (atMs === 0) continue;
      this.#atMs[slot] = 0;
      const start = slot * idBytes;
      for (let at = 0; at < idBytes; at++) taken[end + at] = this.#publishers[start + at] ?? 0;
      end = this.#writeHow(taken, end + idBytes, atMs, this.#takeGateway(slot));
    }
    if (this.#slots.length === 0) this.#forgetGateways();
    return new Uint8Array(taken.buffer, 0, end);
  }

  #takeGateway(slot: number): number {
    const gateway = this.#gateways[slot] ?? itself;
    if (gateway !== itself) this.#gateways[slot] = itself;
    return gateway;
  }

  #writeHow(taken: Buffer, at: number, atMs: number, gateway: number): number {
    const end = taken.writeDoubleLE(atMs, at);
    // The buffer has zeros.
    if (gateway !== itself) taken.write(this.#ids[gateway] ?? noGateway, end, 'latin1');
    return end + idBytes;
  }

  #forgetGateways(): void {
    if (this.#numbers.size === 0) return;
    this.#ids = [noGateway];
    this.#numbers.clear();
  }
}

const textOf = ({ buffer, byteOffset, length }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, length).toString('latin1');
