import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { eventually } from '../../test/support/eventually.ts';
import { createDisk, type Disk, type SegmentFile } from './disk.ts';
import { frameFormats, segmentName } from './format.ts';
import type { Log } from './log.ts';
import { faultyDisk, type Fault } from './testing/faulty-disk.ts';
import { small, useLog } from './testing/harness.ts';

const { directory, acknowledged, refused, open, releaseBefore, put, readAll, segmentPaths } =
  useLog();

describe('a log that fills faster than its disk is zeroed', () => {
  it('leaves the rest of a segment a hole, once it is urgent', async () => {
    const path = join(directory(), segmentName(0));
    const length = 4 * 1024 * 1024;
    await createDisk({ dataSync: true }).allocate(path, length, () => true);
    const { size, blocks } = await fs.stat(path);
    expect(size).toBe(length);
    expect(blocks * 512).toBeLessThan(length / 2);
    expect((await fs.readFile(path)).every((byte) => byte === 0)).toBe(true);
  });

  it('asks for the next segment once most of one is written', async () => {
    const disk = createDisk({ dataSync: true });
    let isUrgent = () => true;
    const log = await open({
      ...disk,
      allocate(path, length, asked) {
        isUrgent = asked;
        return disk.allocate(path, length, asked);
      },
    });
    expect(isUrgent()).toBe(false);
    for (let count = 0; count < 100 && !isUrgent(); count++) {
      while (!log.tryReserve(1_000)) await new Promise(setImmediate);
      await put(log, `${count}-${'x'.repeat(1_000)}`);
    }
    expect(isUrgent()).toBe(true);
    expect((await readAll(log)).texts).toEqual(acknowledged);
    await log.close();
  });
});

/** Appends until the log writes into another segment than now. */
async function fillSegment(log: Log): Promise<void> {
  const { segment } = log.positions.committed();
  for (let count = 0; log.positions.committed().segment === segment; count++) {
    while (!log.tryReserve(1_000)) await new Promise(setImmediate);
    await put(log, `${segment}-${count}-${'x'.repeat(1_000)}`);
  }
}

/** Tells that the sinks need nothing before the segment that is written. */
async function pass(log: Log): Promise<void> {
  releaseBefore(log, log.positions.committed().segment);
  await log.deletePassed();
}

/** A file that is cut off some time later, as on a busy disk. */
const cutLate = (file: SegmentFile): SegmentFile => ({
  ...file,
  async truncate(length) {
    await delay((length / 8) % 3);
    await file.truncate(length);
  },
});

/** The same disk, noting the path of each segment that is set aside. */
const notingSetAside = (disk: Disk, paths: string[]): Disk => ({
  ...disk,
  setAside(path, bytesMin) {
    paths.push(path);
    return disk.setAside(path, bytesMin);
  },
});

const fileIds = async () =>
  Promise.all((await segmentPaths()).map(async (path) => (await fs.stat(path)).ino));

