import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import type { Secret } from '../../../../runtime/process/config.ts';
import type { Logger } from '../../../../runtime/process/logger.ts';
import { readCounts, sendError, sendStream, sendWhole } from './answer.ts';
import { authenticate } from './auth.ts';
import { type Engine, markOf, type Outcome } from '../engine/engine.ts';
import { asClickHouseError } from '../errors.ts';
import { connectionsMax, headerBytesMax, keepAliveMs, sendStallMsMax } from '../limits.ts';
import {
  type Asked,
  type Received,
  readAsked,
  readBody,
  readFields,
  readGzipLevel,
  receive,
} from './request.ts';
import { readSpool, type Spool, writeSpool } from './spool.ts';
import { fromFile, intoFile, type Statement } from '../sql/statement.ts';

/** The server, and how to stop it: no new request, the ones that run to their end or the drain's. */
export type Http = { server: Server; close: (drainMsMax: number) => Promise<void> };

/** Serves ClickHouse's HTTP interface: queries on `/`, and `/ping`. */
export function createHttp(
  engine: Engine,
  spool: Spool,
  password: Secret | undefined,
  log: Logger,
): Http {
  const running = new Set<AbortController>();
  let closing = false;
  const server = createServer(
    // An upload may take its time, so no limit on a whole request.
    { maxHeaderSize: headerBytesMax, keepAliveTimeout: keepAliveMs, requestTimeout: 0 },
    (request, response) => {
      const gone = new AbortController();
      running.add(gone);
      response.once('close', () => {
        running.delete(gone);
        if (!response.writableFinished) gone.abort();
        if (closing) setImmediate(() => server.closeIdleConnections());
      });
      response.setTimeout(sendStallMsMax, () => {
        if (response.writableNeedDrain) response.destroy();
      });
      void route(request, response, gone.signal).catch((error: unknown) => {
        log.error({ error }, 'a request failed');
        response.destroy();
      });
    },
  );
  server.maxConnections = connectionsMax;

  async function route(
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    const path = /^[^?]*/.exec(request.url ?? '/')?.[0] ?? '/';
    if (path === '/ping' || path === '/replicas_status') sendText(response, 200, 'Ok.\n');
    else if (path !== '/') sendText(response, 404, `There is no handle ${path}\n`);
    else if (request.url === '/' && /^(GET|HEAD)$/.test(request.method ?? '')) {
      sendText(response, 200, 'Ok.\n');
    } else if (request.method !== 'GET' && request.method !== 'POST') {
      response.setHeader('Allow', 'GET, POST');
      sendText(response, 405, 'A query is a GET, which changes nothing, or a POST\n');
    } else await answer(request, response, gone);
  }

  async function answer(
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    response.setHeader('X-ClickHouse-Server-Display-Name', hostname());
    response.setHeader('X-ClickHouse-Timezone', engine.timezone);
    try {
      authenticate(request, password);
      const body = readBody(request);
      const fields = await readFields(request, body);
      const asked = readAsked(request, fields);
      response.setHeader('X-ClickHouse-Query-Id', asked.queryId);
      const rest = fields.length > 0 ? Readable.from([]) : body;
      const received = await receive(asked.query, rest, asked.implicitSelect);
      const { statement } = received;
      switch (statement.kind) {
        case 'rows':
          await answerRows(response, asked, statement, gone);
          break;
        case 'insert':
          await answerInsert(response, asked, statement, received, gone);
          break;
        case 'command':
          await answerCommand(response, asked, statement, gone);
          break;
      }
    } catch (error) {
      const known = asClickHouseError(error);
      log.debug({ code: known.code, text: known.message }, 'a query failed');
      if (response.headersSent || gone.aborted) response.destroy();
      else sendError(response, known, engine.version, readGzipLevel(request));
    }
  }

  async function answerRows(
    response: ServerResponse,
    asked: Asked,
    statement: Statement & { kind: 'rows' },
    gone: AbortSignal,
  ): Promise<void> {
    const format = statement.format ?? asked.defaultFormat;
    const send = (result: AsyncIterable<Buffer>, outcome: Promise<Outcome>) =>
      sendStream(response, asked, format, result, outcome, gone, engine.version);
    if (asked.waitEnd) {
      await spool.withFile(async (path) => {
        const outcome = await engine.withSlot('rows', gone, (slot) => {
          const sql = intoFile(statement, path, format, markOf(slot, asked.setup));
          return engine.run('rows', slot, asked.setup, sql, format, gone);
        });
        if (!outcome.ok) throw outcome.error;
        await send(readSpool(path), Promise.resolve(outcome));
      });
      return;
    }
    await engine.withSlot('rows', gone, async (slot) => {
      const sql = intoFile(statement, slot.pipe.path, format, markOf(slot, asked.setup));
      const outcome = engine.run('rows', slot, asked.setup, sql, format, gone);
      await send(slot.pipe.read(outcome), outcome);
    });
  }

  async function answerInsert(
    response: ServerResponse,
    asked: Asked,
    statement: Statement & { kind: 'insert' },
    { dataHead, data }: Received,
    gone: AbortSignal,
  ): Promise<void> {
    const outcome = await spool.withFile(async (path) => {
      await writeSpool(path, dataHead, data);
      return engine.withSlot('insert', gone, (slot) =>
        engine.run(
          'insert',
          slot,
          asked.setup,
          fromFile(statement, path),
          asked.defaultFormat,
          gone,
        ),
      );
    });
    if (!outcome.ok) throw outcome.error;
    // What the engine reads of a file it writes; with a SELECT between them it tells of neither.
    const counts =
      statement.source === 'infile'
        ? {
            ...readCounts(outcome),
            written_rows: outcome.rowsRead,
            written_bytes: outcome.bytesRead,
            // An INSERT's result is what it wrote.
            result_rows: outcome.rowsRead,
            result_bytes: outcome.bytesRead,
          }
        : {};
    sendWhole(response, asked, asked.defaultFormat, outcome, outcome.bytes, counts);
  }

  async function answerCommand(
    response: ServerResponse,
    asked: Asked,
    statement: Statement & { kind: 'command' },
    gone: AbortSignal,
  ): Promise<void> {
    const format = statement.format ?? asked.defaultFormat;
    const outcome = await engine.withSlot('command', gone, (slot) =>
      engine.run('command', slot, asked.setup, statement.sql, format, gone),
    );
    if (!outcome.ok) throw outcome.error;
    // Of an INSERT from a SELECT the engine tells no counts.
    const counts = outcome.rowsRead === 0 ? {} : readCounts(outcome);
    sendWhole(response, asked, format, outcome, outcome.bytes, counts);
  }

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

function sendText(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, { 'Content-Type': 'text/html; charset=UTF-8' }).end(text);
}
