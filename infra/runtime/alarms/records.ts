import { dayOf, type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Condition } from '../../../schemas/resources/rule.ts';
import { isValue, memberAt, type Value } from './conditions.ts';
import type { PastRecord } from './history.ts';
import { RowBinary } from './row-binary.ts';

/*
 * The records of a thing that a rule is about, as the store has them: for previews, and for corrections of history. They
 * come in RowBinary: a month at a minute's interval is 43,000 rows of 19 bytes.
 */

/** Of which thing, and of which time, in microseconds since 1970; both ends belong to it. */
export type RecordsRange = { thingId: string; fromUs: number; toUs: number };

/** Records in the order of their times, and how many rows there were, once they are read. */
type StoredRecords = Iterable<PastRecord> & { readonly rows: number };

/** A statement with its parameters, as ClickHouse binds them, and how its answer is read. */
type RecordsQuery = {
  text: string;
  bound: Record<string, string | number>;
  read: (answer: Buffer) => StoredRecords;
};

/** The columns of a format, and what a row has of records. */
type Columns = {
  columns: string;
  readRow: (row: RowBinary, timeUs: number, found: PastRecord[]) => void;
};

type Numbered = { condition: Condition; at: number };

/** Parameters of a statement. */
class Parameters {
  readonly bound: RecordsQuery['bound'] = {};

  bind(type: string, value: string | number): string {
    const name = `p${Object.keys(this.bound).length}`;
    this.bound[name] = value;
    return `{${name}:${type}}`;
  }
}

/**
 * Queries for the newest `rowsMax` rows of each format that the conditions are about. About silence is every message,
 * whatever it holds: its record is `true`. Each uses the sort key.
 */
export function recordsQueries(
  conditions: readonly Condition[],
  range: RecordsRange,
  rowsMax: number,
): RecordsQuery[] {
  return (['senml', 'json'] as const).flatMap((format) => {
    const parameters = new Parameters();
    const where = new Set(whereOf(parameters, format, range));
    if (conditions[0]?.when === 'silent') {
      return [queryOf(format, parameters, { where, distinct: 'DISTINCT', rowsMax }, times)];
    }
    const numbered = conditions
      .map((condition, at) => ({ condition, at }))
      .filter(({ condition }) => condition[format === 'senml' ? 'name' : 'path'] !== undefined);
    if (numbered.length === 0) return [];
    const columns =
      format === 'senml' ? senml(parameters, where, numbered) : json(parameters, numbered);
    const isOf = numbered.map(({ condition: { subtopic } }) => isOfSubtopic(parameters, subtopic));
    where.add(`(${isOf.join(' OR ')})`);
    return [queryOf(format, parameters, { where, distinct: '', rowsMax }, columns)];
  });
}

function queryOf(
  format: MessageFormat,
  parameters: Parameters,
  { where, distinct, rowsMax }: { where: Set<string>; distinct: string; rowsMax: number },
  { columns, readRow }: Columns,
): RecordsQuery {
  const { name, time } = messageTables[format];
  // Microseconds, rounded down: a double has them to the digit.
  const at = `toFloat64(intDiv(${time} - positiveModulo(${time}, 1000), 1000)) AS at`;
  const text = `SELECT * FROM (
      SELECT ${distinct} ${at}${columns} FROM ${name} WHERE ${[...where].join(' AND ')}
      ORDER BY at DESC LIMIT ${parameters.bind('UInt64', rowsMax)}
    ) ORDER BY at FORMAT RowBinary`;
  return { text, bound: parameters.bound, read: (answer) => new Records(answer, readRow) };
}

/** With the day beside the time: ClickHouse does not see that one follows from the other. */
function whereOf(
  parameters: Parameters,
  format: MessageFormat,
  { thingId, fromUs, toUs }: RecordsRange,
): string[] {
  const { time, day } = messageTables[format];
  const from = parameters.bind('Int64', String(BigInt(fromUs) * 1_000n));
  const to = parameters.bind('Int64', String(BigInt(toUs) * 1_000n + 999n));
  return [
    `publisher = ${parameters.bind('UUID', thingId)}`,
    `${day} >= ${dayOf(from)} AND ${time} >= ${from}`,
    `${day} <= ${dayOf(to)} AND ${time} <= ${to}`,
  ];
}