describe('a segment that the sinks have passed', () => {
  it('is written again, and what it held is never read again, not even after a crash', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    await fillSegment(log);
    const passed = await fileIds();
    await pass(log);
    await fillSegment(log);
    await fillSegment(log);
    const [written = 0] = await fileIds();
    expect(passed).toContain(written);
    const { texts } = await readAll(log);
    expect(texts).toEqual(acknowledged.slice(-texts.length));
    expect(new Set(acknowledged).size).toBeGreaterThan(texts.length);

    // A segment is cut off when it is full; the one that was written when the process was killed is not.
    await pass(log);
    await put(log, 'the last before the crash');
    const left = await readAll(log);
    await disk.abandon();
    const again = await open();
    const found = await readAll(again);
    expect(found).toMatchObject({ texts: left.texts, damage: [] });
    expect(found.texts.at(-1)).toBe('the last before the crash');
    await again.close();
  });

  it('is no damage to a reader at its end, while it is cut off', async () => {
    const disk = createDisk({ dataSync: true });
    const log = await open({
      ...disk,
      openSegment: async (path) => cutLate(await disk.openSegment(path)),
    });
    const damage: unknown[] = [];
    let isOver = false;
    let from = { segment: 0, offset: 0 };
    const follow = async () => {
      while (!isOver) {
        const found = await readAll(log, 'json', from);
        from = found.end;
        damage.push(...found.damage);
      }
    };
    const following = follow();
    // Of many sizes, so that a frame of what the file was before seldom begins where the last one ends.
    for (let count = 0; log.positions.committed().segment < 60; count++) {
      while (!log.tryReserve(1_900)) await new Promise(setImmediate);
      await put(log, `${count}-${'x'.repeat((count * 7_919) % 1_800)}`);
      releaseBefore(log, from.segment);
      await log.deletePassed();
    }
    isOver = true;
    await following;
    expect(damage).toEqual([]);
    await log.close();
  });

  it('is not written again if the disk failed a write to it', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const setAside: string[] = [];
    const log = await open(notingSetAside(disk, setAside));
    await put(log, 'before');
    const [failed] = await segmentPaths();
    disk.fault = 'failWrite';
    await put(log, 'lost');
    disk.fault = 'none';
    await fillSegment(log);
    await fillSegment(log);
    await pass(log);
    expect(setAside.length).toBeGreaterThan(0);
    expect(setAside).not.toContain(failed);
    expect(await segmentPaths()).not.toContain(failed);
    await log.close();
  });

  it('is room for messages though too little of the disk is free', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    await fillSegment(log);
    await pass(log);
    disk.fault = 'short';
    const { segment } = log.positions.committed();
    for (let turn = 0; turn < 5; turn++) {
      await fillSegment(log);
      await pass(log);
    }
    expect(log.positions.committed().segment).toBeGreaterThanOrEqual(segment + 5);
    await log.close();
  });

  it('leaves nothing when the log is closed, or is opened after a crash', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const beingPrepared = async () =>
      (await fs.readdir(directory())).filter((name) => name.endsWith('.preparing'));
    const log = await open(disk);
    for (let turn = 0; turn < 4; turn++) await fillSegment(log);
    await pass(log);
    await disk.abandon();
    const spares = await beingPrepared();
    expect(spares).not.toEqual([]);
    const again = await open();
    expect(await beingPrepared()).not.toEqual(expect.arrayContaining(spares));
    for (let turn = 0; turn < 4; turn++) await fillSegment(again);
    await pass(again);
    await again.close();
    expect(await beingPrepared()).toEqual([]);
  });
});

describe('a log on a disk that is full or fails', () => {
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
    const disk = faultyDisk(small.reserveBytes);
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

  it('wakes sinks that rest in the segment that failed, though no commit follows', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    const wakes = () => frameFormats.map((format) => log.positions.wakes([format]));
    const before = wakes();
    disk.fault = 'failWrite';
    await put(log, 'lost');
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    expect(wakes()).toEqual(before.map((count) => count + 1));
    await log.close();
  });

  it('never gives a sink what was refused, though the disk has it', async () => {
    const disk = faultyDisk(small.reserveBytes);
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
    const disk = faultyDisk(small.reserveBytes);
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
    const disk = faultyDisk(small.reserveBytes);
    disk.fault = 'full';
    const log = await open(disk);
    expect(log.tryReserve(1)).toBe(false);
    disk.fault = 'none';
    while (!log.tryReserve(1)) await new Promise(setImmediate);
    expect(await put(log, 'room')).toBe('appended');
    await log.close();
  });

  it('takes nothing while the disk is full, and goes on when there is room', async () => {
    const disk = faultyDisk(small.reserveBytes);
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
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    disk.fault = 'short';
    let count = 0;
    // The segment that was being made as the disk became short may come after the first one is full.
    while (log.tryReserve(1_000) || !log.stats().diskIsShort) {
      if (log.tryReserve(1_000)) await put(log, `${count++}-${'x'.repeat(1_000)}`);
      else await new Promise(setImmediate);
    }
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
      const disk = faultyDisk(small.reserveBytes);
      disk.fault = fault;
      const log = await open(disk);
      expect(log.tryReserve(1)).toBe(false);
      expect((await fs.readdir(directory())).filter((name) => !name.startsWith('log.'))).toEqual(
        [],
      );
      disk.fault = 'none';
      while (!log.tryReserve(1)) await new Promise(setImmediate);
      await put(log, 'after');
      expect((await readAll(log)).texts).toEqual(['after']);
      expect(await segmentPaths()).not.toContain(join(directory(), segmentName(1)));
      await log.close();
    },
  );

  it('counts a segment that can not be removed until it is', async () => {
    const disk = faultyDisk(small.reserveBytes);
    const log = await open(disk);
    let count = 0;
    while (log.stats().segments < 4) await put(log, `${count++}-${'x'.repeat(1_000)}`);
    const before = log.stats().segments;
    releaseBefore(log, log.positions.committed().segment);
    disk.fault = 'failRemove';
    await expect(log.deletePassed()).rejects.toThrow('EIO');
    expect(log.stats().segments).toBe(before);
    disk.fault = 'none';
    await Promise.all([log.deletePassed(), log.deletePassed()]);
    expect(log.stats().segments).toBeLessThan(before);
    // The next one is on the disk a moment before it counts.
    await eventually(async () => expect(await segmentPaths()).toHaveLength(log.stats().segments));
    await log.close();
  });
});
