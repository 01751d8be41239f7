import { randomUUID } from 'node:crypto';
import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ExecResult } from '@clickhouse/client';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import type { Budget, Lease } from '../../budgets/budget.ts';
import { type Caller, spenderOf } from '../../access/caller.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { storeErrorOf, withStoreErrors } from './errors.ts';
import { jsonRows, jsonRowsFormat } from './json-rows.ts';
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
  /** Rows that are arrays of JSON, as they come. Whoever stops early ends the query. */
  rows: (query: string, bound: Bound) => AsyncGenerator<unknown[][]>;
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
    async *rows(query, bound) {
      const inFormat = `${query} FORMAT ${jsonRowsFormat}`;
      const sent = send(clickhouse.reader, inFormat, bound, querySettings, signal);
      const { stream, response_headers: headers } = await sent;
      const tag = headers['x-clickhouse-exception-tag'];
      yield* rowsWithStoreErrors(jsonRows(stream, String(tag)));
    },
    file: async (query, bound) =>
      (await send(clickhouse.longReader, query, bound, fileSettings, signal)).stream,
    change: async (query, bound) => {
      // Without the signal: a change that has begun is completed though its client leaves.
      const { stream } = await send(clickhouse.long, query, bound, changeSettings, undefined);
      await withStoreErrors(() => finished(stream.resume()));
    },
  };
}

/** Parameters of more bytes than this are sent as a form. */
const urlBytesMax = 4_096;

/** Sends a query. The client would put all parameters of `exec` into the URL, which a long list does not fit. */
function send(
  client: ClickHouseClient,
  query: string,
  bound: Bound,
  settings: Record<string, string | number>,
  signal: AbortSignal | undefined,
): Promise<ExecResult<Readable>> {
  const common = {
    query,
    clickhouse_settings: settings,
    ...(signal === undefined ? {} : { abort_signal: signal }),
  };
  const texts = Object.entries(bound).map(([name, value]) => ({ name, text: written(value) }));
  const bytes = texts.reduce((sum, { name, text }) => sum + Buffer.byteLength(name + text), 0);
  if (bytes <= urlBytesMax) {
    return withStoreErrors(() => client.exec({ ...common, query_params: bound }));
  }
  const boundary = randomUUID();
  const fields = texts.map(
    ({ name, text }) =>
      `--${boundary}\r\ncontent-disposition: form-data; name="param_${name}"\r\n\r\n${text}\r\n`,
  );
  return withStoreErrors(() =>
    client.exec({
      ...common,
      values: Readable.from([Buffer.from(`${fields.join('')}--${boundary}--\r\n`)], {
        objectMode: false,
      }),
      http_headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    }),
  );
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
