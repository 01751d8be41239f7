import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { Secret } from '../../../runtime/process/config.ts';
import type { Logger } from '../../../runtime/process/logger.ts';
import type { Engine } from '../engine/engine.ts';
import { limits } from '../limits.ts';
import { Queries } from './queries.ts';
import type { Spool } from './spool.ts';

/** The server, and how to stop it: no new requests, and running ones until they end or the drain does. */
type Http = { server: Server; close: (drainMsMax: number) => Promise<void> };

/** Serves ClickHouse's HTTP interface: queries on `/`, and `/ping`. */
export function createHttp(
  engine: Engine,
  spool: Spool,
  password: Secret | undefined,
  logger: Logger,
): Http {
  const queries = new Queries(engine, spool, password, logger);
  const running = new Set<AbortController>();
  let closing = false;
  const server = createServer(
    // An upload may take its time, so no limit on a whole request.
    {
      maxHeaderSize: limits.headerBytesMax,
      keepAliveTimeout: limits.keepAliveMs,
      requestTimeout: 0,
    },
    (request, response) => {
      const gone = new AbortController();
      running.add(gone);
      response.once('close', () => {
        running.delete(gone);
        if (!response.writableFinished) gone.abort();
        if (closing) setImmediate(() => server.closeIdleConnections());
      });
      response.setTimeout(limits.sendStallMsMax, () => {
        if (response.writableNeedDrain) response.destroy();
      });
      void route(queries, request, response, gone.signal).catch((error: unknown) => {
        logger.error({ error }, 'a request failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = limits.connectionsMax;

  async function close(drainMsMax: number): Promise<void> {
    closing = true;
    const closed = new Promise<void>((resolve) => server.close(() => resolve()));
    const cancel = setTimeout(() => {
      for (const gone of running) gone.abort();
      server.closeAllConnections();
    }, drainMsMax);
    await closed;
    clearTimeout(cancel);
  }

  return { server, close };
}

async function route(
  queries: Queries,
  request: IncomingMessage,
  response: ServerResponse,
  gone: AbortSignal,
): Promise<void> {
  const path = /^[^?]*/.exec(request.url ?? '/')?.[0] ?? '/';
  if (path === '/ping') sendText(response, 200, 'Ok.\n');
  else if (path !== '/') sendText(response, 404, `There is no handle ${path}\n`);
  else if (request.url === '/' && /^(GET|HEAD)$/.test(request.method ?? '')) {
    sendText(response, 200, 'Ok.\n');
  } else if (request.method !== 'GET' && request.method !== 'POST') {
    response.setHeader('Allow', 'GET, POST');
    sendText(response, 405, 'A query is a GET, which changes nothing, or a POST\n');
  } else await queries.answer(request, response, gone);
}

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' }).end(text);
}
