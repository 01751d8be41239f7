import { describe, expect, it } from 'vitest';
import {
  commonMarks,
  frameBytes,
  frameFormat,
  frameHeaderBytes,
  frameRecords,
  frameSequence,
  validFrameEnd,
} from './format.ts';
import { Group } from './group.ts';

const bytesMax = 256;
const waiter = { afterCommit: () => undefined };

function write(group: Group, text: string, format: 'senml' | 'webhook'): void {
  const at = group.payloadAt;
  group.frame(format, format === 'webhook' ? 0 : 2, at + group.buffer.write(text, at));
}

describe('a group of messages', () => {
  it('has the frames of each message one after the other, numbered on', () => {
    const group = new Group(bytesMax);
    group.begin(7);
    write(group, 'row', 'senml');
    write(group, 'forwarded', 'webhook');
    expect(group.append(waiter)).toBe(9);
    const second = frameBytes(3);
    group.seal(commonMarks);
    expect(validFrameEnd(group.buffer, 0, bytesMax, commonMarks)).toBe(second);
    expect(validFrameEnd(group.buffer, second, bytesMax, commonMarks)).toBe(group.length);
    expect([0, second].map((at) => frameFormat(group.buffer, at))).toEqual([1, 3]);
    expect([0, second].map((at) => frameSequence(group.buffer, at))).toEqual([7, 8]);
    expect(frameRecords(group.buffer, 0)).toBe(2);
    expect(group).toMatchObject({ waiters: [waiter], records: 2 });
    expect(group.formats()).toEqual(['senml', 'webhook']);
  });

  it('forgets a message that was not appended', () => {
    const group = new Group(bytesMax);
    group.begin(0);
    write(group, 'of a message that could not be read', 'webhook');
    group.begin(0);
    expect(group.payloadAt).toBe(frameHeaderBytes);
    write(group, 'row', 'senml');
    expect(group.append(waiter)).toBe(1);
    expect(group.length).toBe(frameBytes(3));
    expect(group.formats()).toEqual(['senml']);
  });

  it('has room up to its end, and all of it again once it is cleared', () => {
    const group = new Group(bytesMax);
    expect([bytesMax, bytesMax + 8].map((bytes) => group.hasRoom(bytes))).toEqual([true, false]);
    group.begin(0);
    write(group, 'row', 'senml');
    group.append(waiter);
    expect(group.hasRoom(bytesMax)).toBe(false);
    group.clear();
    expect(group.hasRoom(bytesMax)).toBe(true);
    expect(group).toMatchObject({ length: 0, waiters: [], records: 0 });
    expect(group.formats()).toEqual([]);
  });
});
