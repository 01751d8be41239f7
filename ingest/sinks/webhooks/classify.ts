import type { Failure } from '../../../infra/runtime/network/failure.ts';
import { postgresFailure } from '../../../infra/runtime/stores/postgres-failure.ts';
import { RedisRefused } from '../../../infra/runtime/stores/redis.ts';

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
  if (!(error instanceof RedisRefused)) return postgresFailure(error);
  const { code, message: reason } = error;
  return { decision: passingWords.has(code) ? 'retry' : 'halt', code, reason };
}
