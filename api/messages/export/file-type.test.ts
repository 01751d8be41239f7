import { expect, it } from 'vitest';
import { fileTypeIn } from './file-type.ts';

it.each([
  [undefined, 'json'],
  ['', 'json'],
  ['*/*', 'json'],
  ['text/html, text/csv', 'csv'],
  ['TEXT/CSV;q=0.5', 'csv'],
  ['text/csv;q=0, application/x-ndjson', 'ndjson'],
  ['text/csv; q=0.0 ,application/vnd.apache.parquet', 'parquet'],
  ['application/vnd.apache.arrow.file', 'arrow'],
  ['application/vnd.apache.arrow.stream', 'arrows'],
  ['application/json, text/csv', 'json'],
])('Accept: %s asks for %s', (accept, type) => {
  expect(fileTypeIn(accept)).toBe(type);
});
