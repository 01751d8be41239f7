import { Format } from 'typebox/format';
import type { Static, TSchema } from 'typebox';
import { Value } from 'typebox/value';
import { uuidPattern, uuidV4Pattern } from '../../schemas/http/common.ts';

/** An entity that a line of a file describes. */
export type Entry<New> = {
  line: number;
  parentId: string;
  /** The group that the file names beside the profile. */
  groupId: string | undefined;
  name: string;
  /** From the file; without one we make it. */
  id: string | undefined;
  /** Unique on the whole platform, as its id is. */
  externalKey: string | undefined;
  new: New;
};

/** The reason why something of a file can't be used. */
export type Wrong = { kind: 'wrong'; problem: string };
export const wrong = (problem: string): Wrong => ({ kind: 'wrong', problem });

export type ParsedEntry<New> = { kind: 'entry'; entry: Entry<New> } | Wrong;

Format.Set('uuid', (text) => new RegExp(uuidPattern).test(text));
Format.Set('uuid-v4', (text) => new RegExp(uuidV4Pattern).test(text));

/** The first error of a value by its schema, with its place. */
export function problemOf(schema: TSchema, value: unknown): string | undefined {
  if (Value.Check(schema, value)) return undefined;
  const [first] = Value.Errors(schema, value);
  if (first === undefined) return 'it is wrong';
  const path = first.instancePath.slice(1).replaceAll('/', '.');
  if (first.keyword === 'required') {
    const missing = first.params.requiredProperties.join(', ');
    return `${path === '' ? '' : `${path}.`}${missing} is missing`;
  }
  if (first.keyword === 'format' && first.params.format === 'uuid-v4')
    return `${path} is not a UUID v4`;
  if (first.keyword === 'enum') {
    return `${path} must be one of ${first.params.allowedValues.join(', ')}`;
  }
  return `${path || 'it'} ${first.message}`;
}

/** Whether a value is valid by the schema. */
export function isOf<Schema extends TSchema>(
  schema: Schema,
  value: unknown,
): value is Static<Schema> {
  return Value.Check(schema, value);
}

/** The members that an object of a file may have; another one is most likely a typing mistake. */
export function unknownMember(value: object, known: readonly string[]): string | undefined {
  const other = Object.keys(value).find((name) => !known.includes(name));
  return other === undefined
    ? undefined
    : `${other} is not known here; known are ${known.join(', ')}`;
}

/** Alternating keys and values, as in the cells after the columns that have names. */
export function metadataOf(
  cells: readonly string[],
): { kind: 'metadata'; metadata: Record<string, string> } | Wrong {
  const pairs = new Map<string, string>();
  for (let index = 0; index < cells.length; index += 2) {
    const key = cells[index] ?? '';
    const value = cells[index + 1];
    if (key === '' && (value ?? '') === '') continue;
    if (key === '') return wrong(`a metadata value ("${value}") has no key`);
    if (value === undefined) return wrong(`the metadata key "${key}" has no value`);
    if (pairs.has(key)) return wrong(`the metadata key "${key}" stands twice`);
    pairs.set(key, value);
  }
  return { kind: 'metadata', metadata: Object.fromEntries(pairs) };
}
