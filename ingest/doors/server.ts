/** Opens the ports. With exchange.ts, response.ts and those of WebSockets, the only file that knows uWebSockets.js. */
import { once } from 'node:events';
import { createServer } from 'node:net';
import {
  App,
  type HttpRequest,
  type HttpResponse,
  SSLApp,
  type TemplatedApp,
  type us_listen_socket,
  us_listen_socket_close,
  us_socket_local_port,
} from 'uWebSockets.js';
import type { Connections } from '../../infra/runtime/network/connections.ts';
import { establishedByNetwork, shareOf } from '../../infra/runtime/network/established.ts';
import { metricsRefused } from '../../infra/runtime/observability/metrics-access.ts';
import type { AskOperator } from '../../infra/runtime/observability/operator-server.ts';
import { sentTwice } from '../../infra/runtime/network/repeated-headers.ts';
import { newRequestId } from '../../infra/runtime/process/request-id.ts';
import { type ErrorCode, errorBody, errorTable } from '../../schemas/http/errors.ts';
import { credentialOfPem } from '../auth/credential.ts';
import type { AnswerStyle } from './http/answer-style.ts';
import type { CertificateProxies } from './http/certificate-proxies.ts';
import { limits } from '../limits.ts';
import type { Answered } from './http/answered.ts';
import type { CommandRequests } from './http/commands.ts';
import { type CertificateOf, Exchange, type ExchangeOptions } from './http/exchange.ts';
import { commandPrefixes, messagesPaths, streamPaths } from './http/routes.ts';
import { endResponse, peerOf, statusLine } from './http/response.ts';
import { addInflux } from './influx/routes.ts';
import type { InfluxWrites } from './influx/writes.ts';
import type { Acceptor } from './mqtt/transport.ts';
import { addMqtt, mqttPath } from './mqtt/websocket.ts';
import type { Streams } from './stream/streams.ts';
import { addStreams } from './stream/websocket.ts';

declare module 'uWebSockets.js' {
  // The server has this method; the package's types leave it out.
  interface HttpResponse {
    /** The client's certificate in PEM, whose authority was checked; '' without one. */
    getX509Certificate(): string;
  }
}

/** A port with TLS; all are paths. */
export type TlsConfig = { port: number; cert: string; key: string; clientCa: string | undefined };

/** The edge serves these. Each handler answers its exchange, now or later. */
export type Handlers = {
  /** `POST /http/messages[/<subtopic…>]`: the request's head; its body follows to `exchange.onBody`. */
  message: (exchange: Exchange) => void;
  /** `GET /http/messages/stream[/<subtopic…>]`, as a WebSocket. */
  streams: Streams | undefined;
  /** `/mqtt`, as a WebSocket. */
  mqtt: Acceptor | undefined;
  /** Requests about commands. */
  commands: CommandRequests;
  /** Writes of InfluxDB's clients. */
  influx: InfluxWrites;
  /** Answers for operators, by path. */
  operations: ReadonlyMap<string, AskOperator>;
  /** Decides who may open a connection. */
  connections: Connections;
  /** Ports beside those of HTTP whose connections count too. */
  otherPorts: readonly number[];
};

export type Server = {
  port: number;
  /** Takes no new connections, and ends the streams. Other connections that are open go on. */
  close(): Promise<void>;
};

export type ServerOptions = {
  host: string;
  port: number;
  /** The number of processes that share the port. */
  processes: number;
  /** The proxies that may pass client certificates on. */
  certificateProxies: CertificateProxies | undefined;
  /** A second port, where the certificate is the connection's own. */
  tls: TlsConfig | undefined;
};

/**
 * Listens on `port` (0: any). Where several `processes` share it, the kernel spreads the connections.
 *
 * @throws when a port is taken.
 */
export async function serve(
  handlers: Handlers,
  options: Omit<ExchangeOptions, 'opened'>,
  { host, port, processes, certificateProxies, tls }: ServerOptions,
): Promise<Server> {
  const exchanges = { ...options, opened: { connections: 0 } };
  const count = (_: HttpResponse, change: number) => {
    if (change > 0) exchanges.opened.connections += 1;
  };
  const app = App();
  app.filter(count);
  boundConnections(app, handlers.connections, exchanges.answered, { answers: true });
  addRoutes(app, handlers, exchanges, (exchange) =>
    certificateProxies === undefined
      ? undefined
      : exchange.forwardedCertificate(certificateProxies),
  );
  const sockets = [await listen(app, 'INGEST_PORT', { host, port, processes })];
  if (tls !== undefined) {
    const tlsApp = createTlsApp(tls);
    tlsApp.filter(count);
    // Before the handshake there is nothing to answer with.
    boundConnections(tlsApp, handlers.connections, exchanges.answered, { answers: false });
    addRoutes(tlsApp, handlers, exchanges, (_, response) =>
      credentialOfPem(response.getX509Certificate()),
    );
    sockets.push(await listen(tlsApp, 'EDGE_TLS_PORT', { host, port: tls.port, processes }));
  }
  const ports = sockets.map((socket) => us_socket_local_port(socket));
  handlers.connections.recount = async () =>
    shareOf(await establishedByNetwork(new Set([...ports, ...handlers.otherPorts])), processes);
  return {
    port: ports[0] ?? port,
    async close() {
      for (const socket of sockets) us_listen_socket_close(socket);
      await handlers.streams?.stop();
    },
  };
}

