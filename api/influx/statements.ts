import { ClickHouseError } from '@clickhouse/client';
import { DomainError } from '../../schemas/http/errors.ts';
import type { UserCaller } from '../access/caller.ts';
import { limits } from '../limits.ts';
import { openStore, type Store, type StoreDependencies } from '../messages/store/store.ts';
import type { Batches, Result, Row } from './answers/result.ts';
import type { Where } from '../messages/query/where.ts';
import type { Database } from '../stores/database.ts';
import type { Expression, Select, Source, Statement } from './language/ast.ts';
import { findDatabases, openScope, type Scope, type ScopeDependencies } from './model/scope.ts';
import { tagsOf } from './model/tags.ts';
import { readThings } from './model/things.ts';
import { requiredOf, tagTestsOf, testOf, withTagsTogether } from './select/condition.ts';
import { takeRange } from './select/range.ts';
import { testSql } from './select/sql.ts';
import type { Look } from './show/look.ts';
import { checkIntervals, select } from './select/select.ts';
import { rowsOf, show } from './show/show.ts';

export type StatementDependencies = ScopeDependencies & StoreDependencies;

/** A query that was read. */
type Query = {
  statements: readonly Statement[];
  /** Of statements that name none; '' if the request names none either. */
  database: string;
  caller: UserCaller;
  signal: AbortSignal;
};

/**
 * Refuses what no answer can hold, before anything is read.
 *
 * @throws DomainError `malformed`
 */
export function checkStatements(statements: readonly Statement[]): void {
  for (const one of statements) if (one.kind === 'select') checkIntervals(one, nowNanoseconds());
}

/** The results of the statements, one after the other. After one that fails no other is carried out, as in InfluxDB. */
export async function* resultsOf(
  dependencies: StatementDependencies,
  query: Query,
): AsyncGenerator<Result> {
  const store = openStore(dependencies, query.signal);
  const scopes = new Map<string, Promise<Scope>>();
  const measurements = measurementsNamed(query.statements);
  const scopeOf = (database: string | undefined) => {
    const name = database ?? query.database;
    if (name === '') throw new DomainError('malformed', 'database name required');
    const scope = scopes.get(name) ?? openScope(dependencies, query.caller, name, measurements);
    scopes.set(name, scope);
    return scope;
  };
  const context = { ...dependencies, store, scopeOf, caller: query.caller, now: nowNanoseconds() };
  let hasFailed = false;
  const noting = async function* (batches: Batches): AsyncGenerator<readonly Row[]> {
    try {
      yield* batches;
    } catch (error) {
      hasFailed = true;
      throw nameOf(error);
    }
  };
  for (const [statement, one] of query.statements.entries()) {
    const batches = hasFailed ? notExecuted() : noting(rowsOfStatement(context, one));
    yield { statement, batches };
  }
}

/** Of all SELECTs; those of a pattern are found later. */
function measurementsNamed(statements: readonly Statement[]): string[] {
  const names = statements.flatMap((one) =>
    one.kind === 'select'
      ? one.sources.flatMap(({ measurement }) =>
          measurement.kind === 'name' ? [measurement.name] : [],
        )
      : [],
  );
  return [...new Set(names)].slice(0, limits.influxMeasurementsMax);
}

/** ClickHouse's code for a pattern that it can't read, or that takes too much memory. */
const patternCode = '427';

function nameOf(error: unknown): unknown {
  return error instanceof ClickHouseError && error.code === patternCode
    ? new DomainError('malformed', 'a regular expression can not be read: its grammar is RE2')
    : error;
}

const nowNanoseconds = () => BigInt(Date.now()) * 1_000_000n;

// oxlint-disable-next-line require-yield -- rows that are never there
async function* notExecuted(): AsyncGenerator<readonly Row[]> {
  throw new DomainError('malformed', 'not executed');
}

type Context = StatementDependencies & {
  store: Store;
  scopeOf: (database: string | undefined) => Promise<Scope>;
  caller: UserCaller;
  now: bigint;
};

async function* rowsOfStatement(
  context: Context,
  statement: Statement,
): AsyncGenerator<readonly Row[]> {
  const { db, caller } = context;
  if (statement.kind === 'showDatabases') {
    const names = await findDatabases(db, caller);
    yield rowsOf({ name: 'databases', columns: ['name'], values: names.map((one) => [one]) });
  } else if (statement.kind === 'showRetentionPolicies') {
    await context.scopeOf(statement.database);
    yield rowsOf(retentionPolicies);
  } else if (statement.kind === 'createDatabase') {
    // Clients say so before they write: one that is there stays as it is.
    await context.scopeOf(statement.name);
  } else if (statement.kind === 'select') {
    yield* selectIn(context, statement);
  } else yield await show(statement, await lookOf(context, statement));
}

async function* selectIn(context: Context, statement: Select): AsyncGenerator<readonly Row[]> {
  const { db, store, now, scopeOf } = context;
  const [{ database } = {}, ...others] = statement.sources;
  if (others.some((source) => source.database !== database)) {
    throw new DomainError('malformed', 'the measurements of a SELECT are of one database');
  }
  yield* select({ db, store, now, scope: await scopeOf(database) }, statement);
}

/** Names and rules are those that InfluxDB begins with: how long messages are kept is a setting of orgs and groups. */
const retentionPolicies = {
  columns: ['name', 'duration', 'shardGroupDuration', 'replicaN', 'default'],
  values: [['autogen', '0s', '168h0m0s', 1, true]],
};

async function lookOf(
  { db, store, scopeOf, now }: Context,
  statement: Exclude<
    Statement,
    { kind: 'select' | 'createDatabase' | 'showDatabases' | 'showRetentionPolicies' }
  >,
): Promise<Look> {
  const sources: readonly Source[] =
    statement.kind === 'showMeasurements'
      ? [statement.measurement ?? []].flat()
      : statement.sources;
  const scope = await scopeOf(statement.database ?? sources[0]?.database);
  const condition = statement.kind === 'showFieldKeys' ? undefined : statement.condition;
  const { range, rest } = takeRange(condition, { now, zone: undefined });
  return {
    db,
    store,
    scope,
    range,
    now,
    measurements: sources.map(({ measurement }) => measurement),
    test: rest === undefined ? undefined : await conditionOf(db, scope, rest),
  };
}

/** SQL of a condition of SHOW, which is one on tags. */
async function conditionOf(
  db: Database,
  scope: Scope,
  condition: Expression,
): Promise<(where: Where) => string> {
  const test = withTagsTogether(testOf(condition, () => undefined));
  const required = requiredOf(test).flatMap((one) => (one.kind === 'tag' ? [one.test] : []));
  const things = await readThings(db, scope, { tests: tagTestsOf(test), required, shown: [] });
  const tags = tagsOf(scope, things);
  return (where) => testSql(where, tags, test);
}
