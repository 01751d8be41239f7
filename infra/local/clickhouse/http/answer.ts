import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { pipeline, type Writable } from 'node:stream';
import { createGzip } from 'node:zlib';
import type { QueryOutcome } from '../engine/engine.ts';
import { type ClickHouseError, clickHouseError } from '../errors.ts';
import { limits } from '../limits.ts';
import type { QueryRequest } from './request.ts';

/** The known counts of what a query read and wrote; others are left out. */
type Counts = Partial<
  Record<
    'read_rows' | 'read_bytes' | 'written_rows' | 'written_bytes' | 'result_rows' | 'result_bytes',
    number
  >
>;

export function readCounts({ rowsRead, bytesRead }: QueryOutcome & { ok: true }): Counts {
  return { read_rows: rowsRead, read_bytes: bytesRead };
}

/** Sends a result that is complete. */
export function sendWhole(
  response: ServerResponse,
  asked: QueryRequest,
  format: string,
  outcome: QueryOutcome & { ok: true },
  bytes: Uint8Array,
  counts: Counts,
): void {
  setResultHeaders(response, format);
  response.setHeader('X-ClickHouse-Summary', summary(outcome, counts));
  openBody(response, asked).end(bytes);
}

/** Sends an error as its whole answer. */
export function sendError(
  response: ServerResponse,
  error: ClickHouseError,
  version: string,
  gzipLevel: number | undefined,
): void {
  response.statusCode = error.httpStatus;
  response.setHeader('Content-Type', 'text/plain; charset=UTF-8');
  response.setHeader('X-ClickHouse-Exception-Code', error.code);
  response.removeHeader('X-ClickHouse-Format');
  openBody(response, { gzipLevel }).end(errorText(error, version));
}

/**
 * Sends a result while it comes. Its beginning is held back, so that a query that fails early still gets
 * the status of its error, and a small result its summary. One that fails later is broken off: after the
 * rows comes ClickHouse's exception block, and the body has no proper end.
 *
 * @throws ClickHouseError where nothing was sent yet.
 */
export async function sendStream(
  response: ServerResponse,
  asked: QueryRequest,
  format: string,
  rows: AsyncIterable<Buffer>,
  pending: Promise<QueryOutcome>,
  gone: AbortSignal,
  version: string,
): Promise<void> {
  let held: Buffer[] = [];
  let heldBytes = 0;
  let out: Writable | undefined;
  for await (const chunk of rows) {
    // The pipe is read to its end whatever happens: a reader that left would hold up the engine.
    if (gone.aborted) continue;
    if (out !== undefined) {
      await write(out, chunk, gone);
      continue;
    }
    held.push(chunk);
    heldBytes += chunk.length;
    if (heldBytes <= limits.heldBytesMax) continue;
    setResultHeaders(response, format);
    const tag = randomBytes(8).toString('hex');
    response.setHeader('X-ClickHouse-Exception-Tag', tag);
    out = openBody(response, asked);
    await write(out, Buffer.concat(held), gone);
    held = [];
  }
  const outcome = await pending;
  if (gone.aborted) throw clickHouseError('QUERY_WAS_CANCELLED', 'The client went away');
  if (outcome.ok && out === undefined) {
    const counts = { ...readCounts(outcome), written_rows: 0, written_bytes: 0 };
    const result = Buffer.concat(held);
    sendWhole(response, asked, format, outcome, result, { ...counts, result_bytes: heldBytes });
  } else if (outcome.ok) out?.end();
  else if (out === undefined) throw outcome.error;
  else breakOff(response, out, errorText(outcome.error, version));
}

function setResultHeaders(response: ServerResponse, format: string): void {
  response.setHeader('Content-Type', contentType(format));
  response.setHeader('X-ClickHouse-Format', format);
}

function openBody(response: ServerResponse, asked: Pick<QueryRequest, 'gzipLevel'>): Writable {
  if (asked.gzipLevel === undefined) return response;
  response.setHeader('Content-Encoding', 'gzip');
  const gzip = createGzip({ level: asked.gzipLevel });
  pipeline(gzip, response, () => undefined);
  return gzip;
}

async function write(out: Writable, bytes: Buffer, gone: AbortSignal): Promise<void> {
  if (out.write(bytes)) return;
  // `gone` comes with the connection's end, and the caller looks at it.
  await once(out, 'drain', { signal: gone }).catch(() => undefined);
}

function breakOff(response: ServerResponse, out: Writable, text: string): void {
  const tag = String(response.getHeader('X-ClickHouse-Exception-Tag'));
  const bytes = Buffer.byteLength(text);
  const block = `\r\n__exception__\r\n${tag}\r\n${text}${bytes} ${tag}\r\n__exception__\r\n`;
  const cut = () => response.socket?.destroySoon();
  if (out === response) response.write(block, cut);
  else {
    out.write(block);
    flush(out, cut);
  }
}

function flush(out: Writable, done: () => void): void {
  // Bytes that gzip has put out pass through the response in the same turn.
  if ('flush' in out && typeof out.flush === 'function') out.flush(() => setImmediate(done));
  else done();
}

function errorText(error: ClickHouseError, version: string): string {
  const versioned = / \(version [^)]*\)\s*$/.test(error.message);
  return `${error.message}${versioned ? '' : ` (version ${version})`}\n`;
}

function summary(outcome: QueryOutcome & { ok: true }, counts: Counts): string {
  const all = { ...counts, elapsed_ns: Math.round(outcome.seconds * 1e9) };
  return JSON.stringify(
    Object.fromEntries(Object.entries(all).map(([name, count]) => [name, String(count)])),
  );
}

const text = 'text/plain; charset=UTF-8';
const binary = 'application/octet-stream';

/** Each row: which formats, by their whole name, and the type ClickHouse's server gives them. */
const types: readonly (readonly [RegExp, string])[] = [
  [/^(TSV|TabSeparated)/, 'text/tab-separated-values; charset=UTF-8'],
  [/^CSVWithNames/, 'text/csv; charset=UTF-8; header=present'],
  [/^CSV/, 'text/csv; charset=UTF-8; header=absent'],
  [/^JSON.*EachRow|^JSONL|^NDJSON/, 'application/x-ndjson; charset=UTF-8'],
  [/^JSON/, 'application/json; charset=UTF-8'],
  [/^XML$/, 'application/xml; charset=UTF-8'],
  [/^(Markdown|MD)$/, 'text/markdown; charset=UTF-8'],
  [
    /^(Native|RowBinary|Parquet|Arrow|ORC|Avro|MsgPack|Protobuf|CapnProto|BSON|Npy|Buffers)/,
    binary,
  ],
];

/** The Content-Type of a result in this format. */
function contentType(format: string): string {
  return types.find(([pattern]) => pattern.test(format))?.[1] ?? text;
}
