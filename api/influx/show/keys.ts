import { pointNameOf } from '../../../schemas/messages/points.ts';
import { messageTables } from '../../../schemas/messages/tables.ts';
import { limits } from '../../limits.ts';
import { readablePayload } from '../../messages/query/payload.ts';
import { Where } from '../../messages/query/where.ts';
import { type FieldWanted, isInScope, type ValueKind } from '../model/points.ts';
import { tagKeysOfRow, tagOfRow } from '../model/tags.ts';
import { findThingsById } from '../model/things.ts';
import { findProfiles, look, type Look, profileName, textRows } from './look.ts';
import { lookedAt, lookSettings } from './window.ts';

/** Something of each measurement, by its name, in the order of names. */
type ByMeasurement<Of> = ReadonlyMap<string, readonly Of[]>;

/** The measurement and the field of what was found: a whole name that a statement asks for is a measurement itself. */
function placeOf(
  { measurements }: Look,
  { format, name }: { format: string; name: string },
  kindField: string,
): { measurement: string; field: string } {
  const isWhole = measurements.some((one) => one.kind === 'name' && one.name === name);
  if (format === 'json') return { measurement: name, field: '' };
  return isWhole ? { measurement: name, field: kindField } : pointNameOf(name, kindField);
}

export async function findMeasurements(of: Look): Promise<string[]> {
  const found = await look(of, { raw: [], select: () => [] });
  return sorted(found.map((one) => placeOf(of, one, 'value').measurement));
}

/** The fields of each measurement, with the kinds of their values. */
export async function findFieldKeys(of: Look): Promise<ByMeasurement<Required<FieldWanted>>> {
  const found = await look({ ...of }, { raw: ['kind'], select: () => ['kind'] });
  const all = found
    .filter(({ format, cells }) => format === 'senml' && cells[0] !== 'none')
    .map((one) => {
      const [stored = ''] = one.cells;
      const { measurement, field: key } = placeOf(of, one, stored);
      const kind: ValueKind = stored === 'value' || stored === 'bool' ? stored : 'string';
      return { measurement, of: { key, kind } };
    });
  return grouped([...all, ...(await findMembers(of))], ({ key, kind }) => `${key} ${kind}`);
}

/** The members of payloads, of the newest messages. */
async function findMembers(of: Look) {
  const { store, scope, now, measurements, test } = of;
  const profiles = await findProfiles(of);
  if (profiles.ids.length === 0) return [];
  const where = new Where();
  const name = profileName(where, profiles);
  where.add(isInScope(where, 'json', scope, await lookedAt(store, 'json', scope, of.range, now)));
  where.add(`${name} != ''`);
  const named = measurements.map((one) =>
    one.kind === 'name'
      ? `${name} = ${where.bind('String', one.name)}`
      : `match(${name}, ${where.bind('String', one.pattern)})`,
  );
  if (named.length > 0) where.add(`(${named.join(' OR ')})`);
  if (test !== undefined) where.add(test(where));
  const { name: table, day } = messageTables.json;
  const text = await store.text(
    `SELECT DISTINCT toJSONString([measurement, member.1, member.2]) FROM (
       SELECT ${name} AS measurement, ${readablePayload} AS doc
       FROM (SELECT *, '' AS unit FROM ${table}) WHERE ${where.text}
       ORDER BY ${day} DESC LIMIT ${limits.payloadsLookedAtMax})
     ARRAY JOIN CAST(JSONAllPathsWithTypes(CAST(doc, 'JSON')), 'Array(Tuple(String, String))') AS member
     LIMIT ${limits.namesShownMax} SETTINGS ${lookSettings}`,
    where.bound,
  );
  return textRows(text).map(([measurement = '', key = '', type = '']) => {
    const kind: ValueKind = /^(?:U?Int|Float)/.test(type)
      ? 'value'
      : type === 'Bool'
        ? 'bool'
        : 'string';
    return { measurement, of: { key, kind } };
  });
}

/** The keys of the tags of each measurement. */
export async function findTagKeys(of: Look): Promise<ByMeasurement<string>> {
  const found = await look(of, {
    raw: ['subtopic', 'unit'],
    select: () => [`arrayJoin(arrayConcat(['thing', 'thing_id', 'group'], ${tagKeysOfRow}))`],
  });
  const keys = found.map((one) => ({
    measurement: placeOf(of, one, 'value').measurement,
    of: decoded(one.cells[0] ?? ''),
  }));
  return grouped(keys, (key) => key);
}

