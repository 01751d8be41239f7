import { type CustomTypesConfig, type PoolClient, type QueryResultRow, types } from 'pg';
import type { Budgets } from '../budgets/budgets.ts';
import { type Pool, transaction } from '../../infra/runtime/stores/postgres.ts';
import { limits } from '../limits.ts';
import { currentAuthor } from './author.ts';
import { JsonText } from './json-text.ts';
import { toDomainError } from './postgres-errors.ts';
import { inTurn } from './spending.ts';

/** Postgres, as the resources' SQL sees it. */
export type Database = {
  /**
   * The rows of one statement. A `name` has it planned once for each connection: for those of nearly every request,
   * whose plan takes longer than their rows.
   *
   * @throws DomainError if Postgres' refusal has a name for the client (see postgres-errors.ts), and
   * `unavailable` when Postgres is away.
   */
  rows<Row extends QueryResultRow>(text: string, values: unknown[], name?: string): Promise<Row[]>;
  /** As `rows`, of a statement that changes something: the audit log is told for whom. */
  change<Row extends QueryResultRow>(text: string, values: unknown[]): Promise<Row[]>;
  /**
   * The rows of a list or a search, which may take `searchMsMax`. A heavy one takes all turns of its caller, a
   * large page its one turn of large pages. It keeps them for as long again as it took, and for a while where
   * its rows are large by their `bytes`: this process has yet to write them out. So a caller who never stops asking
   * uses half of a processor. JSON in the rows is a `JsonText`, to be passed on.
   */
  search<Row extends QueryResultRow & { bytes: number | null }>(
    text: string,
    values: unknown[],
    { isHeavy, isLarge }: { isHeavy: boolean; isLarge: boolean },
  ): Promise<Row[]>;
  /** Runs `work` in one transaction: what it throws undoes all of it. The audit log is told for whom. */
  transaction<Result>(work: (db: Statements) => Promise<Result>): Promise<Result>;
};

/** Runs one statement: the database, or a transaction in it. */
export type Statements = Pick<Database, 'rows'>;

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
    rows: (text, values, name) =>
      inTurn(statements, 1, () => rowsOf(pool, text, values, types, name)),
    change<Row extends QueryResultRow>(text: string, values: unknown[]) {
      const change = (db: Statements) => db.rows<Row>(text, values);
      return inTurn(statements, 1, () => inTransaction(pool, change));
    },
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
  return { rows: (text, values, name) => rowsOf(connection, text, values, types, name) };
}

async function inTransaction<Result>(
  pool: Pool,
  work: (db: Statements) => Promise<Result>,
): Promise<Result> {
  const author = currentAuthor();
  const authored = async (client: PoolClient) => {
    if (author !== undefined) await client.query(tellAuthor, [JSON.stringify(author)]);
    return work(openStatements(client)).catch((error: unknown) => {
      throw new WorkFailed(error);
    });
  };
  return transaction(pool, authored).catch((error: unknown) => {
    throw error instanceof WorkFailed ? error.cause : toDomainError(error);
  });
}

/** Holds an error of the work, which is named already. Those of BEGIN, COMMIT and ROLLBACK are not. */
class WorkFailed extends Error {
  constructor(cause: unknown) {
    super('the work of a transaction failed', { cause });
  }
}

/** Until the end of the transaction. */
const tellAuthor = "SELECT set_config('millrace.author', $1, true)";

async function rowsOf<Row extends QueryResultRow>(
  connection: Pool | PoolClient,
  text: string,
  values: unknown[],
  parsers: CustomTypesConfig = types,
  name?: string,
): Promise<Row[]> {
  const named = name === undefined ? {} : { name };
  try {
    const { rows } = await connection.query<Row>({ ...named, text, values, types: parsers });
    return rows;
  } catch (error) {
    throw toDomainError(error);
  }
}