const isOfSubtopic = (parameters: Parameters, subtopic: string | undefined): string =>
  subtopic === undefined ? 'true' : `subtopic = ${parameters.bind('String', subtopic)}`;

const times: Columns = {
  columns: '',
  readRow: (_row, timeUs, found) => found.push({ timeUs, condition: 0, value: true }),
};

/** Longer texts come as one that no condition has: a control character. */
const textBytesMax = 8_192;
const short = (text: string, long: string) =>
  `if(length(${text}) > ${textBytesMax}, ${long}, ${text})`;

const kinds = { value: 0, string: 1 } as const;

/** The bits of a row say for which of the conditions it is. */
function senml(parameters: Parameters, where: Set<string>, numbered: readonly Numbered[]): Columns {
  const names = numbered.map(({ condition: { name = '' } }) => parameters.bind('String', name));
  where.add(`name IN (${names.join(', ')})`);
  where.add(`kind IN ('value', 'string', 'bool')`);
  const bits = numbered.map(
    ({ condition: { subtopic } }, bit) =>
      `${2 ** bit} * (name = ${names[bit]} AND ${isOfSubtopic(parameters, subtopic)})`,
  );
  const text = `if(kind = 'string', ${short('text', `'\\0'`)}, '') AS words`;
  return {
    columns: `, toUInt8(${bits.join(' + ')}) AS bits, toInt8(kind) AS sort, value, ${text}, ${short('unit', "''")} AS measure`,
    readRow(row, timeUs, found) {
      const bitsOfRow = row.byte();
      const kind = row.byte();
      const number = row.double();
      const words = row.text();
      const unit = row.text();
      const value = kind === kinds.value ? number : kind === kinds.string ? words : number === 1;
      const measured = unit === '' ? { value } : { value, unit };
      for (const [bit, { at: condition }] of numbered.entries()) {
        if (((bitsOfRow >> bit) & 1) === 1) found.push({ timeUs, condition, ...measured });
      }
    },
  };
}

/**
 * A row has for each condition the member as it is written in the payload, or nothing. ClickHouse's functions read no
 * payload with an integer beyond 64 bits: such come as a whole, and are rare.
 */
function json(parameters: Parameters, numbered: readonly Numbered[]): Columns {
  const members = numbered.map(({ condition: { path = '', subtopic } }, nth) => {
    const steps = path.split('.').map((name) => parameters.bind('String', name));
    const member = short(
      `(JSONExtractRaw(payload, ${steps.join(', ')}) AS raw${nth})`,
      `'"\\\\u0000"'`,
    );
    return `if(${isOfSubtopic(parameters, subtopic)}, ${member}, '') AS member${nth}`;
  });
  const whole = `if(match(payload, '-[0-9]{19}|[0-9]{20}'), payload, '') AS whole`;
  return {
    columns: `, ${members.join(', ')}, ${whole}, subtopic AS topic`,
    readRow(row, timeUs, found) {
      const texts = numbered.map(() => row.text());
      const payload = row.text();
      const topic = row.text();
      const parsed: unknown = payload === '' ? undefined : JSON.parse(payload);
      for (const [nth, { condition, at }] of numbered.entries()) {
        const { path = '', subtopic = topic } = condition;
        const value =
          payload === '' ? scalarIn(texts[nth] ?? '') : memberAt(parsed, path.split('.'));
        if (value !== undefined && subtopic === topic) found.push({ timeUs, condition: at, value });
      }
    },
  };
}

/** The number, text or boolean that a JSON text is. */
function scalarIn(raw: string): Value | undefined {
  if (raw === '' || raw.startsWith('{') || raw.startsWith('[')) return undefined;
  const value: unknown = JSON.parse(raw);
  return isValue(value) ? value : undefined;
}

class Records implements StoredRecords {
  rows = 0;
  readonly #answer: Buffer;
  readonly #readRow: Columns['readRow'];

  constructor(answer: Buffer, readRow: Columns['readRow']) {
    this.#answer = answer;
    this.#readRow = readRow;
  }

  *[Symbol.iterator](): Generator<PastRecord> {
    const row = new RowBinary(this.#answer);
    const found: PastRecord[] = [];
    this.rows = 0;
    while (!row.isOver) {
      found.length = 0;
      this.#readRow(row, row.double(), found);
      this.rows += 1;
      yield* found;
    }
  }
}
