import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pino from 'pino';
import { createDisk } from '../../ingest/log/disk.ts';
import {
  type FrameFormat,
  frameBytes,
  frameHeaderBytes,
  type Position,
  segmentName,
} from '../../ingest/log/format.ts';
import { Log } from '../../ingest/log/log.ts';
import { createPositions } from '../../ingest/log/positions.ts';
import { LogReader } from '../../ingest/log/reader.ts';
import { appendTo } from '../../ingest/log/testing/append.ts';
import { recover } from '../../ingest/log/directory/recover.ts';
import { eventually } from '../support/eventually.ts';
import type { Dice } from '../support/malformed/mutate.ts';

const lastBytes = 64 * 1024;

const segmentBytes = 80 * 1024;
const payloadBytesMax = 2_000;
const groupBytesMax = 8 * 1024;
const formats: readonly FrameFormat[] = ['senml', 'json', 'webhook'];
const disk = createDisk({ dataSync: false });

/** An acknowledged frame: its text, and where it stands in the segment. */
type Frame = { format: FrameFormat; text: string; from: number; payloadEnd: number; to: number };

/** What a process that was killed left: one segment, with zeros after its last frame. */
type Left = { bytes: Buffer; marks: string; frames: Frame[]; end: number };

/** How bytes are lost, and which frames must be read back then: all of them, and nothing else. */
const tears = {
  /** The file ends there. */
  cut: (left: Left, at: number) => ({
    bytes: left.bytes.subarray(0, at),
    kept: left.frames.filter(({ to }) => to <= at),
  }),
  /** The disk had not written what follows. */
  zeros: (left: Left, at: number) => ({
    bytes: withRest(left, at, (length) => Buffer.alloc(length)),
    kept: left.frames.filter(({ payloadEnd }) => payloadEnd <= at),
  }),
  /** Something else stands there; padding does not matter. */
  garbage: (left: Left, at: number, random: Dice) => ({
    bytes: withRest(left, at, (length) => {
      return Buffer.from(Array.from({ length }, () => random.below(256)));
    }),
    kept: left.frames.filter(({ payloadEnd }) => payloadEnd <= at),
  }),
  /** One byte is another. */
  flip: (left: Left, at: number, random: Dice) => {
    const bytes = Buffer.from(left.bytes);
    bytes[at] = (bytes[at] ?? 0) ^ (1 + random.below(255));
    return {
      bytes,
      kept: left.frames.filter(({ from, payloadEnd }) => at < from || at >= payloadEnd),
    };
  },
} as const;

function withRest({ bytes, end }: Left, at: number, rest: (length: number) => Buffer): Buffer {
  return Buffer.concat([bytes.subarray(0, at), rest(end - at), bytes.subarray(end)]);
}

/** Fills a segment through the log itself, and takes it as a kill would leave it. */
export async function leaveLog(random: Dice): Promise<Left> {
  const directory = await fs.mkdtemp(join(tmpdir(), 'millrace-log-test-'));
  let answered = 0;
  const limits = {
    segmentBytes,
    logBytesMax: 4 * segmentBytes,
    groupBytesMax,
    groupsMax: 4,
    reserveBytes: 0,
  };
  const silent = pino({ level: 'silent' });
  const log = await Log.open({
    directory,
    disk,
    limits,
    logger: silent,
    positions: createPositions(1),
  });
  const waiter = { afterCommit: () => void (answered += 1) };
  const frames: Frame[] = [];
  let end = 0;
  while (end < segmentBytes - 2 * payloadBytesMax) {
    const format = random.oneOf(formats);
    const text = `${frames.length}:${'x'.repeat(random.below(payloadBytesMax))};`;
    const payload = { format, records: 1, bytes: Buffer.from(text, 'latin1') };
    if (appendTo(log, waiter, payload) !== 'appended') throw new Error('the log is full');
    const payloadEnd = end + frameHeaderBytes + text.length;
    const to = end + frameBytes(text.length);
    frames.push({ format, text, from: end, payloadEnd, to });
    end = to;
    // So that there are groups of one, and of several.
    if (random.below(3) === 0) await eventually(() => answered === frames.length);
  }
  await eventually(() => answered === frames.length);
  const { segment } = log.positions.committed();
  const bytes = await fs.readFile(join(directory, segmentName(segment)));
  const marks = await fs.readFile(join(directory, 'log.marks'), 'utf8');
  await log.close();
  await fs.rm(directory, { recursive: true });
  return { bytes, marks, frames, end };
}

/** A directory in which torn logs of these marks are read back, one after the other. */
async function openTornLogs({ marks }: Left) {
  const directory = await fs.mkdtemp(join(tmpdir(), 'millrace-log-test-'));
  await fs.writeFile(join(directory, 'log.marks'), marks);
  return {
    /** What recovery reads back of a segment with these bytes, and how often it told of damage. */
    async readBack(bytes: Buffer): Promise<{ texts: string[]; damages: number }> {
      await fs.writeFile(join(directory, segmentName(1)), bytes);
      const { nextSegment } = await recover(directory, disk);
      const texts: string[] = [];
      let damages = 0;
      for (const format of formats) {
        const reader = new LogReader({
          directory,
          formats: [format],
          segmentBytes,
          committed: () => ({ segment: nextSegment, offset: 0 }),
          onDamage: async () => void (damages += 1),
          windowBytes: segmentBytes,
        });
        let position: Position = { segment: 0, offset: 0 };
        for (;;) {
          const batch = await reader.read(position, { bytesMax: segmentBytes, framesMax: 1_000 });
          if (batch === undefined) break;
          texts.push(...batch.body.toString('latin1').split(/(?<=;)/));
          position = batch.to;
        }
      }
      return { texts: texts.filter((text) => text !== '').toSorted(), damages };
    },
    close: () => fs.rm(directory, { recursive: true }),
  };
}

/** What is wrong with how a log torn at these places is read back; nothing if it is as it must be. */
export async function wrongAt(
  left: Left,
  kind: keyof typeof tears,
  places: Iterable<number>,
  random: Dice,
): Promise<string[]> {
  const logs = await openTornLogs(left);
  const wrong: string[] = [];
  for (const at of places) {
    const { bytes, kept } = tears[kind](left, at, random);
    const { texts, damages } = await logs.readBack(bytes);
    const expected = kept.map(({ text }) => text).toSorted();
    if (texts.join('') !== expected.join('')) {
      wrong.push(`${kind} at ${at}: ${texts.length} frames, not ${expected.length}`);
    }
    // Frames before and after it can be read: what is between them was acknowledged and is lost.
    const isInside = kind === 'flip' && kept.length < left.frames.length;
    const isLast = kept.at(-1) !== left.frames.at(-1);
    if (isInside && !isLast && damages === 0) wrong.push(`${kind} at ${at}: no damage is told`);
  }
  await logs.close();
  return wrong;
}

/** The places in the last 64 KiB before the end of what was written. */
export const lastPlaces = ({ end }: Left): number[] =>
  Array.from({ length: lastBytes }, (_, at) => end - lastBytes + at);
