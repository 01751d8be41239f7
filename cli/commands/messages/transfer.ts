import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { type Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Call } from '../../invocation/call.ts';
import type { Download } from '../../../schemas/client/client.ts';
import { ConnectionError } from '../../../schemas/client/errors.ts';
import { isBroken } from '../../../schemas/client/waiting.ts';
import { formatCount, noProgress, type Progress, startProgress } from '../../terminal/progress.ts';
import { sizeOf } from '../../input/files.ts';
import { UsageError } from '../../input/usage.ts';

/** Writes a file from the server here, under the name that says what is in it. @throws UsageError where it is there. */
export async function saveHere(call: Call, what: string, file: Download): Promise<void> {
  const { name = `${what}.${file.contentType.split(/[/;]/)[1] ?? 'data'}` } = file;
  if (existsSync(name)) {
    file.stream.destroy();
    throw new UsageError(`${name} is here already`);
  }
  const began = performance.now();
  let bytes = 0;
  const counting = counted({
    ...noProgress,
    add(count) {
      bytes += count;
    },
  });
  try {
    await pipeline(file.stream, counting, createWriteStream(name, { flags: 'wx' }));
  } catch (error) {
    if (isBroken(error)) throw new ConnectionError(call.settings.urls.reader, error);
    throw error;
  }
  call.tell(`${what}: ${name}, ${sizeAndTime(bytes, began)}`);
}

/** Writes a file from the server to standard output. */
export async function save(call: Call, what: string, file: Download): Promise<void> {
  const { stdout, stderr } = call.context;
  if (
    stdout.isTTY === true &&
    !/^(?:text\/|application\/(?:x-ndjson|json))/.test(file.contentType)
  ) {
    file.stream.destroy();
    throw new UsageError(
      `this file is not for a terminal. Send it into one: … messages ${what} > file`,
    );
  }
  // A bar would mix with the output on the same terminal.
  const progress =
    stdout.isTTY === true ? noProgress : await startProgress(stderr, what, file.bytes, 'bytes');
  const began = performance.now();
  let bytes = 0;
  const counting = counted({
    ...progress,
    add(count) {
      bytes += count;
      progress.add(count);
    },
  });
  try {
    await pipeline(file.stream, counting, stdout, { end: false });
    progress.stop();
    // After a file on a terminal it would look like a part of the file.
    if (stdout.isTTY !== true) call.tell(`${what}: ${sizeAndTime(bytes, began)}`);
  } catch (error) {
    if (isBroken(error)) throw new ConnectionError(call.settings.urls.reader, error);
    throw error;
  } finally {
    progress.stop();
  }
}

/** Sends a backup (`-` is standard input), and prints the result. */
export async function restore(call: Call, path: string): Promise<void> {
  const { stdin, stderr } = call.context;
  const client = call.as('reader');
  const bytes = path === '-' ? undefined : await sizeOf(path);
  const progress = await startProgress(stderr, 'restore', bytes, 'bytes');
  const began = performance.now();
  let sent = 0;
  const stream = counted({
    ...progress,
    add(count) {
      sent += count;
      progress.add(count);
    },
  });
  void send(path === '-' ? stdin : createReadStream(path), stream, () => {
    progress.stop();
    if (stderr.isTTY === true) call.tell('sent; the server checks and stores it');
  });
  const leftOut = await client.restore(stream, bytes).finally(() => progress.stop());
  const gone =
    leftOut === 0
      ? ''
      : `; ${leftOut.toLocaleString('en')} ${leftOut === 1 ? 'message was' : 'messages were'} left out: their things are gone`;
  call.tell(`restore: ${sizeAndTime(sent, began)}${gone}`);
  await call.output.ok();
}

/** An error of the source aborts the request. */
async function send(from: Readable, to: Transform, onSent: () => void): Promise<void> {
  try {
    await pipeline(from, to);
    onSent();
  } catch (error) {
    to.destroy(error instanceof Error ? error : undefined);
  }
}

function sizeAndTime(bytes: number, began: number): string {
  const seconds = (performance.now() - began) / 1_000;
  return `${formatCount(bytes, 'bytes')} in ${seconds.toFixed(1)} s`;
}

function counted(progress: Progress): Transform {
  return new Transform({
    transform(chunk, _encoding, done) {
      progress.add(chunk.length);
      done(null, chunk);
    },
  });
}
