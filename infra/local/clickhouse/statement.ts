import { clickHouseError } from './errors.ts';

/**
 * A query's text, as far as this process needs to understand it.
 *
 * - `rows`: a SELECT; its result streams. `select` is the query up to its FORMAT, `settings` what it sets after it.
 * - `insert`: an INSERT whose data follows the text, from byte `dataStart`. Written as `INSERT … FROM
 *   INFILE`, or, where it selects from `input(structure)`, from `file(…)` in its place.
 * - `command`: everything else, which the engine gets as it is; `format` is of its answer, if it has one.
 */
export type Statement =
  | { kind: 'rows'; select: string; format: string | undefined; settings: string | undefined }
  | {
      kind: 'insert';
      format: string;
      dataStart: number;
      before: string;
      /** Of `input(structure)`; undefined for an INSERT without a SELECT. */
      structure: string | undefined;
      after: string;
    }
  | { kind: 'command'; sql: string; format: string | undefined };

type Token = { word: string; start: number; end: number; depth: number };

const blank = /[ \t\n\r\f\v]+/y;
const bare = /[\w\x80-\xff]+/y;

/** Tokens of a query, lazily: an INSERT's data is never looked at. Quoted ones have no `word`. */
function* tokens(sql: string): Generator<Token> {
  let depth = 0;
  let at = 0;
  while (at < sql.length) {
    const start = at;
    const skipped = blankEnd(sql, at);
    if (skipped !== undefined) {
      at = skipped;
      continue;
    }
    let word = '';
    bare.lastIndex = at;
    if (/['"`]/.test(sql.charAt(at))) at = quoteEnd(sql, at);
    else if (bare.test(sql)) {
      at = bare.lastIndex;
      word = sql.slice(start, at).toUpperCase();
    } else {
      at += 1;
      word = sql.charAt(start);
    }
    if (/^[)\]}]$/.test(word)) depth -= 1;
    yield { word, start, end: at, depth };
    if (/^[([{]$/.test(word)) depth += 1;
  }
}

/** Where the white space or the comment that begins at `at` ends, if one does. */
function blankEnd(sql: string, at: number): number | undefined {
  blank.lastIndex = at;
  if (blank.test(sql)) return blank.lastIndex;
  if (sql.startsWith('--', at) || sql.startsWith('# ', at) || sql.startsWith('#!', at)) {
    const end = sql.indexOf('\n', at);
    return end === -1 ? sql.length : end + 1;
  }
  if (sql.startsWith('/*', at)) {
    const end = sql.indexOf('*/', at + 2);
    return end === -1 ? sql.length : end + 2;
  }
  return undefined;
}

/** Where the string or the quoted name that begins at `start` ends. */
function quoteEnd(sql: string, start: number): number {
  const quote = sql.charAt(start);
  let at = start + 1;
  while (at < sql.length) {
    const char = sql.charAt(at);
    if (char === quote && sql.charAt(at + 1) !== quote) return at + 1;
    at += char === '\\' || char === quote ? 2 : 1;
  }
  return sql.length;
}

/**
 * Reads the first bytes of a request: the query, and after an INSERT's FORMAT the beginning of its data.
 *
 * @throws ClickHouseError 62 for no query at all, or for two.
 */
export function readStatement(head: Buffer): Statement {
  // One character per byte, so that positions in the text are positions in the bytes.
  const sql = head.toString('latin1');
  for (const { word } of tokens(sql)) {
    if (word === '(') continue;
    if (word === 'INSERT') return readInsert(sql);
    const { whole, ...output } = readOutput(sql);
    if (word === 'SELECT' || word === 'WITH' || word === 'FROM') return { kind: 'rows', ...output };
    const { format } = output;
    return { kind: 'command', sql: word === 'KILL' ? killById(sql) : whole, format };
  }
  throw clickHouseError('SYNTAX_ERROR', 'Syntax error: Empty query');
}

/** The engine knows a query's id by its `log_comment`, which is the id and a number (see `Engine.run`). */
function killById(sql: string): string {
  let written = '';
  let at = 0;
  for (const { word, start, end } of tokens(sql)) {
    if (word !== 'QUERY_ID') continue;
    written += `${sql.slice(at, start)}replaceRegexpOne(Settings['log_comment'], ' [0-9]+$', '')`;
    at = end;
  }
  return utf8(written + sql.slice(at));
}

/** A query without the semicolon at its end, and the same in its parts. */
type Output = {
  whole: string;
  select: string;
  format: string | undefined;
  settings: string | undefined;
};

function readOutput(sql: string): Output {
  let end = sql.length;
  let closed = false;
  let format: Token[] = [];
  for (const token of tokens(sql)) {
    if (closed && token.word !== ';') {
      throw clickHouseError('SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
    }
    if (token.word === ';' && token.depth === 0) {
      if (!closed) end = token.start;
      closed = true;
    } else if (token.word === 'FORMAT' && token.depth === 0) format = [token];
    else if (format.length > 0 && format.length < 3) format.push(token);
  }
  const [keyword, name, next] = format;
  // `format` may be a column as well: it is the clause where a name and nothing but SETTINGS follow.
  const isClause =
    name !== undefined && isName(name.word) && (next?.word ?? 'SETTINGS') === 'SETTINGS';
  const whole = utf8(sql.slice(0, end));
  if (keyword === undefined || !isClause) {
    return { whole, select: whole, format: undefined, settings: undefined };
  }
  return {
    whole,
    select: utf8(sql.slice(0, keyword.start)),
    format: sql.slice(name.start, name.end),
    settings: next === undefined ? undefined : utf8(sql.slice(next.end, end)),
  };
}

function readInsert(sql: string): Statement {
  let place = 0;
  let selects = false;
  let settingsAt: number | undefined;
  let formatAt: number | undefined;
  let input: { start: number; open?: number; close?: number; depth: number } | undefined;
  for (const { word, start, end, depth } of tokens(sql)) {
    place += 1;
    if (formatAt !== undefined) {
      if (!isName(word)) break;
      const format = sql.slice(start, end);
      return insertOf(sql, format, formatAt, end, selects, settingsAt, input);
    }
    if (input !== undefined && input.open === undefined) {
      if (word === '(') input.open = end;
      else input = undefined;
    } else if (input !== undefined && word === ')' && depth === input.depth) {
      input.close ??= start;
    }
    if (word === 'INPUT' && selects && input === undefined) input = { start, depth };
    // The first words are INSERT INTO and the table, whatever it is called.
    if (depth > 0 || place < 4) continue;
    if (word === 'INFILE') break;
    if (word === 'SELECT' || word === 'WITH') selects = true;
    if (word === 'SETTINGS' && !selects) settingsAt ??= start;
    if (word === 'FORMAT') formatAt = start;
    if (word === 'VALUES' && !selects) {
      return insertOf(sql, 'Values', start, end, false, settingsAt, undefined);
    }
  }
  return { kind: 'command', sql: utf8(sql), format: undefined };
}

function insertOf(
  sql: string,
  format: string,
  formatAt: number,
  formatEnd: number,
  selects: boolean,
  settingsAt: number | undefined,
  input: { start: number; open?: number; close?: number } | undefined,
): Statement {
  const dataStart = format === 'Values' ? formatEnd : afterFormat(sql, formatEnd);
  if (!selects) {
    const split = settingsAt ?? formatAt;
    const before = utf8(sql.slice(0, split));
    const after = utf8(sql.slice(split, formatAt));
    return { kind: 'insert', format, dataStart, before, structure: undefined, after };
  }
  if (input?.open === undefined || input.close === undefined) {
    return { kind: 'command', sql: utf8(sql), format: undefined };
  }
  return {
    kind: 'insert',
    format,
    dataStart,
    before: utf8(sql.slice(0, input.start)),
    structure: utf8(sql.slice(input.open, input.close)),
    after: utf8(sql.slice(input.close + 1, formatAt)),
  };
}

/** Data starts after the line of its FORMAT, or on it. */
function afterFormat(sql: string, formatEnd: number): number {
  const gap = /[ \t\f]*;?\r?\n?/y;
  gap.lastIndex = formatEnd;
  return gap.test(sql) ? gap.lastIndex : formatEnd;
}

/**
 * The query that writes its result into a file, as the engine's own formatter would send it. `mark` is its
 * `log_comment`, unless the query names one itself.
 */
export function intoFile(
  statement: Statement & { kind: 'rows' },
  path: string,
  defaultFormat: string,
  mark: string,
): string {
  const { select, format = defaultFormat, settings } = statement;
  const all = [`log_comment = ${literal(mark)}`, ...(settings === undefined ? [] : [settings])];
  return `${select}\nINTO OUTFILE ${literal(path)} TRUNCATE FORMAT ${format} SETTINGS ${all.join(',')}`;
}

/** The INSERT that reads its data from a file. */
export function fromFile(statement: Statement & { kind: 'insert' }, path: string): string {
  const { format, before, structure, after } = statement;
  const file = literal(path);
  if (structure === undefined) {
    return `${before}\nFROM INFILE ${file} COMPRESSION 'none'\n${after}\nFORMAT ${format}`;
  }
  return `${before} file(${file}, ${literal(format)}, ${structure}, 'none') ${after}`;
}

/** A string as ClickHouse's SQL writes it. */
export function literal(value: string): string {
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}

/** A name as ClickHouse's SQL writes it. */
export function identifier(name: string): string {
  return `\`${name.replaceAll('\\', '\\\\').replaceAll('`', '\\`')}\``;
}

function isName(word: string): boolean {
  return /^[A-Z]\w*$/.test(word);
}

function utf8(latin1: string): string {
  return Buffer.from(latin1, 'latin1').toString('utf8');
}
