import { randomBytes } from 'node:crypto';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
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
  /** From this segment on, each has a seed of its own. */
  turnsFrom: number;
};

/** Of a file of marks from before seeds turned. */
const neverTurned = Infinity;

const pathIn = (directory: string): string => join(directory, 'log.marks');

/** The marks for frames of a segment. */
export function marksOf({ from, own, turnsFrom }: LogMarks, segment: number): Marks {
  if (segment < from) return commonMarks;
  return segment < turnsFrom ? own : { magic: own.magic, seed: turned(own.seed, segment) };
}

/** Another seed for each segment, as secret as the log's. */
function turned(seed: number, segment: number): number {
  const number = Buffer.alloc(6);
  number.writeUIntLE(segment, 0, number.length);
  return crc32(number, seed);
}

/** @throws if there are none, or the file is not one of marks. */
export async function readMarks(directory: string): Promise<LogMarks> {
  const marks = await tryReadMarks(directory);
  if (marks === undefined) throw new Error(`${pathIn(directory)} is missing`);
  return marks;
}

/**
 * The log's marks. If it has none yet, they are made, for segments after those that are there; and if its seed has not
 * turned so far, it does for them.
 *
 * @throws if the file is lost, and one of the segments can't be read without it.
 */
export async function readOrMakeMarks(
  directory: string,
  segments: readonly number[],
  nextSegment: number,
): Promise<LogMarks> {
  const known = await tryReadMarks(directory);
  if (known !== undefined) {
    if (known.turnsFrom <= nextSegment) return known;
    // Also where segments were taken away, so that numbers begin lower again.
    return write(directory, { ...known, turnsFrom: nextSegment });
  }
  for (const segment of segments) {
    if (await hasOtherMarks(join(directory, segmentName(segment)))) {
      throw new Error(`${pathIn(directory)} is lost: restore it from a copy`);
    }
  }
  const random = randomBytes(6);
  // Not zero: a segment holds zeros where nothing was written yet.
  const own = { magic: random.readUInt16LE() || 1, seed: random.readUInt32LE(2) };
  return write(directory, { from: nextSegment, own, turnsFrom: nextSegment });
}

async function write(directory: string, marks: LogMarks): Promise<LogMarks> {
  const { from, own, turnsFrom } = marks;
  const fields = [from, own.magic.toString(16), own.seed.toString(16), turnsFrom];
  await replaceFile(pathIn(directory), `${fields.join(' ')}\n`);
  return marks;
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
  const written = /^(\d{1,12}) ([\da-f]{1,4}) ([\da-f]{1,8})(?: (\d{1,12}))?\n$/.exec(text);
  const [, from, magic, seed, turnsFrom = neverTurned] = written ?? [];
  if (from === undefined || magic === undefined || seed === undefined) {
    throw new Error(`${pathIn(directory)} is not as it was written: restore it from a copy`);
  }
  const own = { magic: Number.parseInt(magic, 16), seed: Number.parseInt(seed, 16) };
  return { from: Number(from), own, turnsFrom: Number(turnsFrom) };
}
