import { Readable } from 'node:stream';
import { callerOf } from '../access/caller.ts';
import type { Parts } from '../parts.ts';
import type { Api } from '../shapes.ts';
import { ReaderQuery, select } from './selection.ts';
import { countMessages, type MessageFormat, type Page, readMessages } from './sql.ts';

const formats: readonly MessageFormat[] = ['senml', 'json'];

export function readerRoutes(api: Api, { db, clickhouse }: Pick<Parts, 'db' | 'clickhouse'>): void {
  for (const format of formats) {
    api.route({
      method: 'GET',
      url: `/reader/${format}`,
      schema: { querystring: ReaderQuery },
      config: { operation: 'readMessages' },
      handler: async (request, reply) => {
        const selection = await select(db, callerOf(request), request.query);
        reply.type('application/json');
        if (selection.publishers.length === 0) {
          return reply.send(Readable.from(envelope(format, request.query, '0', [])));
        }
        const total = await countMessages(clickhouse, format, selection);
        const page = await readMessages(clickhouse, format, selection, request.query);
        const body = Readable.from(envelope(format, request.query, total, page.texts));
        // A client that leaves early must not keep ClickHouse's answer open.
        body.once('close', page.close);
        return reply.send(body);
      },
    });
  }
}

/** Frames messages, which come as JSON text with a comma before each, as the interface's envelope. */
async function* envelope(
  format: MessageFormat,
  { limit, offset }: Page,
  total: string,
  messages: AsyncIterable<string> | string[],
): AsyncGenerator<string> {
  yield `{"offset":${offset},"limit":${limit},"format":"${format}","total":${total},"messages":[`;
  let first = true;
  for await (const text of messages) {
    yield first ? text.slice(1) : text;
    if (text !== '') first = false;
  }
  yield ']}';
}