/** Of every record. */
const tagsOfThings = ['thing', 'thing_id', 'group'];

/** A key as it was written, before it was encoded. */
function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}

/** The values of a tag of each measurement. */
export async function findTagValues(of: Look, tag: string): Promise<ByMeasurement<string>> {
  if (tagsOfThings.includes(tag)) return findThingTags(of, tag);
  const found = await look(of, {
    raw: tag === 'unit' ? ['unit'] : ['subtopic'],
    select: (where) => [tagOfRow(where, tag)],
  });
  const values = found
    .map((one) => ({
      measurement: placeOf(of, one, 'value').measurement,
      of: one.cells[0] ?? '',
    }))
    .filter((one) => one.of !== '');
  return grouped(values, (value) => value);
}

async function findThingTags(of: Look, tag: string): Promise<ByMeasurement<string>> {
  const found = await look(of, { raw: ['publisher'], select: () => ['publisher'] });
  const ids = sorted(found.flatMap(({ cells }) => cells));
  const things = await findThingsById(of.db, of.scope, ids);
  const texts = new Map(
    things.map(({ id, name, group }) => [id, { thing: name, thing_id: id, group }[tag] ?? '']),
  );
  const values = found.map((one) => ({
    measurement: placeOf(of, one, 'value').measurement,
    of: texts.get(one.cells[0] ?? '') ?? '',
  }));
  return grouped(
    values.filter((one) => one.of !== ''),
    (value) => value,
  );
}

/** A series: its measurement and its tags, in the order of their keys. */
type FoundSeries = { measurement: string; tags: readonly (readonly [string, string])[] };

export async function findSeries(of: Look): Promise<FoundSeries[]> {
  const found = await look(of, {
    raw: ['publisher', 'subtopic', 'unit'],
    select: () => ['publisher', 'subtopic', 'unit'],
  });
  const things = await findThingsById(
    of.db,
    of.scope,
    sorted(found.map(({ cells }) => cells[0] ?? '')),
  );
  const thingById = new Map(things.map((thing) => [thing.id, thing]));
  const series = found.map((one) => {
    const [id = '', subtopic = '', unit = ''] = one.cells;
    const { name = '', group = '' } = thingById.get(id) ?? {};
    const tags = [
      ...tagsInSubtopic(subtopic),
      ['unit', unit],
      ['thing', name],
      ['thing_id', id],
      ['group', group],
    ] as const;
    return {
      measurement: placeOf(of, one, 'value').measurement,
      tags: tags.filter(([, value]) => value !== '').toSorted(([a], [b]) => (a < b ? -1 : 1)),
    };
  });
  return [...new Map(series.map((one) => [JSON.stringify(one), one])).values()];
}

/** The tags that a subtopic has: its parts `key=value`, and the rest. */
function tagsInSubtopic(subtopic: string): (readonly [string, string])[] {
  const parts = subtopic.split('.').map((part) => [part, part.indexOf('=')] as const);
  const plain = parts.filter(([, at]) => at < 1).map(([part]) => part);
  const keyed = parts
    .filter(([, at]) => at > 0)
    .map(([part, at]) => [decoded(part.slice(0, at)), decoded(part.slice(at + 1))] as const);
  return [['subtopic', plain.join('.')], ...keyed];
}

const sorted = (texts: readonly string[]) => [...new Set(texts)].toSorted();

/** The distinct ones of each measurement, by their keys; all in the order of keys. */
function grouped<Of>(
  all: readonly { measurement: string; of: Of }[],
  keyOf: (one: Of) => string,
): ByMeasurement<Of> {
  const byName = Map.groupBy(all, ({ measurement }) => measurement);
  return new Map(
    sorted([...byName.keys()]).map((measurement) => {
      const distinct = new Map((byName.get(measurement) ?? []).map(({ of }) => [keyOf(of), of]));
      return [measurement, sorted([...distinct.keys()]).flatMap((key) => distinct.get(key) ?? [])];
    }),
  );
}
