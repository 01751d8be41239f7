import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';

/** Makes what was created or renamed in `directory` survive a power cut. */
export async function syncDirectory(directory: string): Promise<void> {
  const handle = await fs.open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Replaces the file at `path`; it is on the disk, whole, when this resolves. */
export async function replaceFile(path: string, content: string | Uint8Array): Promise<void> {
  await fs.writeFile(`${path}.new`, content, { mode: 0o600, flush: true });
  await fs.rename(`${path}.new`, path);
  await syncDirectory(dirname(path));
}

/** Appends one line of JSON to the file at `path`; it is on the disk when this resolves. */
export async function appendLine(path: string, line: object): Promise<void> {
  await fs.appendFile(path, `${JSON.stringify(line)}\n`, { mode: 0o600, flush: true });
}

/** The file's text, or undefined if there is none. */
export async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await fs.readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return undefined;
    throw error;
  }
}
