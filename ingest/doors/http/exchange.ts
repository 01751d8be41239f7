import { crc32 } from 'node:zlib';
import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js';
import type { ClientAddress } from '../../../infra/runtime/network/client-address.ts';
import type { Cors } from '../../../infra/runtime/network/cors.ts';
import type { Asker } from '../../../infra/runtime/observability/metrics-access.ts';
import type { OperatorResponse } from '../../../infra/runtime/observability/operator-server.ts';
import { newRequestId } from '../../../infra/runtime/process/request-id.ts';
import { type ErrorCode, errorTable } from '../../../schemas/http/errors.ts';
import { type RateLeft, rateLimitHeaders } from '../../../schemas/http/rate-limit.ts';
import { networkOf } from '../../../infra/runtime/network/client-address.ts';
import { type Credential, noCredential } from '../../auth/credential.ts';
import type { Source } from '../../intake/intake.ts';
import type { Waiter } from '../../log/group.ts';
import { type AnswerStyle, ownStyle } from './answer-style.ts';
import { credentialOfHeader } from './authorization.ts';
import type { CertificateProxies } from './certificate-proxies.ts';
import type { AccessLog } from '../access-log.ts';
import type { Answered } from './answered.ts';
import type { FoundDevices } from '../../intake/gateways/devices.ts';
import { diskFailed } from '../../intake/refusal.ts';
import { type BodyRoom, KeptBody } from '../../intake/kept-body.ts';
import { holdsLastChunk } from './chunked.ts';
import { RequestHead } from './head.ts';
import {
  endResponse,
  type Headers,
  noHeaders,
  peerOf,
  statusLine,
  writeAccepted,
  writeHeaders,
} from './response.ts';
import { routeOf } from './routes.ts';
import type { TracedMessage } from './traced-message.ts';

/** All exchanges share these. */
export type ExchangeOptions = {
  bodies: BodyRoom;
  chunkStallMsMax: number;
  /** Finds the address of the client, even if a proxy passed the request on. */
  clientAddress: ClientAddress;
  /** The other origins whose pages may send requests. */
  cors: Cors | undefined;
  accessLog: AccessLog;
  /** Where answers are counted. */
  answered: Answered;
  /** Connections that were opened so far. */
  opened: { connections: number };
};

/** The credential of the certificate that came with a request that has no other. */
export type CertificateOf = (exchange: Exchange, response: HttpResponse) => Credential | undefined;

/** One request and its one answer. After an abort everything is silent. */
export class Exchange implements Source, Waiter {
  readonly head = new RequestHead();
  readonly protocol = 'http';
  credential: Credential = noCredential;
  readonly subtopicPath: string;
  /** As the path has it, once that was read. */
  subtopic = '';
  /** Whether it is in the access log; and who sent it, if that is known. */
  readonly isLogged: boolean;
  caller = '';
  /** Of the limit that it counts for; undefined if there is none. */
  left: RateLeft | undefined;
  /** The device that was looked up for it, if a gateway sent it. */
  found: FoundDevices | undefined;
  /** Undefined if it is not traced, as nearly always. */
  traced: TracedMessage | undefined;
  /** Called once with the whole body. It is borrowed: valid until the call returns. */
  onBody: (body: Uint8Array) => void = ignoreBody;
  /** Called when it is answered, or its client has gone. */
  onEnd: (() => void) | undefined;
  /** The method that its path takes, if not POST. */
  takes = 'POST';
  /** Whether its body may come compressed. Who reads it inflates it. */
  takesGzip = false;
  style: AnswerStyle = ownStyle;
  /** Of a `reply`, beside the usual ones. */
  headers: Headers = noHeaders;
  /** The status that says of a message that it is on the disk. */
  accepts: 202 | 204 = 202;

  readonly #startedMs = performance.now();
  readonly #response: HttpResponse;
  readonly #options: ExchangeOptions;
  readonly #isHead: boolean;
  #logged = { method: '', route: '' };
  #open = true;
  /** The received part of a body that is not whole yet, or waits for its key. */
  #kept: KeptBody | undefined;
  #network: string | undefined;
  /** Ends a chunked body of which nothing more comes. */
  #stalled: NodeJS.Timeout | undefined;

  constructor(
    response: HttpResponse,
    request: HttpRequest,
    subtopicPath: string,
    options: ExchangeOptions,
    isHead = false,
  ) {
    this.#response = response;
    this.#options = options;
    this.#isHead = isHead;
    this.subtopicPath = subtopicPath;
    this.isLogged = options.accessLog.takesNext();
    if (this.isLogged) {
      this.#logged = {
        method: request.getMethod().toUpperCase(),
        route: routeOf(request.getUrl()),
      };
    }
    response.onAborted(() => this.#end(0));
    const { head } = this;
    request.forEach((name, value) => head.add(name, value));
  }

