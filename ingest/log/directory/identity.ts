import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { readIfThere, replaceFile } from '../files.ts';

/** The id of the log, and how many it had before. */
type Identity = { id: string; former: number };

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
async function renewIdentity(directory: string): Promise<Identity> {
  const former = await readIds(directory);
  const id = randomUUID();
  await replaceFile(pathIn(directory), `${[id, ...former].join('\n')}\n`);
  return { id, former: former.length };
}

/** Of a log that was reverted to an older state, or is a copy: where it is delivered to, there is more of it already. */
export async function renewReverted(directory: string, logger: Logger): Promise<void> {
  const { id } = await renewIdentity(directory);
  logger.error(
    { directory, id },
    'more of this log was delivered than the log knows of: it was reverted or copied, and goes on under another identity',
  );
}
