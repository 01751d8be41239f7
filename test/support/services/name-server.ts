import { createSocket } from 'node:dgram';
import { once } from 'node:events';

const typeA = 1;
const headBytes = 12;

/** A name server over UDP. It answers each question for IPv4 addresses with what `answer` says then, for no time. */
export async function openNameServer(
  answer: (hostname: string) => readonly string[],
): Promise<{ address: string; close: () => void }> {
  const socket = createSocket('udp4');
  socket.on('message', (question, { port, address }) => {
    socket.send(answerTo(question, answer), port, address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  return { address: `127.0.0.1:${socket.address().port}`, close: () => socket.close() };
}

/** RFC 1035 §4.1: the head, the question as it came, and a record for each address. */
function answerTo(question: Buffer, answer: (hostname: string) => readonly string[]): Buffer {
  const labels: string[] = [];
  let at = headBytes;
  for (let length = question[at] ?? 0; length > 0; length = question[at] ?? 0) {
    labels.push(question.toString('latin1', at + 1, at + 1 + length));
    at += 1 + length;
  }
  const end = at + 5;
  const addresses = question.readUInt16BE(at + 1) === typeA ? answer(labels.join('.')) : [];
  const head = Buffer.from(question.subarray(0, headBytes));
  // An answer, with recursion; one question, so many records, and nothing else.
  head.writeUInt16BE(0x8180, 2);
  for (const [place, count] of [1, addresses.length, 0, 0].entries()) {
    head.writeUInt16BE(count, 4 + place * 2);
  }
  const records = addresses.map((address) =>
    // The name of the question, type A, class IN, a time to live of 0, four bytes.
    Buffer.from([
      0xc0,
      headBytes,
      0,
      typeA,
      0,
      1,
      0,
      0,
      0,
      0,
      0,
      4,
      ...address.split('.').map(Number),
    ]),
  );
  return Buffer.concat([head, question.subarray(headBytes, end), ...records]);
}
