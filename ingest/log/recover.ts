import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { readPosition } from './cursor.ts';
import type { Disk } from './disk.ts';
import { segmentNumber } from './format.ts';
import { readIdentity } from './identity.ts';

/** What a former process left. Nothing is read: a segment's end is found by who reads it. */
export type Recovered = { id: string; segments: number[]; nextSegment: number };

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
  return { id, segments: segments.toSorted((a, b) => a - b), nextSegment: used + 1 };
}
