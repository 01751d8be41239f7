import { encodeTag } from '../../../schemas/messages/points.ts';
import { publishersTable } from '../../../schemas/messages/tables.ts';
import type { Where } from '../../messages/query/where.ts';
import type { Scope } from './scope.ts';
import { isUuid, literalsOfTest, type TagTest } from './tag-test.ts';
import type { Things } from './things.ts';

/** SQL of tags, of rows that have the columns `publisher`, `subtopic` and `unit`. Values are bound in the `Where`. */
export type Tags = {
  /** The value of a tag; '' where a point has none. */
  value: (where: Where, tag: string) => string;
  test: (where: Where, test: TagTest) => string;
};

/** The tags of a statement whose things were looked up by `readThings`. */
export function tagsOf(scope: Scope, things: Things): Tags {
  const value = (where: Where, tag: string) => {
    if (tag === 'thing') return thingText(where, things, ({ name }) => name);
    if (tag === 'group') return thingText(where, things, ({ group }) => group);
    return tagOfRow(where, tag);
  };
  return {
    value,
    test: (where, test) => {
      const { tag, kind } = test;
      const isNot = kind === 'unequal' || kind === 'matchesNot';
      const not = (condition: string) => (isNot ? `NOT (${condition})` : condition);
      const literals = literalsOfTest(test);
      if (tag === 'thing' && literals !== undefined) {
        const ids = things.all.filter(({ name }) => literals.includes(name)).map(({ id }) => id);
        return not(`publisher IN ${where.bind('Array(UUID)', ids)}`);
      }
      if (tag === 'thing_id' && literals !== undefined) {
        const ids = literals.filter(isUuid);
        return not(`publisher IN ${where.bind('Array(UUID)', ids)}`);
      }
      if (tag === 'group') return not(isOfGroup(where, scope, test));
      const text = value(where, tag);
      return not(
        literals === undefined ? matches(where, text, test.value) : isOneOf(where, text, literals),
      );
    },
  };
}

function isOneOf(where: Where, text: string, literals: readonly string[]): string {
  const [only] = literals;
  return only !== undefined && literals.length === 1
    ? `${text} = ${where.bind('String', only)}`
    : `${text} IN ${where.bind('Array(String)', literals)}`;
}

const matches = (where: Where, text: string, pattern: string) =>
  `match(${text}, ${where.bind('String', pattern)})`;

/** Groups are found by their names in ClickHouse, which has the patterns' grammar. */
function isOfGroup(where: Where, { groups }: Scope, test: TagTest): string {
  const literals = literalsOfTest(test);
  const chosen =
    literals === undefined ? groups : groups.filter(({ name }) => literals.includes(name));
  const ids = where.bind(
    'Array(UUID)',
    chosen.map(({ id }) => id),
  );
  const named =
    literals === undefined
      ? ` AND ${matches(
          where,
          `transform(group_id, ${ids}, ${where.bind(
            'Array(String)',
            chosen.map(({ name }) => name),
          )}, '')`,
          test.value,
        )}`
      : '';
  return `publisher IN (SELECT publisher FROM ${publishersTable} FINAL WHERE group_id IN ${ids}${named})`;
}

/** A text of each thing: its name, or that of its group. */
function thingText(
  where: Where,
  { all }: Things,
  textOf: (thing: Things['all'][number]) => string,
): string {
  if (all.length === 0) return `''`;
  const ids = where.bind(
    'Array(UUID)',
    all.map(({ id }) => id),
  );
  return `transform(publisher, ${ids}, ${where.bind('Array(String)', all.map(textOf))}, '')`;
}

/** A tag that the row itself tells: it is of no thing's name. */
export function tagOfRow(where: Where, tag: string): string {
  if (tag === 'thing_id') return 'toString(publisher)';
  if (tag === 'unit') return 'unit';
  if (tag === 'subtopic') return plainSubtopic;
  const part = String.raw`(?:^|[.])${literally(encodeTag(tag))}=([^.]*)`;
  return `decodeURLComponent(extract(subtopic, ${where.bind('String', part)}))`;
}

/** The parts that are no tags of their own. */
const plainSubtopic = `if(position(subtopic, '=') = 0, subtopic, arrayStringConcat(
  arrayFilter(part -> position(part, '=') < 2, splitByChar('.', subtopic)), '.'))`;

/** A pattern that matches this text alone. */
const literally = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, String.raw`\$&`);

/** SQL of the keys of the tags that a row itself tells; those in the subtopic as they stand there. */
export const tagKeysOfRow = String.raw`arrayConcat(
  if(unit = '', [], ['unit']),
  if(match(subtopic, '(?:^|[.])(?:[^.=]+(?:[.]|$)|=)'), ['subtopic'], []),
  extractAll(subtopic, '(?:^|[.])([^.=]+)='))`;
