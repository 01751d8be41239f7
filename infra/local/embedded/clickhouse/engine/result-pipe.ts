import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a pipe holds before its writer has to wait (pipe(7)). */
const pipeBytes = 64 * 1024;
/** The result of a query that takes longer is streamed. */
const shortMs = 2;

const held = Buffer.allocUnsafe(pipeBytes);

/** A named pipe for the results of queries, one after the other. */
export class ResultPipe {
  readonly path: string;
  /** While it is open, opening the pipe to write does not wait for a reader. */
  readonly #fd: number;

  /** `path` is a named pipe that nobody else reads. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /**
   * The result of a query, until the query and the result have ended; `written` settles with the query and never
   * rejects. A small result is read at once when it is complete, a larger one is streamed while the query runs. All of it
   * must be read: the engine's thread waits for its reader.
   */
  async *read(written: Promise<unknown>): AsyncGenerator<Buffer> {
    let over = false;
    let streaming = false;
    const end = async () => {
      await written;
      over = true;
      // A query that failed before it opened the pipe has left no end in it.
      if (streaming) this.#hangUp();
    };
    await Promise.race([end(), delay(shortMs)]);
    streaming = true;
    // The pipe can end before the query does.
    while (!over) {
      const fd = openSync(this.path, constants.O_RDONLY | constants.O_NONBLOCK);
      yield* new Socket({ fd, readable: true, writable: false });
    }
    yield* this.#readHeld();
  }

  /** What is in the pipe, and has no writer any more. */
  *#readHeld(): Generator<Buffer> {
    for (;;) {
      const bytes = readSync(this.#fd, held);
      if (bytes === 0) return;
      yield Buffer.from(held.subarray(0, bytes));
    }
  }

  /** Ends the pipe for its reader, if nobody else writes into it. */
  #hangUp(): void {
    closeSync(openSync(this.path, constants.O_WRONLY | constants.O_NONBLOCK));
  }
}
