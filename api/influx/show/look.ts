import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { limits } from '../../limits.ts';
import { Where } from '../../messages/query/where.ts';
import type { Store } from '../../messages/store/store.ts';
import type { Database } from '../../stores/database.ts';
import { isInScope, type TimeRange } from '../model/points.ts';
import type { Scope } from '../model/scope.ts';
import { lookedAt, lookSettings } from './window.ts';

/** A measurement that a statement names, or a pattern (RE2) that its measurements match. */
type MeasurementName = { kind: 'name'; name: string } | { kind: 'regex'; pattern: string };

/** Where names are looked for. */
export type Look = {
  db: Database;
  store: Store;
  scope: Scope;
  range: TimeRange;
  /** Nanoseconds since 1970. */
  now: bigint;
  /** None: all. */
  measurements: readonly MeasurementName[];
  /** SQL of the condition on tags, over `publisher`, `subtopic` and `unit`. */
  test: ((where: Where) => string) | undefined;
};

/** The question: distinct values of these expressions, which are of these columns of a row. */
type Wanted = {
  raw: readonly ('publisher' | 'subtopic' | 'unit' | 'kind')[];
  select: (where: Where) => readonly string[];
};

/** `name`: of a record, or the measurement of a JSON message. `cells`: the values of the expressions, as text. */
type Found = { format: MessageFormat; name: string; cells: readonly string[] };

/** Distinct records in reach, no more than `namesShownMax` of each format, by their names. */
export async function look(of: Look, wanted: Wanted): Promise<Found[]> {
  const profiles = await findProfiles(of);
  const senml = await lookIn('senml', of, wanted, () => 'toString(name)');
  if (profiles.ids.length === 0) return senml;
  const json = await lookIn('json', of, wanted, (where) => profileName(where, profiles));
  return [...senml, ...json.filter(({ name }) => name !== '')];
}

async function lookIn(
  format: MessageFormat,
  of: Look,
  { raw, select }: Wanted,
  nameIn: (where: Where) => string,
): Promise<Found[]> {
  const { store, scope, now, measurements, test } = of;
  const where = new Where();
  const range = await lookedAt(store, format, scope, of.range, now);
  const name = nameIn(where);
  where.add(isInScope(where, format, scope, range));
  const measured = measurements.map((one) => isOf(where, format, name, one));
  if (measured.length > 0) where.add(`(${measured.join(' OR ')})`);
  const within = test === undefined ? 'true' : test(where);
  const columns = raw.map((column) => columnOf[format][column] ?? column);
  const cells = select(where).map((cell) => `, toString(${cell})`);
  const text = await store.text(
    `SELECT DISTINCT toJSONString([record_name${cells.join('')}]) FROM (
       SELECT DISTINCT ${[`${name} AS record_name`, ...columns].join(', ')}
       FROM (SELECT *${format === 'json' ? `, '' AS unit` : ''} FROM ${messageTables[format].name})
       WHERE ${where.text} AND ${within})
     ORDER BY 1 LIMIT ${limits.namesShownMax}
     SETTINGS ${lookSettings}`,
    where.bound,
  );
  return textRows(text).map(([found = '', ...values]) => ({ format, name: found, cells: values }));
}

const Texts = Type.Array(Type.String());

/** Lines that are JSON arrays of texts. */
export function textRows(text: string): string[][] {
  return text === '' ? [] : text.split('\n').map((line) => Value.Parse(Texts, JSON.parse(line)));
}

const columnOf: Readonly<Record<MessageFormat, Partial<Record<string, string>>>> = {
  senml: { kind: 'toString(kind) AS kind' },
  json: { kind: `'' AS kind` },
};

/** A record's measurement is its name without its last part, and where that is asked for, its whole name. */
function isOf(
  where: Where,
  format: MessageFormat,
  name: string,
  measurement: MeasurementName,
): string {
  const own = format === 'json' ? name : measurementOf(name);
  if (measurement.kind === 'regex') {
    return `match(${own}, ${where.bind('String', measurement.pattern)})`;
  }
  const bound = where.bind('String', measurement.name);
  return format === 'json' ? `${own} = ${bound}` : `(${own} = ${bound} OR ${name} = ${bound})`;
}

/** As `pointNameOf`. */
const measurementOf = (name: string) =>
  String.raw`if(match(${name}, '^.+[.][^.]+$'), replaceRegexpOne(${name}, '[.][^.]*$', ''), ${name})`;

/** Things with JSON messages, each with the name of its profile. */
type Profiles = { ids: readonly string[]; names: readonly string[] };

export const profileName = (where: Where, { ids, names }: Profiles) =>
  `transform(publisher, ${where.bind('Array(UUID)', ids)}, ${where.bind('Array(String)', names)}, '')`;

/** No more than `statementThingsMax` things. Uses the projection `totals`, and the primary key of things. */
export async function findProfiles({
  db,
  store,
  scope,
}: Pick<Look, 'db' | 'store' | 'scope'>): Promise<Profiles> {
  const where = new Where();
  where.add(isInScope(where, 'json', scope, {}));
  const text = await store.text(
    `SELECT publisher FROM ${messageTables.json.name} WHERE ${where.text}
     GROUP BY publisher LIMIT ${limits.statementThingsMax}`,
    where.bound,
  );
  if (text === '') return { ids: [], names: [] };
  const rows = await db.rows<{ id: string; name: string }>(
    `SELECT things.id, profiles.name FROM things JOIN profiles ON profiles.id = things.profile_id
     WHERE things.id = ANY ($1::uuid[])`,
    [text.split('\n')],
  );
  return { ids: rows.map(({ id }) => id), names: rows.map(({ name }) => name) };
}
