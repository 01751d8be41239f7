import { DomainError } from '../../../schemas/http/errors.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import type { Scope } from './scope.ts';
import { isUuid, literalsOfTest, type TagTest } from './tag-test.ts';

/** Things with their names and those of their groups, as far as a statement needs them. */
export type Things = { all: readonly { id: string; name: string; group: string }[] };

/** How a statement uses tags. */
export type TagUse = {
  /** All comparisons. */
  tests: readonly TagTest[];
  /** Those of them that every point of the answer passes. */
  required: readonly TagTest[];
  /** Tags whose values are in the answer, or that it is grouped by. */
  shown: readonly string[];
};

/**
 * Looks up the things whose names a statement needs: of none, of those that it compares with, or of all in reach.
 *
 * @throws DomainError `malformed` if there are too many
 */
export async function readThings(db: Database, scope: Scope, use: TagUse): Promise<Things> {
  const shows = use.shown.some((tag) => tag === 'thing' || tag === 'group');
  const tests = use.tests.filter(({ tag }) => tag === 'thing');
  const isByPattern = tests.some((test) => literalsOfTest(test) === undefined);
  if (!shows && !isByPattern) {
    const names = tests.flatMap((test) => literalsOfTest(test) ?? []);
    return { all: names.length === 0 ? [] : await findThings(db, scope, { names }) };
  }
  return { all: await findThings(db, scope, narrowed(scope, use)) };
}

type Wanted = { names?: readonly string[]; ids?: readonly string[]; groups?: readonly string[] };

/** The conditions that all things of the answer fulfil, so that not all in reach are looked up. */
function narrowed({ groups }: Scope, { tests, required }: TagUse): Wanted {
  const literals = (tag: string) =>
    required
      .filter((test) => test.tag === tag && (test.kind === 'equal' || test.kind === 'matches'))
      .map(literalsOfTest)
      .find((texts) => texts !== undefined);
  const inGroups = literals('group');
  const ids = literals('thing_id');
  const names = literals('thing');
  // Other comparisons need the things that they are with.
  const others = tests.filter(({ tag }) => tag === 'thing');
  return {
    ...(inGroups === undefined
      ? {}
      : { groups: groups.filter(({ name }) => inGroups.includes(name)).map(({ id }) => id) }),
    ...(ids === undefined ? {} : { ids }),
    ...(names === undefined || others.length > 1 ? {} : { names }),
  };
}

/** Uses `things_name`, the primary key or `things_group`. */
async function findThings(
  db: Database,
  scope: Scope,
  { names, ids, groups }: Wanted,
): Promise<Things['all']> {
  const within = new Conditions();
  within.add(`group_id = ANY (${within.bind(groups ?? scope.groups.map(({ id }) => id))}::uuid[])`);
  if (names !== undefined) {
    const bound = within.bind(names);
    within.add(`name = ANY (${bound}::text[])`);
    within.add(`name_hash(name) = ANY (ARRAY(SELECT name_hash(unnest(${bound}::text[]))))`);
  }
  if (ids !== undefined) within.add(`id = ANY (${within.bind(ids.filter(isUuid))}::uuid[])`);
  const rows = await db.rows<{ id: string; name: string; group_id: string }>(
    `SELECT id, name, group_id FROM things WHERE ${within.text}
     LIMIT ${within.bind(limits.statementThingsMax + 1)}`,
    within.values,
  );
  if (rows.length > limits.statementThingsMax) {
    throw new DomainError(
      'malformed',
      `more than ${limits.statementThingsMax} things are in reach: compare group or thing_id, or group by thing_id`,
    );
  }
  const groupNames = new Map(scope.groups.map(({ id, name }) => [id, name]));
  return rows.map(({ id, name, group_id }) => ({
    id,
    name,
    group: groupNames.get(group_id) ?? '',
  }));
}

/** Those of these things that are in the scope. Uses the primary key. */
export async function findThingsById(
  db: Database,
  scope: Scope,
  ids: readonly string[],
): Promise<Things['all']> {
  return ids.length === 0 ? [] : findThings(db, scope, { ids });
}
