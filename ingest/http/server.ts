/** The only file that knows uWebSockets.js. Everything past it sees `Exchange`. */
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
import type { ClientAddress } from '../../infra/runtime/network/client-address.ts';
import type { Cors } from '../../infra/runtime/network/cors.ts';
import { Latencies } from '../../infra/runtime/observability/latencies.ts';
import {
  newRequestId,
  requestIdHeader,
  requestIdOf,
} from '../../infra/runtime/process/request-id.ts';
import type { WatchAnswer } from '../../infra/runtime/observability/operator-server.ts';
import { challenges } from '../../schemas/http/challenges.ts';
import { type ErrorCode, errorBody, errorTable } from '../../schemas/http/errors.ts';
import { notKnown } from '../../schemas/http/nearest.ts';
import { type RateLeft, rateLimitHeaders } from '../../schemas/http/rate-limit.ts';
import { sentAnywhere } from '../../schemas/sent-anywhere.ts';
import type { AccessLog } from './access-log.ts';
import {
  type CertificateClaim,
  type CertificateProxies,
  credentialOfPem,
} from '../auth/client-certificate.ts';
import type { TlsConfig } from '../config.ts';
import type { TracedMessage } from './traced-message.ts';

declare module 'uWebSockets.js' {
  // It is there, and the package's types leave it out.
  interface HttpResponse {
    /** The client's certificate in PEM, which its authority was checked of; '' without one. */
    getX509Certificate(): string;
  }
}

/** What the edge serves. Each handler answers its exchange, now or later. */
export type Handlers = {
  /** `POST /http/messages[/<subtopic…>]`: the request's head; its body follows to `exchange.onBody`. */
  message: (exchange: Exchange) => void;
  /** What operators ask with GET, by path. */
  watch: ReadonlyMap<string, () => Promise<WatchAnswer>>;
};

export type ServerLimits = {
  bodyBytesMax: number;
  bufferedBytesMax: number;
  chunkStallMsMax: number;
  /** Whom a request is from, where proxies pass it on. */
  clientAddress: ClientAddress;
  /** Whose pages may ask, of other origins. */
  cors: Cors | undefined;
  accessLog: AccessLog;
  /** Where answers are counted. */
  answered: Answered;
};

/** The answers to requests. */
export class Answered {
  /** Of each status but 202. */
  readonly byStatus: Record<number, number> = {};
  /** From a message's head to its 202. */
  readonly acks = new Latencies();

  count(status: number): void {
    this.byStatus[status] = (this.byStatus[status] ?? 0) + 1;
  }

  /** How many there were of each status. */
  all(): [string, number][] {
    return [['202', this.acks.cumulative().at(-1) ?? 0], ...Object.entries(this.byStatus)];
  }
}

export type Server = {
  port: number;
  /** Takes no new connections. Those that are open go on. */
  close(): void;
};

const mappedAddress = /^0000:0000:0000:0000:0000:ffff:([0-9a-f]{4}:[0-9a-f]{4})$/;

let bufferedBytes = 0;

/** One request and its one answer. After an abort everything is silent. */
export class Exchange {
  readonly subtopicPath: string;
  /** What the header of this name says; without one, the credential of a client certificate. */
  authorization = '';
  contentType = '';
  contentEncoding = '';
  forwardedFor = '';
  traceparent = '';
  /** Whether there is a line in the log of it; and whose it is, where that is known. */
  readonly isLogged: boolean;
  caller = '';
  #requestId = '';
  #origin = '';
  #asked = { method: '', route: '' };
  contentLength = -1;
  hostileFraming = false;
  /** What is left of the limit that it counted for; undefined where there is none. */
  left: RateLeft | undefined;
  /** Undefined where it is not traced, as nearly always. */
  traced: TracedMessage | undefined;
  /** Called once with the whole body. It is borrowed: valid until the call returns. */
  onBody: (body: Uint8Array) => void = ignoreBody;

  readonly #startedMs = performance.now();
  readonly #response: HttpResponse;
  readonly #limits: ServerLimits;
  readonly #isHead: boolean;
  #open = true;
  #claim: { -readonly [Header in keyof CertificateClaim]: string } | undefined;
  /** What has come of a body that is not whole yet, or waits for its key. Its room is counted. */
  #kept: Buffer | undefined;
  #keptBytes = 0;
  #isChunked = false;
  #hasTrailerField = false;
  /** Ends a body in chunks of which nothing comes any more. */
  #stalled: NodeJS.Timeout | undefined;

