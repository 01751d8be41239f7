import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { uuidV4Pattern } from '../../../schemas/http/common.ts';
import { csvLine } from '../../terminal/output/csv.ts';
import { readCsv } from './csv-lines.ts';
import { idFor } from '../ids.ts';
import { readList } from './json-list.ts';
import { readOutcomes } from '../outcomes.ts';
import { things } from '../things.ts';

const parentId = '6f9619ff-8b86-4d01-b42d-00cf4fc964ff';

/** A text in pieces of this many characters. */
async function* pieces(text: string, size: number): AsyncGenerator<string> {
  for (let at = 0; at < text.length; at += size) yield text.slice(at, at + size);
}

/** All that comes of it. */
async function all<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const list: Item[] = [];
  for await (const item of items) list.push(item);
  return list;
}

describe('a JSON list', () => {
  it('is split into its elements, whatever the chunks of the file', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.jsonValue()),
      fc.integer({ min: 1, max: 20 }),
      fc.constantFrom(undefined, 2, '\t'),
      async (list, size, indent) => {
        const elements = [];
        for await (const { text } of readList(pieces(JSON.stringify(list, null, indent), size))) {
          elements.push(JSON.parse(text));
        }
        expect(elements).toEqual(JSON.parse(JSON.stringify(list)));
      },
    );
    await fc.assert(property);
  });

  it('knows the line and the column of each element', async () => {
    const places = [];
    const text = '[\n\n {"a":\n 1}, 5,\n"x\\"]"\n]\n';
    for await (const { line, column } of readList(pieces(text, 3))) places.push([line, column]);
    expect(places).toEqual([
      [3, 2],
      [4, 6],
      [5, 1],
    ]);
  });

  it.each([
    ['', 'empty'],
    ['{}', 'not a JSON list'],
    ['[1', 'no end'],
    ['[1,]', 'missing'],
    ['[,1]', 'missing'],
    ['[1] 2', 'follows'],
    ['["a]', 'no end'],
  ])('%j is not one', async (text, reason) => {
    await expect(all(readList(pieces(text, 1)))).rejects.toThrow(reason);
  });
});

describe('a CSV file', () => {
  it('gives back any text of its cells', async () => {
    // An empty line is left out, so that each record here has something in it.
    const cell = fc.string({ unit: fc.constantFrom('a', '"', ',', '\n', '\r\n', 'ü', ' ') });
    const records = fc.array(
      fc.array(cell, { minLength: 1, maxLength: 4 }).map((rest) => ['x', ...rest]),
    );
    const property = fc.asyncProperty(
      records,
      fc.integer({ min: 1, max: 9 }),
      async (given, size) => {
        const read = [];
        for await (const line of readCsv(pieces(given.map(csvLine).join(''), size)))
          read.push(line);
        expect(read.map((line) => (line.kind === 'cells' ? line.cells : line.problem))).toEqual(
          given,
        );
      },
    );
    await fc.assert(property);
  });

  it('is read no further once a record is too long, and says so once', async () => {
    const text = `a,b\n"${'x'.repeat(9 * 1024 * 1024)}\nc,d\n`;
    const read = all(readCsv(pieces(text, 64 * 1024)));
    await expect(read).rejects.toMatchObject({
      name: 'FileError',
      line: 2,
      message: 'the record is longer than 8 MiB: is a quote in it never closed?',
    });
  });

  it('knows the line of each record', async () => {
    const text = 'a\r\n\r\n"b\r\nb"\r\nc\rd\ne';
    const read = await all(readCsv(pieces(text, 100)));
    expect(read.map(({ line }) => line)).toEqual([1, 3, 5, 6, 7]);
  });
});

