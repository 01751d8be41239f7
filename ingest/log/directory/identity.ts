import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { readIfThere, replaceFile } from '../files.ts';

/** The id of the log, and how many it had before. */
export type Identity = { id: string; former: number };

const pathIn = (directory: string): string => join(directory, 'log.id');

async function readIds(directory: string): Promise<string[]> {
  const text = (await readIfThere(pathIn(directory))) ?? '';
  return text.split('\n').filter((line) => line !== '');
}

/** The log's identity, made at its first start. */
export async function readIdentity(directory: string): Promise<Identity> {
  const [id, ...former] = await readIds(directory);
  return id === undefined ? renewIdentity(directory) : { id, former: former.length };
}

/** Gives the log another identity, and keeps the former ones after it in the file. */
export async function renewIdentity(directory: string): Promise<Identity> {
  const former = await readIds(directory);
  const id = randomUUID();
  await replaceFile(pathIn(directory), `${[id, ...former].join('\n')}\n`);
  return { id, former: former.length };
}
