import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerError, ApiError, ConnectionError } from './errors.ts';
import type { Requests } from './openapi.ts';
import { readEvents } from './server-sent-events.ts';
import { type Service, toQuery } from './service.ts';
import { having } from './shape.ts';
import { type Answer, type Credential, isBroken, originOf } from './transport.ts';
import { path } from './urls.ts';

export type MessageFormat = 'senml' | 'json';

/** Times are integer nanoseconds, as text: a number of JavaScript's holds only 53 bits; or ISO 8601. */
export type MessagePageQuery = NonNullable<Requests['readMessages_senml']['query']>;
export type MessageExportQuery = NonNullable<Requests['exportMessages_senml']['query']>;
export type MessageFilters = Omit<
  NonNullable<Requests['deleteMessages_senml']['query']>,
  // Which mean nothing to a deletion.
  'offset' | 'limit' | 'agg_value'
>;

export type SenmlMessage = {
  publisher: string;
  protocol: string;
  subtopic?: string;
  name: string;
  unit?: string;
  time: number;
  value?: number;
  string_value?: string;
  bool_value?: boolean;
  data_value?: string;
  sum?: number;
  update_time?: number;
};

export type JsonMessage = {
  publisher: string;
  protocol: string;
  subtopic?: string;
  /** Nanoseconds. */
  created: number;
  payload: unknown;
};

export type MessageOf = { senml: SenmlMessage; json: JsonMessage };

export type MessagePage<Format extends MessageFormat> = {
  offset: number;
  limit: number;
  format: Format;
  total: number;
  messages: MessageOf[Format][];
  next?: string;
};

/** A file as it comes from the server. `bytes` is its length where that is known. */
export type Download = { stream: Readable; contentType: string; bytes: number | undefined };

const reconnectMsFirst = 1_000;
const reconnectMsMax = 30_000;

export class MessagesClient {
  readonly #service: Service;

  constructor(service: Service) {
    this.#service = service;
  }

  /** Kept once this resolves. `subtopic` may have parts, between dots or slashes. */
  async send(
    thing: Credential,
    body: string | Uint8Array,
    options: { contentType?: string; subtopic?: string } = {},
  ): Promise<void> {
    const { transport, urls } = this.#service;
    const { contentType = 'application/senml+json', subtopic = '' } = options;
    const parts = subtopic === '' ? [] : subtopic.split(/[./]/);
    await transport.done({
      method: 'POST',
      url: `${urls.http}${path('messages', ...parts)}`,
      as: thing,
      body,
      headers: { 'content-type': contentType },
    });
  }

  read<Format extends MessageFormat>(
    format: Format,
    query: MessagePageQuery = {},
    as: Credential | undefined = this.#service.as,
  ): Promise<MessagePage<Format>> {
    const { transport } = this.#service;
    const url = this.#url(format);
    const ask = { method: 'GET', url, as, query: toQuery(query), reads: true } as const;
    return transport.json(ask, having<MessagePage<Format>>('total', 'messages'));
  }

  search<Format extends MessageFormat>(
    format: Format,
    search: object,
  ): Promise<MessagePage<Format>> {
    const { transport, as } = this.#service;
    const url = this.#url(format, 'search');
    const ask = { method: 'POST', url, as, json: search, reads: true } as const;
    return transport.json(ask, having<MessagePage<Format>>('total', 'messages'));
  }

  /** As `convert` names it: `json`, `csv`, `ndjson`, `parquet` or `arrow`. */
  async export(format: MessageFormat, query: MessageExportQuery = {}): Promise<Download> {
    return this.#download(this.#url(format, 'export'), query);
  }

  /** Of all messages, of both formats. */
  async backup(): Promise<Download> {
    return this.#download(this.#url('backup'), {});
  }

  /** Gives how many messages of the file were left out, because the things that sent them are gone. */
  async restore(file: Readable | Uint8Array, bytes?: number): Promise<number> {
    const { transport, as } = this.#service;
    const answer = await transport.open({
      method: 'POST',
      url: this.#url('restore'),
      as,
      body: file,
      takesLong: true,
      headers: {
        'content-type': 'application/octet-stream',
        ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
      },
    });
    await answer.body.dump();
    return Number(answer.headers['millrace-messages-left-out'] ?? 0);
  }

  /** What the filters leave of a thing's. */
  async delete(
    format: MessageFormat,
    publisher: string,
    filters: MessageFilters = {},
  ): Promise<void> {
    await this.#delete(this.#url(format, publisher), { ...filters, publisher: undefined });
  }

