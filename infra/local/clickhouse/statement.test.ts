import { describe, expect, it } from 'vitest';
import { fromFile, intoFile, literal, readStatement } from './statement.ts';

const read = (sql: string) => readStatement(Buffer.from(sql));

function rewritten(sql: string): string {
  const statement = read(sql);
  switch (statement.kind) {
    case 'rows':
      return intoFile(statement, '/f', 'TSV', 'id 1').replaceAll(/\s+/g, ' ');
    case 'insert':
      return fromFile(statement, '/f').replaceAll(/\s+/g, ' ');
    case 'command':
      return statement.sql;
  }
  throw new Error('no such kind');
}

function data(sql: string): string | undefined {
  const statement = read(sql);
  return statement.kind === 'insert'
    ? Buffer.from(sql).subarray(statement.dataStart).toString()
    : undefined;
}

describe('a statement that returns rows', () => {
  it.each([
    ['SELECT 1', "SELECT 1 INTO OUTFILE '/f' TRUNCATE FORMAT TSV SETTINGS log_comment = 'id 1'"],
    [
      'select 1 -- one;\n;  ',
      "select 1 -- one; INTO OUTFILE '/f' TRUNCATE FORMAT TSV SETTINGS log_comment = 'id 1'",
    ],
    [
      'SELECT 1 format JSON;',
      "SELECT 1 INTO OUTFILE '/f' TRUNCATE FORMAT JSON SETTINGS log_comment = 'id 1'",
    ],
    [
      'SELECT 1 FORMAT CSV SETTINGS max_threads=1',
      "SELECT 1 INTO OUTFILE '/f' TRUNCATE FORMAT CSV SETTINGS log_comment = 'id 1', max_threads=1",
    ],
    [
      "SELECT ' FORMAT CSV'",
      "SELECT ' FORMAT CSV' INTO OUTFILE '/f' TRUNCATE FORMAT TSV SETTINGS log_comment = 'id 1'",
    ],
    [
      'SELECT format FROM t',
      "SELECT format FROM t INTO OUTFILE '/f' TRUNCATE FORMAT TSV SETTINGS log_comment = 'id 1'",
    ],
    [
      '(SELECT 1)',
      "(SELECT 1) INTO OUTFILE '/f' TRUNCATE FORMAT TSV SETTINGS log_comment = 'id 1'",
    ],
    [
      'WITH 1 AS x /* FORMAT a */ SELECT \'é\\\'"\', "b`" FORMAT XML',
      "WITH 1 AS x /* FORMAT a */ SELECT 'é\\'\"', \"b`\" INTO OUTFILE '/f' TRUNCATE FORMAT XML SETTINGS log_comment = 'id 1'",
    ],
  ])('%s', (sql, expected) => {
    expect(rewritten(sql)).toBe(expected);
  });
});

describe('an INSERT with data', () => {
  it.each([
    [
      'INSERT INTO t FORMAT CSV\n1',
      "INSERT INTO t FROM INFILE '/f' COMPRESSION 'none' FORMAT CSV",
      '1',
    ],
    [
      'insert into `a FORMAT b`.t (x, values, format) settings a=1 format RowBinary \r\n\nx',
      "insert into `a FORMAT b`.t (x, values, format) FROM INFILE '/f' COMPRESSION 'none' settings a=1 FORMAT RowBinary",
      '\nx',
    ],
    [
      'INSERT INTO t VALUES (1)',
      "INSERT INTO t FROM INFILE '/f' COMPRESSION 'none' FORMAT Values",
      ' (1)',
    ],
    [
      "INSERT INTO t (a) SELECT a -- input(\n FROM input('a Int8, b String DEFAULT \\')\\'') ARRAY JOIN b SETTINGS c=1 FORMAT Native\nx",
      "INSERT INTO t (a) SELECT a -- input( FROM file('/f', 'Native', 'a Int8, b String DEFAULT \\')\\'', 'none') ARRAY JOIN b SETTINGS c=1 ",
      'x',
    ],
  ])('%s', (sql, expected, expectedData) => {
    expect(rewritten(sql)).toBe(expected);
    expect(data(sql)).toBe(expectedData);
  });
});

describe('anything else', () => {
  it('goes to the engine unchanged, without a semicolon at the end', () => {
    for (const sql of ['SHOW TABLES FORMAT JSON', 'INSERT INTO t SELECT 1', 'DROP TABLE t']) {
      expect(rewritten(sql)).toBe(sql);
    }
    expect(rewritten('CREATE TABLE t (a Int8);\n')).toBe('CREATE TABLE t (a Int8)');
  });

  it('is refused when it is empty or more than one', () => {
    expect(() => read('')).toThrow('Empty query');
    expect(() => read('-- nothing\n')).toThrow('Empty query');
    expect(() => read('SELECT 1; SELECT 2')).toThrow('Multi-statements');
    expect(() => read('DROP TABLE a; DROP TABLE b')).toThrow('Multi-statements');
  });
});

it('a literal keeps every character', () => {
  expect(literal("a'b\\c")).toBe("'a\\'b\\\\c'");
});
