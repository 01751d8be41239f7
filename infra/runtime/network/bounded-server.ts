import { type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import { type ErrorCode, errorBody, errorTable } from '../../../schemas/http/errors.ts';
import { newRequestId } from '../process/request-id.ts';
import type { ConnectionRefusal, Connections } from './connections.ts';

/**
 * Bounds the connections of one of Node's servers. Where there is no room for one more, the one that has been without a
 * request for longest is closed: clients that keep a connection open expect that. Only where all have requests is the
 * new one answered 503. A network over its own bound is answered 429.
 */
export function boundConnections(
  server: Server,
  connections: Connections,
  retryAfterSeconds: number,
): void {
  /** Requests under way, by connection. */
  const busy = new Map<Socket, number>();
  /** Connections without one, the longest so first. */
  const idle = new Set<Socket>();
  /** Whom each connection counts for: undefined where it was refused. */
  const counted = new Map<Socket, string | undefined>();

  function leave(socket: Socket): void {
    if (!counted.has(socket)) return;
    connections.closed(counted.get(socket));
    counted.delete(socket);
    idle.delete(socket);
    busy.delete(socket);
  }

  server.on('connection', (socket: Socket) => {
    if (connections.held >= connections.limits.max) {
      const [oldest] = idle;
      oldest?.destroy();
      // Its end is told later, and there must be room now.
      if (oldest !== undefined) leave(oldest);
    }
    const address = socket.remoteAddress ?? '';
    const refusal = connections.opened(address);
    counted.set(socket, refusal === undefined ? address : undefined);
    socket.once('close', () => leave(socket));
    if (refusal === undefined) idle.add(socket);
    else refuse(socket, refusal, retryAfterSeconds);
  });

  server.on('request', ({ socket }: IncomingMessage, response: ServerResponse) => {
    // Some clients send the next request before they have the answer.
    busy.set(socket, (busy.get(socket) ?? 0) + 1);
    idle.delete(socket);
    response.once('close', () => {
      const left = (busy.get(socket) ?? 1) - 1;
      if (left > 0) {
        busy.set(socket, left);
        return;
      }
      busy.delete(socket);
      if (counted.has(socket)) idle.add(socket);
    });
  });
}

/** Written and closed before anything of the connection is read. */
function refuse(
  socket: Socket,
  { code, detail }: ConnectionRefusal,
  retryAfterSeconds: number,
): void {
  const retry = `Retry-After: ${retryAfterSeconds}`;
  socket.write(answerOf(code, detail, [retry]));
  socket.destroySoon();
}

/** An answer to what is no request yet, after which the connection is closed. */
export function answerOf(code: ErrorCode, detail: string, headers: readonly string[] = []): string {
  const { status } = errorTable[code];
  const id = newRequestId();
  const body = JSON.stringify(errorBody(code, detail, id));
  return [
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}`,
    'Content-Type: application/json',
    `X-Request-Id: ${id}`,
    ...headers,
    `Content-Length: ${Buffer.byteLength(body)}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
}
