import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { readPosition } from '../cursor.ts';
import type { Disk } from '../disk.ts';
import { segmentName, segmentNumber } from '../format.ts';
import { readIdentity } from './identity.ts';
import { type LogMarks, readOrMakeMarks } from './marks.ts';

/** Segments that a former process left. Nothing is read: a segment's end is found when it is read. */
type Recovered = {
  id: string;
  marks: LogMarks;
  segments: number[];
  nextSegment: number;
  /** When each segment was last written, on the clock of `performance.now()`. */
  written: { segment: number; writtenAtMs: number }[];
};

/** Finds the segments in `directory`, and the number no segment or cursor has used yet. */
export async function recover(directory: string, disk: Disk): Promise<Recovered> {
  await fs.mkdir(directory, { recursive: true, mode: 0o700 });
  const { id } = await readIdentity(directory);
  const segments: number[] = [];
  let used = 0;
  for (const name of await disk.list(directory)) {
    if (name.endsWith('.preparing')) await disk.remove(join(directory, name));
    const segment = segmentNumber(name);
    if (segment !== undefined) segments.push(segment);
    const path = join(directory, name);
    const cursor = name.endsWith('.cursor') ? await readPosition(path) : undefined;
    used = Math.max(used, segment ?? 0, cursor?.segment ?? 0);
  }
  segments.sort((a, b) => a - b);
  const marks = await readOrMakeMarks(directory, segments, used + 1);
  const written = await Promise.all(segments.map((segment) => lastWrite(directory, segment)));
  // Also where segments and cursors were taken away: below `from` a reader expects the common marks.
  return { id, marks, segments, nextSegment: Math.max(used + 1, marks.from), written };
}

async function lastWrite(directory: string, segment: number) {
  const { mtimeMs } = await fs.stat(join(directory, segmentName(segment)));
  return { segment, writtenAtMs: Math.min(mtimeMs - performance.timeOrigin, performance.now()) };
}
