import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import pino from 'pino';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { writeCursor } from './cursor.ts';
import { createDisk, type Disk, type SegmentFile } from './disk.ts';
import {
  before,
  commonMarks,
  frameBytes,
  type FrameFormat,
  frameHeaderBytes,
  type Position,
  sealFrame,
  segmentName,
} from './format.ts';
import { Log, type LogLimits } from './log.ts';
import { createPositions } from './positions.ts';
import { type Damage, LogReader } from './reader.ts';
import { appendTo, payloadOf } from './testing.ts';

const sinks = 2;
const logger = pino({ level: 'silent' });
const small: LogLimits = {
  segmentBytes: 16 * 1024,
  logBytesMax: 1024 * 1024,
  reserveBytes: 4 * 16 * 1024,
  groupBytesMax: 2 * 1024,
  groupsMax: 3,
};

/** What the disk does wrong from now on. */
type Fault =
  | 'none'
  | 'failWrite'
  | 'tearWrite'
  | 'failLate'
  | 'full'
  | 'short'
  | 'failLink'
  | 'failOpen'
  | 'failRemove';

type FaultyDisk = Disk & { fault: Fault; abandon: () => Promise<void> };

/**
 * The real disk, with a fault that can be switched on. A torn write leaves half of it. Abandoned, it
 * answers nobody any more: a process that was killed does nothing more either.
 */
function faultyDisk(): FaultyDisk {
  const disk = createDisk({ dataSync: true });
  const files: SegmentFile[] = [];
  const allocations = new Set<Promise<void>>();
  let abandoned = false;
  const never = new Promise<never>(() => undefined);
  const faulty: FaultyDisk = {
    ...disk,
    fault: 'none',
    /** What the system does with the files of a process that is killed. */
    async abandon() {
      abandoned = true;
      await Promise.allSettled(allocations);
      await Promise.allSettled(files.splice(0).map((file) => file.close()));
    },
    async allocate(path, length) {
      if (abandoned) await never;
      if (faulty.fault === 'full') throw Object.assign(new Error('full'), { code: 'ENOSPC' });
      const allocation = disk.allocate(path, length);
      allocations.add(allocation);
      await allocation.finally(() => allocations.delete(allocation));
      if (abandoned) await never;
      if (faulty.fault === 'failLink') throw new Error('EIO');
    },
    async freeBytes(at) {
      return faulty.fault === 'short' ? small.reserveBytes : disk.freeBytes(at);
    },
    async remove(path) {
      if (abandoned) await never;
      if (faulty.fault === 'failRemove') throw new Error('EIO');
      await disk.remove(path);
    },
    async openSegment(path) {
      if (faulty.fault === 'failOpen') throw new Error('EIO');
      const file = await disk.openSegment(path);
      files.push(file);
      if (abandoned) {
        await file.close();
        await never;
      }
      return {
        ...file,
        write(buffer, length, position, done) {
          if (faulty.fault === 'failWrite') done(new Error('EIO'));
          else if (faulty.fault === 'failLate') {
            file.write(buffer, length, position, () => done(new Error('EIO')));
          } else if (faulty.fault === 'tearWrite') {
            file.write(buffer, Math.floor(length / 2), position, () => done(new Error('EIO')));
          } else file.write(buffer, length, position, done);
        },
      };
    },
  };
  return faulty;
}

/** A frame as they all were once: all that it is made of can be known. */
function frameImage(text: string): Buffer {
  const frame = Buffer.alloc(frameBytes(text.length));
  frame.write(text, frameHeaderBytes);
  sealFrame(frame, 0, text.length, 'senml', 1, 0, commonMarks);
  return frame;
}

let directory: string;
const acknowledged: string[] = [];
const refused: string[] = [];

beforeEach(async () => {
  directory = await fs.mkdtemp(join(tmpdir(), 'millrace-log-test-'));
  acknowledged.length = 0;
  refused.length = 0;
});

afterEach(clear);

