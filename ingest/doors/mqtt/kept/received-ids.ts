import type { Waiter } from '../../../log/group.ts';

/** Bounds of all sessions together: in all, and of one thing, so that none takes the room of others. */
export type IdRoomLimits = { idsMax: number; idsPerThingMax: number };

/** Counts the ids of all sessions of an edge. */
export class IdRoom {
  readonly #limits: IdRoomLimits;
  #taken = 0;
  readonly #things = new Map<string, number>();

  constructor(limits: IdRoomLimits) {
    this.#limits = limits;
  }

  get taken(): number {
    return this.#taken;
  }

  isFullFor(thingId: string): boolean {
    const { idsMax, idsPerThingMax } = this.#limits;
    return this.#taken >= idsMax || (this.#things.get(thingId) ?? 0) >= idsPerThingMax;
  }

  /** Takes room for so many more, or gives it back. */
  count(thingId: string, ids: number): void {
    this.#taken += ids;
    const ofThing = (this.#things.get(thingId) ?? 0) + ids;
    if (ofThing === 0) this.#things.delete(thingId);
    else this.#things.set(thingId, ofThing);
  }
}

/** An id that is on its way to the disk, or its release is: who else waits for that is told with the first one. */
class UnderWay implements Waiter {
  readonly kind: 'receiving' | 'releasing';
  readonly id: number;
  readonly waiters: Waiter[];
  readonly #ids: ReceivedIds;

  constructor(kind: 'receiving' | 'releasing', ids: ReceivedIds, id: number, waiter: Waiter) {
    this.kind = kind;
    this.#ids = ids;
    this.id = id;
    this.waiters = [waiter];
  }

  afterCommit(isDurable: boolean, nowMs: number): void {
    this.#ids.settled(this, isDurable);
    for (const waiter of this.waiters) waiter.afterCommit(isDurable, nowMs);
  }
}

const received = { kind: 'received' } as const;

/** `received`: it is on the disk. An id that has no state is new, or was released. */
type IdState = typeof received | UnderWay;

/**
 * The packet ids of the messages with QoS 2 that a session has received and not released:
 *
 *   (none) → receiving → received → releasing → (none)
 *
 * A write that the disk did not take goes one state back. An id is on the disk in `received` and `releasing`, and in no
 * other state.
 */
export class ReceivedIds {
  readonly #max: number;
  readonly #room: IdRoom;
  readonly #thingId: string;
  readonly #states = new Map<number, IdState>();

  constructor(max: number, room: IdRoom, thingId: string) {
    this.#max = max;
    this.#room = room;
    this.#thingId = thingId;
  }

  /** No new one is taken. */
  get isFull(): boolean {
    return this.#states.size >= this.#max || this.#room.isFullFor(this.#thingId);
  }

  stateOf(id: number): 'new' | IdState['kind'] {
    return this.#states.get(id)?.kind ?? 'new';
  }

  /** Those that are on the disk. */
  kept(): number[] {
    return [...this.#states].filter(([, { kind }]) => kind !== 'receiving').map(([id]) => id);
  }

  /** Tells the waiter with the first one that waits for the release of this id. */
  join(id: number, waiter: Waiter): void {
    const state = this.#states.get(id);
    if (state instanceof UnderWay) state.waiters.push(waiter);
  }

  /** A new id; the result is told of the commit. Undefined: there are too many. */
  receive(id: number, waiter: Waiter): Waiter | undefined {
    if (this.isFull) return undefined;
    this.#room.count(this.#thingId, 1);
    return this.#begin('receiving', id, waiter);
  }

  /** An id that was received. */
  release(id: number, waiter: Waiter): Waiter {
    return this.#begin('releasing', id, waiter);
  }

  #begin(kind: 'receiving' | 'releasing', id: number, waiter: Waiter): UnderWay {
    const state = new UnderWay(kind, this, id, waiter);
    this.#states.set(id, state);
    return state;
  }

  settled(state: UnderWay, isDurable: boolean): void {
    // A session that ended meanwhile has no ids.
    if (this.#states.get(state.id) !== state) return;
    const isThere = isDurable === (state.kind === 'receiving');
    if (isThere) this.#states.set(state.id, received);
    else this.#forget(state.id);
  }

  /** Its frame did not find room in the log. */
  takeBack(id: number): void {
    const state = this.#states.get(id);
    if (state instanceof UnderWay) this.settled(state, false);
  }

  /** Those that are received without a commit: by the frames of a former process, or because nothing of them is kept. */
  note(ids: readonly number[]): void {
    for (const id of ids) {
      if (this.#states.has(id)) continue;
      this.#room.count(this.#thingId, 1);
      this.#states.set(id, received);
    }
  }

  #forget(id: number): void {
    if (this.#states.delete(id)) this.#room.count(this.#thingId, -1);
  }

  forgetSome(ids: readonly number[]): void {
    for (const id of ids) this.#forget(id);
  }

  forgetAll(): void {
    this.#room.count(this.#thingId, -this.#states.size);
    this.#states.clear();
  }
}
