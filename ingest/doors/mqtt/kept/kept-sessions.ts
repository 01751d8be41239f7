import { frameBytes } from '../../../log/format.ts';
import type { Waiter } from '../../../log/group.ts';
import type { Log, NoRoom } from '../../../log/log.ts';
import { IdRoom, type IdRoomLimits } from './received-ids.ts';
import {
  encodeEvent,
  type KeptSubscription,
  type SessionEvent,
  sessionKey,
  type SessionOwner,
  type SessionTerms,
  writeSubscriptions,
} from './session-frame.ts';
import { type IdBounds, DurableSession, type SessionLog, type Written } from './durable-session.ts';

export type SessionLimits = IdRoomLimits & {
  sessionsMax: number;
  sessionsPerThingMax: number;
  /** A session that nobody comes back to ends after so long, whatever its client asked for. */
  sessionSecondsMax: number;
  idsPerSessionMax: number;
};

type Terms = { expirySeconds: number; subscriptions: readonly KeptSubscription[] };

/**
 * The sessions of MQTT that this edge keeps: those whose clients asked for it. They are what the frames of the log say,
 * one after the other, and change when a commit is done. So a snapshot that is made between two commits is exact.
 */
export class KeptSessions implements SessionLog {
  readonly #log: Pick<Log, 'tryReserve' | 'begin' | 'append'>;
  readonly #limits: SessionLimits;
  readonly #bounds: IdBounds;
  /** Those on the disk, by their keys; and of each thing. */
  readonly #kept = new Map<string, DurableSession>();
  readonly #byThing = new Map<string, Set<DurableSession>>();
  /** The newest of each key that is on its way to the disk. */
  readonly #beginning = new Map<string, DurableSession>();
  /** Whether something has changed that no frame tells: it is only in snapshots. */
  #hasChanged = false;

  constructor(log: Pick<Log, 'tryReserve' | 'begin' | 'append'>, limits: SessionLimits) {
    this.#log = log;
    this.#limits = limits;
    this.#bounds = { idsPerSessionMax: limits.idsPerSessionMax, room: new IdRoom(limits) };
  }

  get size(): number {
    return this.#kept.size;
  }

  /** Messages that were received and not released, of all sessions. */
  get unreleased(): number {
    return this.#bounds.room.taken;
  }

  /** The session to which a client comes back, and which goes on then; undefined: there is none, or none any more. */
  resume(owner: SessionOwner, nowMs: number): DurableSession | undefined {
    const session = this.#kept.get(sessionKey(owner));
    if (session === undefined || session.state !== 'open') return undefined;
    if (session.hasExpired(nowMs)) return undefined;
    session.join();
    return session;
  }

