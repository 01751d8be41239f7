import { LRUCache } from 'lru-cache';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { uuidPattern } from '../../schemas/http/common.ts';
import { errorBody, errorTable } from '../../schemas/http/errors.ts';
import {
  type AwaitedMessage,
  awaitedThingsChannel,
  nextMessagesChannel,
} from '../../schemas/internal/next-messages.ts';
import type { Protocol } from '../../schemas/messages/protocols.ts';
import {
  type NextMessage,
  nextMessageBytesMax,
  nextMessageSecondsMax,
} from '../../schemas/resources/next-message.ts';
import { malformed } from '../codecs/rejected.ts';
import { uuidFromRowBinary, uuidToRowBinary } from '../codecs/uuid.ts';
import { limits } from '../limits.ts';
import type { Waiter } from '../log/group.ts';
import { openNotices } from '../notices.ts';
import type { LineMessages } from './line-messages.ts';
import type { ReadMessages } from './read-messages.ts';
import { diskFailed, type OnOutcome, type Refusal } from './refusal.ts';

const uuid = new RegExp(uuidPattern);

/** A message as it came: bytes that are borrowed, and how. */
type CameAs = {
  readonly contentType: string;
  readonly subtopic: string;
  readonly protocol: Protocol;
  readonly body: Uint8Array;
  readonly nowMs: number;
};

/**
 * Things whose next message somebody waits for, at an API. Each message is held against them where all doors pass; while nobody
 * waits, that is one comparison. Such a message is told once its outcome is known, and its thing is no longer awaited.
 */
export class AwaitedMessages {
  /** By id, with its mark. */
  readonly #things: LRUCache<string, number>;
  /** Of all of these; undefined: they have changed. Most messages are of other things, and to write an id takes two microseconds. */
  #marks: ReadonlySet<number> | undefined;
  readonly #tell: (message: AwaitedMessage) => void;

  /** Each thing is forgotten after so long: unless told, the longest wait that there is. */
  constructor(
    tell: (message: AwaitedMessage) => void,
    { awaitedMs = nextMessageSecondsMax * 1_000 } = {},
  ) {
    this.#tell = tell;
    const max = limits.awaitedThingsMax;
    const dispose = () => (this.#marks = undefined);
    this.#things = new LRUCache({ max, ttl: awaitedMs, ttlAutopurge: true, dispose });
  }

  get size(): number {
    return this.#things.size;
  }

  /** Somebody waits for the next message of the thing with this id. */
  add(thing: string): void {
    this.#things.set(thing, markOf(uuidToRowBinary(thing)));
    this.#marks = undefined;
  }

  /** A message was read; or it was refused, and is of the thing with the id `of`, as RowBinary has it. */
  see(read: ReadMessages | LineMessages | Refusal, of: Uint8Array, came: CameAs): void {
    if (read.kind === 'refused') {
      this.#take([of], came)?.(read);
      return;
    }
    // Lines may be taken in part.
    const partly =
      read.kind === 'lines' && read.problems !== '' ? malformed(read.problems) : undefined;
    const onOutcome = this.#take(publishersOf(read), came, partly);
    if (read.isKept) read.onOutcome = onOutcome;
    else onOutcome?.(read.records === 0 ? partly : undefined);
  }

  /** Undefined: nobody waits for any of these. */
  #take(publishers: Uint8Array[], came: CameAs, partly?: Refusal): OnOutcome | undefined {
    const marks = (this.#marks ??= new Set(this.#things.values()));
    const things = publishers
      .filter((publisher) => marks.has(markOf(publisher)))
      .map((publisher) => uuidFromRowBinary(Buffer.from(publisher), 0))
      .filter((id) => this.#things.delete(id));
    if (things.length === 0) return undefined;
    const shown = shownAs(came);
    return (refusal) => {
      const why = refusal ?? partly;
      const accepted = refusal === undefined;
      const refused = why === undefined ? {} : { refused: inWords(why) };
      this.#tell({ things, message: { ...shown, accepted, ...refused } });
    };
  }
}

/** The beginning of an id, as RowBinary has it. Others may begin so. */
const markOf = (id: Uint8Array): number =>
  (id[0] ?? 0) | ((id[1] ?? 0) << 8) | ((id[2] ?? 0) << 16) | ((id[3] ?? 0) << 24);

/** The waiter of a message, which also tells its outcome if somebody waits for that. */
export function waiterOf({ onOutcome }: ReadMessages | LineMessages, waiter: Waiter): Waiter {
  if (onOutcome === undefined) return waiter;
  return {
    afterCommit(isDurable, nowMs) {
      waiter.afterCommit(isDurable, nowMs);
      onOutcome(isDurable ? undefined : diskFailed);
    },
  };
}

/** Rows of one device share its thing. */
function publishersOf(read: ReadMessages | LineMessages): Uint8Array[] {
  if (read.kind === 'read' || read.things === undefined) return [read.publisher];
  return [...new Set(read.things)].flatMap((thing) => thing?.publisher ?? []);
}

function shownAs({ contentType, subtopic, protocol, body, nowMs }: CameAs) {
  return {
    received_at: new Date(nowMs).toISOString(),
    protocol,
    ...(contentType === '' ? {} : { content_type: contentType }),
    ...(subtopic === '' ? {} : { subtopic }),
    bytes: body.length,
    ...bodyOf(body),
  } satisfies Partial<NextMessage>;
}

function bodyOf(body: Uint8Array): Pick<NextMessage, 'encoding' | 'body'> {
  const shown = body.subarray(0, nextMessageBytesMax);
  const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
  try {
    // A character that is cut at the end is left out.
    return {
      encoding: 'text',
      body: decoder.decode(shown, { stream: shown.length < body.length }),
    };
  } catch {
    return { encoding: 'base64', body: Buffer.from(shown).toString('base64') };
  }
}

function inWords({ code, detail }: Refusal): NonNullable<NextMessage['refused']> {
  const { error } = errorBody(code, detail, '');
  return { status: errorTable[code].status, code, error };
}

/** Hears over Redis for which things somebody waits, and tells of their messages there. */
export function openAwaitedMessages(
  { redisUrl }: { redisUrl: string },
  redis: Redis,
  lifecycle: Lifecycle,
  logger: Logger,
): AwaitedMessages {
  const awaited = new AwaitedMessages((message) => {
    redis.publish(nextMessagesChannel, JSON.stringify(message)).catch((error: unknown) => {
      logger.debug({ error }, 'the next message of a thing could not be told');
    });
  });
  const asked = {
    redisUrl,
    channel: awaitedThingsChannel,
    name: 'notices of awaited things',
    withoutThem: 'no notices of things whose next message is waited for',
  };
  openNotices(asked, logger, lifecycle).onNotice((thing) => {
    if (uuid.test(thing)) awaited.add(thing);
  });
  return awaited;
}
