import { DomainError } from '../../schemas/http/errors.ts';
import { findProblemInJson } from '../http/json/scan.ts';
import { limits } from '../limits.ts';
import type { AnswerStyle } from './answers/result.ts';

/** The parameters of a request. Others are not looked at, as by InfluxDB. */
type InfluxRequest = AnswerStyle & {
  q: string;
  db: string;
  /** Values of `$name` in the statements. */
  params: Readonly<Record<string, unknown>>;
  pretty: boolean;
};

/**
 * Reads the parameters of the query string and of a form, which comes first.
 *
 * @throws DomainError `malformed` in InfluxDB's words
 */
export function readRequest(query: unknown, form: unknown): InfluxRequest {
  const given = new Map([...textsOf(query), ...textsOf(form)]);
  const text = (name: string) => given.get(name) ?? '';
  const q = text('q');
  if (q === '') throw new DomainError('malformed', 'missing required parameter "q"');
  return {
    q,
    db: text('db'),
    params: parametersOf(text('params')),
    epoch: text('epoch').trim(),
    pretty: text('pretty') === 'true',
    chunkRows: text('chunked') === 'true' ? chunkRowsOf(text('chunk_size')) : undefined,
  };
}

function parametersOf(text: string): Readonly<Record<string, unknown>> {
  if (text === '') return {};
  const refusal = new DomainError('malformed', 'error parsing query parameters: not a JSON object');
  if (findProblemInJson(Buffer.from(text), limits.searchValuesMax) !== undefined) throw refusal;
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === 'object' && parsed !== null && !Array.isArray(parsed))
      return { ...parsed };
  } catch {
    // Told as one that is no object.
  }
  throw refusal;
}

function chunkRowsOf(size: string): number {
  const rows = /^\d{1,9}$/.test(size) ? Number(size) : 0;
  return rows === 0 ? limits.chunkRowsDefault : Math.min(rows, limits.chunkRowsMax);
}

/** Each member once: its first text that is well formed. */
function textsOf(all: unknown): [string, string][] {
  if (typeof all !== 'object' || all === null) return [];
  return Object.entries(all).map(([name, value]) => {
    const [first]: unknown[] = [value].flat();
    const text = typeof first === 'string' ? first : '';
    if (!text.isWellFormed() || text.includes('\0')) {
      throw new DomainError('malformed', `${name} holds NUL or half a surrogate pair`);
    }
    return [name, text];
  });
}
