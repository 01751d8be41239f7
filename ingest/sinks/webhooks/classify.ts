import { DatabaseError } from 'pg';
import type { Failure } from '../store/classify.ts';

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

/** What our own mistakes throw; who is away says it in an `Error` of another kind. */
const mistakes = [TypeError, RangeError, ReferenceError, SyntaxError, URIError];

/**
 * What it means for a batch of messages for webhooks that it could not be kept or queued: the verdicts are those
 * of the store's batches. Decides by kinds and codes alone.
 */
export function classifyWebhook(error: unknown): Failure {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const reason = `${code}: ${error.message}`;
    const kind = code.slice(0, 2);
    if (refusals.has(kind)) return { verdict: 'refuse', code, reason };
    return { verdict: passing.has(kind) ? 'retry' : 'alarm', code, reason };
  }
  const isMistake = mistakes.some((kind) => error instanceof kind);
  const reason = error instanceof Error ? error.message : String(error);
  const code = error instanceof Error && 'code' in error ? String(error.code) : 'none';
  return { verdict: isMistake ? 'alarm' : 'retry', code, reason };
}
