import type { Waiter } from '../../log/group.ts';
import type { NoRoom } from '../../log/log.ts';
import type { KeptSessions } from './kept/kept-sessions.ts';
import { sessionKey, type SessionOwner } from './kept/session-frame.ts';
import type { DurableSession } from './kept/durable-session.ts';
import { Session } from './session.ts';
import { reasons } from './wire/reasons.ts';

/** The sessions in an edge's memory, by thing and client id: one client never has a session of another thing. */
export class Sessions {
  readonly #kept: KeptSessions;
  readonly #all = new Map<string, Session>();
  /** Those that subscribe to something, of each thing. */
  readonly #listeners = new Map<string, Set<Session>>();

  constructor(kept: KeptSessions) {
    this.#kept = kept;
  }

  get size(): number {
    return this.#all.size;
  }

  /** The session that a client has now. */
  find(owner: SessionOwner): Session | undefined {
    return this.#all.get(sessionKey(owner));
  }

  /** The session to which a client comes back, which goes on; undefined: there is none, or none any more. */
  resume(owner: SessionOwner): Session | undefined {
    const durable = this.#kept.resume(owner, Date.now());
    if (durable === undefined) return undefined;
    const known = this.#all.get(durable.key);
    if (known?.durable === durable) return known;
    // Of before the edge was started.
    const session = this.#add(owner, durable);
    session.expirySeconds = durable.terms.expirySeconds;
    session.restoreSubscriptions();
    this.listens(session);
    return session;
  }

  /** Begins a session, of which its client may learn once the waiter is told that it is on the disk. */
  begin(owner: SessionOwner, expirySeconds: number, waiter: Waiter): Session | NoRoom {
    const durable = this.#kept.begin(owner, { expirySeconds, subscriptions: [] }, waiter);
    if (durable.kind !== 'durable') return durable;
    const former = this.#all.get(durable.key);
    if (former !== undefined) this.#drop(former);
    const session = this.#add(owner, durable);
    session.expirySeconds = durable.terms.expirySeconds;
    return session;
  }

  #add(owner: SessionOwner, durable: DurableSession): Session {
    const session = new Session(owner, durable);
    this.#all.set(durable.key, session);
    durable.onOver = () => this.#drop(session);
    return session;
  }

  /** Its connection has ended. */
  leave(session: Session): void {
    session.connection = undefined;
    const nowMs = Date.now();
    if (session.expirySeconds === 0) session.durable.end(nowMs);
    else session.durable.leave(nowMs);
  }

  /** Its subscriptions have changed. */
  listens(session: Session): void {
    if (!session.hasSubscriptions) return this.#unlisten(session);
    const ofThing = this.#listeners.get(session.thingId) ?? new Set();
    this.#listeners.set(session.thingId, ofThing.add(session));
  }

  /** Those of a thing that subscribe to anything; undefined if none does. */
  listenersOf(thingId: string): ReadonlySet<Session> | undefined {
    // Usually nobody listens, and a message need not ask for its thing.
    return this.#listeners.size === 0 ? undefined : this.#listeners.get(thingId);
  }

  #drop(session: Session): void {
    const { key } = session.durable;
    if (this.#all.get(key) === session) this.#all.delete(key);
    this.#unlisten(session);
    session.connection?.breakOff(reasons.sessionTakenOver);
  }

  #unlisten(session: Session): void {
    const ofThing = this.#listeners.get(session.thingId);
    if (ofThing?.delete(session) === true && ofThing.size === 0) {
      this.#listeners.delete(session.thingId);
    }
  }
}