/** Tried again: what a log that crashed had begun may make one more file. */
function clear(): Promise<void> {
  return fs.rm(directory, { recursive: true, force: true, maxRetries: 10 });
}

function open(disk: Disk = createDisk({ dataSync: true }), limits = small): Promise<Log<string>> {
  return Log.open<string>({
    directory,
    disk,
    limits,
    logger,
    positions: createPositions(sinks),
    onCommit: (waiters, durable) => void (durable ? acknowledged : refused).push(...waiters),
  });
}

/** No sink needs an older segment. */
function releaseBefore(log: Log<string>, segment: number): void {
  for (let sink = 0; sink < sinks; sink++) log.positions.release(sink, segment);
}

/** Appends and waits until the waiter was told, or tells why it was not taken. */
async function put(log: Log<string>, text: string, format: FrameFormat = 'senml') {
  const outcome = appendTo(log, text, payloadOf(text, format));
  // At least once: a caller that tries until the disk has done something lets it.
  do await new Promise(setImmediate);
  while (outcome === 'appended' && !acknowledged.includes(text) && !refused.includes(text));
  return outcome;
}

/** Everything a sink would read from the start. */
async function readAll(
  log: Log<string>,
  format: FrameFormat = 'senml',
): Promise<{ texts: string[]; damage: Damage[]; end: Position }> {
  const damage: Damage[] = [];
  const reader = new LogReader({
    directory,
    format,
    segmentBytes: small.segmentBytes,
    committed: log.positions.committed,
    onDamage: async (one) => void damage.push(one),
    windowBytes: 4 * 1024,
  });
  const texts: string[] = [];
  let position: Position = { segment: 0, offset: 0 };
  for (;;) {
    const batch = await reader.read(position, { bytesMax: 4 * 1024, framesMax: 7 });
    if (batch === undefined) return { texts, damage, end: position };
    texts.push(...batch.body.toString().split(';').slice(0, -1));
    position = batch.to;
  }
}

async function segmentPaths(): Promise<string[]> {
  const names = (await fs.readdir(directory)).filter((name) => name.endsWith('.segment'));
  return names.toSorted().map((name) => join(directory, name));
}

