import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Call } from './call.ts';
import type { Download } from './client/messages.ts';
import { ConnectionError } from './client/errors.ts';
import { isBroken } from './client/transport.ts';
import { noProgress, type Progress, startProgress } from './progress.ts';
import { UsageError } from './usage.ts';

/** Writes a file of the server's to standard output. */
export async function save(call: Call, what: string, file: Download): Promise<void> {
  const { stdout, stderr } = call.surroundings;
  if (
    stdout.isTTY === true &&
    !/^(?:text\/|application\/(?:x-ndjson|json))/.test(file.contentType)
  ) {
    file.stream.destroy();
    throw new UsageError(
      `this file is not for a terminal. Send it into one: … messages ${what} > file`,
    );
  }
  // A bar would be drawn through what is written to the same terminal.
  const progress =
    stdout.isTTY === true ? noProgress : await startProgress(stderr, what, file.bytes, 'bytes');
  try {
    await pipeline(file.stream, counted(progress), stdout, { end: false });
  } catch (error) {
    if (isBroken(error)) throw new ConnectionError(call.settings.urls.reader, error);
    throw error;
  } finally {
    progress.stop();
  }
}

/** Opens a file that is to be sent, `-` being standard input. `done` ends its bar. */
export async function open(
  call: Call,
  what: string,
  path: string,
): Promise<{ stream: Readable; bytes: number | undefined; done: () => void }> {
  const { stdin, stderr } = call.surroundings;
  const bytes = path === '-' ? undefined : await sizeOf(path);
  const progress = await startProgress(stderr, what, bytes, 'bytes');
  const source = path === '-' ? stdin : createReadStream(path);
  const stream = counted(progress);
  pipeline(source, stream).catch((error) => stream.destroy(error));
  return { stream, bytes, done: () => progress.stop() };
}

export async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => {
    throw new UsageError(`there is no file ${path}`);
  });
  if (!file.isFile()) throw new UsageError(`${path} is not a file`);
  return file.size;
}

function counted(progress: Progress): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      progress.add(chunk.length);
      done(null, chunk);
    },
  });
}