describe('a file that cannot be used', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-files-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  it.each([
    ['things.json', '', 'the file is empty'],
    ['things.json', '{"name":"a"}', 'the file is not a JSON list'],
    ['things.json', '[{"name":"a"}', 'the list has no end'],
    ['things.json', '[{"name":"a"},]', 'an element is missing before the ]'],
    ['things.json', '[{"name":"a"}] 5', 'something follows the list'],
    ['things.csv', Buffer.from('\ufeff,a', 'utf16le'), 'the file is not UTF-8 from about here on'],
  ])('%s with %j is reported', async (name, text, reason) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    await expect(all(readOutcomes(things, path, parentId))).rejects.toThrow(reason);
  });

  it('an element that is not JSON is told with its place in the file', async () => {
    const path = join(directory, 'things.json');
    writeFileSync(path, '[{"name":"a"}, {"name":nan},\n {"name":"b",\n  "metadata":{hall:3}}]');
    expect(await all(readOutcomes(things, path, parentId))).toMatchObject([
      { line: 1, entry: { name: 'a' } },
      {
        line: 1,
        problem: 'this is not JSON: line 1, column 24, name: nan is not a JSON number',
      },
      {
        line: 2,
        problem:
          'this is not JSON: line 3, column 15, metadata: the name hall has no double quotes: write "hall"',
      },
    ]);
  });

  it.each([
    ['things.csv', ''],
    ['things.json', '[]'],
    ['things.json', '\ufeff [ ]\r\n'],
  ])('%s with %j has nothing to create', async (name, text) => {
    const path = join(directory, name);
    writeFileSync(path, text);
    expect(await all(readOutcomes(things, path, parentId))).toEqual([]);
  });

  it.each([
    [['6f9619ff-8b86-11d0-b42d-00cf4fc964ff', 'a'], 'id is not a UUID v4'],
    [['', ''], 'name is missing'],
    [['', 'x'.repeat(1_025)], 'name must'],
    [['', 'a', 'g'], 'group_id is not an id'],
    [['', 'a', '', 'p'], 'profile_id is not an id'],
    [['', 'a', '', '', '', 'v'], 'has no key'],
    [['', 'a', '', '', 'k', '1', 'k', '2'], 'stands twice'],
  ])('the cells %j are wrong', (cells, reason) => {
    const outcome = things.fromCells(1, cells, parentId);
    expect(outcome.kind === 'wrong' ? outcome.problem : '').toContain(reason);
  });

  it('names of metadata may be anything', () => {
    const outcome = things.fromCells(1, ['', 'a', '', '', '__proto__', 'v', '', ''], parentId);
    expect('entry' in outcome && outcome.entry.new.metadata).toEqual(
      Object.fromEntries([['__proto__', 'v']]),
    );
  });
});

describe('ids', () => {
  it('are made from the name and its parent, and are UUIDs of version 4', () => {
    const [one, two] = [
      idFor('things', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'a', 0),
      idFor('things', '6F9619FF-8B86-4D01-B42D-00CF4FC964FF', 'a', 0),
    ];
    expect(one).toBe(two);
    expect(one).toMatch(new RegExp(uuidV4Pattern));
    const others = [
      idFor('profiles', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'a', 0),
      idFor('things', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'b', 0),
      idFor('things', '6f9619ff-8b86-4d01-b42d-00cf4fc964ff', 'a', 1),
    ];
    expect(new Set([one, ...others]).size).toBe(4);
  });
});

describe('a file of a spreadsheet', () => {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-spreadsheet-'));
  afterAll(() => rmSync(directory, { recursive: true }));

  const read = async (text: string) => {
    const path = join(directory, 'things.csv');
    writeFileSync(path, text);
    const outcomes = await all(readOutcomes(things, path, parentId));
    return outcomes.map((one) => ('entry' in one ? [one.line, one.entry.name] : one));
  };
  const refusal = async (text: string) => read(text).catch((error: unknown) => String(error));

  it.each([
    ['semicolons', ';Pumpe 1,5 kW;;;Ort;Graz\n;Ventil;;;Ort;Linz\n', [1, 2]],
    ['tabs', '\tPumpe 1,5 kW\t\t\tOrt\tGraz\n\tVentil\t\t\tOrt\tLinz\n', [1, 2]],
    ['a line that names the separator', 'sep=;\r\n;Pumpe 1,5 kW;;\r\n;Ventil;;\r\n', [2, 3]],
    ['a header', 'id;name;group_id;profile_id\n;Pumpe 1,5 kW;;\n;Ventil;;\n', [2, 3]],
  ])('is taken with %s', async (_what, text, lines) => {
    expect(await read(text)).toEqual([
      [lines[0], 'Pumpe 1,5 kW'],
      [lines[1], 'Ventil'],
    ]);
  });

  it('with its columns in another order gets one sentence, which tells the order', async () => {
    expect(await refusal('name,id,profile_id\nPump,,\nValve,,\n')).toBe(
      'FileError: this header names other columns, or in another order; the columns are id, name, group_id, profile_id, then keys and values of the metadata by turns',
    );
  });

  it('with one column gets one sentence, which names the separators', async () => {
    expect(await refusal('a|b|c|d\ne|f|g|h\n')).toMatch(
      /^FileError: between columns stands a comma, a semicolon or a tab; the columns are id, name/,
    );
  });
});
