import { stat } from 'node:fs/promises';
import { UsageError } from './usage.ts';

/** The size of a file in bytes. @throws UsageError if there is none. */
export async function sizeOf(path: string): Promise<number> {
  const file = await stat(path).catch(() => {
    throw new UsageError(`there is no file ${path}`);
  });
  if (!file.isFile()) throw new UsageError(`${path} is not a file`);
  return file.size;
}
