import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { readIfThere, replaceFile } from '../files.ts';
import { commonMarks, frameHeaderBytes, frameMagic, type Marks, segmentName } from '../format.ts';

/**
 * The marks of a log's frames. They are secret, so that no client can send a message whose bytes would be taken for
 * a frame where the log is torn or damaged. Segments from before a log had marks have the common ones.
 */
export type LogMarks = {
  /** For segments from this one on. */
  from: number;
  own: Marks;
};

const pathIn = (directory: string): string => join(directory, 'log.marks');

/** The marks for frames of a segment. */
export const marksOf = ({ from, own }: LogMarks, segment: number): Marks =>
  segment >= from ? own : commonMarks;

/** @throws if there are none, or the file is not one of marks. */
export async function readMarks(directory: string): Promise<LogMarks> {
  const marks = await tryReadMarks(directory);
  if (marks === undefined) throw new Error(`${pathIn(directory)} is missing`);
  return marks;
}

/**
 * The log's marks. If it has none yet, they are made, for segments after those that are there.
 *
 * @throws if the file is lost, and one of the segments can't be read without it.
 */
export async function readOrMakeMarks(
  directory: string,
  segments: readonly number[],
  nextSegment: number,
): Promise<LogMarks> {
  const known = await tryReadMarks(directory);
  if (known !== undefined) return known;
  for (const segment of segments) {
    if (await hasOtherMarks(join(directory, segmentName(segment)))) {
      throw new Error(`${pathIn(directory)} is lost: restore it from a copy`);
    }
  }
  const random = randomBytes(6);
  // Not zero: a segment holds zeros where nothing was written yet.
  const own = { magic: random.readUInt16LE() || 1, seed: random.readUInt32LE(2) };
  const digits = [own.magic.toString(16), own.seed.toString(16)];
  await replaceFile(pathIn(directory), `${[nextSegment, ...digits].join(' ')}\n`);
  return { from: nextSegment, own };
}

/** Whether a segment's first frame, which is at its start, is not one with the common marks. */
async function hasOtherMarks(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(frameHeaderBytes), 0);
    if (bytesRead < frameHeaderBytes) return false;
    const magic = frameMagic(buffer, 0);
    return magic !== 0 && magic !== commonMarks.magic;
  } finally {
    await file.close();
  }
}

async function tryReadMarks(directory: string): Promise<LogMarks | undefined> {
  const text = await readIfThere(pathIn(directory));
  if (text === undefined) return undefined;
  const [, from, magic, seed] = /^(\d{1,12}) ([\da-f]{1,4}) ([\da-f]{1,8})\n$/.exec(text) ?? [];
  if (from === undefined || magic === undefined || seed === undefined) {
    throw new Error(`${pathIn(directory)} is not as it was written: restore it from a copy`);
  }
  const own = { magic: Number.parseInt(magic, 16), seed: Number.parseInt(seed, 16) };
  return { from: Number(from), own };
}
