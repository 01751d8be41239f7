import { DatabaseError } from 'pg';
import type { Failure } from '../failure.ts';

/** Classes of SQLSTATE that blame the data. */
const refusals = new Set([
  '22', // data exception
  '23', // integrity constraint violation
  '54', // program limit exceeded
]);

/** Classes that blame the moment. */
const passing = new Set([
  '08', // connection exception
  '25', // invalid transaction state: a standby takes no writes
  '40', // transaction rollback
  '53', // insufficient resources
  '55', // object not in prerequisite state
  '57', // operator intervention: a restart, a time limit
  '58', // system error
]);

/** Errors that only our own mistakes throw, never an absent Redis or Postgres. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/** What a failure of Postgres or Redis means for a batch, by kinds and codes alone. */
export function classify(error: unknown): Failure {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const reason = `${code}: ${error.message}`;
    const kind = code.slice(0, 2);
    if (refusals.has(kind)) return { decision: 'refuse', code, reason };
    return { decision: passing.has(kind) ? 'retry' : 'halt', code, reason };
  }
  const isMistake = mistakes.some((kind) => error instanceof kind);
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'none';
  return { decision: isMistake ? 'halt' : 'retry', code, reason };
}
