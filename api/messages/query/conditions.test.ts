import { describe, expect, it } from 'vitest';
import { filterParameters, type Filters as Given } from '../../../schemas/messages/query.ts';
import type { MessageFormat } from '../../../schemas/messages/tables.ts';
import type { WithTimes } from '../../http/query/time.ts';
import type { Reach } from '../reach/reach.ts';
import { isUnfiltered, timeBound, whereOf } from './conditions.ts';

type Filters = WithTimes<Given>;

const day = 'intDiv(time, 86400000000000)';

/** The text of a WHERE with its values in place of the placeholders. */
function textOf(format: MessageFormat, filters: Filters, reach: Reach = { kind: 'all' }): string {
  const { text, bound } = whereOf(format, filters, reach);
  return text.replaceAll(/\{(p\d+):[^}]+\}/g, (_all, name: string) => JSON.stringify(bound[name]));
}

describe('filters of SenML', () => {
  it.each<[Filters, string]>([
    [{}, 'true'],
    [
      { group_id: 'g' },
      'publisher IN (SELECT publisher FROM publishers FINAL WHERE group_id IN ["g"])',
    ],
    [{ subtopic: 'a.b' }, 'subtopic = "a.b"'],
    [{ protocol: 'http' }, 'protocol = "http"'],
    [{ name: "o'ff" }, 'name = "o\'ff"'],
    [{ name_prefix: 'room:' }, 'startsWith(name, "room:")'],
    [{ v: 2 }, `kind = 'value' AND value = 2`],
    [{ v: 2, comparator: 'ge' }, `kind = 'value' AND value >= 2`],
    [{ comparator: 'lt' }, 'true'],
    [{ vs: 'on' }, `kind = 'string' AND text = "on"`],
    [{ vb: false }, `kind = 'bool' AND value = 0`],
    [{ vd: 'aGk' }, `kind = 'data' AND text = "aGk"`],
    [{ from: 5n }, `${day} >= intDiv("5", 86400000000000) AND time >= "5"`],
    [
      { to: 1_700_000_000_000_000_000n },
      `${day} <= intDiv("1700000000000000000", 86400000000000) AND time <= "1700000000000000000"`,
    ],
    [{ name: 't', vs: 'x' }, `name = "t" AND kind = 'string' AND text = "x"`],
  ])('%o is %s', (filters, text) => {
    expect(textOf('senml', filters)).toBe(text);
  });
});

it('the time of a JSON message is `created`', () => {
  expect(timeBound('json', '>=', '{p0:Int64}')).toBe(
    'intDiv(created, 86400000000000) >= intDiv({p0:Int64}, 86400000000000) AND created >= {p0:Int64}',
  );
});

it.each<[MessageFormat, Filters, string]>([
  ['senml', { filter: 'a.b' }, 'filter: is of JSON messages'],
  ['json', { name_prefix: 'a' }, 'name_prefix: is of SenML messages'],
  ['json', { v: 1 }, 'v: is of SenML messages'],
  ['json', { vs: 'a' }, 'vs: is of SenML messages'],
  ['json', { vb: true }, 'vb: is of SenML messages'],
  ['json', { vd: 'a' }, 'vd: is of SenML messages'],
])('of %s, %j is refused: %s', (format, filters, message) => {
  expect(() => whereOf(format, filters, { kind: 'all' })).toThrow(message);
});

it('a publisher and a comparator are no filters of their own', () => {
  const alone = Object.keys(filterParameters).filter((name) => isUnfiltered({ [name]: '1' }));
  expect(alone).toEqual(['publisher', 'comparator']);
});

it('the reach comes first: one thing, several, or the things of groups', () => {
  expect(textOf('senml', { name: 't' }, { kind: 'publishers', publishers: ['a'] })).toBe(
    'publisher = "a" AND name = "t"',
  );
  expect(textOf('senml', {}, { kind: 'publishers', publishers: ['a', 'b'] })).toBe(
    'publisher IN ["a","b"]',
  );
  expect(textOf('json', {}, { kind: 'groups', groups: ['g'] })).toBe(
    'publisher IN (SELECT publisher FROM publishers FINAL WHERE group_id IN ["g"])',
  );
});
