import type { ServerResponse } from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { finished } from 'node:stream/promises';
import type { Bound } from '../../../infra/runtime/stores/clickhouse-ask.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import type { Budget, Lease } from '../../budgets/budget.ts';
import { type Caller, spenderOf } from '../../access/caller.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { storeErrorOf, withStoreErrors } from './errors.ts';
import { jsonRowsOf, linesOf, wholeLines } from './whole-lines.ts';
import { changeSettings, fileSettings, querySettings } from './settings.ts';

/**
 * Waits for the caller's turn to ask ClickHouse.
 *
 * @throws DomainError `too_many`, `unavailable`; the latter also if the client left meanwhile.
 */
export async function takeTurn(
  budget: Budget,
  caller: Caller,
  signal: AbortSignal,
): Promise<Lease> {
  return withStoreErrors(() => budget.wait(spenderOf(caller), signal));
}

/** The same; the turn ends when the response does. */
export async function takeTurnFor(
  response: ServerResponse,
  budget: Budget,
  caller: Caller,
  signal: AbortSignal,
): Promise<void> {
  const lease = await takeTurn(budget, caller, signal);
  if (response.destroyed) lease.release();
  else response.once('close', lease.release);
}

/** Lines as they come, many at once. Must be closed, even if not read. */
type Lines = { batches: AsyncIterable<string[]>; close: () => void };

/**
 * ClickHouse as one request of the reader sees it. Its queries end when the client leaves. Failures are those of
 * `storeErrorOf`.
 */
export type Store = {
  /** The whole result, without its last line end. */
  text: (query: string, bound: Bound) => Promise<string>;
  lines: (query: string, bound: Bound) => Promise<Lines>;
  /** Rows that are arrays of JSON, as they come. Whoever stops early ends the query. */
  rows: (query: string, bound: Bound) => AsyncGenerator<unknown[][]>;
  /** The whole result, in the format that the query names. It fails if it has more than `bytesMax`. */
  bytes: (query: string, bound: Bound, bytesMax: number) => Promise<Buffer>;
  /** A result of any size, in the format that the query names. It fails if the query fails. */
  file: (query: string, bound: Bound) => Promise<Readable>;
  /** Changes what is stored; resolves when that is done. */
  change: (query: string, bound: Bound) => Promise<void>;
};

export type StoreDependencies = { clickhouse: ClickHouseClients };

export function openStore({ clickhouse }: StoreDependencies, signal: AbortSignal): Store {
  const ask = (query: string, bound: Bound) =>
    withStoreErrors(() => clickhouse.reader.ask({ query, bound, settings: querySettings, signal }));
  // Nothing in it needs escaping: JSON text holds no raw tab or line end.
  const askText = (query: string, bound: Bound) => ask(`${query}\nFORMAT TabSeparatedRaw`, bound);
  return {
    async text(query, bound) {
      const { stream } = await askText(query, bound);
      return (await withStoreErrors(() => text(stream))).trimEnd();
    },
    async lines(query, bound) {
      const { stream, exceptionTag } = await askText(query, bound);
      const batches = withStoreErrorsOf(linesOf(wholeLines(stream, exceptionTag)));
      return { batches, close: () => stream.destroy() };
    },
    async *rows(query, bound) {
      const { stream, exceptionTag } = await ask(`${query}\nFORMAT JSONCompactEachRow`, bound);
      yield* withStoreErrorsOf(jsonRowsOf(wholeLines(stream, exceptionTag)));
    },
    async bytes(query, bound, bytesMax) {
      const { stream } = await ask(query, bound);
      return gather(stream, bytesMax);
    },
    async file(query, bound) {
      const asked = { query, bound, settings: fileSettings, signal };
      const { stream } = await withStoreErrors(() => clickhouse.longReader.ask(asked));
      return stream;
    },
    async change(query, bound) {
      // Without the signal: a change that has begun is completed though its client leaves.
      const asked = { query, bound, settings: changeSettings, signal: undefined };
      const { stream } = await withStoreErrors(() => clickhouse.long.ask(asked));
      await withStoreErrors(() => finished(stream.resume()));
    },
  };
}

/** @throws DomainError `malformed` for more bytes */
async function gather(stream: Readable, bytesMax: number): Promise<Buffer> {
  const parts: Buffer[] = [];
  let bytes = 0;
  const chunks: AsyncIterable<Buffer> = stream;
  for await (const chunk of withStoreErrorsOf(chunks)) {
    bytes += chunk.length;
    if (bytes > bytesMax) {
      throw new DomainError('malformed', 'there is too much to read: ask for a shorter time');
    }
    parts.push(chunk);
  }
  return Buffer.concat(parts);
}

async function* withStoreErrorsOf<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw storeErrorOf(error);
  }
}
