import * as fs from 'node:fs';
import * as fsPromises from 'node:fs/promises';
import { dirname } from 'node:path';
import { syncDirectory } from './files.ts';

/** An open segment. Each write is on the disk when its callback is called. */
export type SegmentFile = {
  /** Writes `length` bytes of `buffer` at `position`. */
  write(
    buffer: Buffer,
    length: number,
    position: number,
    done: (error: Error | null) => void,
  ): void;
  /** Cuts off the preallocated rest. */
  truncate(length: number): Promise<void>;
  close(): Promise<void>;
};

/** The disk as the log sees it; tests hand in one that tears, fails and fills up. */
export type Disk = {
  list(directory: string): Promise<string[]>;
  /** Bytes that may still be written to the disk of `directory`. */
  freeBytes(directory: string): Promise<number>;
  /**
   * Creates `path` whole or not at all: filled with zeros under another name, synced, linked, the directory synced. From
   * the moment that `isUrgent`, the rest is left a hole, which reads as zeros too. A `spare` becomes `path` with what it
   * holds, and is filled from its end on; where that fails, it stays.
   */
  allocate(path: string, length: number, isUrgent: () => boolean, spare?: string): Promise<void>;
  /**
   * Takes a segment out of the log, so that a later one can be made of it. Returns the path of the spare, or undefined
   * if the segment takes less than `bytesMin` of the disk.
   */
  setAside(path: string, bytesMin: number): Promise<string | undefined>;
  openSegment(path: string): Promise<SegmentFile>;
  remove(path: string): Promise<void>;
};

const zeros = Buffer.alloc(512 * 1024);
/** Of `blocks` in what the system tells of a file (stat(2)). */
const blockBytes = 512;

/** `dataSync: false` is for the benchmark alone: it shows what the promise costs. */
export function createDisk({ dataSync }: { dataSync: boolean }): Disk {
  const { O_CREAT, O_DSYNC, O_TRUNC, O_WRONLY } = fs.constants;
  const writeFlags = O_WRONLY | (dataSync ? O_DSYNC : 0);
  const createFlags = writeFlags | O_CREAT | O_TRUNC;
  const preparingOf = (path: string) => path.replace(/\.segment$/, '.preparing');

  return {
    list: (directory) => fsPromises.readdir(directory),

    async freeBytes(directory) {
      const { bavail, bsize } = await fsPromises.statfs(directory);
      return bavail * bsize;
    },

    async allocate(path, length, isUrgent, spare) {
      const preparing = spare ?? preparingOf(path);
      const flags = spare === undefined ? createFlags : writeFlags;
      const file = await fsPromises.open(preparing, flags, 0o600);
      try {
        await fill(file, length, isUrgent);
        // Linked, not renamed: it fails where a segment of that name is there already.
        await fsPromises.link(preparing, path);
        await fsPromises.rm(preparing);
      } catch (error) {
        if (spare === undefined) await fsPromises.rm(preparing, { force: true });
        throw error;
      } finally {
        await file.close();
      }
      await syncDirectory(dirname(path));
    },

    async setAside(path, bytesMin) {
      const { size, blocks } = await fsPromises.stat(path);
      if (Math.min(size, blocks * blockBytes) < bytesMin) return undefined;
      const spare = preparingOf(path);
      await fsPromises.rename(path, spare);
      return spare;
    },

    async openSegment(path) {
      const file = await fsPromises.open(path, writeFlags);
      return {
        write: (buffer, length, position, done) =>
          writeAll(file.fd, buffer, 0, length, position, done),
        truncate: (length) => fsPromises.truncate(path, length),
        close: () => file.close(),
      };
    },

    async remove(path) {
      await fsPromises.rm(path, { force: true });
    },
  };
}

/**
 * Fills a file with zeros from its end on. Zeros, not a hole: a write into blocks that exist already syncs without a
 * journal commit. Each piece is synced by itself, so that the commits meanwhile wait for a piece and not for the whole.
 * Under packs of a thousand records they take up to ten times as long as alone, and the log would run out of segments.
 */
async function fill(
  file: fsPromises.FileHandle,
  length: number,
  isUrgent: () => boolean,
): Promise<void> {
  for (let { size: written } = await file.stat(); written < length; ) {
    const part = zeros.subarray(0, Math.min(zeros.length, length - written));
    written += (await file.write(part, 0, part.length, written)).bytesWritten;
    if (written < length && isUrgent()) {
      await file.truncate(length);
      return file.sync();
    }
  }
}

/** The system may write less than asked: then the rest follows. */
function writeAll(
  fd: number,
  buffer: Buffer,
  from: number,
  length: number,
  position: number,
  done: (error: Error | null) => void,
): void {
  fs.write(fd, buffer, from, length, position, (error, written) => {
    if (error !== null) done(error);
    else if (written === length) done(null);
    else if (written === 0) done(new Error('the disk took no byte'));
    else writeAll(fd, buffer, from + written, length - written, position + written, done);
  });
}
