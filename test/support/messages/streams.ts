import { once } from 'node:events';
import { randomBytes } from 'node:crypto';
import { connect, type Socket } from 'node:net';
import { type ClientOptions, WebSocket } from 'ws';
import { eventually } from '../eventually.ts';

/** What the edge says of messages that it does not keep. */
type Refused = {
  from: number;
  to: number;
  status: number;
  error: string;
  code: string;
  retry_after?: number;
};

/** A stream to an edge, and what came over it. */
export class OpenStream {
  readonly socket: WebSocket;
  /** Acks and refusals in the order in which they came. */
  readonly told: ({ ack: number } | { refused: Refused })[] = [];
  /** The code and the reason it was closed with. */
  closed: { code: number; reason: string } | undefined;

  private constructor(socket: WebSocket) {
    this.socket = socket;
    socket.addEventListener('message', ({ data }) => {
      if (typeof data === 'string') this.told.push(JSON.parse(data));
    });
    socket.on('error', () => undefined);
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: String(reason) };
    });
  }

  /** @throws what the edge answered instead: `401 {"error":…}`. */
  static async open(
    ingestUrl: string,
    key: string,
    options: { path?: string; contentType?: string; socket?: ClientOptions } = {},
  ): Promise<OpenStream> {
    const { path = '/http/messages/stream', contentType, socket: others } = options;
    const socket = new WebSocket(`${ingestUrl.replace('http', 'ws')}${path}`, {
      ...others,
      headers: {
        ...(key === '' ? {} : { authorization: key.includes(' ') ? key : `Thing ${key}` }),
        ...(contentType === undefined ? {} : { 'content-type': contentType }),
        ...others?.headers,
      },
    });
    const stream = new OpenStream(socket);
    const { promise, resolve, reject } = Promise.withResolvers<OpenStream>();
    socket.once('open', () => resolve(stream));
    socket.once('error', reject);
    socket.once('unexpected-response', (_request, answer) => {
      answer.setEncoding('utf8').once('data', (text) => {
        reject(new Error(`${answer.statusCode} ${text}`));
        answer.destroy();
      });
    });
    return promise;
  }

  /** The number up to which all is answered. */
  get ack(): number {
    const acks = this.told.flatMap((one) => ('ack' in one ? [one.ack] : []));
    return acks.at(-1) ?? 0;
  }

  get refused(): Refused[] {
    return this.told.flatMap((one) => ('refused' in one ? [one.refused] : []));
  }

  /** Waits until so many messages are answered. */
  async answered(count: number): Promise<void> {
    await eventually(() => {
      if (this.closed !== undefined) throw new Error(`closed: ${JSON.stringify(this.closed)}`);
      return this.ack >= count;
    });
  }

  /** Waits until the edge has closed it. */
  async ended(): Promise<{ code: number; reason: string }> {
    await eventually(() => this.closed !== undefined, 10_000);
    return this.closed ?? { code: 0, reason: '' };
  }

  close(): void {
    this.socket.terminate();
  }
}

/** Messages as a binary frame has them: each after its length. */
export function withLengths(...messages: (string | Uint8Array)[]): Buffer {
  return Buffer.concat(
    messages.flatMap((message) => {
      const bytes = Buffer.from(message);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(bytes.length);
      return [length, bytes];
    }),
  );
}

/** The socket of a stream, for frames that no client would send. */
export async function openRaw(ingestUrl: string, key: string): Promise<Socket> {
  const { port, hostname } = new URL(ingestUrl);
  const socket = connect({ port: Number(port), host: hostname, noDelay: true });
  socket.on('error', () => undefined);
  const head = [
    'GET /http/messages/stream HTTP/1.1',
    'Host: a',
    'Connection: Upgrade',
    'Upgrade: websocket',
    'Sec-WebSocket-Version: 13',
    `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
    `Authorization: Thing ${key}`,
    '\r\n',
  ];
  socket.write(head.join('\r\n'));
  let answer = '';
  while (!answer.endsWith('\r\n\r\n')) {
    const [piece]: Buffer[] = await once(socket, 'data');
    answer += piece?.toString('latin1') ?? '';
  }
  if (!answer.startsWith('HTTP/1.1 101')) throw new Error(answer);
  return socket;
}

/** A frame of a client (RFC 6455 §5.2); what it says of its length may be wrong. */
export function rawFrame(
  first: number,
  content: Buffer,
  { isMasked = true, length = content.length } = {},
): Buffer {
  const mask = Buffer.of(1, 2, 3, 4);
  // A ping may not say its length in the long form.
  const isShort = length < 126;
  const head = Buffer.alloc(isShort ? 2 : 10);
  head[0] = first;
  head[1] = (isShort ? length : 127) | (isMasked ? 0x80 : 0);
  if (!isShort) head.writeBigUInt64BE(BigInt(length), 2);
  if (!isMasked) return Buffer.concat([head, content]);
  const masked = content.map((byte, at) => byte ^ (mask[at % 4] ?? 0));
  return Buffer.concat([head, mask, masked]);
}
