import { DomainError } from '../../../schemas/http/errors.ts';
import type { Expression, Field, Select } from '../language/ast.ts';
import type { FieldWanted } from '../model/points.ts';
import { aggregates, isAggregate } from './functions.ts';

/** The fields and tags that a measurement has in the statement's range. */
export type Names = {
  fields: readonly Required<FieldWanted>[];
  tags: readonly string[];
  /** Those of these names that a pattern (RE2) matches. */
  matching: (names: readonly string[], pattern: string) => Promise<ReadonlySet<string>>;
};

/** Tags that every record has; they are no fields unless `::field` says so. */
const ownTags = new Set(['thing', 'thing_id', 'group', 'subtopic', 'unit']);

/** Fields of records whose name has no field. */
const ownFields = new Set(['value', 'string', 'bool']);

type Reference = Extract<Expression, { kind: 'reference' }>;

/** Whether a reference is a tag or a field; undefined where only the names of its measurement tell. */
export function roleOf({ name, type }: Reference): 'tag' | 'field' | undefined {
  if (type !== undefined) return type === 'tag' ? 'tag' : 'field';
  if (ownTags.has(name)) return 'tag';
  return ownFields.has(name) ? 'field' : undefined;
}

/** Whether a statement means other things by its names in other measurements: then these are looked up. */
export function needsNames(
  { fields, dimensions }: Select,
  condition: Expression | undefined,
): boolean {
  const shown = fields.map(({ expression }) => expression);
  if (shown.some(hasWildcard) || dimensions.some(hasWildcard)) return true;
  if (condition !== undefined && referencesOf(condition).some((one) => roleOf(one) === undefined)) {
    return true;
  }
  // A lone name must be a field: there is no answer of tags alone.
  const bare = shown.flatMap(bareReferences);
  return bare.length > 1 && bare.some((one) => roleOf(one) === undefined);
}

function hasWildcard(one: Expression): boolean {
  return one.kind === 'wildcard' || one.kind === 'regex' || partsOf(one).some(hasWildcard);
}

/** The references in an expression that are no arguments of an aggregate; `time` is none. */
function bareReferences(one: Expression): Reference[] {
  if (one.kind === 'call' && isAggregate(one.name)) return [];
  return one.kind === 'reference' ? referencesOf(one) : partsOf(one).flatMap(bareReferences);
}

function referencesOf(one: Expression): Reference[] {
  if (one.kind !== 'reference') return partsOf(one).flatMap(referencesOf);
  return one.name.toLowerCase() === 'time' ? [] : [one];
}

function partsOf(one: Expression): readonly Expression[] {
  if (one.kind === 'binary') return [one.left, one.right];
  if (one.kind === 'call') return one.arguments;
  return one.kind === 'parentheses' ? [one.expression] : [];
}

/** The tags that a statement groups by, in the order of their keys. */
export async function groupTags(
  dimensions: readonly Expression[],
  names: Names | undefined,
): Promise<string[]> {
  const tags: string[] = [];
  for (const one of dimensions) {
    if (one.kind === 'reference') tags.push(one.name);
    else if (one.kind === 'wildcard') tags.push(...(names?.tags ?? []));
    else if (one.kind === 'regex')
      tags.push(...(await matchingOf(names, names?.tags ?? [], one.pattern)));
    else if (one.kind !== 'call') {
      throw new DomainError('malformed', 'only time and tag dimensions allowed');
    }
  }
  return [...new Set(tags)].toSorted();
}

async function matchingOf(
  names: Names | undefined,
  of: readonly string[],
  pattern: string,
): Promise<readonly string[]> {
  const found = await names?.matching([...new Set(of)], pattern);
  return of.filter((name) => found?.has(name) === true);
}

/** The fields of a SELECT with each wildcard and pattern replaced by the names that it stands for. */
export async function expandedFields(
  fields: readonly Field[],
  names: Names | undefined,
  groupedBy: readonly string[],
): Promise<Field[]> {
  const expanded: Field[] = [];
  for (const field of fields) {
    if (!hasWildcard(field.expression)) expanded.push(field);
    else expanded.push(...(await expandedField(field, names, groupedBy)));
  }
  return expanded;
}

async function expandedField(
  { expression, alias }: Field,
  names: Names | undefined,
  groupedBy: readonly string[],
): Promise<Field[]> {
  if (names === undefined) return [];
  if (expression.kind === 'wildcard' || expression.kind === 'regex') {
    const fields = names.fields.map(({ key }) => key);
    const tags = names.tags.filter((tag) => !groupedBy.includes(tag));
    const isWild = expression.kind === 'wildcard';
    const all = isWild && expression.type === 'field' ? fields : [...fields, ...tags];
    const chosen = isWild && expression.type === 'tag' ? tags : all;
    const matched = isWild ? chosen : await matchingOf(names, chosen, expression.pattern);
    return [...new Set(matched)].toSorted().map((name) => ({
      expression: { kind: 'reference', name, type: fields.includes(name) ? 'field' : 'tag' },
      alias: undefined,
    }));
  }
  if (expression.kind !== 'call') {
    throw new DomainError('malformed', 'unsupported expression with wildcard');
  }
  return expandedCall(expression, alias, names);
}

/** `mean(*)` is a column for each field that the function takes: `mean_a`, `mean_b`. */
async function expandedCall(
  call: Extract<Expression, { kind: 'call' }>,
  alias: string | undefined,
  names: Names,
): Promise<Field[]> {
  const [first, ...others] = call.arguments;
  if (first === undefined) return [];
  if (first.kind === 'call') {
    const inner = await expandedCall(first, undefined, names);
    return inner.map((field) => {
      const name = field.alias?.slice(first.name.length + 1) ?? '';
      return {
        expression: { ...call, arguments: [field.expression, ...others] },
        alias: `${alias ?? call.name}_${name}`,
      };
    });
  }
  const ofAnyKind = isAggregate(call.name) && aggregates[call.name].ofAnyKind;
  const fields = names.fields.filter(({ kind }) => ofAnyKind || kind === 'value');
  const keys = [...new Set(fields.map(({ key }) => key))].toSorted();
  const matched =
    first.kind === 'regex'
      ? await matchingOf(names, keys, first.pattern)
      : first.kind === 'wildcard' && first.type !== 'tag'
        ? keys
        : [];
  return matched.map((name) => ({
    expression: { ...call, arguments: [{ kind: 'reference', name, type: 'field' }, ...others] },
    alias: `${alias ?? call.name}_${name}`,
  }));
}
