import type { ServerResponse } from 'node:http';
import { limits } from '../../limits.ts';

/**
 * Cuts off a client that takes less than `bytesMin` in `withinMs` while there is something for it: a query
 * waits for it, in a place that others could have.
 */
export function mustTake(
  response: ServerResponse,
  {
    bytesMin = limits.takenBytesMin,
    withinMs = limits.takenWithinMs,
  }: { bytesMin?: number; withinMs?: number } = {},
): void {
  const taken = () => (response.socket?.bytesWritten ?? 0) - (response.socket?.writableLength ?? 0);
  let [takenBefore, since] = [taken(), performance.now()];
  const timer = setInterval(() => {
    const [takenNow, now] = [taken(), performance.now()];
    const hasEnough = response.writableLength === 0 || takenNow - takenBefore >= bytesMin;
    if (hasEnough) [takenBefore, since] = [takenNow, now];
    else if (now - since >= withinMs) response.destroy();
  }, withinMs / 10);
  response.once('close', () => clearInterval(timer));
}

/** The same text in pieces of a size that can be followed. Small ones go together: each piece is a write. */
export async function* inPieces(texts: AsyncIterable<string>): AsyncGenerator<Buffer> {
  let together: string[] = [];
  let chars = 0;
  for await (const text of texts) {
    together.push(text);
    chars += text.length;
    if (chars < limits.pieceBytes) continue;
    yield* cut(together.join(''));
    together = [];
    chars = 0;
  }
  yield* cut(together.join(''));
}

function* cut(text: string): Generator<Buffer> {
  const bytes = Buffer.from(text);
  for (let at = 0; at < bytes.length; at += limits.pieceBytes)
    yield bytes.subarray(at, at + limits.pieceBytes);
}
