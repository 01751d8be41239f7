import { createReadStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { ApiError } from '../../../schemas/client/errors.ts';
import type { Credential } from '../../../schemas/client/credential.ts';
import { sizeOf } from '../../input/files.ts';
import { UsageError } from '../../input/usage.ts';
import type { Call } from '../../invocation/call.ts';
import { formatCount, startProgress } from '../../terminal/progress.ts';

/** No message is longer. */
const lineBytesMax = 4 * 1024 * 1024;
const lineFeed = 0x0a;

/** Sends each line of a file as a message, over one connection; `-` is standard input. */
export async function sendLines(
  call: Call,
  path: string,
  thing: Credential,
  subtopic: string,
): Promise<void> {
  const { context, settings } = call;
  if (path !== '-') await sizeOf(path);
  const input = path === '-' ? context.stdin : createReadStream(path);
  const progress = await startProgress(context.stderr, 'sent', undefined, 'rows');
  let kept = 0;
  let refused = 0;
  try {
    await call.anonymous().stream(thing, linesOf(input), {
      contentType: settings.contentType,
      subtopic,
      onAcknowledged(count) {
        progress.add(count - kept);
        kept = count;
      },
      onRefused(number, error) {
        refused += 1;
        call.tell(`message ${number} was refused: ${error.message}`);
      },
      onLost: (_error, waitMs) =>
        call.tell(`connection lost: again in ${Math.ceil(waitMs / 1_000)} s`),
    });
  } catch (error) {
    if (error instanceof ApiError && (error.status === 405 || error.status === 404)) {
      throw new UsageError(
        'no streams are taken there: name the edge itself, such as --http-url http://localhost:8081/http',
      );
    }
    throw error;
  } finally {
    progress.stop();
    input.destroy();
  }
  if (refused > 0) throw new Error(`${count(refused)} refused, ${count(kept)} kept`);
  await call.output.ok();
}

const count = (messages: number): string =>
  `${formatCount(messages, 'rows')} ${messages === 1 ? 'message' : 'messages'}`;

/** The lines of each piece that comes; empty ones are left out. */
async function* linesOf(input: Readable): AsyncGenerator<Buffer[]> {
  let rest = Buffer.alloc(0);
  for await (const piece of input) {
    const bytes = Buffer.concat([rest, Buffer.from(piece)]);
    const lines: Buffer[] = [];
    let start = 0;
    for (let end = bytes.indexOf(lineFeed); end !== -1; end = bytes.indexOf(lineFeed, start)) {
      lines.push(bytes.subarray(start, end));
      start = end + 1;
    }
    rest = bytes.subarray(start);
    if (rest.length > lineBytesMax)
      throw new UsageError('a line is longer than any message may be');
    yield lines.filter(({ length }) => length > 0);
  }
  if (rest.length > 0) yield [rest];
}
