import { DatabaseError } from 'pg';
import { type Failure, failureOf } from '../../../infra/runtime/network/failure.ts';
import { RedisRefused } from '../../../infra/runtime/stores/redis.ts';

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

/** Words with which Redis tells that it can not take a command at the moment. */
const passingWords = new Set([
  'BUSY', // a script runs
  'CLUSTERDOWN',
  'LOADING', // it reads its file after a start
  'MASTERDOWN',
  'MISCONF', // it can not write its file
  'NOREPLICAS',
  'OOM', // it is at its memory limit
  'READONLY', // it is a replica
  'TRYAGAIN',
]);

/** What a failure of Postgres or Redis means for a batch, by kinds and codes alone. */
export function classify(error: unknown): Failure {
  if (error instanceof DatabaseError) {
    const code = error.code ?? '';
    const reason = `${code}: ${error.message}`;
    const kind = code.slice(0, 2);
    if (refusals.has(kind)) return { decision: 'refuse', code, reason };
    return { decision: passing.has(kind) ? 'retry' : 'halt', code, reason };
  }
  if (error instanceof RedisRefused) {
    const { code, message: reason } = error;
    return { decision: passingWords.has(code) ? 'retry' : 'halt', code, reason };
  }
  return failureOf(error);
}
