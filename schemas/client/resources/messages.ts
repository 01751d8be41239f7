import type { Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { AnswerError } from '../errors.ts';
import { MessageStream, type StreamOptions } from '../message-stream.ts';
import type { Answers, Requests } from '../generated/types.ts';
import { isPassing, reconnectMsFirst, reconnectMsMax, waitBefore } from '../reconnecting.ts';
import { readEvents } from '../server-sent-events.ts';
import { ask, done, open, type Service } from '../service.ts';
import { having } from '../shape.ts';
import { type Answer, type Credential, originOf } from '../transport.ts';
import { path } from '../urls.ts';

export type MessageFormat = 'senml' | 'json';

/** Times are integer nanoseconds, as text: a number of JavaScript's holds only 53 bits; or ISO 8601. */
export type MessagePageQuery = NonNullable<Requests['readMessages_senml']['query']>;
export type MessageExportQuery = NonNullable<Requests['exportMessages_senml']['query']>;
export type MessageFilters = Omit<
  NonNullable<Requests['deleteMessages_senml']['query']>,
  // Which mean nothing to a deletion.
  'offset' | 'limit' | 'agg_value'
>;

export type SenmlMessage = Answers['readMessages_senml']['messages'][number];
export type JsonMessage = Answers['readMessages_json']['messages'][number];
export type MessageOf = { senml: SenmlMessage; json: JsonMessage };

/** One that was sent: only an aggregate may lack these. */
type Sent<Message extends { publisher?: string; protocol?: string }> = Message & {
  publisher: string;
  protocol: string;
};
export type LiveMessageOf = { senml: Sent<SenmlMessage>; json: Sent<JsonMessage> };

export type MessagePage<Format extends MessageFormat> = Omit<
  Answers['readMessages_senml'],
  'format' | 'messages'
> & { format: Format; messages: MessageOf[Format][] };

/** A file as it comes from the server. `bytes` is its length where that is known. */
export type Download = { stream: Readable; contentType: string; bytes: number | undefined };

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
    const { contentType = 'application/senml+json', subtopic = '' } = options;
    const parts = subtopic === '' ? [] : subtopic.split(/[./]/);
    const headers = { 'content-type': contentType };
    const asked = ask(this.#service, 'sendMessages', {}, { as: thing, body, headers });
    // Each part by itself: what stands for one parameter is one part of a path.
    await this.#service.transport.done({ ...asked, url: `${asked.url}${path(...parts)}` });
  }

  /**
   * Sends many messages over one connection, each as soon as the source gives it, and those that come together in one
   * frame. What is on its way when the connection is lost is sent again over the next one. Gives how many are kept.
   */
  stream(
    thing: Credential,
    source: AsyncIterable<readonly Uint8Array[]>,
    options: StreamOptions & { subtopic?: string } = {},
  ): Promise<number> {
    const { subtopic = '', ...others } = options;
    const parts = subtopic === '' ? [] : subtopic.split(/[./]/);
    const { transport, urls } = this.#service;
    const url = `${urls.http}/messages/stream${path(...parts)}`;
    return new MessageStream(transport, url, thing, source, others).sendAll();
  }

  read<Format extends MessageFormat>(
    format: Format,
    query: MessagePageQuery = {},
    as: Credential | undefined = this.#service.as,
  ): Promise<MessagePage<Format>> {
    const of: MessageFormat = format;
    const asked = ask(this.#service, `readMessages_${of}`, { query }, { as });
    return this.#service.transport.json(asked, having<MessagePage<Format>>('total', 'messages'));
  }

  search<Format extends MessageFormat>(
    format: Format,
    search: object,
  ): Promise<MessagePage<Format>> {
    const of: MessageFormat = format;
    const asked = ask(this.#service, `searchMessages_${of}`, { body: search }, { reads: true });
    return this.#service.transport.json(asked, having<MessagePage<Format>>('total', 'messages'));
  }

  /** As `convert` names it: `json`, `csv`, `ndjson`, `parquet`, `arrow` or `arrows`. */
  async export(format: MessageFormat, query: MessageExportQuery = {}): Promise<Download> {
    return downloadOf(await open(this.#service, `exportMessages_${format}`, { query }, asFile));
  }

  /** Of all messages, of both formats. */
  async backup(): Promise<Download> {
    return downloadOf(await open(this.#service, 'backupMessages', {}, asFile));
  }

  /** Gives how many messages of the file were left out, because the things that sent them are gone. */
  async restore(file: Readable | Uint8Array, bytes?: number): Promise<number> {
    const headers = {
      'content-type': 'application/octet-stream',
      ...(bytes === undefined ? {} : { 'content-length': String(bytes) }),
    };
    const how = { body: file, takesLong: true, headers };
    const asked = ask(this.#service, 'restoreMessages', {}, how);
    const answer = await this.#service.transport.open(asked);
    await answer.body.dump();
    return Number(answer.headers['millrace-messages-left-out'] ?? 0);
  }

  /** What the filters leave of a thing's. */
  async delete(
    format: MessageFormat,
    publisher: string,
    filters: MessageFilters = {},
  ): Promise<void> {
    const request = { path: { publisher }, query: { ...filters, publisher: undefined } };
    await done(this.#service, `deleteMessagesOfThing_${format}`, request, { takesLong: true });
  }

  /** What the filters leave of all that the caller may delete. */
  async deleteAll(format: MessageFormat, filters: MessageFilters = {}): Promise<void> {
    const request = { query: filters };
    await done(this.#service, `deleteMessages_${format}`, request, { takesLong: true });
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
  ): AsyncGenerator<LiveMessageOf[Format]> {
    const { as = this.#service.as, signal, onOpen, onLost } = options;
    const shape = having<LiveMessageOf[Format]>('publisher');
    const isStopped = () => signal?.aborted === true;
    let lastId = '';
    let firstWaitMs = reconnectMsFirst;
    for (let failures = 0, opened = false; ; ) {
      let lost: unknown = new Error('the server ended the stream');
      try {
        const { answer, url } = await this.#openLive(format, filters, { as, lastId, signal });
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
          yield this.#service.transport.read(url, event.data, shape);
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
  ): Promise<{ answer: Answer; url: string }> {
    const { as, lastId, signal } = how;
    const headers = {
      accept: 'text/event-stream',
      ...(lastId === '' ? {} : { 'last-event-id': lastId }),
    };
    // Who follows asks again by itself.
    const options = { as, headers, signal, reads: false };
    const asked = ask(this.#service, `followMessages_${format}`, { query: filters }, options);
    const answer = await this.#service.transport.open(asked);
    const type = String(answer.headers['content-type']);
    if (!type.startsWith('text/event-stream')) {
      await answer.body.dump();
      const origin = originOf(asked.url);
      throw new AnswerError(origin, `with ${type} where a stream of events was expected`);
    }
    return { answer, url: asked.url };
  }
}

/** What comes as a file, and may be long in coming. */
export const asFile = { headers: { accept: '*/*' }, takesLong: true };

export function downloadOf({ headers, body }: Answer): Download {
  const bytes = Number(headers['content-length'] ?? Number.NaN);
  return {
    stream: body,
    contentType: String(headers['content-type'] ?? ''),
    bytes: Number.isFinite(bytes) ? bytes : undefined,
  };
}
