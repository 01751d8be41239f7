import type { Waiter } from '../../../log/group.ts';
import type { NoRoom } from '../../../log/log.ts';
import { type IdRoom, ReceivedIds } from './received-ids.ts';
import {
  encodeEvent,
  type KeptSubscription,
  readSubscriptions,
  type SessionEvent,
  type SessionTerms,
  writeSubscriptions,
} from './session-frame.ts';

/** It is in the next commit, and the waiter is told of it; or the log has no room for it now. */
export type Written = 'underWay' | NoRoom['kind'];

/** A new id: its message is appended with this waiter, and this frame beside it; or it is taken back. */
export type Receiving = {
  readonly waiter: Waiter;
  /** Undefined: the session is not kept. */
  readonly frame: Uint8Array | undefined;
  takeBack(): void;
};

export type IdBounds = { readonly idsPerSessionMax: number; readonly room: IdRoom };

/** Where sessions write what becomes of them. */
export type SessionLog = {
  write(events: readonly SessionEvent[], waiter: Waiter): Written;
  /** It has ended by a frame that is on the disk. */
  ended(session: DurableSession): void;
  /** Something has changed that only a snapshot keeps. */
  changed(): void;
};

/**
 * `ending`: its end is on its way to the disk. `over`: it has ended; another may have begun. Whoever still has it must let
 * its connection go.
 */
type SessionState = 'open' | 'ending' | 'over';

/**
 * The part of a session of MQTT that must hold over reconnects and over a kill of the edge. Of a kept session, whatever a
 * client is told is on the disk. One that is not kept ends with its connection, and no frame tells of it.
 */
export class DurableSession {
  readonly kind = 'durable';
  readonly key: string;
  readonly isKept: boolean;
  state: SessionState = 'open';
  terms: SessionTerms;
  /** When its last connection ended; 0: it is open. */
  leftAtMs = 0;
  /** Told once it is over. */
  onOver: () => void = () => undefined;
  readonly #log: SessionLog;
  readonly #bounds: IdBounds;
  /** Made when it is needed: most clients send nothing with QoS 2. */
  #ids: ReceivedIds | undefined;

  constructor(
    key: string,
    { isKept, ...terms }: SessionTerms & { isKept: boolean },
    log: SessionLog,
    bounds: IdBounds,
  ) {
    this.key = key;
    this.isKept = isKept;
    this.terms = terms;
    this.#log = log;
    this.#bounds = bounds;
  }

  get ids(): ReceivedIds {
    const { idsPerSessionMax, room } = this.#bounds;
    this.#ids ??= new ReceivedIds(idsPerSessionMax, room, this.terms.thingId);
    return this.#ids;
  }

  /** Those that are on the disk. */
  keptIds(): number[] {
    return this.#ids?.kept() ?? [];
  }

  /** As they were when it was last on the disk. */
  subscriptions(): KeptSubscription[] {
    return readSubscriptions(this.terms.subscriptions);
  }

  hasExpired(nowMs: number): boolean {
    return this.leftAtMs !== 0 && this.leftAtMs + this.terms.expirySeconds * 1_000 <= nowMs;
  }

  /** Receives a new id. Undefined: the session, or all together, have too many ids. */
  receive(id: number, waiter: Waiter): Receiving | undefined {
    const receiving = this.ids.receive(id, waiter);
    if (receiving === undefined) return undefined;
    const { key, isKept } = this;
    const frame = isKept ? encodeEvent({ key, kind: 'received', ids: [id] }) : undefined;
    return { waiter: receiving, frame, takeBack: () => this.ids.takeBack(id) };
  }

  /**
   * Releases an id, as PUBREL asks. `released`: it is done. `unknown`: it was released before, or never received.
   * `early`: its message is not on the disk yet, so the client breaks the protocol. Else the waiter is told of the commit.
   */
  release(id: number, waiter: Waiter): Written | 'released' | 'unknown' | 'early' | 'over' {
    if (this.state !== 'open') return 'over';
    const state = this.ids.stateOf(id);
    if (state === 'new') return 'unknown';
    if (state === 'receiving') return 'early';
    if (state === 'releasing') {
      this.ids.join(id, waiter);
      return 'underWay';
    }
    if (!this.isKept) {
      this.ids.forgetSome([id]);
      return 'released';
    }
    const releasing = this.ids.release(id, waiter);
    const written = this.#log.write([{ key: this.key, kind: 'released', ids: [id] }], releasing);
    if (written !== 'underWay') this.ids.takeBack(id);
    return written;
  }

  /** Keeps other terms from the commit on, of which the waiter is told. */
  change(
    expirySeconds: number,
    subscriptions: readonly KeptSubscription[],
    waiter: Waiter,
  ): Written | 'over' {
    if (this.state !== 'open') return 'over';
    const { thingId } = this.terms;
    const terms = { thingId, expirySeconds, subscriptions: writeSubscriptions(subscriptions) };
    if (!this.isKept) {
      this.terms = terms;
      waiter.afterCommit(true, performance.now());
      return 'underWay';
    }
    const { key } = this;
    return this.#log.write([{ key, kind: 'changed', terms, leftAtMs: 0 }], {
      afterCommit: (isDurable, nowMs) => {
        if (isDurable) this.terms = terms;
        waiter.afterCommit(isDurable, nowMs);
      },
    });
  }

  /** A connection goes on with it. */
  join(): void {
    this.leftAtMs = 0;
    this.#log.changed();
  }

  /** Its connection has ended. */
  leave(nowMs: number): void {
    if (this.state !== 'open') return;
    if (!this.isKept) return this.forget();
    this.leftAtMs = nowMs;
    this.#log.changed();
    if (this.terms.expirySeconds === 0) this.end(nowMs);
  }

  /** Ends it. Where the log has no room for that now, it counts as expired, and is tried again. */
  end(nowMs: number): void {
    if (this.state !== 'open') return;
    if (!this.isKept) return this.leave(nowMs);
    this.terms = { ...this.terms, expirySeconds: 0 };
    this.leftAtMs = nowMs;
    this.state = 'ending';
    const written = this.#log.write([{ key: this.key, kind: 'ended' }], {
      afterCommit: (isDurable) => {
        if (isDurable) this.#log.ended(this);
        else this.reopen();
      },
    });
    if (written !== 'underWay') this.reopen();
  }

  /** Its end did not reach the disk. */
  reopen(): void {
    if (this.state === 'ending') this.state = 'open';
  }

  /** It is no session any more. */
  forget(): void {
    if (this.state === 'over') return;
    this.state = 'over';
    this.#ids?.forgetAll();
    this.onOver();
  }
}
