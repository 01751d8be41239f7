import { limits } from '../../limits.ts';
import { Session } from './session.ts';

/** The sessions of an edge, by thing and client id: one client never has a session of another thing. */
export class Sessions {
  readonly #all = new Map<string, Session>();
  /** Those without a connection, of each thing, the longest so first. */
  readonly #left = new Map<string, Set<Session>>();
  #leftCount = 0;
  /** Those that subscribe to something, of each thing. */
  readonly #listeners = new Map<string, Set<Session>>();

  get size(): number {
    return this.#all.size;
  }

  /** The session that a client has now. */
  find(thingId: string, clientId: string): Session | undefined {
    const session = this.#all.get(keyOf(thingId, clientId));
    if (session === undefined || session.endsAtMs > Date.now()) return session;
    this.end(session);
    return undefined;
  }

  begin(thingId: string, clientId: string): Session {
    const session = new Session(thingId, clientId);
    this.#all.set(keyOf(thingId, clientId), session);
    return session;
  }

  /** It has a connection again. */
  resume(session: Session): void {
    session.endsAtMs = Infinity;
    this.#unleave(session);
  }

  /** Its connection has ended. */
  leave(session: Session): void {
    session.connection = undefined;
    if (session.expirySeconds === 0) return this.end(session);
    session.endsAtMs = Date.now() + session.expirySeconds * 1_000;
    const ofThing = this.#left.get(session.thingId) ?? new Set();
    this.#left.set(session.thingId, ofThing.add(session));
    this.#leftCount += 1;
    const [oldest] = ofThing;
    const isOver =
      ofThing.size > limits.mqttSessionsPerThingMax || this.#leftCount > limits.mqttSessionsMax;
    if (isOver && oldest !== undefined) this.end(oldest);
  }

  end(session: Session): void {
    this.#unleave(session);
    this.#all.delete(keyOf(session.thingId, session.clientId));
    this.#removeFrom(this.#listeners, session);
  }

  /** Ends those whose time is over. */
  sweep(nowMs = Date.now()): void {
    for (const ofThing of this.#left.values()) {
      for (const session of ofThing) if (session.endsAtMs <= nowMs) this.end(session);
    }
  }

  /** Its subscriptions have changed. */
  listens(session: Session): void {
    if (!session.hasSubscriptions) {
      this.#removeFrom(this.#listeners, session);
      return;
    }
    const ofThing = this.#listeners.get(session.thingId) ?? new Set();
    this.#listeners.set(session.thingId, ofThing.add(session));
  }

  /** Those of a thing that subscribe to anything; undefined if none does. */
  listenersOf(thingId: string): ReadonlySet<Session> | undefined {
    // Usually nobody listens, and a message need not ask for its thing.
    return this.#listeners.size === 0 ? undefined : this.#listeners.get(thingId);
  }

  #unleave(session: Session): void {
    if (this.#removeFrom(this.#left, session)) this.#leftCount -= 1;
  }

  #removeFrom(things: Map<string, Set<Session>>, session: Session): boolean {
    const ofThing = things.get(session.thingId);
    if (ofThing?.delete(session) !== true) return false;
    if (ofThing.size === 0) things.delete(session.thingId);
    return true;
  }
}

/** No id of a thing has a space. */
const keyOf = (thingId: string, clientId: string): string => `${thingId} ${clientId}`;