/**
 * Counts connections from their opening to their end, and closes one again that is over a bound. So the descriptors are
 * never used up: without one, the server would try to accept without pause.
 */
function boundConnections(
  app: TemplatedApp,
  connections: Connections,
  answered: Answered,
  { answers }: { answers: boolean },
): void {
  app.filter((response, change) => {
    if (change < 0) return connections.closed();
    const refusal = connections.opened(peerOf(response));
    if (refusal === undefined) return;
    if (!answers) {
      response.close();
      return;
    }
    const { status } = errorTable[refusal.code];
    const id = newRequestId();
    answered.count(status);
    response.cork(() => {
      response
        .writeStatus(statusLine(status))
        .writeHeader('Content-Type', 'application/json')
        .writeHeader('X-Request-Id', id)
        .writeHeader('Retry-After', String(limits.connectionRetrySeconds));
      const body = JSON.stringify(errorBody(refusal.code, refusal.detail, id));
      endResponse(response, body, { isHead: false, close: true });
    });
  });
}

/** Asks clients for a certificate if it knows an authority for them; a client without one needs a key. */
function createTlsApp({ cert, key, clientCa }: TlsConfig): TemplatedApp {
  try {
    return SSLApp({
      cert_file_name: cert,
      key_file_name: key,
      ...(clientCa === undefined ? {} : { ca_file_name: clientCa }),
    });
  } catch {
    throw new Error(
      'EDGE_TLS_CERT, EDGE_TLS_KEY, EDGE_TLS_CLIENT_CA: TLS does not take one of them',
    );
  }
}

function addRoutes(
  app: TemplatedApp,
  handlers: Handlers,
  options: ExchangeOptions,
  certificateOf: CertificateOf,
): void {
  const { bodyBytesMax } = options.bodies.limits;

  /** An exchange whose body is not read. */
  function bodiless(response: HttpResponse, request: HttpRequest): Exchange {
    const isHead = request.getMethod() === 'head';
    const exchange = new Exchange(response, request, '', options, isHead);
    const { repeated } = exchange.head;
    // Only the first answer counts: an exchange that is refused here is not answered again.
    if (repeated !== undefined) exchange.refuse('malformed', sentTwice(repeated), { close: true });
    return exchange;
  }

  const refuseAll: RefuseAll =
    (code, detail, takes = 'POST') =>
    (response, request) => {
      const exchange = bodiless(response, request);
      exchange.takes = takes;
      exchange.refuse(code, detail, { close: true });
    };

  /** A request at a path of messages. Undefined: what is wrong with it needs nothing more to be refused. */
  function begin(response: HttpResponse, request: HttpRequest, path: string): Exchange | undefined {
    const url = request.getUrl();
    const subtopicPath = url.length > path.length ? url.slice(path.length + 1) : '';
    const exchange = new Exchange(response, request, subtopicPath, options);
    exchange.authenticate(certificateOf);
    return refuseHead(exchange, request.getQuery(), bodyBytesMax) ? undefined : exchange;
  }

  const { cors } = options;
  if (cors !== undefined) {
    app.options('/*', (response, request) => bodiless(response, request).allowOrigin(cors));
  }
  const { streams } = handlers;
  for (const path of streamPaths) {
    for (const pattern of [path, `${path}/*`]) {
      if (streams === undefined) break;
      addStreams(
        app,
        pattern,
        streams,
        options,
        (response, request) => begin(response, request, path),
        () => handlers.connections.closed(),
      );
    }
  }
  const { mqtt } = handlers;
  if (mqtt !== undefined) {
    const beginMqtt = (response: HttpResponse, request: HttpRequest) =>
      begin(response, request, mqttPath);
    addMqtt(app, mqtt, options, beginMqtt, () => handlers.connections.closed());
  }
  for (const path of messagesPaths) {
    for (const pattern of [path, `${path}/*`]) {
      app.post(pattern, (response, request) => {
        const exchange = begin(response, request, path);
        if (exchange === undefined) return;
        exchange.receive();
        handlers.message(exchange);
      });
      app.any(pattern, refuseAll('method_not_allowed'));
    }
  }
  addCommands(app, handlers.commands, begin, refuseAll);
  addInflux(app, handlers.influx, {
    bodiless,
    begin(response: HttpResponse, request: HttpRequest, style: AnswerStyle) {
      const exchange = new Exchange(response, request, '', options);
      exchange.style = style;
      exchange.takesGzip = true;
      exchange.authenticate(certificateOf);
      return refuseHead(exchange, '', bodyBytesMax) ? undefined : exchange;
    },
    refuseMethod: (methods) => refuseAll('method_not_allowed', undefined, methods),
  });
  for (const [path, ask] of handlers.operations) {
    const operation = (response: HttpResponse, request: HttpRequest) => {
      const exchange = bodiless(response, request);
      if (!exchange.isOpen) return;
      ask(exchange.asker()).then(
        (answer) =>
          answer === undefined
            ? exchange.refuse('forbidden', metricsRefused)
            : exchange.answer(answer),
        () => exchange.refuse('internal'),
      );
    };
    app.get(path, operation).head(path, operation);
    // The platform's clients use this path.
    if (path === '/health') app.get('/http/health', operation).head('/http/health', operation);
  }
  app.any('/*', refuseAll('not_found', 'path'));
}

