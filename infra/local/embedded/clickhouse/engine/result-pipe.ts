import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { finished } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** What a pipe holds before its writer has to wait (pipe(7)). */
const pipeBytes = 64 * 1024;
/** Whoever passes chunks on pays for each of them: four times what the pipe holds makes a quarter of them. */
const chunkBytes = 4 * pipeBytes;
/** Chunks that wait for whoever takes them; then the pipe is left full, and its writer waits. */
const chunksWaitingMax = 2;
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
      yield* chunksOf(fd);
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

/**
 * What comes through a pipe until its last writer has left. What the first read gives is passed on at once: it may
 * be all. Later chunks are as full as can be.
 */
async function* chunksOf(fd: number): AsyncGenerator<Buffer> {
  const waiting: Buffer[] = [];
  let chunk = Buffer.allocUnsafe(pipeBytes);
  let bytes = 0;
  let news = Promise.withResolvers<void>();
  const socket = new Socket({
    fd,
    readable: true,
    writable: false,
    onread: {
      buffer: () => chunk.subarray(bytes),
      callback(read) {
        bytes += read;
        if (chunk.length - bytes >= pipeBytes) return true;
        waiting.push(chunk.subarray(0, bytes));
        [chunk, bytes] = [Buffer.allocUnsafe(chunkBytes), 0];
        news.resolve();
        return waiting.length < chunksWaitingMax;
      },
    },
  });
  let over: { error: Error | null | undefined } | undefined;
  finished(socket, (error) => {
    over = { error };
    news.resolve();
  });
  for (;;) {
    const next = waiting.shift();
    if (next !== undefined) {
      yield next;
      socket.resume();
    } else if (over !== undefined) break;
    else {
      await news.promise;
      news = Promise.withResolvers<void>();
    }
  }
  if (over.error) throw over.error;
  yield chunk.subarray(0, bytes);
}
