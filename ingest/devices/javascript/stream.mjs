// Sends each line of standard input to Millrace as a message, over one connection (a stream), and again over the next
// one what was not acknowledged. Needs Node 18 or later, and the package ws.
//
//     MILLRACE_EDGE=http://localhost:8081 MILLRACE_KEY=<key of the thing> node stream.mjs < readings.ndjson

import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';

const windowBytes = 256 * 1024;
const frameBytes = 64 * 1024;
const waitMsMax = 60_000;

const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const isPassing = (status) => status === 429 || status === 503;
const sizeOf = (message) => Buffer.byteLength(message) + 1;
/** What a message takes of the window. */
const costOf = (message) => Buffer.byteLength(message) + 64;

/** One connection: resolves once all of `waiting` is answered. What has no answer stands in `sent` when it is lost. */
function exchange(edge, key, waiting, sent) {
  const socket = new WebSocket(`${edge.replace('http', 'ws')}/http/messages/stream`, {
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
  });
  const refused = new Map();
  let room = windowBytes;
  let answered = 0;
  let notBefore = 0;

  /** Sends what fits the window, many messages in a frame. */
  function send() {
    while (waiting.length > 0 && Date.now() >= notBefore) {
      const lines = [];
      let size = 0;
      for (const message of waiting) {
        if (size + sizeOf(message) > frameBytes || costOf(message) > room) break;
        size += sizeOf(message);
        room -= costOf(message);
        lines.push(message);
      }
      if (lines.length === 0) return;
      sent.push(...waiting.splice(0, lines.length));
      socket.send(lines.join('\n'));
    }
    if (waiting.length === 0 && sent.length === 0) socket.close(1000);
  }

  function answer({ ack = answered, refused: why }) {
    for (let number = why?.from ?? 1; number <= (why?.to ?? 0); number++) refused.set(number, why);
    for (; answered < ack; answered++) {
      const message = sent.shift();
      room += costOf(message);
      const { status, error, retry_after: seconds = 1 } = refused.get(answered + 1) ?? {};
      refused.delete(answered + 1);
      if (isPassing(status)) {
        waiting.push(message);
        notBefore = Date.now() + seconds * 1_000;
        setTimeout(send, seconds * 1_000);
      } else if (status !== undefined) {
        process.stderr.write(`refused: ${status} ${error}: ${message}\n`);
      }
    }
    send();
  }

  return new Promise((resolve, reject) => {
    socket.on('open', send);
    socket.addEventListener('message', ({ data }) => answer(JSON.parse(data)));
    // No connection, or one that broke: `close` follows.
    socket.on('error', () => undefined);
    socket.on('unexpected-response', (_request, response) => {
      const { statusCode } = response;
      if (isPassing(statusCode)) socket.terminate();
      else reject(new Error(`refused: ${statusCode}`));
    });
    socket.on('close', (code, reason) => {
      if ([1000, 1001, 1006, 1011, 1013].includes(code)) resolve();
      else reject(new Error(`refused: ${code} ${reason.toString()}`));
    });
  });
}

/** Resolves once all messages are on the server's disk, or refused for good. */
export async function sendAll(edge, key, messages) {
  const waiting = [...messages];
  for (let failures = 0; waiting.length > 0; failures++) {
    const before = waiting.length;
    const sent = [];
    await exchange(edge, key, waiting, sent);
    // What has no ack may have arrived. The same time makes a second copy easy to tell.
    waiting.unshift(...sent);
    if (waiting.length < before) failures = 0;
    if (waiting.length > 0) await wait(Math.min(2 ** failures * 1_000, waitMsMax) * Math.random());
  }
}

const readings = [];
for await (const line of createInterface({ input: process.stdin })) {
  if (sizeOf(line) > frameBytes) throw new Error('a message is too large for a stream: post it');
  if (line.trim() !== '') readings.push(line);
}
const { MILLRACE_EDGE: edge, MILLRACE_KEY: key } = process.env;
await sendAll(edge, key, readings);
process.stdout.write('acknowledged\n');
