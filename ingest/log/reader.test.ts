import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  commonMarks,
  frameBytes,
  frameHeaderBytes,
  sealFrames,
  segmentName,
  writeHeader,
} from './format.ts';
import { LogReader } from './reader.ts';
import { appendTo } from './testing/append.ts';
import { small, useLog } from './testing/harness.ts';

const { directory, waiterOf, open, put, readAll, segmentPaths } = useLog();

/** A frame as they all were once: all that it is made of can be known. */
function frameImage(text: string, marks = commonMarks): Buffer {
  const frame = Buffer.alloc(frameBytes(text.length));
  frame.write(text, frameHeaderBytes);
  sealFrames(frame, writeHeader(frame, 0, text.length, 'senml', 1, 0), marks);
  return frame;
}

async function flipBit(path: string, offset: number): Promise<void> {
  const bytes = await fs.readFile(path);
  bytes[offset] = (bytes[offset] ?? 0) ^ 1;
  await fs.writeFile(path, bytes);
}

it('reads segments from before their seeds turned, and from before a log had marks', async () => {
  const own = { magic: 0x1234, seed: 0x5678_9abc };
  await fs.writeFile(join(directory(), 'log.marks'), '2 1234 56789abc\n');
  for (const [segment, marks] of [commonMarks, own].entries()) {
    const path = join(directory(), segmentName(segment + 1));
    await fs.writeFile(path, frameImage(`text ${segment};`, marks));
  }
  const log = await open();
  await put(log, 'new');
  expect(await readAll(log)).toMatchObject({ texts: ['text 0', 'text 1', 'new'], damage: [] });
  await log.close();
  const again = await open();
  await put(again, 'newer');
  expect((await readAll(again)).texts).toEqual(['text 0', 'text 1', 'new', 'newer']);
  await again.close();
});

it('gives the store the rows of a frame, and alarms the head before them as well', async () => {
  const log = await open();
  await put(log, 'no rule');
  const bytes = Buffer.from('head+rows;');
  appendTo(log, waiterOf('rows'), { format: 'senml', records: 1, bytes, headBytes: 5 });
  await put(log, 'not stored', 'alarm');
  expect((await readAll(log)).texts).toEqual(['no rule', 'rows']);
  expect((await readAll(log, 'alarm')).texts).toEqual(['head+rows', 'not stored']);
  await log.close();
});

it('turns the seeds of all new segments, also where the old ones were taken away', async () => {
  const path = join(directory(), 'log.marks');
  await fs.writeFile(path, '1 1234 56789abc 50\n');
  const log = await open();
  const { segment } = log.positions.committed();
  await log.close();
  expect(await fs.readFile(path, 'utf8')).toBe(`1 1234 56789abc ${segment}\n`);
});

describe('a log that is read after damage', () => {
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
    appendTo(log, waiterOf('hostile'), { format: 'senml', records: 1, bytes: hostile });
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
    await fs.writeFile(join(directory(), segmentName(7)), old);
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
    await fs.writeFile(join(directory(), segmentName(50)), frameImage('old;'));
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
    const marks = join(directory(), 'log.marks');
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
      directory: directory(),
      formats: ['senml'],
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
});