  constructor(
    response: HttpResponse,
    request: HttpRequest,
    subtopicPath: string,
    limits: ServerLimits,
    isHead = false,
  ) {
    this.#response = response;
    this.#limits = limits;
    this.#isHead = isHead;
    this.subtopicPath = subtopicPath;
    this.isLogged = limits.accessLog.takesNext();
    if (this.isLogged) {
      this.#asked = { method: request.getMethod().toUpperCase(), route: routeOf(request.getUrl()) };
    }
    response.onAborted(() => this.#end(0));
    request.forEach((name, value) => this.#header(name, value));
  }

  /** The client's, or one that is made when it is first asked for. */
  get requestId(): string {
    this.#requestId ||= newRequestId();
    return this.#requestId;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  clientAddress(): string {
    return this.#open ? this.#limits.clientAddress(this.#peer(), this.forwardedFor) : '';
  }

  /** The credential of the certificate that a proxy passes on. */
  forwardedCertificate(proxies: CertificateProxies): string | undefined {
    return this.#claim && proxies.credential(this.#peer(), this.#claim);
  }

  #peer(): string {
    const text = Buffer.from(this.#response.getRemoteAddressAsText()).toString('latin1');
    const mapped = mappedAddress.exec(text)?.[1];
    // Node's form of an IPv4 address that comes over IPv6, in which all of them are not one network.
    return mapped === undefined ? text : [...Buffer.from(mapped.replace(':', ''), 'hex')].join('.');
  }

  /** Begins to receive the body. */
  receive(): void {
    this.#response.onData((chunk, isLast) => this.#data(chunk, isLast));
  }

  /** 202: the message is on the disk. */
  accept(nowMs = performance.now()): void {
    if (!this.#open) return;
    this.#end(202);
    this.#limits.answered.acks.observe(nowMs - this.#startedMs);
    corked = this.#response;
    corkedId = this.requestId;
    corkedCors = this.#cors();
    corkedRates = this.#rates();
    if (this.#isChunked) corked.resume();
    corked.cork(writeAccepted);
    if (this.isLogged) this.#log(202, 0);
  }

  /** The answer to everything else. A refusal that leaves body unread closes the connection. */
  refuse(
    code: ErrorCode,
    detail?: string,
    options?: { retryAfter?: number; close?: boolean },
  ): void {
    if (!this.#open) return;
    const { status } = errorTable[code];
    this.#end(status);
    const response = this.#response;
    const body = JSON.stringify(errorBody(code, detail, this.requestId));
    this.#limits.answered.count(status);
    if (this.#isChunked) response.resume();
    response.cork(() => {
      response.writeStatus(statusLine(status));
      writeHeaders(response, this.#cors());
      response.writeHeader('Content-Type', 'application/json');
      response.writeHeader('X-Request-Id', this.requestId);
      if (options?.retryAfter !== undefined) {
        response.writeHeader('Retry-After', String(options.retryAfter));
      }
      writeHeaders(response, this.#rates());
      if (code === 'method_not_allowed') response.writeHeader('Allow', 'POST');
      if (code === 'unsupported_type' && this.hasEncoding) {
        response.writeHeader('Accept-Encoding', 'identity');
      }
      if (status === 401) {
        response.writeHeader('WWW-Authenticate', challenges(['Thing', 'External'], code));
      }
      this.#write(body, options?.close ?? false);
    });
    if (this.isLogged) this.#log(status, body.length);
  }

  answer({ status, contentType, body }: WatchAnswer): void {
    if (!this.#open) return;
    this.#end(status);
    this.#limits.answered.count(status);
    const response = this.#response;
    response.cork(() => {
      response
        .writeStatus(statusLine(status))
        .writeHeader('Content-Type', contentType)
        .writeHeader('X-Request-Id', this.requestId);
      this.#write(body, false);
    });
  }

  /** Tells a browser what a page of its origin may ask. */
  allowOrigin(cors: Cors): void {
    if (!this.#open) return;
    this.#end(204);
    this.#limits.answered.count(204);
    const response = this.#response;
    response.cork(() => {
      response.writeStatus('204 No Content');
      writeHeaders(response, cors.preflight(this.#origin));
      response.writeHeader('X-Request-Id', this.requestId).endWithoutBody();
    });
  }

  /** What the answer says of pages of other origins. */
  #cors(): Headers {
    const { cors } = this.#limits;
    return cors === undefined ? noHeaders : cors.answer(this.#origin);
  }

  /** What the answer says of the limit that the request counted for. */
  #rates(): Headers {
    return this.left === undefined ? noHeaders : Object.entries(rateLimitHeaders([this.left]));
  }

  #log(status: number, bytes: number): void {
    const ms = Math.round((performance.now() - this.#startedMs) * 10) / 10;
    const { requestId: request_id, caller } = this;
    this.#limits.accessLog.write({
      request_id,
      ...this.#asked,
      status,
      ms,
      bytes,
      ...(caller === '' ? {} : { caller }),
    });
  }

  /** Whether the body is compressed, or said to be: nobody here unpacks it. */
  get hasEncoding(): boolean {
    return this.contentEncoding !== '' && this.contentEncoding.toLowerCase() !== 'identity';
  }

  /** Whether fields are announced to come after the body. */
  get hasTrailers(): boolean {
    return this.#hasTrailerField && this.#isChunked;
  }

  /** The end of an answer. One to HEAD only says how long its body would be. */
  #write(body: string, close: boolean): void {
    if (!this.#isHead) {
      this.#response.end(body, close);
      return;
    }
    // With any argument, the server takes the answer for one that goes on.
    this.#response.writeHeader('Content-Length', String(Buffer.byteLength(body)));
    this.#response.endWithoutBody();
  }

  #header(name: string, value: string): void {
    switch (name) {
      case 'authorization':
        this.authorization = value;
        break;
      case 'content-type':
        this.contentType = value;
        break;
      case 'content-length':
        // The repacked server reads on with the first of two lengths: that is request smuggling.
        if (this.contentLength !== -1) this.hostileFraming = true;
        this.contentLength = Number(value);
        break;
      case 'transfer-encoding':
        // It also takes any coding that contains "chunked".
        if (value.toLowerCase() !== 'chunked') this.hostileFraming = true;
        this.#isChunked = true;
        break;
      case 'trailer':
        this.#hasTrailerField = true;
        break;
      case 'content-encoding':
        this.contentEncoding = value;
        break;
      case 'origin':
        this.#origin = value;
        break;
      case requestIdHeader:
        this.#requestId = requestIdOf(value);
        break;
      case 'traceparent':
        this.traceparent = value;
        break;
      case 'x-forwarded-for':
        this.forwardedFor = value;
        break;
      case 'client-cert':
      case 'x-ssl-client-cert':
      case 'x-ssl-client-verify':
        this.#claim ??= { 'client-cert': '', 'x-ssl-client-cert': '', 'x-ssl-client-verify': '' };
        // Two of one name are a client's beside a proxy's: together they are no certificate.
        this.#claim[name] += this.#claim[name] === '' ? value : `, ${value}`;
        break;
      default:
    }
  }

  #data(chunk: ArrayBuffer, isLast: boolean): void {
    if (!this.#open) return;
    const isWhole = isLast && this.#kept === undefined && !this.#isChunked;
    if (this.#keptBytes + chunk.byteLength > this.#limits.bodyBytesMax) {
      this.refuse('too_large', `more than ${this.#limits.bodyBytesMax} bytes`);
    } else if (isWhole) {
      this.onBody(new Uint8Array(chunk));
    } else if (this.#keep(new Uint8Array(chunk))) {
      if (this.#isChunked) this.#chunk(isLast);
      else if (isLast) this.#takeKept();
    }
  }

  #takeKept(): void {
    if (this.#open) this.onBody(this.#kept?.subarray(0, this.#keptBytes) ?? nothing);
  }

  /**
   * The repacked server tells the end of a body in chunks with the size of the last one, and then takes trailers
   * for a next request, which ends the connection; and it reads on in a size into its extension, so that the rest
   * of the request becomes content of the chunk. Nothing of such a request may be kept: its client tries again.
   */
  #chunk(isLast: boolean): void {
    if (isLast) {
      clearTimeout(this.#stalled);
      // What came with the last chunk is looked at before this is; what comes later is left until the answer is out.
      this.#response.pause();
      setImmediate(() => this.#takeKept());
    } else if (this.#holdsLastChunk()) {
      this.refuse('malformed', 'chunk extensions are not taken', { close: true });
    } else if (this.#stalled === undefined) {
      this.#stalled = setTimeout(() => {
        this.refuse('malformed', 'the chunked body does not come whole', { close: true });
      }, this.#limits.chunkStallMsMax);
    } else {
      this.#stalled.refresh();
    }
  }

  /** No body ends like a body in chunks; JSON can't, and of CBOR it takes bad luck. */
  #holdsLastChunk(): boolean {
    const tail = this.#kept?.subarray(Math.max(0, this.#keptBytes - tailBytesMax), this.#keptBytes);
    return tail?.at(-1) === lineFeed && lastChunk.test(tail.toString('latin1'));
  }

  /**
   * Keeps a whole body for later: what `onBody` gives is borrowed. It is dropped with the answer.
   * Undefined: there was no room, and the exchange is answered.
   */
  hold(body: Uint8Array): Uint8Array | undefined {
    if (this.#kept === undefined && !this.#keep(body)) return undefined;
    return this.#kept?.subarray(0, this.#keptBytes);
  }

  /** Copies a piece behind the others, into one buffer that doubles: many small ones cost no more. */
  #keep(piece: Uint8Array): boolean {
    const needed = this.#keptBytes + piece.length;
    const size = this.#kept?.length ?? 0;
    if (needed > size || this.#kept === undefined) {
      const larger = Math.max(needed, Math.min(size * 2, this.#limits.bodyBytesMax), 1);
      if (bufferedBytes + larger - size > this.#limits.bufferedBytesMax) {
        this.refuse('unavailable', 'too many bodies under way', { retryAfter: 1, close: true });
        return false;
      }
      bufferedBytes += larger - size;
      const buffer = Buffer.allocUnsafeSlow(larger);
      this.#kept?.copy(buffer, 0, 0, this.#keptBytes);
      this.#kept = buffer;
    }
    this.#kept.set(piece, this.#keptBytes);
    this.#keptBytes = needed;
    return true;
  }

  #drop(): void {
    bufferedBytes -= this.#kept?.length ?? 0;
    this.#kept = undefined;
    this.#keptBytes = 0;
  }

  /** `status` 0: the client has gone. */
  #end(status: number): void {
    if (this.#open) this.traced?.answered(status);
    this.#open = false;
    if (this.#stalled !== undefined) clearTimeout(this.#stalled);
    this.#drop();
  }
}

/** The last chunk, with an extension and trailers or without. */
const lastChunk = /\r\n0+[ \t]*(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n$/;
const tailBytesMax = 1_024;
const lineFeed = 0x0a;

function ignoreBody(): void {}

const nothing = new Uint8Array(0);

// Handed over here and not by closure: a commit answers thousands of requests at once.
let corked: HttpResponse;
let corkedId: string;
let corkedCors: Headers;
let corkedRates: Headers;

function writeAccepted(): void {
  corked.writeStatus('202 Accepted').writeHeader('X-Request-Id', corkedId);
  writeHeaders(corked, corkedCors);
  writeHeaders(corked, corkedRates);
  corked.end();
}

type Headers = readonly (readonly [name: string, value: string])[];
const noHeaders: Headers = [];

function writeHeaders(response: HttpResponse, headers: Headers): void {
  for (const [name, value] of headers) response.writeHeader(name, value);
}

/** A route's name in the log: what a client adds to it is nobody else's. */
function routeOf(path: string): string {
  return messagesPaths.find((one) => path === one || path.startsWith(`${one}/`)) ?? 'unknown';
}

const reasons: Record<number, string> = {
  200: 'OK',
  400: 'Bad Request',
  401: 'Unauthorized',
  404: 'Not Found',
  405: 'Method Not Allowed',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  500: 'Internal Server Error',
  503: 'Service Unavailable',
};

function statusLine(status: number): string {
  return `${status} ${reasons[status] ?? 'Error'}`;
}

/** What is not known of a query: nothing is read from it, and some clients send the same with everything. */
function unknownParameter(query: string): string | undefined {
  return [...new URLSearchParams(query).keys()].find((name) => !sentAnywhere.has(name));
}

/** Of the platform's services the HTTP adapter is at `/http`, and alone it has no prefix. */
const messagesPaths = ['/http/messages', '/messages'];

export type ServerOptions = {
  host: string;
  port: number;
  shared: boolean;
  /** Who passes client certificates on. */
  certificateProxies: CertificateProxies | undefined;
  /** A second port, where the certificate is the connection's own. */
  tls: TlsConfig | undefined;
};

/**
 * Listens on `port` (0: any). With `shared`, other processes may listen on the same one, and the kernel
 * spreads the connections.
 *
 * @throws when a port is taken.
 */
export async function serve(
  handlers: Handlers,
  limits: ServerLimits,
  { host, port, shared, certificateProxies, tls }: ServerOptions,
): Promise<Server> {
  const app = App();
  addRoutes(app, handlers, limits, (exchange) =>
    certificateProxies === undefined
      ? undefined
      : exchange.forwardedCertificate(certificateProxies),
  );
  const sockets = [await listen(app, 'INGEST_PORT', { host, port, shared })];
  if (tls !== undefined) {
    const tlsApp = createTlsApp(tls);
    addRoutes(tlsApp, handlers, limits, (_, response) =>
      credentialOfPem(response.getX509Certificate()),
    );
    sockets.push(await listen(tlsApp, 'EDGE_TLS_PORT', { host, port: tls.port, shared }));
  }
  const [first] = sockets;
  return {
    port: first === undefined ? port : us_socket_local_port(first),
    close: () => sockets.forEach((socket) => us_listen_socket_close(socket)),
  };
}

/** Asks clients for a certificate where it has an authority for them; without one they need a key. */
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
  limits: ServerLimits,
  certificateOf: (exchange: Exchange, response: HttpResponse) => string | undefined,
): void {
  function message(prefix: string, response: HttpResponse, request: HttpRequest): void {
    const path = request.getUrl();
    const subtopicPath = path.length > prefix.length ? path.slice(prefix.length + 1) : '';
    const exchange = new Exchange(response, request, subtopicPath, limits);
    if (exchange.authorization === '') {
      exchange.authorization = certificateOf(exchange, response) ?? '';
    }
    const query = request.getQuery();
    const unknown = query === '' ? undefined : unknownParameter(query);
    if (exchange.hostileFraming) {
      exchange.refuse('malformed', 'ambiguous message framing', { close: true });
    } else if (exchange.hasTrailers) {
      exchange.refuse('malformed', 'trailers are not taken', { close: true });
    } else if (unknown !== undefined) {
      exchange.refuse('malformed', notKnown(unknown, []));
    } else if (exchange.hasEncoding) {
      exchange.refuse('unsupported_type', `Content-Encoding: ${exchange.contentEncoding}`);
    } else if (exchange.contentLength > limits.bodyBytesMax) {
      // Not closed: the rest is read and dropped, so that a client that is still sending gets the answer.
      exchange.refuse('too_large', `more than ${limits.bodyBytesMax} bytes`);
    } else {
      exchange.receive();
      handlers.message(exchange);
    }
  }

  function other(code: ErrorCode, detail?: string) {
    return (response: HttpResponse, request: HttpRequest) => {
      bodiless(response, request).refuse(code, detail, { close: true });
    };
  }

  /** For what has no body that anybody looks at. */
  function bodiless(response: HttpResponse, request: HttpRequest): Exchange {
    return new Exchange(response, request, '', limits, request.getMethod() === 'head');
  }

  const { cors } = limits;
  if (cors !== undefined) {
    app.options('/*', (response, request) => bodiless(response, request).allowOrigin(cors));
  }
  for (const path of messagesPaths) {
    for (const pattern of [path, `${path}/*`]) {
      app.post(pattern, (response, request) => message(path, response, request));
      app.any(pattern, other('method_not_allowed'));
    }
  }
  for (const [path, ask] of handlers.watch) {
    const watch = (response: HttpResponse, request: HttpRequest) => {
      const exchange = bodiless(response, request);
      ask().then(
        (answer) => exchange.answer(answer),
        () => exchange.refuse('internal'),
      );
    };
    app.get(path, watch).head(path, watch);
  }
  app.any('/*', other('not_found', 'path'));
}

async function listen(
  app: TemplatedApp,
  setting: string,
  { host, port, shared }: { host: string; port: number; shared: boolean },
): Promise<us_listen_socket> {
  if (!shared) await mustBeFree(setting, host, port);
  const { promise, resolve, reject } = Promise.withResolvers<us_listen_socket>();
  app.listen(host, port, (socket) => {
    if (socket === false) reject(new Error(`${setting}: port ${port} is taken`));
    else resolve(socket);
  });
  return promise;
}

/** The server shares its port with whoever asks for it; so see first that nobody has it. */
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
