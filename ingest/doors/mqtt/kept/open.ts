import { readdir } from 'node:fs/promises';
import type { Lifecycle } from '../../../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../../../infra/runtime/process/logger.ts';
import { limits } from '../../../limits.ts';
import { before, frameFormats, type Position, segmentNumber } from '../../../log/format.ts';
import type { Log } from '../../../log/log.ts';
import { type Batch, LogReader } from '../../../log/reader.ts';
import type { Redis } from '../../../../infra/runtime/stores/redis.ts';
import { KeptSessions, type SessionLimits } from './kept-sessions.ts';
import { SessionOwners } from './owners.ts';
import { decodeEvent, type SessionEvent } from './session-frame.ts';
import { encodeSnapshot, readSnapshot, writeSnapshot } from './snapshot.ts';

type Options = {
  log: Log;
  /** Its number among the log's readers. */
  reader: number;
  segmentBytes: number;
  /** The largest frame fits. */
  windowBytes: number;
  limits: SessionLimits;
  /** A change that no frame tells is in a snapshot after so long. */
  snapshotMs: number;
  logger: Logger;
};

/** How often it is looked whether a snapshot is due. */
const lookMs = 1_000;

/** Why the sessions of before are not known. */
type Loss =
  | 'noSnapshot'
  | 'damagedSnapshot'
  | 'otherLog'
  | 'noSegment'
  | 'damagedLog'
  | 'unreadable';

/**
 * Opens the sessions of before: those of the snapshot, and what frames after it say. Where something of that is lost, it
 * is not known which ids were released since: a new message under one of them would be taken for one that is there. So
 * all sessions have ended then, which their clients are told (session present 0). What they send again may be stored
 * twice, and nothing is lost.
 */
export async function openSessions(
  options: Options,
): Promise<{ sessions: KeptSessions; snapshots: Snapshots }> {
  const { log, logger } = options;
  const sessions = new KeptSessions(log, options.limits);
  const loss = await restore(sessions, options);
  if (loss !== undefined) {
    sessions.forgetAll();
    const text = 'the sessions of MQTT are lost: their clients begin new ones';
    // A log of before there were snapshots has none either.
    if (loss === 'noSnapshot') logger.warn({ reason: loss }, text);
    else logger.error({ reason: loss }, text);
  }
  sessions.leaveAll(Date.now());
  const snapshots = new Snapshots(sessions, options);
  await snapshots.write();
  return { sessions, snapshots };
}

/** The sessions that the door keeps, and who knows whether they are still here. */
export type SessionParts = { kept: KeptSessions; owners: SessionOwners };

/** Opens them, and writes snapshots until the edge stops. */
export async function keepSessions(
  log: Log,
  reader: number,
  redis: Redis,
  lifecycle: Pick<Lifecycle, 'closing'>,
  logger: Logger,
): Promise<SessionParts> {
  const { sessions, snapshots } = await openSessions({
    log,
    reader,
    segmentBytes: limits.segmentBytes,
    windowBytes: limits.webhooks.windowBytes,
    limits: {
      sessionsMax: limits.mqttSessionsMax,
      sessionsPerThingMax: limits.mqttSessionsPerThingMax,
      sessionSecondsMax: limits.mqttSessionSecondsMax,
      idsPerSessionMax: limits.mqttReceiveMax,
      idsPerThingMax: limits.mqttUnreleasedPerThingMax,
      idsMax: limits.mqttUnreleasedMax,
    },
    snapshotMs: limits.mqttSnapshotMs,
    logger,
  });
  snapshots.start();
  lifecycle.closing('sessions', () => snapshots.close());
  return { kept: sessions, owners: new SessionOwners(redis, log.id) };
}

/** Why it could not; undefined: all is restored. */
async function restore(sessions: KeptSessions, options: Options): Promise<Loss | undefined> {
  const { log } = options;
  // Before the first message: where this process begins to write.
  const start = log.positions.committed();
  const found = await readSnapshot(log.directory);
  if (found.kind === 'damaged') return 'damagedSnapshot';
  if (found.kind === 'missing') return start.segment === 1 ? undefined : 'noSnapshot';
  const { snapshot } = found;
  if (snapshot.log !== log.id || before(start, snapshot.position)) return 'otherLog';
  for (const event of snapshot.events) sessions.restore(event);
  try {
    return await replay(sessions, snapshot.position, start, options);
  } catch (error) {
    options.logger.error({ error }, 'the log can not be read for the sessions of MQTT');
    return 'unreadable';
  }
}