  /**
   * Begins a session, which replaces the one that was there. The waiter is told once all of that is on the disk, which may
   * be at once: only then may the client learn of it. If it learned before, and the edge were killed, the session of before
   * would be there again, and take new messages for old ones. With an expiry of 0 the session is not kept; nor if there are
   * too many.
   */
  begin(owner: SessionOwner, asked: Terms, waiter: Waiter): DurableSession | NoRoom {
    const key = sessionKey(owner);
    const { thingId } = owner;
    const former = this.#beginning.get(key) ?? this.#kept.get(key);
    const evicted = this.#evictedFor(thingId, key);
    const isKept = asked.expirySeconds > 0 && evicted.kind !== 'noRoom';
    const expirySeconds = isKept
      ? Math.min(asked.expirySeconds, this.#limits.sessionSecondsMax)
      : 0;
    const terms = {
      thingId,
      expirySeconds,
      subscriptions: writeSubscriptions(asked.subscriptions),
    };
    const session = this.#open(key, terms, isKept);
    const events: SessionEvent[] = [];
    const ending = former === undefined ? [] : [former];
    if (isKept && evicted.kind === 'oldest') {
      ending.push(evicted.session);
      events.push({ key: evicted.session.key, kind: 'ended' });
    }
    if (isKept) events.push({ key, kind: 'begun', terms, leftAtMs: 0 });
    else if (former !== undefined) events.push({ key, kind: 'ended' });
    if (events.length === 0) {
      waiter.afterCommit(true, performance.now());
      return session;
    }
    const written = this.write(events, this.#replacing(session, ending, waiter));
    if (written !== 'underWay') return { kind: written };
    for (const one of ending) one.state = 'ending';
    if (isKept) this.#beginning.set(key, session);
    return session;
  }

  #replacing(session: DurableSession, ending: readonly DurableSession[], waiter: Waiter): Waiter {
    return {
      afterCommit: (isDurable, nowMs) => {
        if (this.#beginning.get(session.key) === session) this.#beginning.delete(session.key);
        if (isDurable) {
          for (const one of ending) this.ended(one);
          if (session.isKept) this.#keep(session);
        } else {
          for (const one of ending) one.reopen();
          session.forget();
        }
        waiter.afterCommit(isDurable, nowMs);
      },
    };
  }

  #open(key: string, terms: SessionTerms, isKept: boolean): DurableSession {
    return new DurableSession(key, { ...terms, isKept }, this, this.#bounds);
  }

  /** Which session must go for one more of this thing, if it is not under this key already. */
  #evictedFor(
    thingId: string,
    key: string,
  ): { kind: 'none' | 'noRoom' } | { kind: 'oldest'; session: DurableSession } {
    if (this.#kept.has(key)) return { kind: 'none' };
    const ofThing = this.#byThing.get(thingId);
    if (ofThing !== undefined && ofThing.size >= this.#limits.sessionsPerThingMax) {
      const left = [...ofThing].filter(({ leftAtMs, state }) => leftAtMs !== 0 && state === 'open');
      const [oldest] = left.toSorted((one, other) => one.leftAtMs - other.leftAtMs);
      return oldest === undefined ? { kind: 'noRoom' } : { kind: 'oldest', session: oldest };
    }
    const isFull = this.#kept.size + this.#beginning.size >= this.#limits.sessionsMax;
    return { kind: isFull ? 'noRoom' : 'none' };
  }

  write(events: readonly SessionEvent[], waiter: Waiter): Written {
    const payloads = events.map(encodeEvent);
    const bytes = payloads.reduce((sum, { length }) => sum + frameBytes(length), 0);
    if (!this.#log.tryReserve(bytes)) return 'full';
    const group = this.#log.begin(bytes);
    if (group.kind !== 'group') return group.kind;
    for (const payload of payloads) {
      const { payloadAt } = group;
      group.frame('session', 0, payloadAt + payload.copy(group.buffer, payloadAt));
    }
    // They are no messages.
    this.#log.append(group, waiter, 0);
    return 'underWay';
  }

  changed(): void {
    this.#hasChanged = true;
  }

  ended(session: DurableSession): void {
    session.forget();
    if (this.#kept.get(session.key) !== session) return;
    this.#kept.delete(session.key);
    const ofThing = this.#byThing.get(session.terms.thingId);
    ofThing?.delete(session);
    if (ofThing?.size === 0) this.#byThing.delete(session.terms.thingId);
  }

  #keep(session: DurableSession): void {
    const former = this.#kept.get(session.key);
    if (former !== undefined) this.ended(former);
    this.#kept.set(session.key, session);
    const { thingId } = session.terms;
    const ofThing = this.#byThing.get(thingId) ?? new Set();
    this.#byThing.set(thingId, ofThing.add(session));
  }

  /** Ends the sessions to which nobody came back in time. */
  endExpired(nowMs: number): void {
    for (const session of this.#kept.values()) {
      if (session.hasExpired(nowMs)) session.end(nowMs);
    }
  }

  /** Whether something has changed since the last snapshot that no frame tells. */
  get hasChanged(): boolean {
    return this.#hasChanged;
  }

  /** The fewest events that make these sessions. */
  events(): SessionEvent[] {
    this.#hasChanged = false;
    const events: SessionEvent[] = [];
    for (const session of this.#kept.values()) {
      const { key, terms, leftAtMs } = session;
      events.push({ key, kind: 'begun', terms, leftAtMs });
      const ids = session.keptIds();
      if (ids.length > 0) events.push({ key, kind: 'received', ids });
    }
    return events;
  }

  /** Of a start: what a frame says that a former process wrote. */
  restore(event: SessionEvent): void {
    const { key } = event;
    const session = this.#kept.get(key);
    switch (event.kind) {
      case 'received':
        return session?.ids.note(event.ids);
      case 'released':
        return session?.ids.forgetSome(event.ids);
      case 'ended':
        return session === undefined ? undefined : this.ended(session);
      case 'changed':
        if (session !== undefined) session.terms = event.terms;
        return undefined;
      case 'begun': {
        const begun = this.#open(key, event.terms, true);
        begun.leftAtMs = event.leftAtMs;
        return this.#keep(begun);
      }
      default:
        return event satisfies never;
    }
  }

  /** Of a start: the connections of the former process are gone. */
  leaveAll(nowMs: number): void {
    for (const session of this.#kept.values()) {
      if (session.leftAtMs === 0) session.leave(nowMs);
    }
  }

  /** Of a start that can't know what became of them. */
  forgetAll(): void {
    for (const session of this.#kept.values()) this.ended(session);
  }
}
