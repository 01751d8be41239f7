import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { Transport } from './transport.ts';
import type { Version } from './wire/packets.ts';
import { hexOf, type ReasonCode } from './wire/reasons.ts';

type Connected = {
  readonly requestId: string;
  readonly version: Version;
  readonly transport: Transport;
  /** Of its thing; undefined: it was not let in. */
  readonly session: { readonly thingId: string } | undefined;
};

/** A line of the access log names a connection, its client and its thing, but no client id, no topic and no key. */
export function lineOf({ requestId, version, transport, session }: Connected) {
  return {
    request_id: requestId,
    protocol: `MQTT ${version === 5 ? '5' : '3.1.1'}`,
    transport: transport.over,
    ...(session === undefined ? {} : { caller: `thing ${session.thingId}` }),
  };
}

/** The lines of one connection in the access log: when its client is let in, and when it ends. */
export class ConnectionLines {
  /** Those that were taken. */
  messages = 0;
  #reason = 'lost';
  readonly #line: ReturnType<typeof lineOf>;
  readonly #logger: Logger;
  readonly #startedMs = performance.now();

  constructor(connection: Connected, logger: Logger) {
    this.#line = lineOf(connection);
    this.#logger = logger;
    logger.info(this.#line, 'connected');
  }

  /** Why it ends. The first reason counts: what comes later follows from it. Without any, its client was lost. */
  endsFor(reason: ReasonCode): void {
    if (this.#reason === 'lost') this.#reason = hexOf(reason);
  }

  ended(): void {
    const seconds = Math.round((performance.now() - this.#startedMs) / 100) / 10;
    const { messages } = this;
    this.#logger.info({ ...this.#line, reason: this.#reason, seconds, messages }, 'disconnected');
  }
}
