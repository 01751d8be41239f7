import { createHash } from 'node:crypto';
import { once } from 'node:events';
import * as fs from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Takes a log directory for this process alone. The lock is a socket that the system closes with the
 * process, however it ends, so no lock is ever left behind.
 *
 * @throws when another process has the directory.
 */
export async function lockDirectory(directory: string): Promise<{ release: () => void }> {
  const name = createHash('sha256')
    .update(await fs.realpath(directory))
    .digest('hex')
    .slice(0, 24);
  // Not in the directory itself: the path of a socket may have 107 bytes.
  const path = join(tmpdir(), `millrace-${name}.lock`);
  const server = (await tryListen(path)) ?? (await replaceAbandoned(path, directory));
  server.unref();
  return { release: () => void server.close() };
}

async function tryListen(path: string): Promise<Server | undefined> {
  const server = createServer((socket) => socket.destroy());
  try {
    server.listen(path);
    await once(server, 'listening');
    return server;
  } catch (error) {
    const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
    if (!isTaken) throw error;
    return undefined;
  }
}

async function replaceAbandoned(path: string, directory: string): Promise<Server> {
  const inUse = new Error(`DATA_DIR: another process has ${directory}`);
  const socket = connect(path);
  try {
    await once(socket, 'connect');
  } catch {
    await fs.rm(path, { force: true });
    const server = await tryListen(path);
    if (server === undefined) throw inUse;
    return server;
  } finally {
    socket.destroy();
  }
  throw inUse;
}
