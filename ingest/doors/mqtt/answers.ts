import type { Refusal } from '../../intake/refusal.ts';
import type { TopicRefused } from './topics.ts';

/** Why a message is refused: the intake's reason, or what is wrong with its topic. */
export type MessageRefused = Refusal | TopicRefused;

const pending = 0;
const taken = 1;
const isRefused = 2;
const firstSlots = 16;

/** Who writes an answer: PUBACK for QoS 1, PUBREC for QoS 2. Undefined: the message is taken. */
type WriteAnswer = (packetId: number, qos: 1 | 2, refused: MessageRefused | undefined) => void;

/**
 * The messages of QoS 1 and 2 that a client has sent and that are not answered yet, numbered as they came. They are
 * answered in that order (§4.6), however they are settled.
 */
export class Answers {
  #slots = firstSlots;
  #packetIds = new Uint16Array(firstSlots);
  /** One bit for QoS 2, above the state. */
  #states = new Uint8Array(firstSlots);
  readonly #refusals = new Map<number, MessageRefused>();
  #first = 0;
  #next = 0;

  /** How many are not answered. */
  get size(): number {
    return this.#next - this.#first;
  }

  /** The number that the next message gets. */
  get next(): number {
    return this.#next;
  }

  /** One has come. */
  add(packetId: number, qos: 1 | 2): void {
    if (this.size === this.#slots) this.#grow();
    const slot = this.#next & (this.#slots - 1);
    this.#packetIds[slot] = packetId;
    this.#states[slot] = qos === 2 ? 4 : 0;
    this.#next += 1;
  }

  /** Those from one number to another are on the disk. */
  take(from: number, to: number): void {
    for (let at = from; at <= to; at++) this.#mark(at, taken);
  }

  refuse(from: number, to: number, why: MessageRefused): void {
    for (let at = from; at <= to; at++) {
      this.#mark(at, isRefused);
      this.#refusals.set(at, why);
    }
  }

  #mark(at: number, state: number): void {
    const slot = at & (this.#slots - 1);
    this.#states[slot] = (this.#states[slot] ?? 0) | state;
  }

  /** Whether there is one that can be written now. */
  get isReady(): boolean {
    return this.size > 0 && ((this.#states[this.#first & (this.#slots - 1)] ?? 0) & 3) !== pending;
  }

  /** Gives those at the front that are settled, which are answered then. */
  flush(write: WriteAnswer): void {
    while (this.isReady) {
      const at = this.#first++;
      const slot = at & (this.#slots - 1);
      const state = this.#states[slot] ?? 0;
      let refused: MessageRefused | undefined;
      if ((state & isRefused) !== 0) {
        refused = this.#refusals.get(at);
        this.#refusals.delete(at);
      }
      write(this.#packetIds[slot] ?? 0, (state & 4) === 0 ? 1 : 2, refused);
    }
  }

  #grow(): void {
    const slots = this.#slots * 2;
    const packetIds = new Uint16Array(slots);
    const states = new Uint8Array(slots);
    for (let at = this.#first; at < this.#next; at++) {
      packetIds[at & (slots - 1)] = this.#packetIds[at & (this.#slots - 1)] ?? 0;
      states[at & (slots - 1)] = this.#states[at & (this.#slots - 1)] ?? 0;
    }
    this.#packetIds = packetIds;
    this.#states = states;
    this.#slots = slots;
  }
}
