import type { IncomingMessage, ServerResponse } from 'node:http';
import { hostname } from 'node:os';
import { Readable } from 'node:stream';
import type { Secret } from '../../../runtime/process/config.ts';
import type { Logger } from '../../../runtime/process/logger.ts';
import { type Engine, markOf, type QueryOutcome } from '../engine/engine.ts';
import { asClickHouseError } from '../errors.ts';
import { fromFile, intoFile, type Statement } from '../statement.ts';
import { readCounts, sendError, sendStream, sendWhole } from './answer.ts';
import { authenticate } from './auth.ts';
import {
  type QueryRequest,
  type ReceivedStatement,
  readQueryRequest,
  readBody,
  readFields,
  readGzipLevel,
  receiveStatement,
} from './request.ts';
import { readSpool, type Spool, writeSpool } from './spool.ts';

/** Answers queries: reads one from its request, runs it in the engine, and sends its result or its error. */
export class Queries {
  readonly #engine: Engine;
  readonly #spool: Spool;
  readonly #password: Secret | undefined;
  readonly #logger: Logger;
  readonly #displayName = hostname();

  constructor(engine: Engine, spool: Spool, password: Secret | undefined, logger: Logger) {
    this.#engine = engine;
    this.#spool = spool;
    this.#password = password;
    this.#logger = logger;
  }

  async answer(
    request: IncomingMessage,
    response: ServerResponse,
    gone: AbortSignal,
  ): Promise<void> {
    response.setHeader('X-ClickHouse-Server-Display-Name', this.#displayName);
    response.setHeader('X-ClickHouse-Timezone', this.#engine.timezone);
    try {
      authenticate(request, this.#password);
      const body = readBody(request);
      const fields = await readFields(request, body);
      const asked = readQueryRequest(request, fields);
      response.setHeader('X-ClickHouse-Query-Id', asked.queryId);
      const rest = fields.length > 0 ? Readable.from([]) : body;
      const received = await receiveStatement(asked.query, rest);
      const { statement } = received;
      switch (statement.kind) {
        case 'rows':
          await this.#answerRows(response, asked, statement, gone);
          break;
        case 'insert':
          await this.#answerInsert(response, asked, statement, received, gone);
          break;
        case 'command':
          await this.#answerCommand(response, asked, statement, gone);
          break;
      }
    } catch (error) {
      const known = asClickHouseError(error);
      this.#logger.debug({ code: known.code, text: known.message }, 'a query failed');
      if (response.headersSent || gone.aborted) response.destroy();
      else sendError(response, known, this.#engine.version, readGzipLevel(request));
    }
  }

  async #answerRows(
    response: ServerResponse,
    asked: QueryRequest,
    statement: Statement & { kind: 'rows' },
    gone: AbortSignal,
  ): Promise<void> {
    const format = statement.format ?? asked.defaultFormat;
    const send = (result: AsyncIterable<Buffer>, outcome: Promise<QueryOutcome>) =>
      sendStream(response, asked, format, result, outcome, gone, this.#engine.version);
    if (asked.waitEnd) {
      await this.#spool.withFile(async (path) => {
        const outcome = await this.#engine.withSlot('rows', gone, (slot) => {
          const sql = intoFile(statement, path, format, markOf(slot, asked.setup));
          return this.#engine.run('rows', slot, asked.setup, sql, format, gone);
        });
        if (!outcome.ok) throw outcome.error;
        await send(readSpool(path), Promise.resolve(outcome));
      });
      return;
    }
    await this.#engine.withSlot('rows', gone, async (slot) => {
      const sql = intoFile(statement, slot.pipe.path, format, markOf(slot, asked.setup));
      const outcome = this.#engine.run('rows', slot, asked.setup, sql, format, gone);
      await send(slot.pipe.read(outcome), outcome);
    });
  }

  async #answerInsert(
    response: ServerResponse,
    asked: QueryRequest,
    statement: Statement & { kind: 'insert' },
    { dataHead, data }: ReceivedStatement,
    gone: AbortSignal,
  ): Promise<void> {
    const outcome = await this.#spool.withFile(async (path) => {
      await writeSpool(path, dataHead, data);
      return this.#engine.withSlot('insert', gone, (slot) =>
        this.#engine.run(
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
    // The engine writes all that it reads of a file; with a SELECT between them it tells of neither.
    const counts =
      statement.structure === undefined
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

  async #answerCommand(
    response: ServerResponse,
    asked: QueryRequest,
    statement: Statement & { kind: 'command' },
    gone: AbortSignal,
  ): Promise<void> {
    const format = statement.format ?? asked.defaultFormat;
    const outcome = await this.#engine.withSlot('command', gone, (slot) =>
      this.#engine.run('command', slot, asked.setup, statement.sql, format, gone),
    );
    if (!outcome.ok) throw outcome.error;
    // Of an INSERT from a SELECT the engine tells no counts.
    const counts = outcome.rowsRead === 0 ? {} : readCounts(outcome);
    sendWhole(response, asked, format, outcome, outcome.bytes, counts);
  }
}
