import { randomUUID } from 'node:crypto';
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { type Header, magic, readBackup, Source, wrong } from './format.ts';
import { readOlder } from './older.ts';

/** An upload on the disk that was read to its end: a backup, whole, or a file of the older kind. */
export type SpooledUpload = {
  counts: Record<MessageFormat, number>;
  /** A file of the older kind has no header; its hash stands for the log that its messages come from. */
  origin: { kind: 'backup'; header: Header } | { kind: 'older'; hash: string };
  /** From its beginning. */
  chunks: () => AsyncIterable<Buffer>;
  close: () => Promise<void>;
};

/**
 * Writes an upload to the disk, and reads all of it once.
 *
 * @throws DomainError `malformed` for what is no backup, or a damaged one.
 */
export async function spoolUpload(
  directory: string,
  request: IncomingMessage,
): Promise<SpooledUpload> {
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
    // The rest is read and dropped: a connection closed before that is reset, and its client sees no response.
    request.setTimeout(0).resume();
    throw spoolErrorOf(error);
  }
}

/** A file without a name: the disk frees it when the process ends, however that ends. */
async function openNameless(directory: string): Promise<FileHandle> {
  await mkdir(directory, { recursive: true, mode: 0o700 });
  const path = join(directory, randomUUID());
  const file = await open(path, 'wx+', 0o600);
  await rm(path);
  return file;
}

/** Writes each chunk that passes. Leaving early does not destroy the request: it still needs an answer. */
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

/** A broken upload is malformed, a full disk is unavailable. */
function spoolErrorOf(error: unknown): unknown {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ECONNRESET') return wrong('the upload was broken off');
  if (code === 'ENOSPC') return new DomainError('unavailable', 'there is no room for the file', 60);
  return error;
}