async function flipBit(path: string, offset: number): Promise<void> {
  const bytes = await fs.readFile(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  await fs.writeFile(path, bytes);
}

describe('the log', () => {
  it('gives back what was acknowledged, in order, over many segments and a restart', async () => {
    const log = await open();
    const texts = Array.from({ length: 300 }, (_, i) => `${i}-${'x'.repeat(i)}`);
    for (const text of texts) await put(log, text);
    await log.close();
    const again = await open();
    await put(again, 'after');
    expect((await readAll(again)).texts).toEqual([...texts, 'after']);
    expect(again.stats().segments).toBeGreaterThan(3);
    await again.close();
  });

  it('keeps the formats apart', async () => {
    const log = await open();
    await put(log, 'a');
    await put(log, 'b', 'json');
    await put(log, 'c');
    expect((await readAll(log)).texts).toEqual(['a', 'c']);
    expect((await readAll(log, 'json')).texts).toEqual(['b']);
    await log.close();
  });

  it('takes both frames of a message whole or not at all, and answers it once', async () => {
    const log = await open();
    // The second pair fits no group beside the first, though its first frame does.
    const pairs = ['a', 'b'.repeat(800), 'c'.repeat(900)];
    for (const text of pairs) {
      const outcome = appendTo(log, text, payloadOf(text), payloadOf(`copy of ${text}`, 'webhook'));
      expect(outcome).toBe('appended');
    }
    const large = 'x'.repeat(small.groupBytesMax / 2);
    expect(appendTo(log, large, payloadOf(large), payloadOf(large, 'webhook'))).toBe('tooLarge');
    await put(log, 'last');
    expect(acknowledged).toEqual([...pairs, 'last']);
    expect(log.stats()).toMatchObject({ committedMessages: 4, committedRecords: 4 });
    const stored = await readAll(log);
    expect(stored.texts).toEqual([...pairs, 'last']);
    expect(stored.damage).toEqual([]);
    const { texts } = await readAll(log, 'webhook');
    expect(texts).toEqual(pairs.map((text) => `copy of ${text}`));
    await log.close();
  });

  it('tells how far the frames of each format go', async () => {
    const first = await open();
    await put(first, 'a', 'webhook');
    const { positions } = first;
    const end = positions.committed();
    expect(positions.endOf('webhook')).toEqual(end);
    expect(before(positions.endOf('senml'), end)).toBe(true);
    await put(first, 'b');
    expect(positions.endOf('webhook')).toEqual(end);
    expect(positions.endOf('senml')).toEqual(positions.committed());
    appendTo(first, 'c', payloadOf('c'), payloadOf('c', 'webhook'));
    await put(first, 'd');
    expect(positions.endOf('webhook')).toEqual(positions.committed());
    await first.close();

    // What a former process left may hold any.
    const second = await open();
    expect(second.positions.endOf('webhook')).toEqual(second.positions.committed());
    expect(second.positions.committed().segment).toBeGreaterThan(end.segment);
    await second.close();
  });

  it('carries what arrives together in one commit', async () => {
    const log = await open();
    for (let i = 0; i < 20; i++) appendTo(log, String(i), payloadOf(String(i)));
    await put(log, 'last');
    expect(log.stats().commits).toBe(1);
    expect(acknowledged).toHaveLength(21);
    await log.close();
  });

  it('refuses a frame that fits no group, and takes the next one', async () => {
    const log = await open();
    expect(await put(log, 'x'.repeat(small.groupBytesMax))).toBe('tooLarge');
    expect(await put(log, 'y')).toBe('appended');
    expect((await readAll(log)).texts).toEqual(['y']);
    await log.close();
  });

  it('says full when every group is taken, and takes more once the disk has caught up', async () => {
    const log = await open();
    const text = 'x'.repeat(1_500);
    const outcomes = [0, 1, 2, 3].map((i) => appendTo(log, `${i}`, payloadOf(`${i}${text}`)));
    expect(outcomes).toEqual(['appended', 'appended', 'appended', 'full']);
    expect(log.tryReserve(10)).toBe(false);
    await put(log, 'never').then((outcome) => expect(outcome).toBe('full'));
    while (acknowledged.length < 3) await new Promise(setImmediate);
    expect(await put(log, 'then')).toBe('appended');
    await log.close();
  });

  it('stops at its size limit, and goes on when the sinks have passed a segment', async () => {
    const log = await open(undefined, { ...small, logBytesMax: 4 * small.segmentBytes });
    let count = 0;
    // No room while the next segment is made is not the limit yet.
    while (log.tryReserve(1_000) || log.stats().segments < 4) {
      if (log.tryReserve(1_000)) await put(log, `${count++}-${'x'.repeat(1_000)}`);
      await new Promise(setImmediate);
    }
    expect(log.stats().bytes).toBe(4 * small.segmentBytes);
    expect(log.stats().accepting).toBe(true);
    expect(acknowledged).toHaveLength(count);
    const [oldest] = await segmentPaths();
    releaseBefore(log, log.positions.committed().segment);
    await log.deletePassed();
    while (!log.tryReserve(1_000)) await new Promise(setImmediate);
    expect(await put(log, 'room')).toBe('appended');
    expect(await segmentPaths()).not.toContain(oldest);
    await log.close();
  });

  it('never acknowledges what a write did not take, and goes on in a new segment', async () => {
    const disk = faultyDisk();
    const log = await open(disk);
    await put(log, 'before');
    disk.fault = 'failWrite';
    await put(log, 'lost');
    expect(refused).toEqual(['lost']);
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    await put(log, 'after');
    expect(acknowledged).toEqual(['before', 'after']);
    const { texts, damage } = await readAll(log);
    expect(texts).toEqual(['before', 'after']);
    expect(damage).toEqual([]);
    expect(log.stats().failedWrites).toBe(1);
    await log.close();
  });

  it('never gives a sink what was refused, though the disk has it', async () => {
    const disk = faultyDisk();
    const log = await open(disk);
    await put(log, 'before');
    disk.fault = 'failLate';
    await put(log, 'refused');
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    await put(log, 'after');
    expect((await readAll(log)).texts).toEqual(['before', 'after']);
    await log.close();
  });

  it('recovers at its limit though its newest segment failed', async () => {
    const disk = faultyDisk();
    const limit = { ...small, logBytesMax: 4 * small.segmentBytes };
    const log = await open(disk, limit);
    let count = 0;
    while (log.stats().segments < 4) await put(log, `${count++}-${'x'.repeat(1_000)}`);
    disk.fault = 'failWrite';
    while (log.tryReserve(1_000)) await put(log, `${count++}-refused`);
    disk.fault = 'none';
    const { end } = await readAll(log);
    releaseBefore(log, end.segment);
    await log.deletePassed();
    while (!log.tryReserve(1_000)) await new Promise(setImmediate);
    expect(await put(log, 'room')).toBe('appended');
    await log.close();
  });

  it('starts on a full disk, and takes messages once there is room', async () => {
    const disk = faultyDisk();
    disk.fault = 'full';
    const log = await open(disk);
    expect(log.tryReserve(1)).toBe(false);
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    expect(await put(log, 'room')).toBe('appended');
    await log.close();
  });

  it('takes nothing while the disk is full, and goes on when there is room', async () => {
    const disk = faultyDisk();
    const log = await open(disk);
    disk.fault = 'full';
    let count = 0;
    while (log.tryReserve(1_000)) await put(log, `${count++}-${'x'.repeat(1_000)}`);
    expect(acknowledged).toHaveLength(count);
    disk.fault = 'none';
    while (!log.tryReserve(1_000)) await new Promise((resolve) => setImmediate(resolve));
    await put(log, 'room');
    expect((await readAll(log)).texts).toEqual(acknowledged);
    await log.close();
  });

  it('leaves others their part of the disk, and goes on by itself once there is room', async () => {
    const disk = faultyDisk();
    const log = await open(disk);
    disk.fault = 'short';
    let count = 0;
    while (log.tryReserve(1_000)) await put(log, `${count++}-${'x'.repeat(1_000)}`);
    while (!log.stats().diskIsShort) await new Promise(setImmediate);
    const segments = await segmentPaths();
    disk.fault = 'none';
    while (!log.tryReserve(1_000)) await new Promise((resolve) => setImmediate(resolve));
    await put(log, 'room');
    expect(log.stats()).toMatchObject({ accepting: true, diskIsShort: false });
    expect((await segmentPaths()).length).toBeGreaterThan(segments.length);
    expect((await readAll(log)).texts).toEqual(acknowledged);
    await log.close();
  });

  it.each<Fault>(['failLink', 'failOpen', 'full'])(
    'goes on after a segment could not be made (%s), under another name and with nothing left of it',
    async (fault) => {
      const disk = faultyDisk();
      disk.fault = fault;
      const log = await open(disk);
      expect(log.tryReserve(1)).toBe(false);
      expect((await fs.readdir(directory)).filter((name) => !name.startsWith('log.'))).toEqual([]);
      disk.fault = 'none';
      while (!log.tryReserve(1)) await new Promise(setImmediate);
      await put(log, 'after');
      expect((await readAll(log)).texts).toEqual(['after']);
      expect(await segmentPaths()).not.toContain(join(directory, segmentName(1)));
      await log.close();
    },
  );

  it('counts a segment that can not be removed until it is', async () => {
    const disk = faultyDisk();
    const log = await open(disk);
    let count = 0;
    while (log.stats().segments < 4) await put(log, `${count++}-${'x'.repeat(1_000)}`);
    const segments = log.stats().segments;
    releaseBefore(log, log.positions.committed().segment);
    disk.fault = 'failRemove';
    await expect(log.deletePassed()).rejects.toThrow('EIO');
    expect(log.stats().segments).toBe(segments);
    disk.fault = 'none';
    await Promise.all([log.deletePassed(), log.deletePassed()]);
    expect(log.stats().segments).toBeLessThan(segments);
    expect(await segmentPaths()).toHaveLength(log.stats().segments);
    await log.close();
  });

  it('takes a torn tail for the end, and loses nothing before it', async () => {
    const log = await open();
    for (const text of ['a', 'b', 'c']) await put(log, text);
    const { end } = await readAll(log);
    await log.close();
    const [path] = await segmentPaths();
    if (path === undefined) throw new Error('no segment');
    // As a crash leaves it: half a frame after the last commit, and zeros to the segment's full length.
    const torn = Buffer.alloc(small.segmentBytes);
    await fs.readFile(path).then((bytes) => bytes.copy(torn));
    torn.fill(7, end.offset, end.offset + 40);
    await fs.writeFile(path, torn);
    const again = await open();
    await put(again, 'd');
    const { texts, damage } = await readAll(again);
    expect(texts).toEqual(['a', 'b', 'c', 'd']);
    expect(damage).toEqual([]);
    await again.close();
  });

  it('counts exactly the frames a flipped bit costs, and reads all others', async () => {
    const log = await open();
    for (const text of ['a', 'b', 'c', 'd']) await put(log, text);
    const [path] = await segmentPaths();
    if (path === undefined) throw new Error('no segment');
    const second = frameBytes(2);
    await flipBit(path, second + frameHeaderBytes);
    const { texts, damage } = await readAll(log);
    expect(texts).toEqual(['a', 'c', 'd']);
    expect(damage).toMatchObject([{ at: { offset: second }, bytes: second, frames: 1 }]);
    await log.close();
  });

  it('takes no bytes of a message for a frame, wherever it is torn or damaged', async () => {
    const log = await open();
    await put(log, 'a');
    // Whoever sends it knows how frames are made, but not what marks those of this log.
    const hostile = Buffer.concat([frameImage('forged;'), Buffer.alloc(200, 'x')]);
    appendTo(log, 'hostile', { format: 'senml', records: 1, bytes: hostile });
    await put(log, 'b');
    const { end } = await readAll(log);
    await log.close();
    const [path] = await segmentPaths();
    if (path === undefined) throw new Error('no segment');
    const whole = await fs.readFile(path);
    const second = frameBytes(2);

    await flipBit(path, second + frameHeaderBytes + hostile.length - 1);
    const again = await open();
    const damaged = await readAll(again);
    expect(damaged.texts).toEqual(['a', 'b']);
    expect(damaged.damage).toMatchObject([{ at: { offset: second }, frames: 1 }]);
    await again.close();

    const torn = Buffer.alloc(small.segmentBytes);
    whole.copy(torn, 0, 0, second + frameBytes(hostile.length) - 64);
    expect(torn.length).toBeGreaterThan(end.offset);
    await fs.writeFile(path, torn);
    const last = await open();
    expect(await readAll(last)).toMatchObject({ texts: ['a'], damage: [] });
    await last.close();
  });

  it('reads what was written before its frames had marks of their own', async () => {
    const old = Buffer.concat([frameImage('old;'), frameImage('older;')]);
    await fs.writeFile(join(directory, segmentName(7)), old);
    const log = await open();
    await put(log, 'new');
    expect(await readAll(log)).toMatchObject({ texts: ['old', 'older', 'new'], damage: [] });
    await log.close();
    const again = await open();
    await put(again, 'newer');
    const { texts, damage } = await readAll(again);
    expect([texts, damage]).toEqual([['old', 'older', 'new', 'newer'], []]);
    await again.close();
  });

  it('reads what it wrote after its segments and cursors were taken away', async () => {
    await fs.writeFile(join(directory, segmentName(50)), frameImage('old;'));
    await (await open()).close();
    for (const path of await segmentPaths()) await fs.rm(path);
    const log = await open();
    await put(log, 'new');
    expect(await readAll(log)).toMatchObject({ texts: ['new'], damage: [] });
    await log.close();
  });

  it('does not start without the marks of what it holds', async () => {
    const log = await open();
    await put(log, 'a');
    await log.close();
    const marks = join(directory, 'log.marks');
    const kept = await fs.readFile(marks);
    await fs.rm(marks);
    await expect(open()).rejects.toThrow('log.marks is lost: restore it from a copy');
    await fs.writeFile(marks, kept);
    const again = await open();
    expect((await readAll(again)).texts).toEqual(['a']);
    await again.close();
  });

  it('tells of damage at the end of a finished segment, which no later frame would show', async () => {
    const log = await open();
    for (const text of ['a', 'b']) await put(log, text);
    await log.close();
    const [path] = await segmentPaths();
    if (path === undefined) throw new Error('no segment');
    await flipBit(path, frameBytes(2) + frameHeaderBytes);
    const again = await open();
    const { texts, damage } = await readAll(again);
    expect(texts).toEqual(['a']);
    expect(damage).toMatchObject([{ frames: 1 }]);
    await again.close();
  });

  it('reads a batch again with the same boundaries and the same bytes', async () => {
    const log = await open();
    for (let i = 0; i < 40; i++) await put(log, `${i}`);
    const reader = new LogReader({
      directory,
      format: 'senml',
      segmentBytes: small.segmentBytes,
      committed: log.positions.committed,
      onDamage: async () => undefined,
    });
    const start = { segment: 0, offset: 0 };
    const batch = await reader.read(start, { bytesMax: 1_000, framesMax: 9 });
    if (batch === undefined) throw new Error('nothing to read');
    const body = batch.body.toString();
    const again = await reader.read(batch.from, { bytesMax: 1, framesMax: 1 }, batch.to.offset);
    expect(again?.body.toString()).toBe(body);
    expect(again?.to).toEqual(batch.to);
    await log.close();
  });

  it('numbers new segments above a cursor that is ahead of every segment', async () => {
    await writeCursor(join(directory, 'senml.cursor'), {
      position: { segment: 500, offset: 8 },
      batch: 1,
      sendingTo: undefined,
    });
    const log = await open();
    expect(log.positions.committed()).toEqual({ segment: 501, offset: 0 });
    expect(await segmentPaths()).toContain(join(directory, segmentName(501)));
    await log.close();
  });

  it('keeps every acknowledged frame exactly once and invents none, whatever the disk does', async () => {
    const step = fc.oneof(
      {
        weight: 8,
        arbitrary: fc.record({ kind: fc.constant('put' as const), size: fc.nat(1_800) }),
      },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('crash' as const) }) },
      { weight: 1, arbitrary: fc.record({ kind: fc.constant('restart' as const) }) },
      {
        weight: 2,
        arbitrary: fc.record({
          kind: fc.constant('fault' as const),
          fault: fc.constantFrom<Fault>(
            'none',
            'failWrite',
            'tearWrite',
            'failLate',
            'full',
            'short',
            'failLink',
            'failOpen',
          ),
        }),
      },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        await clear();
        acknowledged.length = 0;
        refused.length = 0;
        let disk = faultyDisk();
        const appended = new Set<string>();
        let log = await open(disk);
        for (const [index, one] of steps.entries()) {
          if (one.kind === 'put') {
            const text = `${index}-${'x'.repeat(one.size)}`;
            if ((await put(log, text)) === 'appended') appended.add(text);
          } else if (one.kind === 'fault') disk.fault = one.fault;
          else {
            disk.fault = 'none';
            // A crash leaves the zeros after the last frame; a close cuts them off.
            if (one.kind === 'restart') await log.close();
            await disk.abandon();
            disk = faultyDisk();
            log = await open(disk);
          }
        }
        disk.fault = 'none';
        const { texts } = await readAll(log);
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts.filter((text) => !appended.has(text))).toEqual([]);
        expect(acknowledged.filter((text) => !texts.includes(text))).toEqual([]);
        await log.close();
        await disk.abandon();
      }),
      { numRuns: 60 },
    );
  });
});
