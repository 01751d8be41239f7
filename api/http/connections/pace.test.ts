import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { request } from 'undici';
import { expect, it } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { inPieces, mustTake } from './pace.ts';

const pace = { bytesMin: 64 * 1024, withinMs: 300 };
const chunk = 'x'.repeat(64 * 1024);

/** A server that has as much as anyone takes, and what became of its answers. */
async function serveEndlessly() {
  const ended: boolean[] = [];
  const server = createServer((_request, response) => {
    mustTake(response, pace);
    const source = Readable.from(
      (async function* () {
        for (;;) yield chunk;
      })(),
    );
    source.pipe(response);
    response.once('close', () => {
      source.destroy();
      ended.push(true);
    });
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return { url: `http://127.0.0.1:${port}`, ended, server };
}

it('a client that takes nothing is cut off, one that is slow but goes on is not', async () => {
  const { url, ended, server } = await serveEndlessly();
  const [stalled, slow] = [await request(url), await request(url)];
  let bytes = 0;
  const reading = (async () => {
    for await (const piece of slow.body) {
      bytes += piece.length;
      if (ended.length > 0 && bytes > 64 * 1024 * 1024) break;
    }
  })();
  await eventually(() => expect(ended.length).toBeGreaterThanOrEqual(1));
  await expect(buffer(stalled.body)).rejects.toThrow(/closed|terminated|aborted/);
  await reading;
  expect(bytes).toBeGreaterThan(64 * 1024 * 1024);
  server.close();
});

it('text in pieces is the same text', async () => {
  const text = 'a😀é'.repeat(100_000);
  const texts = Readable.from([text, 'b', text]);
  const whole = await buffer(Readable.from(inPieces(texts)));
  expect(whole.toString()).toBe(`${text}b${text}`);
});
