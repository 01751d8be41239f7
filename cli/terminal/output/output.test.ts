import { PassThrough } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import openapi from '../../../schemas/client/generated/openapi.json' with { type: 'json' };
import { harmless, widthOf } from './cell.ts';
import { columnsOfLists } from './columns.ts';
import { csvRow } from './csv.ts';
import { parseExactly } from '../../../schemas/json/exact.ts';
import { Output } from './output.ts';
import { ageOf } from './readable.ts';
import { stringify } from './stringify.ts';
import { layOut } from './table.ts';

const id = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** What is written to a terminal, or to a pipe. */
async function written(terminal: { isTTY: boolean; columns?: number }, value: unknown) {
  const stdout = Object.assign(new PassThrough(), terminal);
  await new Output(stdout, { output: undefined, raw: false }).show(value);
  stdout.end();
  let text = '';
  for await (const chunk of stdout) text += String(chunk);
  return text;
}

describe('tables', () => {
  it('fit the width: long texts are cut, ids are not', () => {
    const { header, lines, leftOut } = layOut([{ id, name: 'x'.repeat(200), type: 'sensor' }], 80);
    expect(leftOut).toEqual([]);
    expect(Math.max(...[header, ...lines].map(widthOf))).toBe(80);
    expect(lines[0]).toMatch(new RegExp(`^x+…  sensor  ${id}$`));
  });

  it('leave out columns without room, and say so', () => {
    const row = Object.fromEntries(
      ['id', 'a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => [name, 'y'.repeat(20)]),
    );
    const { leftOut, lines } = layOut([{ ...row, id }], 60);
    expect(leftOut).toEqual(['b', 'c', 'd', 'e', 'f', 'g', 'h']);
    expect(widthOf(lines[0] ?? '')).toBeLessThanOrEqual(60);
  });

  it('never cut an id or a time, whatever the width', () => {
    const at = '2026-11-26T10:00:00.000Z';
    const row = { at, name: 'x'.repeat(50), entity_id: id, changes: 'y'.repeat(50), other_id: id };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 250 }), (width) => {
        const { header, lines } = layOut([row], width);
        const [line = ''] = lines;
        for (const [name, whole] of Object.entries({ at, entity_id: id, other_id: id })) {
          if (header.split(' ').includes(name)) expect(line).toContain(whole);
        }
      }),
    );
  });

  it('tell how long ago a thing was heard', () => {
    const now = Date.parse('2026-11-26T10:00:00Z');
    expect(ageOf('2026-11-26T09:59:30Z', now)).toBe('just now');
    expect(ageOf('2026-11-26T09:58:00Z', now)).toBe('2 minutes ago');
    expect(ageOf('2026-11-25T09:58:00Z', now)).toBe('1 day ago');
  });

  it('show times of messages as ISO 8601, in columns of a fixed order', () => {
    const publisher = id;
    const [senml, json] = [
      layOut([{ publisher, name: 't', time: 1700000000.25, value: 1 }], 200),
      layOut([{ publisher, created: parseExactly('1700000000250000001'), payload: { a: 1 } }], 200),
    ];
    expect(senml.lines).toEqual([`2023-11-14T22:13:20.250Z  t     1      ${id}`]);
    expect(json.lines).toEqual([`2023-11-14T22:13:20.250Z  {"a":1}  ${id}`]);
    const changes = [
      layOut([{ publisher, time: 1700000000.25, value: 1, until: 1700000060.5 }], 200),
      layOut(
        [{ publisher, created: 1700000000250000000, payload: 1, until: 1700000060500000000 }],
        200,
      ),
    ];
    for (const { lines } of changes) expect(lines[0]).toContain('2023-11-14T22:14:20.500Z');
    const silence = { reason: 'winter', until: '2026-12-24T10:00:00Z' };
    expect(layOut([silence], 200).lines[0]).toContain(silence.until);
  });

  it('count characters of two columns, and of none', () => {
    expect(widthOf('水车')).toBe(4);
    expect(widthOf('e\u0301')).toBe(1);
    expect(widthOf('🚀')).toBe(2);
  });

  it('let no text control the terminal', () => {
    expect(harmless('a\u001b[2Jb\nc\u009bd\u202e')).toBe('a\\u001b[2Jb\\nc\\u009bd\\u202e');
    expect(stringify({ a: '\u009b2J' })).toBe('{"a":"\\u009b2J"}');
  });
});

