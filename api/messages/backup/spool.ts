import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { type Header, magic, readBackup, Source, wrong } from './format.ts';
import { readOlder } from './restore/older.ts';

/** A file that may be restored: it is whole, and says how many messages it holds. */
export type Received = {
  counts: Record<MessageFormat, number>;
  /** An older file has no header; its messages are known by its hash. */
  origin: { kind: 'backup'; header: Header } | { kind: 'older'; hash: string };
  /** From its beginning. */
  chunks: () => AsyncIterable<Buffer>;
  close: () => Promise<void>;
};

/**
 * Keeps what is uploaded in a file, and looks through all of it.
 *
 * @throws DomainError `malformed` for what is no backup, or a damaged one.
 */
export async function receive(directory: string, request: IncomingMessage): Promise<Received> {
  const file = await openNameless(directory);
  request.setTimeout(limits.uploadIdleMsMax);
  const source = new Source(spooled(request, file));
  try {
    const start = (await source.peek(magic.length)).toString('latin1');
    const chunks = () => chunksOf(file);
    const whole = { chunks, close: () => file.close() };
    if (/^\s*\{/.test(start)) {
      await source.drain();
      request.setTimeout(0);
      const hash = source.hash().toString('hex');
      return { ...whole, counts: await countOlder(chunks()), origin: { kind: 'older', hash } };
    }
    if (start !== magic) throw wrong('it is no backup');
    const { header, pieces } = await readBackup(source);
    for await (const piece of pieces) void piece;
    request.setTimeout(0);
    return { ...whole, counts: header.counts, origin: { kind: 'backup', header } };
  } catch (error) {
    await source.close().catch(() => undefined);
    await file.close();
    // Closed with its body half read, a connection is reset, and its client never sees the answer.
    request.setTimeout(0).resume();
    throw named(error);
  }
}

/** A file that is gone with its process, however that ends. */
async function openNameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** What passes is written. The request stays open: whoever leaves early still has to answer it. */
async function* spooled(request: IncomingMessage, file: FileHandle): AsyncGenerator<Buffer> {
  for await (const piece of request.iterator({ destroyOnReturn: false })) {
    const chunk: Buffer = piece;
    await file.writeFile(chunk);
    yield chunk;
  }
}

async function* chunksOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let position = 0; ; ) {
    const chunk = Buffer.allocUnsafe(limits.readChunkBytes);
    const { bytesRead } = await file.read(chunk, 0, chunk.length, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield chunk.subarray(0, bytesRead);
  }
}

async function countOlder(chunks: AsyncIterable<Buffer>): Promise<Record<MessageFormat, number>> {
  const counts = { senml: 0, json: 0 };
  for await (const messages of readOlder(chunks)) {
    for (const { format } of messages) counts[format] += 1;
  }
  return counts;
}

/** Gives the system's errors the domain's names. */
function named(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET') return wrong('the upload was broken off');
  if (code === 'ENOSPC') return new DomainError('unavailable', 'there is no room for the file', 60);
  return error;
}
