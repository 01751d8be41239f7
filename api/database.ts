import { DatabaseError, type QueryResultRow } from 'pg';
import type { Pool } from '../infra/postgres.ts';
import { DomainError, type ErrorCode } from '../schemas/errors.ts';
import { awayRetrySeconds } from './limits.ts';

/** Postgres, as the resources' SQL sees it. */
export type Database = {
  /**
   * The rows of one statement.
   *
   * @throws DomainError where Postgres' refusal has a name for the client (see `codeOf`), and
   * `unavailable` when Postgres is away.
   */
  rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
};

/** What a client got wrong, by the constraint that says so. */
const fieldOfConstraint: Readonly<Record<string, string>> = {
  users_email: 'email',
  groups_name: 'name',
  profiles_pkey: 'id',
  profiles_name: 'name',
  things_pkey: 'id',
  things_name: 'name',
  things_key: 'key',
  things_external_key: 'external_key',
};

/** SQLSTATE (or its class) → what it means to a client. What is not here is our own mistake: 500. */
function codeOf(sqlState: string): ErrorCode | undefined {
  switch (sqlState) {
    case '23505': // unique_violation
    case '23001': // restrict_violation
      return 'conflict';
    case '23503': // foreign_key_violation: what it names was deleted meanwhile
      return 'notFound';
    case '23502': // not_null_violation
    case '23514': // check_violation
      return 'malformed';
    case '40001': // serialization_failure
    case '40P01': // deadlock_detected
    case '57014': // query_canceled: it took too long
    case '25006': // read_only_sql_transaction: a standby
      return 'unavailable';
    default:
      break;
  }
  switch (sqlState.slice(0, 2)) {
    case '08': // connection exception
    case '53': // insufficient resources
    case '57': // operator intervention: shutting down, starting up
      return 'unavailable';
    case '22': // data exception
    case '54': // program limit exceeded: too deep, too long
      return 'malformed';
    default:
      return undefined;
  }
}

/** Gives Postgres' errors the domain's names. What is no answer of Postgres' means that it is away. */
function named(error: unknown): unknown {
  if (!(error instanceof DatabaseError)) {
    return new DomainError('unavailable', undefined, awayRetrySeconds);
  }
  const code = error.code === undefined ? undefined : codeOf(error.code);
  if (code === undefined) return error;
  if (code === 'unavailable') return new DomainError(code, undefined, awayRetrySeconds);
  return new DomainError(code, fieldOfConstraint[error.constraint ?? '']);
}

export function openDatabase(pool: Pool): Database {
  return {
    async rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]> {
      try {
        const { rows } = await pool.query<Row>(text, values);
        return rows;
      } catch (error) {
        throw named(error);
      }
    },
  };
}