describe('the default output', () => {
  it('is a table on a terminal, and JSON in a pipe', async () => {
    const page = { total: 7, offset: 0, limit: 1, orgs: [{ id, name: 'Mill' }] };
    const shown = await written({ isTTY: true, columns: 100 }, page);
    expect(shown).toContain(`Mill  ${id}`);
    expect(shown).toContain('1 of 7');
    expect(JSON.parse(await written({ isTTY: false }, page))).toEqual(page);
  });

  it('of a single resource is a line for each member', async () => {
    const shown = await written({ isTTY: true, columns: 100 }, { id, metadata: { a: 1 } });
    expect(shown).toBe(`id        ${id}\nmetadata  {"a":1}\n`);
  });
});

describe('the columns of a list', () => {
  // The names of things are ours: they stand for the ids of publishers.
  const ours = ['messages thing'];

  it.each(Object.entries(columnsOfLists))('%s are members of its answers', (list, columns) => {
    const known = membersOfLists().get(list) ?? new Set();
    const unknown = columns.filter(
      (column) => !known.has(column) && !ours.includes(`${list} ${column}`),
    );
    expect(unknown).toEqual([]);
  });
});

/** What the rows of each list of the API may have, by the name of its member. */
function membersOfLists(): Map<string, Set<string>> {
  const lists = new Map<string, Set<string>>();
  const schemas: Record<string, unknown> = openapi.components.schemas;
  const namesIn = (schema: unknown): string[] => {
    const { $ref, properties, anyOf, allOf } = Object(schema);
    if (typeof $ref === 'string') return namesIn(schemas[$ref.split('/').at(-1) ?? '']);
    const parts: unknown[] = [anyOf ?? [], allOf ?? []].flat();
    return [...Object.keys(properties ?? {}), ...parts.flatMap(namesIn)];
  };
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, inner] of Object.entries(value)) {
      if (Object(inner).type === 'array') {
        const all = lists.get(name) ?? new Set();
        for (const one of namesIn(Object(inner).items)) all.add(one);
        lists.set(name, all);
      }
      visit(inner);
    }
  };
  visit(openapi);
  return lists;
}

describe('tables of things', () => {
  const thing = { id, name: 'Pump', type: 'sensor', key: 'secret-of-pump', last_seen: null };

  it('do not show their keys; JSON does', async () => {
    const page = { total: 1, offset: 0, limit: 1, things: [thing] };
    expect(await written({ isTTY: true, columns: 100 }, page)).toContain(`Pump  sensor  ${id}`);
    expect(await written({ isTTY: true, columns: 100 }, page)).not.toContain('secret-of-pump');
    expect(await written({ isTTY: false }, page)).toContain('secret-of-pump');
  });

  it('show how many messages each has sent, where that was asked for', async () => {
    const page = { total: 1, offset: 0, limit: 1, things: [{ ...thing, messages: 4_711 }] };
    expect(await written({ isTTY: true, columns: 100 }, page)).toContain('4711');
  });

  it('have 80 characters on a terminal that does not tell its width', async () => {
    const page = { total: 1, offset: 0, limit: 1, things: [{ ...thing, name: 'x'.repeat(99) }] };
    const shown = await written({ isTTY: true, columns: 0 }, page);
    expect(shown.split('\n')[1]).toMatch(new RegExp(`^x{33}…  sensor  ${id}$`));
  });
});

describe('one member alone', () => {
  const print = async (value: unknown, member: string) => {
    const stdout = Object.assign(new PassThrough(), { isTTY: false });
    await new Output(stdout, { output: undefined, raw: false, print: member }).show(value);
    stdout.end();
    let text = '';
    for await (const chunk of stdout) text += String(chunk);
    return text;
  };

  it('is written for each row, as a shell takes it', async () => {
    const things = [{ key: 'a b' }, { key: 'c' }];
    expect(await print({ things }, 'key')).toBe('a b\nc\n');
    expect(await print({ id, name: 'Mill' }, 'name')).toBe('Mill\n');
  });

  it('that the answer lacks is told with those that it has', async () => {
    await expect(print({ id, name: 'Mill' }, 'nam')).rejects.toThrow(
      '--print nam: the answer has id, name',
    );
  });
});

describe('numbers', () => {
  it('keep the digits they came with', () => {
    const text = '{"created":1700000000123456789,"time":1700000000.123456789,"v":1.0,"n":5}';
    expect(stringify(parseExactly(text))).toBe(text);
  });
});

describe('CSV', () => {
  it('quotes what needs it, and defuses formulas', () => {
    const row = { a: 'x,"y"', b: '=1+1', c: -5, d: { e: 1 }, f: undefined };
    expect(csvRow(row, ['a', 'b', 'c', 'd', 'f'])).toBe(`"x,""y""",'=1+1,-5,"{""e"":1}",\r\n`);
  });
});
