import type { IncomingMessage } from 'node:http';
import { pipeline, type Readable } from 'node:stream';
import {
  createBrotliDecompress,
  createGunzip,
  createInflate,
  createZstdDecompress,
} from 'node:zlib';
import type { SessionSetup } from '../engine/engine.ts';
import { type ClickHouseError, clickHouseError } from '../errors.ts';
import { limits } from '../limits.ts';
import { readStatement, type Statement } from '../statement.ts';

/** A request to run something, as ClickHouse's HTTP interface has it. */
export type QueryRequest = {
  queryId: string;
  /** The query's text in the URL; the body's goes on from there. */
  query: string;
  setup: SessionSetup;
  defaultFormat: string;
  /** The response must wait until the whole result is there (`wait_end_of_query`). */
  waitEnd: boolean;
  /** The level of gzip, if the client accepts it. */
  gzipLevel: number | undefined;
};

/** A query, and for an INSERT with data what of the data has been read with it. */
export type ReceivedStatement = { statement: Statement; dataHead: Buffer; data: Readable };

/** Parameters of the URL that are no settings. */
const notSettings = new Set([
  'query',
  'database',
  'default_format',
  'query_id',
  'user',
  'password',
  'quota_key',
  'session_id',
  'session_timeout',
  'session_check',
  'close_session',
  'client_protocol_version',
  'wait_end_of_query',
  'buffer_size',
  'stacktrace',
  'compress',
  'decompress',
]);

const decoders: Record<string, () => ReturnType<typeof createGunzip>> = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
  zstd: createZstdDecompress,
};

/**
 * Reads the URL, the headers and, in a form, the fields of a request.
 *
 * @throws ClickHouseError for what this server does not do, or a name that can be no setting's.
 */
export function readQueryRequest(
  request: IncomingMessage,
  fields: [string, string][],
): QueryRequest {
  const url = new URL(request.url ?? '/', 'http://localhost');
  const given = new Map([...url.searchParams, ...fields]);
  const header = (name: string) => request.headers[name]?.toString();
  if (isTrue(given.get('compress')) || isTrue(given.get('decompress'))) {
    throw clickHouseError('NOT_IMPLEMENTED', "ClickHouse's own block compression is not served");
  }
  if (given.get('session_id')) {
    throw clickHouseError('NOT_IMPLEMENTED', 'Sessions are not served: each query has its own');
  }
  const settings = new Map<string, string>();
  const parameters = new Map<string, string>();
  for (const [name, value] of given) {
    if (notSettings.has(name)) continue;
    if (!/^[A-Za-z_]\w*$/.test(name)) {
      throw clickHouseError('UNKNOWN_SETTING', `Unknown setting '${name}'`);
    }
    if (name.startsWith('param_')) parameters.set(name.slice('param_'.length), value);
    else settings.set(name, value);
  }
  const queryId = given.get('query_id') || crypto.randomUUID();
  return {
    queryId,
    query: given.get('query') ?? '',
    setup: {
      queryId,
      database: given.get('database') || header('x-clickhouse-database'),
      settings,
      parameters,
      // As ClickHouse: what writes is a POST.
      readonly: request.method !== 'POST',
    },
    defaultFormat: formatName(
      given.get('default_format') || header('x-clickhouse-format') || 'TabSeparated',
    ),
    waitEnd: isTrue(given.get('wait_end_of_query')),
    gzipLevel: readGzipLevel(request),
  };
}

/** From the URL only: an error may happen before a form is read. */
export function readGzipLevel(request: IncomingMessage): number | undefined {
  const { searchParams } = new URL(request.url ?? '/', 'http://localhost');
  const acceptsGzip = /\bgzip\b/.test(request.headers['accept-encoding']?.toString() ?? '');
  const compresses = isTrue(searchParams.get('enable_http_compression') ?? undefined);
  if (!compresses || !acceptsGzip) return undefined;
  return gzipLevel(searchParams.get('http_zlib_compression_level') ?? undefined);
}

/** The body as it was before its Content-Encoding. @throws ClickHouseError 89 */
export function readBody(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding'] ?? 'identity';
  if (encoding === 'identity') return request;
  const decoder = decoders[encoding];
  if (decoder === undefined) {
    throw clickHouseError('UNKNOWN_COMPRESSION_METHOD', `Unknown compression method '${encoding}'`);
  }
  // Whoever reads the decoder meets the error.
  return pipeline(request, decoder(), () => undefined);
}

/** The fields of a multipart form; none where the body is something else. */
export async function readFields(
  request: IncomingMessage,
  body: Readable,
): Promise<[string, string][]> {
  const type = request.headers['content-type'] ?? '';
  if (!type.startsWith('multipart/form-data')) return [];
  const { head, whole } = await readHead(Buffer.alloc(0), body);
  if (!whole) throw tooLarge();
  const form = await new Response(new Uint8Array(head), { headers: { 'content-type': type } })
    .formData()
    .catch(() => {
      throw clickHouseError('INCORRECT_DATA', 'The body is no multipart form');
    });
  return [...form].map(([name, value]) => {
    if (typeof value === 'string') return [name, value];
    throw clickHouseError('NOT_IMPLEMENTED', 'External tables are not served');
  });
}

/**
 * Reads the query: the URL's, or the body's, or the one continued by the other. Of an INSERT's data no
 * more is read than came with it.
 */
export async function receiveStatement(query: string, body: Readable): Promise<ReceivedStatement> {
  let head: Buffer = Buffer.from(query === '' ? '' : `${query}\n`);
  let whole = false;
  let statement = query === '' ? undefined : readStatement(head);
  if (statement?.kind !== 'insert') {
    ({ head, whole } = await readHead(head, body));
    statement = readStatement(head);
  }
  if (statement.kind !== 'insert') {
    if (!whole) throw tooLarge();
    return { statement, dataHead: Buffer.alloc(0), data: body };
  }
  return { statement, dataHead: head.subarray(statement.dataStart), data: body };
}

function isTrue(value: string | undefined): boolean {
  return value === '1' || value === 'true';
}

function gzipLevel(value: string | undefined): number {
  const level = Number(value ?? 3);
  return Number.isInteger(level) && level >= 1 && level <= 9 ? level : 3;
}

function formatName(name: string): string {
  if (!/^[A-Za-z]\w*$/.test(name)) throw clickHouseError('SYNTAX_ERROR', 'Bad format name');
  return name;
}

function tooLarge(): ClickHouseError {
  return clickHouseError('QUERY_IS_TOO_LARGE', `A query may have ${limits.queryBytesMax} bytes`);
}

/** Reads on until the body ends or the limit of a query is passed. */
async function readHead(start: Buffer, body: Readable): Promise<{ head: Buffer; whole: boolean }> {
  const chunks = [start];
  let bytes = start.length;
  for await (const chunk of body.iterator({ destroyOnReturn: false })) {
    const piece: Buffer = chunk;
    chunks.push(piece);
    bytes += piece.length;
    if (bytes > limits.queryBytesMax) return { head: Buffer.concat(chunks), whole: false };
  }
  return { head: Buffer.concat(chunks), whole: true };
}
