import { DomainError } from '../../../schemas/http/errors.ts';

/**
 * The words for a statement that failed, in its result. The phrases of our errors are for whole requests: the detail of
 * one says it as InfluxDB does.
 *
 * @throws whatever is no failure that a client may know
 */
export function statementError(problem: unknown): string {
  if (!(problem instanceof DomainError)) throw problem;
  return problem.detail ?? problem.message;
}
