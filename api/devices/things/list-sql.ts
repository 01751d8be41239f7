import type { Role } from '../../../schemas/roles.ts';
import { externalKeyLength, type thingOrders } from '../../../schemas/resources/thing.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addPlace, addReach, roleColumn, type Scope } from '../../access/reach.ts';
import type { Database } from '../../stores/database.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';
import { findBySeen, isBySeenAlone, seenTime } from './by-seen-sql.ts';
import { columns, type ListedThing, type ThingRow, toListed } from './sql.ts';

const orders: Readonly<Record<(typeof thingOrders)[number], string>> = {
  id: 'id',
  // A name may be longer than a row of an index.
  name: 'left(name, 255)',
  type: 'type',
  created_at: 'created_at',
  updated_at: 'updated_at',
  // Things that were never heard come before all others.
  last_seen: "coalesce(seen.seen_at, '-infinity')",
};
const indexed = ['id', 'name', 'created_at'];

/** Characters of a text that a trigram needs: a shorter one is looked for among the parts of names. */
const trigramChars = 3;

/**
 * Things in the user's groups. Uses `group_memberships_member`, `things_group`, `things_profile`,
 * `things_metadata`, `things_by_name`, `things_by_name_in_group`, `things_by_creation` and, for a text, `things_name_parts` or
 * `things_short_parts`; the roles on the primary key of memberships, for the rows of the page only.
 */
export async function findThings(
  db: Database,
  user: UserCaller,
  scope: Scope,
  query: ListQuery,
  externalLookup: (key: string) => Buffer,
): Promise<ListPage<ListedThing>> {
  if (isBySeenAlone(scope, query)) return findBySeen(db, user, scope, query);
  const conditions = new Conditions();
  addReach(conditions, 'group_id', user);
  addPlace(conditions, 'group_id', scope);
  if (scope.of === 'profile') conditions.add(`profile_id = ${conditions.bind(scope.id)}`);
  containsName(conditions, query.name);
  conditions.equals('type', query.type);
  conditions.containsJson('metadata', metadataFilterOf(query));
  addText(conditions, user, query.text, externalLookup);
  addHeard(conditions, query);
  const { silent_since: silentSince, seen_since: seenSince } = query;
  if (silentSince !== undefined) {
    const since = conditions.bind(seenTime('silent_since', silentSince));
    conditions.add(`coalesce(seen.seen_at, '-infinity') < ${since}`);
  }
  if (seenSince !== undefined) {
    conditions.add(`seen.seen_at >= ${conditions.bind(seenTime('seen_since', seenSince))}`);
  }
  const asksSeen = query.order === 'last_seen' || (silentSince ?? seenSince) !== undefined;
  const joined = asksSeen ? 'LEFT JOIN things_seen AS seen ON seen.thing_id = things.id' : '';
  const isSearched = (query.name ?? '') !== '' || (query.text ?? '') !== '';
  // PostgreSQL knows how many things one group has, but not those of an org or of a user.
  const isWalked = isSearched || scope.of !== 'group';
  const role = roleColumn(conditions, 'things.group_id', user);
  const { rows, ...page } = await findPage<ThingRow & { role: Role }>(
    db,
    {
      columns: `${columns}, ${role}`,
      from: `things ${joined}`,
      conditions,
      orders,
      id: 'id',
      isLong: true,
      ...(isWalked ? { walked: { table: 'things', joined, orders: indexed, isSearched } } : {}),
    },
    query,
  );
  return { ...page, rows: rows.map(toListed) };
}

function containsName(conditions: Conditions, part: string | undefined): void {
  if (part !== undefined && part !== '') conditions.add(nameContains(conditions, part));
}

/** The name contains the text, in upper or lower case. */
function nameContains(conditions: Conditions, part: string): string {
  const chars = Array.from(part).length;
  // Some letters become two in lower case.
  if (chars >= trigramChars || Array.from(part.toLowerCase()).length !== chars) {
    return `name ILIKE ${conditions.bind(`%${part.replaceAll(/[\\%_]/g, '\\$&')}%`)}`;
  }
  // By ILIKE, PostgreSQL would read the whole index of trigrams beside that of parts.
  const low = `lower(${conditions.bind(part)})`;
  return `strpos(lower(name), ${low}) > 0 AND short_parts(name) @> ARRAY[${low}]`;
}

/** Only things of this name, id or external key. Who may not see keys does not find by them. */
function addText(
  conditions: Conditions,
  user: UserCaller,
  text: string | undefined,
  externalLookup: (key: string) => Buffer,
): void {
  if (text === undefined || text === '') return;
  const ways = [nameContains(conditions, text)];
  const hex = text.toLowerCase().replaceAll('-', '');
  if (/^[0-9a-f]{4,32}$/.test(hex)) {
    const [low, high] = [hex.padEnd(32, '0'), hex.padEnd(32, 'f')];
    ways.push(`id BETWEEN ${conditions.bind(low)}::uuid AND ${conditions.bind(high)}::uuid`);
  }
  if (text.length >= externalKeyLength.minLength) {
    const isKey = `external_key_lookup = ${conditions.bind(externalLookup(text))}`;
    ways.push(user.platformAdmin ? isKey : `${isKey} AND ${isEdited(conditions, user)}`);
  }
  conditions.add(ways.map((way) => `(${way})`).join(' OR '));
}

const isEdited = (conditions: Conditions, user: UserCaller) =>
  `group_id IN (SELECT group_id FROM group_memberships
                WHERE member_id = ${conditions.bind(user.id)} AND role IN ('editor', 'admin', 'owner'))`;

/** Uses the primary keys of when things were seen, and of what was refused. */
function addHeard(conditions: Conditions, { heard, refused }: ListQuery): void {
  const add = (isThere: boolean | undefined, table: string) => {
    if (isThere === undefined) return;
    const found = `EXISTS (SELECT FROM ${table} AS one WHERE one.thing_id = things.id)`;
    conditions.add(isThere ? found : `NOT ${found}`);
  };
  add(heard, 'things_seen');
  add(refused, 'things_refused');
}
