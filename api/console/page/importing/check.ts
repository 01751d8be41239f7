import { neutralized } from '../../../../schemas/csv.ts';
import type { Requests, Thing } from '../client/call.ts';
import { valueOf } from '../things/list-filters.ts';
import { thingTypes } from '../things/thing-types.ts';
import { importingTexts } from '../texts/importing.ts';
import type { Target } from './columns.ts';
import { isV4 } from './ids.ts';
import type { CsvRow } from './read-csv.ts';

const words = importingTexts.problems;

type NewThing = Requests['createThings']['body'][number];

/** A profile that a row names, by itself or by its group; or why there is none. */
export type Place =
  | { kind: 'profile'; id: string; groupId: string }
  | { kind: 'wrong'; why: string };

/** The profile and the group that a row names. */
export type Wish = { profile: string; group: string };
export const wishKey = ({ profile, group }: Wish): string => JSON.stringify([profile, group]);

/** A fault of a row; `column` is the place of the cell in the file. */
type Problem = { column: number | undefined; why: string };

/** A row as it was understood: the thing to make of it, or what is wrong. */
export type Checked = CsvRow &
  (
    | { kind: 'thing'; thing: NewThing; profileId: string }
    | { kind: 'wrong'; problems: readonly Problem[] }
  );

const nameMax = 1_024;
const externalKeyMin = 5;
const keyMax = 4_096;
const uuid = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;
export const isId = (text: string): boolean => uuid.test(text);

/** The cells of a row, by where their columns go. */
type Cells = { at: ReadonlyMap<Target, number>; of: (target: Target) => string };

function cellsOf(cells: readonly string[], targets: readonly Target[]): Cells {
  const at = new Map(targets.map((target, column) => [target, column] as const));
  return { at, of: (target) => asSent(cells[at.get(target) ?? -1] ?? '') };
}

/** Before a text that a spreadsheet would run as a formula, files of ours have a quote more. */
const asSent = (cell: string) =>
  cell.startsWith("'") && neutralized(cell) !== cell ? cell.slice(1) : cell;

export function wishOf(row: CsvRow, targets: readonly Target[]): Wish {
  const { of } = cellsOf(row.cells, targets);
  return { profile: of('profile'), group: of('group') };
}

/** Checks all rows: each by itself, and against the rows before it. */
export function checkRows(
  rows: readonly CsvRow[],
  targets: readonly Target[],
  given: { type: Thing['type']; placeOf: (wish: Wish) => Place },
): Checked[] {
  const seen = new Map<string, number>();
  return rows.map((row) => {
    const checked = checkRow(row, targets, given);
    if (checked.kind === 'wrong') return checked;
    const twice = repeated(checked, targets, seen);
    return twice.length === 0 ? checked : { ...row, kind: 'wrong', problems: twice };
  });
}

function checkRow(
  row: CsvRow,
  targets: readonly Target[],
  given: { type: Thing['type']; placeOf: (wish: Wish) => Place },
): Checked {
  const cells = cellsOf(row.cells, targets);
  const problems: Problem[] = [];
  const wrong = (target: Target, why: string) =>
    problems.push({ column: cells.at.get(target), why });
  const name = cells.of('name');
  if (name === '') wrong('name', words.noName);
  if (Array.from(name).length > nameMax) wrong('name', words.longName(nameMax));
  const type = typeOf(cells.of('type'), given.type);
  if (type === undefined) wrong('type', words.noType(thingTypes.join(', ')));
  const id = cells.of('id');
  if (id !== '' && !isV4(id)) wrong('id', words.noId);
  const externalKey = cells.of('external_key');
  const keyLength = Array.from(externalKey).length;
  if (externalKey !== '' && (keyLength < externalKeyMin || keyLength > nameMax)) {
    wrong('external_key', words.externalKey(externalKeyMin, nameMax));
  }
  const key = cells.of('key');
  if (Array.from(key).length > keyMax) wrong('key', words.longKey(keyMax));
  const metadata = metadataOf(cells, targets);
  if (metadata === undefined) wrong('metadata', words.noObject);
  const place = given.placeOf({ profile: cells.of('profile'), group: cells.of('group') });
  if (place.kind === 'wrong') wrong(cells.of('profile') === '' ? 'group' : 'profile', place.why);
  if (problems.length > 0 || type === undefined || place.kind === 'wrong') {
    return { ...row, kind: 'wrong', problems };
  }
  const thing = {
    name,
    type,
    ...(id === '' ? {} : { id: id.toLowerCase() }),
    ...(key === '' ? {} : { key }),
    ...(externalKey === '' ? {} : { external_key: externalKey }),
    ...(metadata === undefined || Object.keys(metadata).length === 0 ? {} : { metadata }),
  };
  return { ...row, kind: 'thing', thing, profileId: place.id };
}

const typeOf = (cell: string, usual: Thing['type']): Thing['type'] | undefined =>
  cell === '' ? usual : thingTypes.find((one) => one === cell.toLowerCase());

/** The column of metadata whole, and the members that have columns of their own; undefined if the first is no object. */
function metadataOf(cells: Cells, targets: readonly Target[]): Record<string, unknown> | undefined {
  const whole = objectIn(cells.of('metadata'));
  if (whole === undefined) return undefined;
  const members = targets.flatMap((target): [string, unknown][] => {
    if (!target.startsWith('metadata.')) return [];
    const cell = cells.of(target);
    return cell === '' ? [] : [[target.slice('metadata.'.length), valueOf(cell)]];
  });
  return { ...whole, ...Object.fromEntries(members) };
}

function objectIn(text: string): Record<string, unknown> | undefined {
  if (text === '') return {};
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? { ...value }
      : undefined;
  } catch {
    return undefined;
  }
}

/** Finds the values that a row before it has as well: none may be twice. */
function repeated(
  checked: CsvRow & { thing: NewThing; profileId: string },
  targets: readonly Target[],
  seen: Map<string, number>,
): Problem[] {
  const { line, thing, profileId } = checked;
  // Names are apart in each group: of two profiles of one group, the API tells.
  const all: [Target, string | undefined][] = [
    ['name', `${profileId} ${thing.name}`],
    ['id', thing.id],
    ['external_key', thing.external_key],
    ['key', thing.key],
  ];
  return all.flatMap(([target, value]) => {
    if (value === undefined) return [];
    const before = seen.get(`${target} ${value}`);
    if (before === undefined) {
      seen.set(`${target} ${value}`, line);
      return [];
    }
    return [{ column: targets.indexOf(target), why: words.twice(before) }];
  });
}
