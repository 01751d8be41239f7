import { ClickHouseError } from '@clickhouse/client';
import { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import { storeErrorOf } from '../../store/errors.ts';
import {
  type MessageFormat,
  messageFormats,
  messageTables,
} from '../../../../schemas/messages/tables.ts';
import { moreThanCounted, type Piece, readBackup, Source, wrong } from '../format.ts';
import { readOlder } from '../older.ts';
import type { SpooledUpload } from '../spool.ts';
import { countRows, createLike, insert, stopMerges, storedColumns } from '../statements.ts';

/** The rows and bytes of one INSERT, which makes about one part of a table. */
const insertRowsMax = 1_000_000;
const insertBytesMax = 256 * 1024 * 1024;

/** How much is sent at once of a file that has lines. */
const sendBytes = 1024 * 1024;

const decompress = promisify(zstdDecompress);

/** Rows of one format, as bytes. */
type Portion = { format: MessageFormat; rows: number; bytes: Buffer };
/** How an INSERT reads them. */
type Statements = { insert: (format: MessageFormat, table: string) => string; log?: string };

/**
 * Loads the messages of a file into new tables of their own.
 *
 * @throws DomainError `malformed` if the rows are not what the file says.
 */
export async function loadFile(
  clickhouse: ClickHouseClient,
  file: SpooledUpload,
  held: readonly MessageFormat[],
  tableOf: (format: MessageFormat) => string,
): Promise<void> {
  for (const format of held) {
    await createLike(clickhouse, tableOf(format), messageTables[format].name);
    // Retention applies once the messages are in the store: here all of them are counted.
    await stopMerges(clickhouse, 'TTL MERGES', tableOf(format));
  }
  if (file.origin.kind === 'older') {
    const statements = { insert: insertOfOlder, log: `sha256:${file.origin.hash}` };
    await loadPortions(clickhouse, linesOf(readOlder(file.chunks())), tableOf, statements);
    return;
  }
  const columns = await columnsOf(clickhouse, file.origin.header.columns);
  const insertOf = (format: MessageFormat, table: string) =>
    `INSERT INTO ${table} (${columns[format]}) FORMAT Native`;
  const { pieces } = await readBackup(new Source(file.chunks()));
  await loadPortions(clickhouse, decompressed(pieces), tableOf, { insert: insertOf });
}

/** The columns of the file, each of which must be one of the store's. */
async function columnsOf(
  clickhouse: ClickHouseClient,
  given: Record<MessageFormat, Record<string, string>>,
): Promise<Record<MessageFormat, string>> {
  const names = { senml: '', json: '' };
  for (const format of messageFormats) {
    const ours = await storedColumns(clickhouse, format);
    const brought = Object.entries(given[format]);
    const foreign = brought.find(([name, type]) => plainType(ours[name]) !== plainType(type));
    if (foreign !== undefined) throw wrong(`there is no column ${foreign.join(' ')} in ${format}`);
    if (!['publisher', 'log', 'batch'].every((name) => Object.hasOwn(given[format], name))) {
      throw wrong(`the messages of ${format} have no identity`);
    }
    names[format] = brought.map(([name]) => name).join(', ');
  }
  return names;
}

/** Whether a column has a dictionary may differ: ClickHouse reads both, and some columns once had one. */
const plainType = (type: string | undefined) => type?.replace(/^LowCardinality\((.*)\)$/, '$1');

async function* decompressed(pieces: AsyncGenerator<Piece>): AsyncGenerator<Portion> {
  for await (const { format, rows, rawBytes, data } of pieces) {
    const bytes = await decompress(data, { maxOutputLength: Math.max(1, rawBytes) }).catch(() => {
      throw wrong('a piece can not be unpacked to what it says');
    });
    if (bytes.length !== rawBytes) throw wrong('a piece is not as long as it says');
    yield { format, rows, bytes };
  }
}

/** Messages as lines, with the place of each as a member, many in a portion. */
async function* linesOf(messages: ReturnType<typeof readOlder>): AsyncGenerator<Portion> {
  let lines: Buffer[] = [];
  let bytes = 0;
  let held: MessageFormat = 'json';
  const portion = () => ({ format: held, rows: lines.length / 3, bytes: Buffer.concat(lines) });
  for await (const some of messages) {
    for (const { format, place, text } of some) {
      if (lines.length > 0 && (bytes > sendBytes || format !== held)) {
        yield portion();
        lines = [];
        bytes = 0;
      }
      held = format;
      lines.push(Buffer.from(`{"batch":${place},`), text.subarray(1), newline);
      bytes += text.length;
    }
  }
  if (lines.length > 0) yield portion();
}

const newline = Buffer.from('\n');

/** The payload on one line: in JSON, line breaks and the blanks after them are only between tokens. */
const onOneLine = `replaceRegexpAll(payload, '[\\\\r\\\\n]\\\\s*', '')`;

function insertOfOlder(format: MessageFormat, table: string): string {
  const common = 'batch UInt32, publisher UUID, subtopic Nullable(String), protocol String';
  if (format === 'json') {
    return `
      INSERT INTO ${table} (${messageTables.json.inserted})
      SELECT publisher, ifNull(subtopic, ''), protocol, created, ${onOneLine}, {log:String}, batch
      FROM input('${common}, created Int64, payload String')
      FORMAT JSONEachRow`;
  }
  return `
    INSERT INTO ${table} (${messageTables.senml.inserted})
    SELECT
      publisher, ifNull(subtopic, ''), protocol, name, ifNull(unit, ''), time,
      multiIf(value IS NOT NULL, 'value', string_value IS NOT NULL, 'string',
              bool_value IS NOT NULL, 'bool', data_value IS NOT NULL, 'data', 'none'),
      coalesce(value, toFloat64(bool_value), 0), coalesce(string_value, data_value, ''),
      sum, update_time, {log:String}, batch
    FROM input('${common}, name String, unit Nullable(String), time Int64,
      value Nullable(Float64), string_value Nullable(String), bool_value Nullable(Bool),
      data_value Nullable(String), sum Nullable(Float64), update_time Nullable(Float64)')
    FORMAT JSONEachRow`;
}

/** Sends portions in as few INSERTs as their limits allow, and counts the rows that were stored. */
async function loadPortions(
  clickhouse: ClickHouseClient,
  portions: AsyncGenerator<Portion>,
  tableOf: (format: MessageFormat) => string,
  { insert: insertOf, log }: Statements,
): Promise<void> {
  const loaded = { senml: 0, json: 0 };
  let next = await portions.next();
  let failure: unknown;
  async function* sameFormat(format: MessageFormat): AsyncGenerator<Buffer> {
    try {
      for (let rows = 0, bytes = 0; rows < insertRowsMax && bytes < insertBytesMax; ) {
        if (next.done === true || next.value.format !== format) return;
        yield next.value.bytes;
        rows += next.value.rows;
        bytes += next.value.bytes.length;
        loaded[format] += next.value.rows;
        next = await portions.next();
      }
    } catch (error) {
      failure = error;
      throw error;
    }
  }
  while (next.done !== true) {
    const { format } = next.value;
    const table = tableOf(format);
    const data = Readable.from(sameFormat(format), { objectMode: false });
    try {
      await insert(clickhouse, insertOf(format, table), log === undefined ? {} : { log }, data);
    } catch (error) {
      throw failure ?? insertErrorOf(error);
    }
    // After each INSERT: a piece that has more rows than it says is found before the next one.
    if ((await countRows(clickhouse, table)) !== loaded[format])
      throw wrong(moreThanCounted(format));
  }
}

/** ClickHouse's codes for data that is not of the format or of the type that was announced. */
const dataCodes: ReadonlySet<string> = new Set(
  Object.values({
    CANNOT_PARSE_TEXT: '6',
    INCORRECT_NUMBER_OF_COLUMNS: '7',
    THERE_IS_NO_COLUMN: '8',
    SIZES_OF_COLUMNS_DOESNT_MATCH: '9',
    POSITION_OUT_OF_BOUND: '11',
    NUMBER_OF_COLUMNS_DOESNT_MATCH: '20',
    CANNOT_PARSE_ESCAPE_SEQUENCE: '25',
    CANNOT_PARSE_QUOTED_STRING: '26',
    CANNOT_PARSE_INPUT_ASSERTION_FAILED: '27',
    ATTEMPT_TO_READ_AFTER_EOF: '32',
    CANNOT_READ_ALL_DATA: '33',
    // A column that the header names and the rows do not have.
    UNKNOWN_IDENTIFIER: '47',
    UNKNOWN_TYPE: '50',
    TYPE_MISMATCH: '53',
    ARGUMENT_OUT_OF_BOUND: '69',
    CANNOT_CONVERT_TYPE: '70',
    CANNOT_PARSE_NUMBER: '72',
    INCORRECT_DATA: '117',
    TOO_LARGE_ARRAY_SIZE: '128',
    TOO_LARGE_STRING_SIZE: '131',
    CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN: '349',
    CANNOT_PARSE_UUID: '376',
    CANNOT_PARSE_BOOL: '467',
    UNKNOWN_ELEMENT_OF_ENUM: '691',
  }),
);

function insertErrorOf(error: unknown): unknown {
  const isData = error instanceof ClickHouseError && dataCodes.has(error.code);
  return isData ? wrong('the store can not read its messages') : storeErrorOf(error);
}
