/** Streams over WebSockets (RFC 6455), on the ports of the edge. */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket } from 'uWebSockets.js';
import { limits } from '../../limits.ts';
import type { Exchange, ExchangeOptions } from '../http/exchange.ts';
import type { Connection, Stream } from './stream.ts';
import type { Streams } from './streams.ts';

type Data = { stream: Stream };

/** The request that opens a stream, if nothing is wrong with its head; otherwise it is answered. */
type Begin = (response: HttpResponse, request: HttpRequest) => Exchange | undefined;

/**
 * Takes streams at a path; what else is sent there is left to other routes. Once a connection is a stream, its end is
 * told to `closed` alone.
 */
export function addStreams(
  app: TemplatedApp,
  pattern: string,
  streams: Streams,
  { cors }: Pick<ExchangeOptions, 'cors'>,
  begin: Begin,
  closed: () => void,
): void {
  app.ws<Data>(pattern, {
    // A frame that is somewhat too large is told so; from this size on the server cuts the connection.
    maxPayloadLength: 2 * limits.streamFrameBytesMax,
    maxBackpressure: limits.streamUnreadBytesMax,
    closeOnBackpressureLimit: true,
    idleTimeout: limits.streamIdleSeconds,
    upgrade(response, request, context) {
      const key = request.getHeader('sec-websocket-key');
      const version = request.getHeader('sec-websocket-version');
      const isUpgrade = request.getHeader('upgrade').toLowerCase() === 'websocket';
      const exchange = begin(response, request);
      if (exchange === undefined) return;
      const { credential, head } = exchange;
      if (!isUpgrade) {
        // The header is for one hop: a proxy that does not know it leaves it out.
        exchange.refuse('method_not_allowed', 'a stream is opened by an upgrade to a WebSocket');
      } else if (version !== '13') {
        exchange.refuse('malformed', 'Sec-WebSocket-Version: must be 13');
      } else if (
        // A browser shows the certificate for any page that asks; a key only its owner can send.
        credential.kind === 'certificate' &&
        head.origin !== '' &&
        cors?.allows(head.origin) !== true
      ) {
        exchange.refuse('forbidden', 'pages of this origin may not use a certificate');
      } else {
        void streams.ask(exchange, (stream) => exchange.upgrade({ stream }, key, context));
      }
    },
    open(socket) {
      const { stream } = socket.getUserData();
      stream.connect(connectionOf(socket));
      streams.opened(stream);
    },
    message(socket, frame, isBinary) {
      streams.frame(socket.getUserData().stream, new Uint8Array(frame), isBinary);
    },
    drain(socket) {
      socket.getUserData().stream.tell();
    },
    close(socket) {
      streams.closed(socket.getUserData().stream);
      closed();
    },
  });
}

function connectionOf(socket: WebSocket<Data>): Connection {
  return {
    bufferedBytes: () => socket.getBufferedAmount(),
    cork: (write) => void socket.cork(write),
    send: (text) => void socket.send(text),
    end: (code, reason) => socket.end(code, reason),
  };
}