  /** What the filters leave of all that the caller may delete. */
  async deleteAll(format: MessageFormat, filters: MessageFilters = {}): Promise<void> {
    await this.#delete(this.#url(format), filters);
  }

  /**
   * Messages as they are stored, until `signal` ends it. A lost connection is made again, and goes on
   * after the last message that came; `onOpen` and `onLost` hear of it.
   */
  async *live<Format extends MessageFormat>(
    format: Format,
    filters: MessageFilters = {},
    options: {
      as?: Credential | undefined;
      signal?: AbortSignal;
      onOpen?: () => void;
      onLost?: (error: unknown, waitMs: number) => void;
    } = {},
  ): AsyncGenerator<MessageOf[Format]> {
    const { as = this.#service.as, signal, onOpen, onLost } = options;
    const shape = having<MessageOf[Format]>('publisher');
    const isStopped = () => signal?.aborted === true;
    let lastId = '';
    let firstWaitMs = reconnectMsFirst;
    for (let failures = 0, opened = false; ; ) {
      let lost: unknown = new Error('the server ended the stream');
      try {
        const answer = await this.#openLive(format, filters, { as, lastId, signal });
        opened = true;
        onOpen?.();
        for await (const event of readEvents(answer.body)) {
          failures = 0;
          if (event.kind === 'retry') {
            firstWaitMs = Math.min(event.waitMs, reconnectMsMax);
            continue;
          }
          lastId = event.id;
          if (event.kind === 'place') continue;
          yield this.#service.transport.read(this.#url(format), event.data, shape);
        }
      } catch (error) {
        if (isStopped()) return;
        if (!opened || !isPassing(error)) throw error;
        lost = error;
      }
      if (isStopped()) return;
      const waitMs = waitBefore(failures++, firstWaitMs, lost);
      onLost?.(lost, waitMs);
      await delay(waitMs, undefined, signal === undefined ? {} : { signal }).catch(() => {});
      if (isStopped()) return;
    }
  }

  async #openLive(
    format: MessageFormat,
    filters: MessageFilters,
    how: { as: Credential | undefined; lastId: string; signal: AbortSignal | undefined },
  ): Promise<Answer> {
    const url = this.#url(format, 'live');
    const answer = await this.#service.transport.open({
      method: 'GET',
      url,
      as: how.as,
      query: toQuery(filters),
      headers: {
        accept: 'text/event-stream',
        ...(how.lastId === '' ? {} : { 'last-event-id': how.lastId }),
      },
      signal: how.signal,
    });
    const type = String(answer.headers['content-type']);
    if (!type.startsWith('text/event-stream')) {
      await answer.body.dump();
      throw new AnswerError(originOf(url), `with ${type} where a stream of events was expected`);
    }
    return answer;
  }

  async #download(url: string, query: object): Promise<Download> {
    const { transport, as } = this.#service;
    const answer = await transport.open({
      method: 'GET',
      url,
      as,
      query: toQuery(query),
      headers: { accept: '*/*' },
      reads: true,
      takesLong: true,
    });
    const bytes = Number(answer.headers['content-length'] ?? Number.NaN);
    return {
      stream: answer.body,
      contentType: String(answer.headers['content-type'] ?? ''),
      bytes: Number.isFinite(bytes) ? bytes : undefined,
    };
  }

  async #delete(url: string, filters: MessageFilters): Promise<void> {
    const { transport, as } = this.#service;
    const query = toQuery(filters);
    await transport.done({ method: 'DELETE', url, as, query, takesLong: true });
  }

  #url(...parts: string[]): string {
    return `${this.#service.urls.reader}${path(...parts)}`;
  }
}

/** Whether what ended a stream may be over the next time. */
function isPassing(error: unknown): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.status >= 500;
  return error instanceof ConnectionError || isBroken(error);
}

/** Longer after each failure, and not at the same moment as everybody else. */
function waitBefore(failures: number, firstMs: number, lost: unknown): number {
  if (lost instanceof ApiError && lost.retryAfterSeconds !== undefined) {
    return Math.min(lost.retryAfterSeconds * 1_000, reconnectMsMax);
  }
  const capped = Math.min(firstMs * 2 ** Math.min(failures, 10), reconnectMsMax);
  return capped * (0.5 + Math.random() / 2);
}
