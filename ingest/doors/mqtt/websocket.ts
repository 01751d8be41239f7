/** MQTT over WebSockets (MQTT 5 §6), on the ports of the edge. */
import type { HttpRequest, HttpResponse, TemplatedApp, WebSocket } from 'uWebSockets.js';
import type { Credential } from '../../auth/credential.ts';
import { limits } from '../../limits.ts';
import type { Exchange, ExchangeOptions } from '../http/exchange.ts';
import type { Acceptor, Receiver, Transport } from './transport.ts';

export const mqttPath = '/mqtt';
const subprotocol = 'mqtt';

type Data = {
  address: string;
  certificate: Credential | undefined;
  receiver: Receiver | undefined;
};

/** The request that opens a connection, if nothing is wrong with its head; otherwise it is answered. */
type Begin = (response: HttpResponse, request: HttpRequest) => Exchange | undefined;

/** Once a connection is a WebSocket, its end is told to `closed` alone. */
export function addMqtt(
  app: TemplatedApp,
  acceptor: Acceptor,
  { cors }: Pick<ExchangeOptions, 'cors'>,
  begin: Begin,
  closed: () => void,
): void {
  app.ws<Data>(mqttPath, {
    // Beyond this the server cuts the connection: it keeps a frame that is not whole, and counts it nowhere.
    maxPayloadLength: limits.mqttFrameBytesMax,
    maxBackpressure: limits.streamUnreadBytesMax + limits.mqttOutboxBytesMax,
    closeOnBackpressureLimit: true,
    idleTimeout: limits.streamIdleSeconds,
    upgrade(response, request, context) {
      const key = request.getHeader('sec-websocket-key');
      const version = request.getHeader('sec-websocket-version');
      const offered = request.getHeader('sec-websocket-protocol').split(',');
      const isUpgrade = request.getHeader('upgrade').toLowerCase() === 'websocket';
      const exchange = begin(response, request);
      if (exchange === undefined) return;
      const { credential, head } = exchange;
      if (!isUpgrade) {
        exchange.refuse('method_not_allowed', 'MQTT is opened by an upgrade to a WebSocket');
      } else if (version !== '13') {
        exchange.refuse('malformed', 'Sec-WebSocket-Version: must be 13');
      } else if (!offered.some((one) => one.trim() === subprotocol)) {
        exchange.refuse('malformed', 'Sec-WebSocket-Protocol: must be mqtt');
      } else {
        // A browser shows the certificate for any page that asks; a key only its owner can send.
        const isOfPage = head.origin !== '' && cors?.allows(head.origin) !== true;
        const isCertificate = credential.kind === 'certificate' && !isOfPage;
        const certificate = isCertificate ? credential : undefined;
        const address = exchange.clientAddress();
        exchange.upgrade({ address, certificate, receiver: undefined }, key, context, subprotocol);
      }
    },
    open(socket) {
      const data = socket.getUserData();
      data.receiver = acceptor.opened(new WebSocketTransport(socket, data));
      if (data.receiver === undefined) socket.end(1001, 'the edge stops');
    },
    message(socket, frame, isBinary) {
      // [MQTT-6.0.0-1]
      if (!isBinary) socket.end(1003, 'MQTT comes in binary frames');
      // The frame is lent: a packet may end in the next one.
      else socket.getUserData().receiver?.received(Buffer.from(new Uint8Array(frame)));
    },
    drain(socket) {
      socket.getUserData().receiver?.drained();
    },
    close(socket) {
      socket.getUserData().receiver?.closed();
      closed();
    },
  });
}

class WebSocketTransport implements Transport {
  readonly address: string;
  readonly certificate: Credential | undefined;
  readonly #socket: WebSocket<Data>;
  #isOpen = true;

  constructor(socket: WebSocket<Data>, { address, certificate }: Data) {
    this.#socket = socket;
    this.address = address;
    this.certificate = certificate;
  }

  get over(): 'webSocket' {
    return 'webSocket';
  }

  write(bytes: Buffer): void {
    if (this.#isOpen) this.#socket.send(bytes, true);
  }

  bufferedBytes(): number {
    return this.#isOpen ? this.#socket.getBufferedAmount() : 0;
  }

  /** A WebSocket can't be told to pause: what comes waits in the reader, which has a bound. */
  pause(): void {}

  resume(): void {}

  end(): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#socket.end(1000);
  }
}
