import type { Readable } from 'node:stream';
import { UsageError } from '../input/usage.ts';

/** Standard input. */
export type Input = Readable & { isTTY?: boolean };

/** A message is at most a few megabytes. */
const bytesMax = 64 * 1024 * 1024;

/** All bytes of standard input. */
export async function readStdin(stdin: Input): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of stdin) {
    const part = Buffer.from(chunk);
    bytes += part.length;
    if (bytes > bytesMax) throw new UsageError('standard input is larger than any message may be');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}
