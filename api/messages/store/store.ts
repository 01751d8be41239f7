import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { finished } from 'node:stream/promises';
import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { named } from './errors.ts';
import { changeSettings, fileSettings, querySettings } from '../query/settings.ts';

/** Values that ClickHouse binds to a query's placeholders. */
export type Bound = Record<string, string | number | readonly string[]>;

/** Rows as they come, each the text of its line; to be closed, read or not. */
export type Lines = { batches: AsyncIterable<{ text: string }[]>; close: () => void };

/**
 * ClickHouse as one request of the reader sees it. Once nobody waits for the request any more, its queries
 * end. Whatever fails has the domain's name for it (see `named`).
 */
export type Store = {
  /** The whole answer, without its last line end. */
  text: (query: string, bound: Bound) => Promise<string>;
  lines: (query: string, bound: Bound) => Promise<Lines>;
  /** An answer of any size, in the format the query names. It fails where the query fails. */
  file: (query: string, bound: Bound) => Promise<Readable>;
  /** Changes what is stored; settles once that is done. */
  change: (query: string, bound: Bound) => Promise<void>;
};

export type StoreParts = { clickhouse: ClickHouseClients };

export function openStore({ clickhouse }: StoreParts, signal: AbortSignal): Store {
  const ask = (query: string, bound: Bound) =>
    naming(() =>
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
      return (await naming(() => result.text())).trimEnd();
    },
    lines: async (query, bound) => {
      const result = await ask(query, bound);
      return { batches: namingEach(result.stream()), close: () => result.close() };
    },
    file: (query, bound) => send(clickhouse.longReader, query, bound, fileSettings, signal),
    change: async (query, bound) => {
      // Begun, it is finished: a client that leaves does not leave it half done.
      const answer = await send(clickhouse.long, query, bound, changeSettings, undefined);
      await naming(() => finished(answer.resume()));
    },
  };
}

/** The client sends parameters of such queries in the URL alone, which a long list does not fit: a form does. */
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
  return naming(async () => {
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

async function naming<T>(work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw named(error);
  }
}

async function* namingEach<T>(source: AsyncIterable<T>): AsyncGenerator<T> {
  try {
    yield* source;
  } catch (error) {
    throw named(error);
  }
}
