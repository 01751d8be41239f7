import { closeSync, constants, openSync, readSync } from 'node:fs';
import { Socket } from 'node:net';
import { finished } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';

/** A pipe holds this much before its writer has to wait (pipe(7)). */
const pipeBytes = 64 * 1024;
/** Each chunk costs whoever passes it on, so chunks are larger than what the pipe holds. */
const chunkBytes = 4 * pipeBytes;
/** This many chunks may wait to be taken. Then the pipe stays full, and its writer waits. */
const chunksWaitingMax = 2;
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
      yield* chunksOf(fd);
    }
    yield* this.#readHeld();
  }

  /** The bytes in the pipe that have no writer any more. */
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
 * The bytes that come through a pipe until its last writer has closed it. The first chunk is passed on at once, because
 * it may be the whole result. Later chunks are filled first.
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
