import { expect, it } from 'vitest';
import { Where } from '../query/where.ts';
import { bucketsCsv, senmlCsv } from './columns.ts';
import { typedColumns } from './typed.ts';

it('a CSV of SenML names its columns in the head, in the order it selects them', () => {
  const { head, select, format } = senmlCsv(new Where(), { times: 'unix' });
  expect(head).toBe(
    '"subtopic","publisher","protocol","name","unit","value","string_value","bool_value","data_value","sum","time","update_time"\n',
  );
  expect(format).toBe('CSV');
  expect(select.indexOf('publisher')).toBeLessThan(select.indexOf('update_time'));
});

it('texts that a spreadsheet would run get a quote before them', () => {
  expect(senmlCsv(new Where(), { times: 'unix' }).select).toContain(
    String.raw`replaceRegexpOne(text, '(^\'*[\\x{3d}\\x{2b}\\x{2d}`,
  );
});

it('a CSV of buckets has a column for each field, apart from the fixed ones', () => {
  const values = ['value0', 'value1', 'value2', 'value3'].map((column) => ({ column, label: '' }));
  const fields = ['a.b', 'created', 'payload.created', '=1+1'];
  const { head, select } = bucketsCsv({ sql: '', labels: [], values }, fields, 'unix');
  expect(head).toBe(
    `"created","subtopic","publisher","protocol","a.b","payload.created","payload.payload.created","'=1+1"\n`,
  );
  expect(select).toMatch(/^arrayStringConcat\(\[ifNull\(toString\(created\), ''\), /);
  expect(select).toContain(`ifNull(toString(value3), '')], ',')`);
});

it('other files have typed columns, with times as timestamps, that get their names at last', () => {
  const { select, renamed } = typedColumns('senml');
  expect(select).toContain(`fromUnixTimestamp64Nano(time, 'UTC') AS column10`);
  expect(renamed).toContain('column10 AS `time`');
  expect(typedColumns('json').select).toContain(
    `fromUnixTimestamp64Nano(created, 'UTC') AS column0`,
  );
});