async function replay(
  sessions: KeptSessions,
  from: Position,
  start: Position,
  { log, segmentBytes, windowBytes }: Options,
): Promise<Loss | undefined> {
  if (!before(from, start)) return undefined;
  const segments = (await readdir(log.directory)).map(segmentNumber);
  // Nothing was written to one that could not be made.
  if (from.offset > 0 && !segments.includes(from.segment)) return 'noSegment';
  let isWhole = true;
  const reader = new LogReader({
    directory: log.directory,
    formats: frameFormats,
    segmentBytes,
    committed: () => start,
    // A sink tells of it, and counts it.
    onDamage: async () => void (isWhole = false),
    windowBytes,
  });
  const atOnce = { bytesMax: windowBytes, framesMax: Number.MAX_SAFE_INTEGER };
  const frames = new FrameReplay((event) => sessions.restore(event));
  let position = from;
  while (before(position, start)) {
    const batch = await reader.read(position, atOnce);
    if (batch === undefined) break;
    isWhole &&= frames.takeAll(batch);
    position = batch.to;
  }
  return isWhole ? undefined : 'damagedLog';
}

/** Hands on the events of frames whose message is there as well. */
class FrameReplay {
  readonly #onEvent: (event: SessionEvent) => void;
  #waiting: { event: SessionEvent; frames: number } | undefined;
  #segment = 0;

  constructor(onEvent: (event: SessionEvent) => void) {
    this.#onEvent = onEvent;
  }

  /** False: a frame is not as it was written. */
  takeAll({ from, body, ends, formats }: Batch): boolean {
    // At the end of a segment a write was torn: what follows is another message.
    if (from.segment !== this.#segment) this.#waiting = undefined;
    this.#segment = from.segment;
    for (const [frame, end] of ends.entries()) {
      if (formats[frame] === 'session') {
        const payload = body.subarray(ends[frame - 1] ?? 0, end);
        const event = decodeEvent(payload);
        if (event === undefined) return false;
        this.#waiting = { event, frames: payload[0] ?? 0 };
      } else if (this.#waiting !== undefined) {
        this.#waiting.frames -= 1;
      }
      if (this.#waiting?.frames === 0) {
        this.#onEvent(this.#waiting.event);
        this.#waiting = undefined;
      }
    }
    return true;
  }
}

/**
 * Writes snapshots: whenever the log goes on in another segment, so that the one before can go and a start has little to
 * read; and after a while where something has changed that no frame tells.
 */
class Snapshots {
  readonly #sessions: KeptSessions;
  readonly #options: Options;
  #writtenSegment = 0;
  #writtenAt = Number.NEGATIVE_INFINITY;
  #writing: Promise<void> | undefined;
  #fails = false;
  #timer: NodeJS.Timeout | undefined;

  constructor(sessions: KeptSessions, options: Options) {
    this.#sessions = sessions;
    this.#options = options;
  }

  /** Writes them when they are due. */
  start(): void {
    this.#timer = setInterval(() => {
      this.#sessions.endExpired(Date.now());
      if (this.#isDue()) void this.write();
    }, lookMs);
  }

  async close(): Promise<void> {
    clearInterval(this.#timer);
    await this.#writing;
    await this.write();
  }

  #isDue(): boolean {
    if (this.#options.log.positions.committed().segment !== this.#writtenSegment) return true;
    const ageMs = performance.now() - this.#writtenAt;
    return this.#sessions.hasChanged && ageMs >= this.#options.snapshotMs;
  }

  /** A call while one is written joins it. */
  write(): Promise<void> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined;
    });
    return this.#writing;
  }

  async #write(): Promise<void> {
    const { log, reader, logger } = this.#options;
    // Both of the same moment: no commit ends between them.
    const position = log.positions.committed();
    const bytes = encodeSnapshot({ log: log.id, position, events: this.#sessions.events() });
    try {
      await writeSnapshot(log.directory, bytes);
      this.#writtenSegment = position.segment;
      this.#writtenAt = performance.now();
      log.positions.release(reader, position.segment);
      this.#fails = false;
    } catch (error) {
      this.#sessions.changed();
      if (!this.#fails) {
        logger.error({ error }, 'could not write the sessions of MQTT; it is tried again');
      }
      this.#fails = true;
    }
  }
}
