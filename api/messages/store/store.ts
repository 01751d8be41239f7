import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import type { Budget, Lease } from '../../budgets/budget.ts';
import { type Caller, spenderOf } from '../../access/caller.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { storeErrorOf, withStoreErrors } from './errors.ts';
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

/** Values that ClickHouse binds to a query's placeholders. */
export type Bound = Record<string, string | number | readonly string[]>;

/** Rows as they come, each as the text of its line. Must be closed, even if not read. */
type Lines = { batches: AsyncIterable<{ text: string }[]>; close: () => void };

/**
 * ClickHouse as one request of the reader sees it. Its queries end when the client leaves. Failures are those of
 * `storeErrorOf`.
 */
export type Store = {
  /** The whole result, without its last line end. */
  text: (query: string, bound: Bound) => Promise<string>;
  lines: (query: string, bound: Bound) => Promise<Lines>;
  /** A result of any size, in the format that the query names. It fails if the query fails. */
  file: (query: string, bound: Bound) => Promise<Readable>;
  /** Changes what is stored; resolves when that is done. */
  change: (query: string, bound: Bound) => Promise<void>;
};

export type StoreDependencies = { clickhouse: ClickHouseClients };

export function openStore({ clickhouse }: StoreDependencies, signal: AbortSignal): Store {
  const ask = (query: string, bound: Bound) =>
    withStoreErrors(() =>
      clickhouse.reader.query({
        query,
        query_params: bound,
        use_multipart_params_auto: true,
        clickhouse_settings: querySettings,
        abort_signal: signal,
        // Nothing in it needs escaping: JSON text holds no raw tab or line end.
        format: 'TabSeparatedRaw',
      }),
    );
  return {
    text: async (query, bound) => {
      const result = await ask(query, bound);
      return (await withStoreErrors(() => result.text())).trimEnd();
    },
    lines: async (query, bound) => {
      const result = await ask(query, bound);
      return { batches: rowsWithStoreErrors(result.stream()), close: () => result.close() };
    },
    file: (query, bound) => send(clickhouse.longReader, query, bound, fileSettings, signal),
    change: async (query, bound) => {
      // Without the signal: a change that has begun is completed though its client leaves.
      const answer = await send(clickhouse.long, query, bound, changeSettings, undefined);
      await withStoreErrors(() => finished(answer.resume()));
    },
  };
}

/**
 * Sends a query with its parameters as a form: the client would put those of `exec` into the URL, which a long
 * list does not fit.
 */
function send(
  client: ClickHouseClient,
  query: string,
  bound: Bound,
  settings: Record<string, string | number>,
  signal: AbortSignal | undefined,
): Promise<Readable> {
  const boundary = randomUUID();
  const fields = Object.entries(bound).map(
    ([name, value]) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="param_${name}"\r\n\r\n${written(value)}\r\n`,
  );
  return withStoreErrors(async () => {
    const { stream } = await client.exec({
      query,
      values: Readable.from([Buffer.from(`${fields.join('')}--${boundary}--\r\n`)], {
        objectMode: false,
      }),
      http_headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
      clickhouse_settings: settings,
      ...(signal === undefined ? {} : { abort_signal: signal }),
    });
    return stream;
  });
}

const escapes: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  "'": "\\'",
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\\0',
};

const escaped = (text: string) => text.replace(/[\\'\t\n\r\0]/g, (char) => escapes[char] ?? char);

/** A value as ClickHouse reads parameters: escaped as in tab separated values, the texts of a list quoted. */
function written(value: Bound[string]): string {
  if (typeof value === 'number') return String(value);
  if (typeof value === 'string') return escaped(value);
  return `[${value.map((one) => `'${escaped(one)}'`).join(',')}]`;
}

async function* rowsWithStoreErrors<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw storeErrorOf(error);
  }
}
