/** MQTT over TCP and TLS. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { type AddressInfo, createServer, Socket } from 'node:net';
import { createServer as createTlsServer, type Server as TlsServer, TLSSocket } from 'node:tls';
import type { Connections } from '../../../infra/runtime/network/connections.ts';
import { type Credential, credentialOfDer } from '../../auth/credential.ts';
import { limits } from '../../limits.ts';
import type { Acceptor, Transport } from './transport.ts';

/** The paths of the edge's own certificate and key, and of the authority whose clients it takes. */
export type Certificates = { cert: string; key: string; clientCa: string | undefined };

/** Where TCP is listened to, with TLS if there is a certificate. */
type TcpOptions = {
  /** The setting that names the port. */
  setting: string;
  host: string;
  port: number;
  /** The number of processes that share the port. */
  processes: number;
  tls: Certificates | undefined;
};

export type Listener = {
  port: number;
  /** Takes no new connections. */
  close(): void;
};

/** @throws when the port is taken. */
export async function listenTcp(
  options: TcpOptions,
  acceptor: Acceptor,
  connections: Connections,
): Promise<Listener> {
  const { setting, host, port, processes, tls } = options;
  const socketOptions = {
    noDelay: true,
    keepAlive: true,
    keepAliveInitialDelay: limits.mqttProbeMs,
  };
  const take =
    tls === undefined
      ? (socket: Socket) => accept(socket, undefined, acceptor)
      : handshakes(createTlsServer(tlsOptions(tls), (socket) => acceptTls(socket, acceptor)));
  const server = createServer(socketOptions, (socket) => {
    // With TLS, long before the connection is the door's: a handshake takes room as well.
    if (count(socket, connections)) take(socket);
  });
  try {
    const { mqttBacklog: backlog } = limits;
    server.listen({ host, port, backlog, exclusive: true, reusePort: processes > 1 });
    await once(server, 'listening');
  } catch {
    throw new Error(`${setting}: port ${port} is taken`);
  }
  return { port: portOf(server.address(), port), close: () => void server.close() };
}

function portOf(address: AddressInfo | string | null, otherwise: number): number {
  return address === null || typeof address === 'string' ? otherwise : address.port;
}

function tlsOptions({ cert, key, clientCa }: Certificates) {
  return {
    cert: readFileSync(cert),
    key: readFileSync(key),
    handshakeTimeout: limits.mqttConnectMsMax,
    // A client without a certificate needs a key; one of another authority is not talked to.
    ...(clientCa === undefined
      ? {}
      : { ca: readFileSync(clientCa), requestCert: true, rejectUnauthorized: false }),
  };
}

/** Counts a connection from its opening to its end. False: it is over a bound, and closed again. */
function count(socket: Socket, connections: Connections): boolean {
  const address = socket.remoteAddress ?? '';
  const refusal = connections.opened(address);
  socket.once('close', () => connections.closed(refusal === undefined ? address : undefined));
  if (refusal !== undefined) socket.destroy();
  return refusal === undefined;
}

/**
 * Gives a connection to TLS once its client has said something, a piece at a time. Node reads what is encrypted into
 * buffers: the first one of a connection is of the size of what it is given first, and it has that one until more comes
 * at once. If it reads by itself, these are 64 KiB, of which an idle connection holds a fifth (benchmark: mqtt).
 */
function handshakes(server: TlsServer): (socket: Socket) => void {
  server.on('tlsClientError', (_, socket) => socket.destroy());
  const begin = function (this: Socket) {
    // It may have ended without a word.
    if (this.readableLength === 0) {
      this.destroy();
      return;
    }
    this.setTimeout(0);
    this.read = readPiece;
    server.emit('connection', this);
  };
  return (socket) => {
    socket.on('error', destroy);
    socket.setTimeout(limits.mqttConnectMsMax, destroy);
    socket.once('readable', begin);
  };
}

/** Less than Node's smallest buffer of TLS: a full one makes it take a larger one. */
const pieceBytes = 1_000;

// All connections share these.
function destroy(this: Socket): void {
  this.destroy();
}

/** Instead of all that has come. */
function readPiece(this: Socket, bytes?: number) {
  return Socket.prototype.read.call(this, bytes ?? Math.min(pieceBytes, this.readableLength));
}

function acceptTls(socket: TLSSocket, acceptor: Acceptor): void {
  const certificate = socket.getPeerX509Certificate();
  if (certificate !== undefined && !socket.authorized) {
    socket.destroy();
    return;
  }
  accept(socket, certificate && credentialOfDer(certificate.raw), acceptor);
}

function accept(socket: Socket, certificate: Credential | undefined, acceptor: Acceptor): void {
  if (socket.destroyed) return;
  const receiver = acceptor.opened(new SocketTransport(socket, certificate));
  // A client that has gone away without a word ends its connection too.
  socket.on('error', () => socket.destroy());
  if (receiver === undefined) {
    socket.destroy();
    return;
  }
  socket.on('data', (bytes: Buffer) => receiver.received(bytes));
  socket.on('drain', () => receiver.drained());
  socket.on('close', () => receiver.closed());
}

class SocketTransport implements Transport {
  readonly address: string;
  readonly certificate: Credential | undefined;
  readonly #socket: Socket;

  constructor(socket: Socket, certificate: Credential | undefined) {
    this.#socket = socket;
    this.address = socket.remoteAddress ?? '';
    this.certificate = certificate;
  }

  get over(): 'tcp' | 'tls' {
    return this.#socket instanceof TLSSocket ? 'tls' : 'tcp';
  }

  write(bytes: Buffer): void {
    if (!this.#socket.writableEnded) this.#socket.write(bytes);
  }

  bufferedBytes(): number {
    return this.#socket.writableLength;
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  end(): void {
    // The client may not take what was written: it has some time for it, and then the connection is cut.
    const cut = setTimeout(() => this.#socket.destroy(), limits.mqttEndMsMax);
    this.#socket.once('close', () => clearTimeout(cut));
    this.#socket.resume();
    this.#socket.end();
  }
}