/** A request at a path, if nothing is wrong with its head; otherwise it is answered. */
type Begin = (response: HttpResponse, request: HttpRequest, path: string) => Exchange | undefined;

type RefuseAll = (
  code: ErrorCode,
  detail?: string,
  takes?: string,
) => (response: HttpResponse, request: HttpRequest) => void;

/** Requests about commands, at paths with the prefix of messages and without it. */
function addCommands(
  app: TemplatedApp,
  commands: CommandRequests,
  begin: Begin,
  refuseAll: RefuseAll,
): void {
  for (const prefix of commandPrefixes) {
    const path = `${prefix}/commands`;
    app.get(path, (response, request) => {
      const query = request.getQuery();
      const exchange = begin(response, request, path);
      if (exchange !== undefined) void commands.wait(exchange, query);
    });
    app.any(path, refuseAll('method_not_allowed', undefined, 'GET'));
    const acknowledge = `${path}/:id/acknowledge`;
    app.post(acknowledge, (response, request) => {
      const id = request.getParameter(0) ?? '';
      const exchange = begin(response, request, request.getUrl());
      if (exchange === undefined) return;
      commands.acknowledge(exchange, id);
      exchange.receive();
    });
    app.any(acknowledge, refuseAll('method_not_allowed'));
    for (const kind of ['thing', 'group'] as const) {
      for (const end of ['', '/*']) {
        const pattern = `${prefix}/${kind}s/:id/commands${end}`;
        app.post(pattern, (response, request) => {
          const id = request.getParameter(0) ?? '';
          const start = `${prefix}/${kind}s/${id}/commands`;
          const exchange = begin(response, request, start);
          if (exchange === undefined) return;
          commands.send(exchange, { of: kind, id });
          exchange.receive();
        });
        app.any(pattern, refuseAll('method_not_allowed'));
      }
    }
  }
}

/** Refuses what can be refused before the body. False: nothing is wrong so far. */
function refuseHead(exchange: Exchange, query: string, bodyBytesMax: number): boolean {
  const { head } = exchange;
  if (head.repeated !== undefined) {
    exchange.refuse('malformed', sentTwice(head.repeated), { close: true });
  } else if (head.hasAmbiguousFraming) {
    exchange.refuse('malformed', 'ambiguous message framing', { close: true });
  } else if (head.hasTrailers) {
    exchange.refuse('malformed', 'trailers are not taken', { close: true });
  } else if (query && new URLSearchParams(query).has('subtopic')) {
    // Senders in the field add parameters of their own, which mean nothing here. Without any the server says undefined,
    // whatever its types say.
    exchange.refuse('malformed', 'subtopic: stands in the path, /http/messages/<subtopic>');
  } else if (head.hasEncoding && !(exchange.takesGzip && head.isGzip)) {
    exchange.refuse('unsupported_type', `Content-Encoding: ${head.contentEncoding}`);
  } else if (head.contentLength > bodyBytesMax) {
    // Not closed: the rest is read and dropped, so that a client that is still sending gets the answer.
    exchange.refuse('too_large', `more than ${bodyBytesMax} bytes`);
  } else {
    return false;
  }
  return true;
}

async function listen(
  app: TemplatedApp,
  setting: string,
  { host, port, processes }: Pick<ServerOptions, 'host' | 'port' | 'processes'>,
): Promise<us_listen_socket> {
  if (processes === 1) await mustBeFree(setting, host, port);
  const { promise, resolve, reject } = Promise.withResolvers<us_listen_socket>();
  app.listen(host, port, (socket) => {
    if (socket === false) reject(new Error(`${setting}: port ${port} is taken`));
    else resolve(socket);
  });
  return promise;
}

/** The server would share its port with any other process, so check first that the port is free. */
async function mustBeFree(setting: string, host: string, port: number): Promise<void> {
  const probe = createServer();
  try {
    probe.listen({ host, port, exclusive: true });
    await once(probe, 'listening');
  } catch {
    throw new Error(`${setting}: port ${port} is taken`);
  } finally {
    probe.close();
  }
}
