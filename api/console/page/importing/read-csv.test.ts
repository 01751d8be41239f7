import { describe, expect, it } from 'vitest';
import { checkRows } from './check.ts';
import { targetsOf } from './columns.ts';
import { failuresFile } from './files.ts';
import { readCsv } from './read-csv.ts';

const place = { kind: 'profile', id: 'p', groupId: 'g' } as const;
const given = { type: 'sensor', placeOf: () => place } as const;

describe('a file of CSV', () => {
  it('is read with its lines, whatever separates cells and ends lines', async () => {
    for (const separator of [',', ';', '\t']) {
      for (const end of ['\n', '\r\n', '\r']) {
        const lines = [['name', 'note'], ['"a""b"', `"two${end}lines"`], [''], ['c', ' d ']];
        const text = lines.map((cells) => cells.join(separator)).join(end);
        expect(await readCsv(`\uFEFF${text}`)).toEqual({
          head: ['name', 'note'],
          rows: [
            { line: 2, cells: ['a"b', `two${end}lines`] },
            { line: 5, cells: ['c', 'd'] },
          ],
        });
      }
    }
  });

  it('may say what separates its cells', async () => {
    expect(await readCsv('sep=;\r\nname;a,b\r\nx;1')).toEqual({
      head: ['name', 'a,b'],
      rows: [{ line: 3, cells: ['x', '1'] }],
    });
  });

  it('gives back rows that failed, as they were', async () => {
    const file = await readCsv('name,formula\n,=1+1\n"a,""b",-5\n');
    const failed = file.rows.map((row) => ({ row, why: 'no' }));
    const again = await readCsv(failuresFile(file, failed).join(''));
    expect(again.head).toEqual(['line', 'why', 'name', 'formula']);
    expect(again.rows.map(({ cells }) => cells.slice(2))).toEqual([
      ['', "'=1+1"],
      ['a,"b', "'-5"],
    ]);
    const targets = targetsOf(again.head);
    expect(targets).toEqual(['none', 'none', 'name', 'metadata.formula']);
    const [, row] = checkRows(again.rows, targets, given);
    expect(row).toMatchObject({
      kind: 'thing',
      thing: { name: 'a,"b', metadata: { formula: -5 } },
    });
  });

  it('has columns that go where their names say, each field once', () => {
    const head = ['Device name', 'TYPE', 'Name', 'metadata.floor', 'meta:hall', 'Remarks', ''];
    expect(targetsOf(head)).toEqual([
      'name',
      'type',
      'none',
      'metadata.floor',
      'metadata.hall',
      'metadata.Remarks',
      'none',
    ]);
  });
});