  /** The client's, or one that is made when it is first needed. */
  get requestId(): string {
    this.head.requestId ||= newRequestId();
    return this.head.requestId;
  }

  get isOpen(): boolean {
    return this.#open;
  }

  get contentType(): string {
    return this.head.contentType;
  }

  /**
   * A mark of how the request came. Two requests of a thing with the same mark come from the same network: no
   * connection was opened between them, and a proxy names the same client. It costs next to nothing, while finding the
   * network takes a microsecond. Never 0.
   */
  get way(): number {
    const { forwardedFor } = this.head;
    const client = forwardedFor === '' ? 0 : crc32(forwardedFor);
    return (this.#options.opened.connections ^ client) >>> 0 || 1;
  }

  /** The sender, by all that decides whether metrics are for them. */
  asker(): Asker {
    const { forwardedFor, isForwarded, authorization } = this.head;
    return { peer: peerOf(this.#response), forwardedFor, isForwarded, authorization };
  }

  clientAddress(): string {
    if (!this.#open) return '';
    return this.#options.clientAddress(peerOf(this.#response), this.head.forwardedFor);
  }

  /** The client's network. It stays known when the client has gone. */
  network(): string {
    this.#network ??= networkOf(this.clientAddress());
    return this.#network;
  }

  /** Takes the credential from the header; without one, that of a client certificate. */
  authenticate(certificateOf: CertificateOf): void {
    const { authorization } = this.head;
    this.credential =
      authorization === ''
        ? (certificateOf(this, this.#response) ?? noCredential)
        : credentialOfHeader(authorization);
  }

  /** The credential of the certificate that a proxy passes on. */
  forwardedCertificate(proxies: CertificateProxies): Credential | undefined {
    const { certificate } = this.head;
    return certificate && proxies.credential(peerOf(this.#response), certificate);
  }

  /** Begins to receive the body. */
  receive(): void {
    this.#response.onData((chunk, isLast) => this.#data(chunk, isLast));
  }

  /**
   * Keeps a whole body for later: what `onBody` gives is borrowed. It is dropped with the answer.
   * Undefined: there was no room, and the exchange is answered.
   */
  hold(body: Uint8Array): Uint8Array | undefined {
    if (this.#kept === undefined && !this.#keep(body)) return undefined;
    return this.#kept?.bytes;
  }

  /** The message is on the disk, or the disk failed. */
  afterCommit(isDurable: boolean, nowMs: number): void {
    if (isDurable) this.accept(nowMs);
    else this.refuse(diskFailed.code, diskFailed.detail, { retryAfter: diskFailed.retrySeconds });
  }

  /** 101: the connection goes on as a WebSocket, which has this `data`. */
  upgrade(data: object, key: string, context: us_socket_context_t, subprotocol = ''): void {
    if (!this.#open) return;
    this.#end(101);
    this.#options.answered.count(101);
    const response = this.#response;
    // Not corked: at the end of a cork the server takes the new connection for the old one, and may close it.
    response.writeStatus('101 Switching Protocols').writeHeader('X-Request-Id', this.requestId);
    response.upgrade(data, key, subprotocol, '', context);
    if (this.isLogged) this.#log(101, 0);
  }

  /** 202, or what stands for it: the message is on the disk. */
  accept(nowMs = performance.now()): void {
    if (!this.#open) return;
    const status = this.accepts;
    this.#end(status);
    if (status === 202) this.#options.answered.acks.observe(nowMs - this.#startedMs);
    else this.#options.answered.count(status);
    if (this.head.isChunked) this.#response.resume();
    writeAccepted(this.#response, status, this.requestId, this.#cors(), this.#rates());
    if (this.isLogged) this.#log(status, 0);
  }

  /** The answer to everything else. A refusal that leaves body unread closes the connection. */
  refuse(
    code: ErrorCode,
    detail?: string,
    options?: { retryAfter?: number | undefined; close?: boolean },
  ): void {
    if (!this.#open) return;
    const { status } = errorTable[code];
    this.#end(status);
    const response = this.#response;
    const body = JSON.stringify(this.style.errorBody(code, detail, this.requestId));
    this.#options.answered.count(status);
    if (this.head.isChunked) response.resume();
    response.cork(() => {
      response.writeStatus(statusLine(status));
      writeHeaders(response, this.#cors());
      response.writeHeader('Content-Type', 'application/json');
      response.writeHeader('X-Request-Id', this.requestId);
      if (options?.retryAfter !== undefined) {
        response.writeHeader('Retry-After', String(options.retryAfter));
      }
      writeHeaders(response, this.#rates());
      if (code === 'method_not_allowed') response.writeHeader('Allow', this.takes);
      if (code === 'unsupported_type' && this.head.hasEncoding) {
        response.writeHeader('Accept-Encoding', this.takesGzip ? 'gzip, identity' : 'identity');
      }
      if (status === 401) {
        response.writeHeader('WWW-Authenticate', this.style.challenge(code));
      }
      endResponse(response, body, { isHead: this.#isHead, close: options?.close ?? false });
    });
    if (this.isLogged) this.#log(status, body.length);
  }

  /** The answer to operators. */
  answer({ status, contentType, body }: OperatorResponse): void {
    if (!this.#open) return;
    this.#end(status);
    this.#options.answered.count(status);
    const response = this.#response;
    response.cork(() => {
      response
        .writeStatus(statusLine(status))
        .writeHeader('Content-Type', contentType)
        .writeHeader('X-Request-Id', this.requestId);
      endResponse(response, body, { isHead: this.#isHead, close: false });
    });
  }

  /** An answer with a body of JSON, or without one: ''. */
  reply(status: 200 | 202 | 204, body: string): void {
    if (!this.#open) return;
    this.#end(status);
    this.#options.answered.count(status);
    const response = this.#response;
    if (this.head.isChunked) response.resume();
    response.cork(() => {
      response.writeStatus(statusLine(status));
      writeHeaders(response, this.#cors());
      writeHeaders(response, this.#rates());
      writeHeaders(response, this.headers);
      if (body !== '') response.writeHeader('Content-Type', 'application/json');
      response.writeHeader('X-Request-Id', this.requestId);
      if (status === 204) response.endWithoutBody();
      else endResponse(response, body, { isHead: this.#isHead, close: false });
    });
    if (this.isLogged) this.#log(status, body.length);
  }

  /** The answer to a browser's preflight request. */
  allowOrigin(cors: Cors): void {
    if (!this.#open) return;
    this.#end(204);
    this.#options.answered.count(204);
    const response = this.#response;
    response.cork(() => {
      response.writeStatus('204 No Content');
      writeHeaders(response, cors.preflight(this.head.origin));
      response.writeHeader('X-Request-Id', this.requestId).endWithoutBody();
    });
  }

  /** Headers for pages of other origins. */
  #cors(): Headers {
    const { cors } = this.#options;
    return cors === undefined ? noHeaders : cors.answer(this.head.origin);
  }

  /** Headers of the limit that the request counted for. */
  #rates(): Headers {
    return this.left === undefined ? noHeaders : Object.entries(rateLimitHeaders([this.left]));
  }

  #log(status: number, bytes: number): void {
    const ms = Math.round((performance.now() - this.#startedMs) * 10) / 10;
    const { requestId: request_id, caller } = this;
    this.#options.accessLog.write({
      request_id,
      ...this.#logged,
      status,
      ms,
      bytes,
      ...(caller === '' ? {} : { caller }),
    });
  }

  #data(chunk: ArrayBuffer, isLast: boolean): void {
    if (!this.#open) return;
    const { isChunked } = this.head;
    const isWhole = isLast && this.#kept === undefined && !isChunked;
    if ((this.#kept?.length ?? 0) + chunk.byteLength > this.#options.bodies.limits.bodyBytesMax) {
      this.refuse('too_large', `more than ${this.#options.bodies.limits.bodyBytesMax} bytes`);
    } else if (isWhole) {
      this.onBody(new Uint8Array(chunk));
    } else if (this.#keep(new Uint8Array(chunk))) {
      if (isChunked) this.#chunk(isLast);
      else if (isLast) this.#takeKept();
    }
  }

  #takeKept(): void {
    if (this.#open && this.#kept !== undefined) this.onBody(this.#kept.bytes);
  }

  /**
   * The repacked server reports the end of a chunked body with the size of the last chunk, and then takes trailers
   * for a next request, which ends the connection. Nothing of such a request may be kept: its client tries again.
   */
  #chunk(isLast: boolean): void {
    if (isLast) {
      clearTimeout(this.#stalled);
      // Trailers that came with the last chunk were read before this; later ones wait until the answer is sent.
      this.#response.pause();
      setImmediate(() => this.#takeKept());
    } else if (this.#kept !== undefined && holdsLastChunk(this.#kept.bytes)) {
      this.refuse('malformed', 'chunk extensions are not taken', { close: true });
    } else if (this.#stalled === undefined) {
      this.#stalled = setTimeout(() => {
        this.refuse('malformed', 'the chunked body does not come whole', { close: true });
      }, this.#options.chunkStallMsMax);
    } else {
      this.#stalled.refresh();
    }
  }

  #keep(piece: Uint8Array): boolean {
    this.#kept ??= new KeptBody(this.#options.bodies);
    if (this.#kept.add(piece)) return true;
    this.refuse('unavailable', 'too many bodies under way', { retryAfter: 1, close: true });
    return false;
  }

  /** `status` 0: the client has gone. */
  #end(status: number): void {
    if (this.#open) this.traced?.answered(status);
    this.#open = false;
    if (this.#stalled !== undefined) clearTimeout(this.#stalled);
    this.#kept?.drop();
    this.#kept = undefined;
    this.onEnd?.();
  }
}

function ignoreBody(): void {}
