/**
 * Holds streams to an edge from which nothing comes, and answers when the edge asks whether they live. Says so when all
 * of them are open, and closes them when its input ends.
 *
 * Arguments: how many streams, then the credentials that take turns.
 */
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { WebSocket } from 'ws';

const [url = '', countText = '0', ...credentials] = process.argv.slice(2);
/** So many at a time, or the edge's queue of connections that wait is full. */
const atOnce = 64;

const streams: WebSocket[] = [];
while (streams.length < Number(countText)) {
  const opening = Array.from(
    { length: Math.min(atOnce, Number(countText) - streams.length) },
    (_, at) => {
      const authorization = credentials[(streams.length + at) % credentials.length] ?? '';
      return new WebSocket(url, { headers: { authorization } });
    },
  );
  await Promise.all(opening.map((stream) => once(stream, 'open')));
  streams.push(...opening);
}
process.stdout.write('open\n');
await text(process.stdin);
for (const stream of streams) stream.terminate();
