import {
  type CustomTypesConfig,
  DatabaseError,
  type PoolClient,
  type QueryResultRow,
  types,
} from 'pg';
import type { Budgets } from '../../infra/runtime/budgets/budgets.ts';
import { type Pool, transaction } from '../../infra/runtime/stores/postgres.ts';
import { DomainError, type ErrorCode } from '../../schemas/http/errors.ts';
import { limits } from '../limits.ts';
import { JsonText } from './json-text.ts';
import { inTurn } from './spending.ts';

/** Postgres, as the resources' SQL sees it. */
export type Database = {
  /**
   * The rows of one statement.
   *
   * @throws DomainError where Postgres' refusal has a name for the client (see `codeOf`), and
   * `unavailable` when Postgres is away.
   */
  rows<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /**
   * The rows of a list or a search, which may take `searchMsMax`. A heavy one takes all turns of its caller, a
   * large page its one turn of large pages. It keeps them for as long again as it took, and for a while where
   * its rows are large by their `bytes`: this process has yet to write them out. So one who always asks has half
   * of a processor. JSON in the rows is a `JsonText`, to be passed on.
   */
  search<Row extends QueryResultRow & { bytes: number | null }>(
    text: string,
    values: unknown[],
    { isHeavy, isLarge }: { isHeavy: boolean; isLarge: boolean },
  ): Promise<Row[]>;
  /** Runs `work` in one transaction: what it throws undoes all of it. */
  transaction<Result>(work: (db: Statements) => Promise<Result>): Promise<Result>;
};

/** What runs one statement: the database, or a transaction in it. */
export type Statements = Pick<Database, 'rows'>;

/** What a client got wrong, by the constraint that says so. */
const fieldOfConstraint: Readonly<Record<string, string>> = {
  users_email: 'email',
  org_memberships_pkey: 'email',
  group_memberships_pkey: 'member_id',
  org_invites_pending: 'email',
  platform_invites_pending: 'invitee_email',
  tree_groups_name: 'name',
  tree_members_pkey: 'members',
  tree_members_group_id_fkey: 'members',
  groups_name: 'name',
  profiles_pkey: 'id',
  profiles_name: 'name',
  things_pkey: 'id',
  gone_things_pkey: 'id: a thing that is gone had it, and ids do not come back',
  things_name: 'name',
  things_key: 'key',
  users_metadata_size: 'metadata is larger than 64 KiB',
  orgs_metadata_size: 'metadata is larger than 64 KiB',
  groups_metadata_size: 'metadata is larger than 64 KiB',
  profiles_metadata_size: 'metadata is larger than 64 KiB',
  things_metadata_size: 'metadata is larger than 64 KiB',
  webhooks_metadata_size: 'metadata is larger than 64 KiB',
  tree_groups_metadata_size: 'metadata is larger than 64 KiB',
  profiles_config_size: 'config is larger than 4 KiB',
  things_external_key: 'external_key',
};

/** What is absent, by the key that should lead to it: it never was there, or was deleted meanwhile. */
const kindOfReference: Readonly<Record<string, string>> = {
  org_memberships_org_id_fkey: 'org',
  groups_org_id_fkey: 'org',
  org_invites_org_id_fkey: 'org',
  platform_invites_org_id_fkey: 'org',
  webhooks_org_id_fkey: 'org',
  group_memberships_group_id_fkey: 'group',
  group_memberships_member_id_fkey: 'user: member_id',
  profiles_group_id_fkey: 'group',
  org_invite_groups_group_id_fkey: 'group',
  platform_invite_groups_group_id_fkey: 'group',
  webhooks_group_id_fkey: 'group',
  things_group_id_fkey: 'group',
  things_profile_id_group_id_fkey: 'profile',
  certificates_thing_id_fkey: 'thing',
  webhooks_thing_id_fkey: 'thing',
  tree_groups_parent_id_fkey: 'hierarchical group: parent_id',
  tree_members_group_id_fkey: 'hierarchical group',
};

/** SQLSTATE (or its class) → what it means to a client. What is not here is our own mistake: 500. */
function codeOf(sqlState: string): ErrorCode | undefined {
  switch (sqlState) {
    case '23505': // unique_violation
    case '23001': // restrict_violation
      return 'conflict';
    case '23503': // foreign_key_violation: what it names was deleted meanwhile
      return 'not_found';
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
  if (!(error instanceof DatabaseError)) return away(error);
  const code = error.code === undefined ? undefined : codeOf(error.code);
  if (code === undefined) return error;
  if (code === 'unavailable') return away(error);
  const names = code === 'not_found' ? kindOfReference : fieldOfConstraint;
  return new DomainError(code, names[error.constraint ?? '']);
}

function away(cause: unknown): DomainError {
  const error = new DomainError('unavailable', undefined, limits.awayRetrySeconds);
  error.cause = cause;
  return error;
}

/**
 * The budgets bound what requests ask for at once. Lists and searches have connections of their own: however
 * long those take, the others are free for what is short.
 */
export function openDatabase(
  pool: Pool,
  searches: Pool,
  { statements, largePages }: Pick<Budgets, 'statements' | 'largePages'>,
): Database {
  return {
    rows: (text, values) => inTurn(statements, 1, () => rowsOf(pool, text, values)),
    search<Row extends QueryResultRow & { bytes: number | null }>(
      text: string,
      values: unknown[],
      { isHeavy, isLarge }: { isHeavy: boolean; isLarge: boolean },
    ) {
      const find = () =>
        inTurn(
          statements,
          isHeavy ? statements.shareMax : 1,
          () => rowsOf<Row>(searches, text, values, unparsed),
          (tookMs, rows) => Math.max(tookMs > limits.searchFreeMs ? tookMs : 0, writingMs(rows)),
        );
      return isLarge ? inTurn(largePages, 1, find, (_, rows) => writingMs(rows)) : find();
    },
    transaction: (work) => inTurn(statements, 1, () => inTransaction(pool, work)),
  };
}

function writingMs(rows: readonly { bytes: number | null }[] = []): number {
  const bytes = rows.reduce((sum, row) => sum + (row.bytes ?? 0), 0);
  return Math.max(0, bytes - limits.pageFreeBytes) / limits.pageBytesPerMs;
}

/** JSON of a list only goes on to the client: it is not parsed, only to be written again. */
const unparsed: CustomTypesConfig = {
  getTypeParser: (oid, format) =>
    oid === types.builtins.JSONB
      ? (text: string) => new JsonText(text)
      : types.getTypeParser(oid, format),
};

/** Statements that wait for nobody's turn. */
export function openStatements(connection: Pool | PoolClient): Statements {
  return { rows: (text, values) => rowsOf(connection, text, values) };
}

async function inTransaction<Result>(
  pool: Pool,
  work: (db: Statements) => Promise<Result>,
): Promise<Result> {
  let ofWork: unknown;
  const noted = (error: unknown) => {
    ofWork = error;
    throw error;
  };
  return transaction(pool, (client) => work(openStatements(client)).catch(noted)).catch(
    (error: unknown) => {
      // What the work throws has its name already; what its brackets do has not.
      throw error === ofWork ? error : named(error);
    },
  );
}

async function rowsOf<Row extends QueryResultRow>(
  connection: Pool | PoolClient,
  text: string,
  values: unknown[],
  parsers: CustomTypesConfig = types,
): Promise<Row[]> {
  try {
    const { rows } = await connection.query<Row>({ text, values, types: parsers });
    return rows;
  } catch (error) {
    throw named(error);
  }
}
