import { once } from 'node:events';
import { createServer, type Socket } from 'node:net';
import { blockInfo, readBlock } from './block.ts';
import { Bytes, numberBytes, textBytes } from './bytes.ts';

/**
 * ClickHouse's native protocol, as far as a Distributed table needs it to write to a shard: the embedded engine
 * has no server of it. Of revision 54441, so that a packet is as simple as today's ClickHouse can send it.
 */
const revision = 54_441;

const fromClient = { hello: 0, query: 1, data: 2, cancel: 3, ping: 4, tablesStatus: 5 } as const;
const toClient = { hello: 0, data: 1, exception: 2, pong: 4, end: 5, tablesStatus: 9 } as const;

export type Insert = { query: string; settings: Record<string, string>; data: Buffer };

type ShardParts = {
  /** The names and types of the columns that the query's data has. */
  columnsOf: (query: string) => Promise<[string, string][]>;
  insert: (insert: Insert) => Promise<void>;
};

export type Shard = { stop: () => Promise<void> };

/** What a shard answers where it does not take an insert. */
export class ShardError extends Error {
  readonly code: number;

  constructor(code: number, message: string) {
    super(message);
    this.code = code;
  }
}

export async function startShard(host: string, port: number, parts: ShardParts): Promise<Shard> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
    socket.on('error', () => socket.destroy());
    serve(socket, parts).catch(() => socket.destroy());
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    async stop() {
      const closed = once(server, 'close');
      server.close();
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function serve(socket: Socket, parts: ShardParts): Promise<void> {
  const bytes = new Bytes(socket);
  while (!(await bytes.isAtEnd())) {
    const kind = await bytes.number();
    if (kind === fromClient.hello) await greet(socket, bytes);
    else if (kind === fromClient.ping) socket.write(numberBytes(toClient.pong));
    else if (kind === fromClient.tablesStatus) await tellTables(socket, bytes);
    else if (kind === fromClient.query) await answer(socket, bytes, parts);
    else if (kind !== fromClient.cancel) throw new Error(`packet ${kind} is not known`);
    bytes.forget();
  }
}

async function greet(socket: Socket, bytes: Bytes): Promise<void> {
  await bytes.text();
  for (let at = 0; at < 3; at++) await bytes.number();
  for (let at = 0; at < 3; at++) await bytes.text();
  const numbers = [1, 0, revision].map(numberBytes);
  const names = [textBytes('UTC'), textBytes('shard'), numberBytes(0)];
  socket.write(
    Buffer.concat([numberBytes(toClient.hello), textBytes('ClickHouse'), ...numbers, ...names]),
  );
}

/** Every table that is asked for is there, and not replicated. */
async function tellTables(socket: Socket, bytes: Bytes): Promise<void> {
  const count = await bytes.number();
  const answers = [numberBytes(toClient.tablesStatus), numberBytes(count)];
  for (let at = 0; at < count; at++) {
    answers.push(textBytes(await bytes.text()), textBytes(await bytes.text()), numberBytes(0));
  }
  socket.write(Buffer.concat(answers));
}

async function answer(socket: Socket, bytes: Bytes, parts: ShardParts): Promise<void> {
  const { query, settings } = await readQuery(bytes);
  try {
    const columns = await parts.columnsOf(query);
    const names = columns.flatMap(([name, type]) => [textBytes(name), textBytes(type)]);
    const header = [numberBytes(columns.length), numberBytes(0), ...names];
    socket.write(Buffer.concat([numberBytes(toClient.data), textBytes(''), blockInfo, ...header]));
    const data: Buffer[] = [];
    for (;;) {
      const block = await readData(bytes);
      if (block.rows === 0) break;
      data.push(block.native);
    }
    await parts.insert({ query, settings, data: Buffer.concat(data) });
    socket.write(numberBytes(toClient.end));
  } catch (error) {
    if (!(error instanceof ShardError)) throw error;
    const code = Buffer.alloc(4);
    code.writeInt32LE(error.code);
    const texts = ['DB::Exception', error.message, ''].map(textBytes);
    socket.write(
      Buffer.concat([numberBytes(toClient.exception), code, ...texts, Buffer.from([0])]),
    );
  }
}

async function readQuery(
  bytes: Bytes,
): Promise<{ query: string; settings: Record<string, string> }> {
  await bytes.text();
  await passClientInfo(bytes);
  const settings: Record<string, string> = {};
  for (;;) {
    const name = await bytes.text();
    if (name === '') break;
    await bytes.number();
    settings[name] = await bytes.text();
  }
  // The cluster's secret, the stage, the compression.
  await bytes.text();
  await bytes.number();
  await bytes.number();
  const query = await bytes.text();
  await readData(bytes);
  return { query, settings };
}

const tcp = 1;
const http = 2;

async function passClientInfo(bytes: Bytes): Promise<void> {
  const [kind] = await bytes.take(1);
  if (kind === 0) return;
  for (let at = 0; at < 3; at++) await bytes.text();
  const [way] = await bytes.take(1);
  if (way === tcp) {
    for (let at = 0; at < 3; at++) await bytes.text();
    for (let at = 0; at < 3; at++) await bytes.number();
  } else if (way === http) {
    await bytes.take(1);
    await bytes.text();
  }
  await bytes.text();
  if (way === tcp) await bytes.number();
}

async function readData(bytes: Bytes): Promise<{ rows: number; native: Buffer }> {
  const kind = await bytes.number();
  if (kind !== fromClient.data) throw new Error(`packet ${kind} is not data`);
  await bytes.text();
  return readBlock(bytes);
}
