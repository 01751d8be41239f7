import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/** What a pipe holds before its writer has to wait (pipe(7)). */
const pipeBytes = 64 * 1024;
/** A query that takes longer is worth the stream that its result may need. */
const shortMs = 2;

const held = Buffer.allocUnsafe(pipeBytes);

/** A named pipe for the results of one query after the other. */
export class ResultPipe {
  readonly path: string;
  /** While it is open, whoever opens the pipe to write need not wait for a reader. */
  readonly #fd: number;

  /** `path` is a named pipe that nobody else reads. */
  constructor(path: string) {
    this.path = path;
    this.#fd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  }

  /**
   * What a query writes, to the end of both; `written` settles with the query and never rejects. A small result
   * is taken out of the pipe at once when it is all there, a larger one streams while the query goes on. All of
   * it must be read: the engine's thread waits for whoever reads.
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
    // An end before the query's own is not its last word.
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
