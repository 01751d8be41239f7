import type { Show, TagKeys } from '../language/ast.ts';
import type { Row } from '../answers/result.ts';
import { findFieldKeys, findMeasurements, findSeries, findTagKeys, findTagValues } from './keys.ts';
import type { Look } from './look.ts';
import { matching } from './matching.ts';

/** A series of an answer whose values are in memory. */
type Table = { name?: string; columns: readonly string[]; values: readonly unknown[][] };

/** SHOW statements about what is stored in a database. */
type ShowStored = Exclude<Show, { kind: 'showDatabases' } | { kind: 'showRetentionPolicies' }>;

/** Rows of tables, as InfluxDB has them for the statement. */
export async function show(statement: ShowStored, of: Look): Promise<Row[]> {
  return (await tablesOf(statement, of)).flatMap(rowsOf);
}

export function rowsOf({ name, columns, values }: Table): Row[] {
  const series = { name, tags: [], columns };
  return values.map((row) => ({ series, time: undefined, values: JSON.stringify(row) }));
}

async function tablesOf(statement: ShowStored, of: Look): Promise<Table[]> {
  const cut = <Of>(all: readonly Of[]) => limited(all, statement);
  switch (statement.kind) {
    case 'showMeasurements': {
      const names = cut(await findMeasurements(of));
      return [{ name: 'measurements', columns: ['name'], values: names.map((one) => [one]) }];
    }
    case 'showFieldKeys':
      return [...(await findFieldKeys(of))].map(([name, fields]) => ({
        name,
        columns: ['fieldKey', 'fieldType'],
        values: cut(fields.map(({ key, kind }) => [key, fieldTypes[kind]])),
      }));
    case 'showTagKeys':
      return [...(await findTagKeys(of))].map(([name, keys]) => ({
        name,
        columns: ['tagKey'],
        values: cut(keys.map((key) => [key])),
      }));
    case 'showTagValues':
      return tagValues(await chosenKeys(statement.keys, of), of, cut);
    case 'showSeries': {
      const keys = (await findSeries(of)).map(keyOfSeries).toSorted();
      return [{ columns: ['key'], values: cut(keys).map((key) => [key]) }];
    }
    case 'showCardinality':
      return cardinality(statement, of);
    default:
      return statement satisfies never;
  }
}

const fieldTypes = { value: 'float', string: 'string', bool: 'boolean' } as const;

function limited<Of>(
  all: readonly Of[],
  { limit, offset }: { limit: number; offset: number },
): readonly Of[] {
  return all.slice(offset, limit === 0 ? undefined : offset + limit);
}

async function chosenKeys(keys: TagKeys, of: Look): Promise<readonly string[]> {
  if (keys.kind === 'names') return keys.names.toSorted();
  const all = [...new Set([...(await findTagKeys(of)).values()].flat())].toSorted();
  if (keys.kind === 'otherThan') return all.filter((key) => key !== keys.name);
  const found = await matching(of.store, all, keys.pattern);
  return all.filter((key) => found.has(key) === (keys.kind === 'matching'));
}

async function tagValues(
  keys: readonly string[],
  of: Look,
  cut: <Of>(all: readonly Of[]) => readonly Of[],
): Promise<Table[]> {
  const tables = new Map<string, string[][]>();
  for (const key of keys) {
    for (const [measurement, values] of await findTagValues(of, key)) {
      const rows = values.map((value) => [key, value]);
      tables.set(measurement, [...(tables.get(measurement) ?? []), ...rows]);
    }
  }
  return [...tables]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, values]) => ({ name, columns: ['key', 'value'], values: [...cut(values)] }));
}

async function cardinality(
  { of: counted, exact }: Extract<ShowStored, { kind: 'showCardinality' }>,
  of: Look,
): Promise<Table[]> {
  if (counted === 'measurements') {
    const { length } = await findMeasurements(of);
    return [{ columns: [exact ? 'count' : 'cardinality estimation'], values: [[length]] }];
  }
  const series = await findSeries(of);
  if (!exact) return [{ columns: ['cardinality estimation'], values: [[series.length]] }];
  const byName = Map.groupBy(series, ({ measurement }) => measurement);
  return [...byName]
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([name, all]) => ({ name, columns: ['count'], values: [[all.length]] }));
}

/** As line protocol writes it. */
function keyOfSeries({
  measurement,
  tags,
}: {
  measurement: string;
  tags: readonly (readonly [string, string])[];
}): string {
  const escaped = (text: string) => text.replace(/[,= ]/g, '\\$&');
  return [
    measurement.replace(/[, ]/g, '\\$&'),
    ...tags.map(([key, value]) => `${escaped(key)}=${escaped(value)}`),
  ].join(',');
}
