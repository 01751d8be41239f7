import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writePosition } from './cursor.ts';
import { before, segmentName } from './format.ts';
import { appendTo, payloadOf } from './testing/append.ts';
import { faultyDisk, type Fault } from './testing/faulty-disk.ts';
import { small, useLog } from './testing/harness.ts';

const {
  directory,
  waiterOf,
  acknowledged,
  refused,
  clear,
  open,
  put,
  readAll,
  releaseBefore,
  segmentPaths,
} = useLog();

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
      const outcome = appendTo(
        log,
        waiterOf(text),
        payloadOf(text),
        payloadOf(`copy of ${text}`, 'webhook'),
      );
      expect(outcome).toBe('appended');
    }
    const large = 'x'.repeat(small.groupBytesMax / 2);
    expect(appendTo(log, waiterOf(large), payloadOf(large), payloadOf(large, 'webhook'))).toBe(
      'tooLarge',
    );
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
    appendTo(first, waiterOf('c'), payloadOf('c'), payloadOf('c', 'webhook'));
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
    for (let i = 0; i < 20; i++) appendTo(log, waiterOf(String(i)), payloadOf(String(i)));
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
    const outcomes = [0, 1, 2, 3].map((i) =>
      appendTo(log, waiterOf(`${i}`), payloadOf(`${i}${text}`)),
    );
    expect(outcomes).toEqual(['appended', 'appended', 'appended', 'full']);
    expect(log.tryReserve(10)).toBe(false);
    await put(log, 'never').then((outcome) => expect(outcome).toBe('full'));
    while (acknowledged.length < 3) await new Promise(setImmediate);
    expect(await put(log, 'then')).toBe('appended');
    await log.close();
  });

  it('numbers new segments above a cursor that is ahead of every segment', async () => {
    await writePosition(join(directory(), 'senml.cursor'), { segment: 500, offset: 8 });
    const log = await open();
    expect(log.positions.committed()).toEqual({ segment: 501, offset: 0 });
    expect(await segmentPaths()).toContain(join(directory(), segmentName(501)));
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
      { weight: 2, arbitrary: fc.record({ kind: fc.constant('pass' as const) }) },
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
      fc.asyncProperty(fc.array(step, { maxLength: 100 }), async (steps) => {
        await clear();
        acknowledged.length = 0;
        refused.length = 0;
        let disk = faultyDisk(small.reserveBytes);
        const appended = new Set<string>();
        let log = await open(disk);
        const texts: string[] = [];
        let from = { segment: 0, offset: 0 };
        const read = async () => {
          const { texts: more, end } = await readAll(log, 'senml', from);
          texts.push(...more);
          from = end;
        };
        for (const [index, one] of steps.entries()) {
          if (one.kind === 'put') {
            const text = `${index}-${'x'.repeat(one.size)}`;
            if ((await put(log, text)) === 'appended') appended.add(text);
          } else if (one.kind === 'fault') disk.fault = one.fault;
          else if (one.kind === 'pass') {
            await read();
            releaseBefore(log, from.segment);
            await log.deletePassed();
          } else {
            disk.fault = 'none';
            // A crash leaves what the file held after the last frame; a close cuts it off.
            if (one.kind === 'restart') await log.close();
            await disk.abandon();
            disk = faultyDisk(small.reserveBytes);
            log = await open(disk);
          }
        }
        disk.fault = 'none';
        await read();
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
