import { Compile } from 'typebox/compile';
import type { Lifecycle } from '../../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { openRedis, type Redis } from '../../../infra/runtime/stores/redis.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import {
  AwaitedMessage,
  awaitedThingsChannel,
  nextMessagesChannel,
} from '../../../schemas/internal/next-messages.ts';
import type { NextMessage } from '../../../schemas/resources/next-message.ts';
import { limits } from '../../limits.ts';

const awaitedMessage = Compile(AwaitedMessage);

/** A wait ends with a message, with its time, or because no edge can tell any more. */
type End = { kind: 'came'; message: NextMessage } | { kind: 'late' } | { kind: 'away' };

const late: End = { kind: 'late' };
const away: End = { kind: 'away' };

/**
 * Requests that wait for the next message of a thing. Each tells all edges over Redis, and the edge at which the message comes
 * tells it there. So nothing is kept of it, and those who wait for the same thing get the same message.
 */
export class NextMessages {
  readonly #redis: Redis;
  readonly #waiting = new Map<string, Set<(end: End) => void>>();
  #isTold = false;

  /** `told` is a connection for what edges tell. */
  constructor(redis: Redis, told: Redis, logger: Logger) {
    this.#redis = redis;
    told.on('ready', () => {
      told.subscribe(nextMessagesChannel).then(
        () => (this.#isTold = true),
        (error: unknown) => logger.warn({ error }, 'edges can not tell the next message of things'),
      );
    });
    told.on('close', () => this.stop());
    told.on('message', (_channel, text) => this.#came(text));
  }

  /**
   * The next message of the thing with this id, in lower case; undefined: none came in that time, or `gone` ended it.
   *
   * @throws DomainError `unavailable` while Redis is away, or no edge is there
   */
  async wait(thing: string, seconds: number, gone: AbortSignal): Promise<NextMessage | undefined> {
    const { promise, resolve } = Promise.withResolvers<End>();
    const all = this.#waiting.get(thing) ?? new Set();
    this.#waiting.set(thing, all.add(resolve));
    const timer = setTimeout(() => resolve(late), seconds * 1_000);
    const leave = () => resolve(late);
    gone.addEventListener('abort', leave, { once: true });
    try {
      const end = (await this.#ask(thing)) ? await promise : away;
      if (end.kind !== 'away') return end.kind === 'came' ? end.message : undefined;
      throw new DomainError('unavailable', undefined, limits.awayRetrySeconds);
    } finally {
      clearTimeout(timer);
      gone.removeEventListener('abort', leave);
      all.delete(resolve);
      if (all.size === 0) this.#waiting.delete(thing);
    }
  }

  /** Ends all waits, and begins no more. */
  stop(): void {
    this.#isTold = false;
    for (const all of this.#waiting.values()) for (const end of all) end(away);
  }

  /** False: no edge heard of it, or none could answer. */
  async #ask(thing: string): Promise<boolean> {
    if (!this.#isTold) return false;
    const edges = await this.#redis.publish(awaitedThingsChannel, thing).catch(() => 0);
    return edges > 0;
  }

  #came(text: string): void {
    const awaited = parseAwaited(text);
    if (awaited === undefined) return;
    const end: End = { kind: 'came', message: awaited.message };
    for (const thing of awaited.things) {
      for (const resolve of this.#waiting.get(thing) ?? []) resolve(end);
    }
  }
}

/** Undefined: an edge of another version tells it in another way. */
function parseAwaited(text: string): AwaitedMessage | undefined {
  try {
    return awaitedMessage.Parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** Opens a connection of its own, on which edges tell. */
export function openNextMessages(
  { redisUrl }: { redisUrl: string },
  redis: Redis,
  lifecycle: Lifecycle,
  logger: Logger,
): NextMessages {
  const told = openRedis(redisUrl, logger, limits.redisCommandMsMax);
  lifecycle.closing('next messages', () => told.disconnect());
  return new NextMessages(redis, told, logger);
}
