import { DatabaseError } from 'pg';
import { type Failure, failureOf } from '../network/failure.ts';

/** Classes of SQLSTATE that blame the data. */
const refusals = new Set([
  '22', // data exception
  '23', // integrity constraint violation
  '54', // program limit exceeded
  'P0', // PL/pgSQL: a trigger refused the row
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

/** Classifies a failure of Postgres by its code, or else by the shared rule. */
export function postgresFailure(error: unknown): Failure {
  if (!(error instanceof DatabaseError)) return failureOf(error);
  const code = error.code ?? '';
  const reason = `${code}: ${error.message}`;
  const kind = code.slice(0, 2);
  if (refusals.has(kind)) return { decision: 'refuse', code, reason };
  return { decision: passing.has(kind) ? 'retry' : 'halt', code, reason };
}
