import { once } from 'node:events';
import type { Redis } from '../../../../infra/runtime/stores/redis.ts';
import { mqttSessionKey, mqttSessionSeconds } from '../../../../schemas/internal/mqtt-sessions.ts';

/** A Redis that is connecting, as at a start, is waited for. */
const readyMsMax = 1_000;
const triesMax = 4;

/**
 * Which edge a client was at last: in Redis, for all edges. A client that went to another edge has another session there,
 * or none, and may use the packet ids again that are received here: when it comes back, they would swallow new messages.
 */
export class SessionOwners {
  readonly #redis: Redis;
  /** The identity of this edge's log. */
  readonly #edge: string;
  #ready: Promise<void> | undefined;

  constructor(redis: Redis, edge: string) {
    this.#redis = redis;
    this.#edge = edge;
  }

  /**
   * A client has come here, for a session that is kept or not. False: it was at another edge since it was here, or that
   * is not known. Then its session here has ended.
   */
  async claim(session: string, isKept: boolean): Promise<boolean> {
    const name = mqttSessionKey(Buffer.from(session, 'latin1').toString('hex'));
    try {
      if (this.#redis.status !== 'ready') await this.#untilReady();
      // Read first: a write that was tried twice would not tell who was there before.
      const former = await this.#try(() => this.#redis.get(name));
      const isHere = former === this.#edge;
      if (!isKept && former !== null) await this.#try(() => this.#redis.del(name));
      // It lasts for as long as the client comes back.
      if (isKept && isHere) this.#redis.expire(name, mqttSessionSeconds).catch(() => undefined);
      if (!isKept || isHere) return isHere;
      await this.#try(() => this.#redis.set(name, this.#edge, 'EX', mqttSessionSeconds));
      return false;
    } catch {
      // The connection itself tells that Redis is away.
      return false;
    }
  }

  /** A Redis that is only slow must not end a session. */
  async #try<Result>(ask: () => Promise<Result>): Promise<Result> {
    for (let tries = 1; ; tries++) {
      try {
        return await ask();
      } catch (error) {
        if (tries === triesMax) throw error;
      }
    }
  }

  /** One wait for all. */
  async #untilReady(): Promise<void> {
    this.#ready ??= once(this.#redis, 'ready', { signal: AbortSignal.timeout(readyMsMax) })
      .then(() => undefined)
      .finally(() => {
        this.#ready = undefined;
      });
    await this.#ready;
  }
}
