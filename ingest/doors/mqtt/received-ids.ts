/** `receiving`: on its way to the disk; `releasing`: its release is. An id that is `new` was released, or never came. */
export type IdState = 'new' | 'receiving' | 'received' | 'releasing';

/** The packet ids of the messages with QoS 2 that a session has received and not released. */
export class ReceivedIds {
  readonly #states = new Map<number, Exclude<IdState, 'new'>>();

  get size(): number {
    return this.#states.size;
  }

  stateOf(id: number): IdState {
    return this.#states.get(id) ?? 'new';
  }

  /** Its message is on its way to the disk. */
  receive(id: number): void {
    this.#states.set(id, 'receiving');
  }

  /** Its message is on the disk, or the disk failed. */
  settled(id: number, isDurable: boolean): void {
    if (isDurable) this.#states.set(id, 'received');
    else this.#states.delete(id);
  }

  /** From now on the id is one of a new message. */
  release(id: number): void {
    this.#states.delete(id);
  }
}
