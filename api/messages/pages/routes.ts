import { Readable } from 'node:stream';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import { callerOf } from '../../access/caller.ts';
import { inPieces, mustTake } from '../../http/connections/pace.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { reader } from '../operations.ts';
import { type PageDependencies, type ReaderPage, readPage } from './page.ts';
import { acceptSearchBodies, endOf, searchAll } from './searches.ts';

export function pageRoutes(api: Api, format: MessageFormat, dependencies: PageDependencies): void {
  handle(api, reader[format].readMessages, async (request, reply) => {
    const { query, signal } = request;
    const page = await readPage(dependencies, format, callerOf(request), query, signal);
    mustTake(reply.raw);
    if (page.next !== undefined) reply.header('link', linkTo(request.originalUrl, page.next));
    return reply.type('application/json').send(bodyOf(format, query, page));
  });

  api.register(async (searches: Api) => {
    acceptSearchBodies(searches);
    handle(searches, reader[format].searchMessages, async (request, reply) => {
      const { body, signal } = request;
      const caller = callerOf(request);
      reply.type('application/json');
      mustTake(reply.raw);
      if (Array.isArray(body)) {
        const results = searchAll(dependencies, format, caller, body, signal);
        return reply.send(Readable.from(inPieces(results)));
      }
      const page = await readPage(dependencies, format, caller, body, signal);
      return reply.send(bodyOf(format, body, page));
    });
  });
}

/** The page as JSON text, in pieces. */
function bodyOf(format: MessageFormat, { limit, offset }: ReaderQuery, page: ReaderPage): Readable {
  async function* text(): AsyncGenerator<string> {
    yield `{"offset":${offset},"limit":${limit},"format":"${format}","messages":[`;
    yield endOf(yield* page.texts);
  }
  // A client that leaves early must not keep ClickHouse's result open.
  return Readable.from(inPieces(text())).once('close', page.close);
}

/** RFC 8288: the same request with the cursor of the next page. */
export function linkTo(url: string, next: string): string {
  const mark = url.indexOf('?');
  const path = mark === -1 ? url : url.slice(0, mark);
  const parameters = new URLSearchParams(mark === -1 ? '' : url.slice(mark + 1));
  parameters.delete('offset');
  parameters.set('cursor', next);
  return `<${path}?${parameters.toString()}>; rel="next"`;
}
