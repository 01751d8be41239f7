import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

const writeAheadBytes = 1024 * 1024;

/**
 * Files for one request each: an INSERT's data, whole before the engine sees any of it, so that a client
 * that goes away has inserted nothing; and results that are wanted whole.
 */
export class Spool {
  readonly #directory: string;
  #count = 0;

  private constructor(directory: string) {
    this.#directory = directory;
  }

  /** Makes the directory, or empties it of what a killed process left. */
  static async open(directory: string): Promise<Spool> {
    await rm(directory, { recursive: true, force: true });
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new Spool(directory);
  }

  /** Gives `use` the path of a file that does not exist yet, and removes it afterwards. */
  async withFile<R>(use: (path: string) => Promise<R>): Promise<R> {
    this.#count += 1;
    const path = join(this.#directory, `request-${this.#count}`);
    try {
      return await use(path);
    } finally {
      await rm(path, { force: true });
    }
  }
}

/** Writes the data of an INSERT. Rejects where the client goes away or the disk is full. */
export async function writeSpool(path: string, head: Buffer, data: Readable): Promise<void> {
  const file = createWriteStream(path, { highWaterMark: writeAheadBytes });
  if (head.length > 0) file.write(head);
  await pipeline(data, file);
}

export function readSpool(path: string): Readable {
  return createReadStream(path, { highWaterMark: writeAheadBytes });
}
