import { DomainError } from '../../../schemas/http/errors.ts';
import type { ReaderQuery } from '../../../schemas/messages/query.ts';
import { besideMax, besideMin, usualStepsMax } from '../../../schemas/messages/silences.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import type { Timeless } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { fieldsOf, namesOf } from '../aggregates/aggregation.ts';
import { allPathCells } from '../columns/paths.ts';
import { addName } from '../query/conditions.ts';
import { messageText } from '../query/message-text.ts';
import { type Direction, placeColumns, tieOf } from '../query/order.ts';
import { mayHaveLongInteger, namesAlong } from '../query/payload.ts';
import { senmlTime } from '../query/times.ts';
import type { Where } from '../query/where.ts';
import type { Store } from '../store/store.ts';
import { isFromFirst, type PageCursor, type PageRange } from './cursor.ts';
import { directions, type MessageTexts, placed, writtenColumns } from './sql.ts';

/*
 * Changes of one series: the messages whose value is another than that before, or that come after a silence. A change holds
 * `until` the next one, or until the last message before a silence.
 */

/** Parameters that hide messages between others, or ask for something else than messages. */
const refused = ['points', 'agg_type', 'agg_interval', 'columns', 'v', 'vs', 'vb', 'vd'] as const;

/**
 * The series that is compared: of SenML the name of its records, of JSON the path of its values.
 *
 * @throws DomainError `malformed` naming what changes are not asked with, or lack
 */
export function comparedOf(format: MessageFormat, query: Timeless<ReaderQuery>): string {
  for (const name of refused) {
    if (query[name] !== undefined) throw new DomainError('malformed', `changes: without ${name}`);
  }
  const names = format === 'senml' ? [query.name ?? [], namesOf(query)].flat() : fieldsOf(query);
  const [one, ...others] = new Set(names);
  if (one === undefined || others.length > 0) {
    const field = format === 'senml' ? 'name' : 'agg_field';
    throw new DomainError('malformed', `changes: are of one ${field}`);
  }
  return one;
}

/** A page of changes, and what is known of the series beside it. */
type Changes = MessageTexts & {
  /** How many changes there are in all, where no message of the page tells. */
  count: () => Promise<string>;
  /** Seconds that usually lie between two messages; undefined where there are too few. */
  usualStep: string | undefined;
};

/**
 * Reads a page of changes, each with its place, the total, and its text. All messages of the series that match are compared
 * for each page, so that the first of a page is held against the one before it. Uses the sort key.
 *
 * @throws DomainError `malformed` if there are too many messages to compare
 */
export async function readChanges(
  store: Store,
  format: MessageFormat,
  where: Where,
  { compared, range, from }: { compared: string; range: PageRange; from: PageCursor | undefined },
): Promise<Changes> {
  const series = await seriesOf(store, format, where.copy(), compared);
  const { bound } = series.where;
  const messages = series.rows([`${messageTables[format].time} AS moment`]);
  const steps = await store.text(stepsStatement(messages), bound);
  const [count, usual = '0', usualStep] = steps.split('\t');
  refuseMore(count);
  const changes = changesOf(messages);
  const statement = pageStatement(format, series, changes, { from, dir: range.dir });
  const { limit, offset } = range;
  const { batches, close } = await store.lines(statement, { ...bound, usual, limit, offset });
  return {
    messages: placed(format, batches, true),
    close,
    count: () => store.text(`SELECT count() FROM (${changes})`, { ...bound, usual }),
    usualStep: usual === '0' ? undefined : usualStep,
  };
}

const max = limits.comparedMessagesMax;

function refuseMore(count: string | undefined): void {
  if (Number(count) <= max) return;
  const detail = `changes: of more than ${max} messages: ask for a shorter time`;
  throw new DomainError('malformed', detail);
}

/** A series: the rows of its messages with these columns, and `sign`, a hash of the value of each. */
type ComparedSeries = {
  where: Where;
  rows: (columns: readonly string[], condition?: string) => string;
};

/**
 * Numbers are compared as numbers, integers beyond 64 bits by their digits, 0 and -0 are one, and a text is no number. What
 * has no value is left out: SenML that is only a sum, JSON without the path or with null there.
 */
async function seriesOf(
  store: Store,
  format: MessageFormat,
  where: Where,
  compared: string,
): Promise<ComparedSeries> {
  const { name } = messageTables[format];
  if (format === 'senml') {
    addName(where, [compared]);
    where.add(`kind != 'none'`);
    const rows: ComparedSeries['rows'] = (columns, condition = 'true') => `
      SELECT ${columns.join(', ')}, sipHash64(kind, value + 0, text) AS sign
      FROM ${name} WHERE ${where.text} AND ${condition}`;
    return { where, rows };
  }
  const hasLongIntegers = await haveLongIntegers(store, where);
  const { before, cells } = allPathCells(where, [namesAlong(compared, true)], hasLongIntegers, {
    ofText: (text) => `concat('"', ${text})`,
    ofJson: (json) => json,
  });
  // The cell is long, and written once.
  const rows: ComparedSeries['rows'] = (columns, condition = 'true') => `
    SELECT * EXCEPT (cell), sipHash64(assumeNotNull(cell)) AS sign
    FROM (${before} SELECT ${columns.join(', ')}, ${cells.join()} AS cell
          FROM ${name} WHERE ${where.text} AND ${condition})
    WHERE isNotNull(cell)`;
  return { where, rows };
}

/** To look for such integers in each cell would take three times as long as all else. */
async function haveLongIntegers(store: Store, { text, bound }: Where): Promise<boolean> {
  const found = await store.text(
    `SELECT count(), max(${mayHaveLongInteger})
     FROM (SELECT payload FROM ${messageTables.json.name} WHERE ${text} LIMIT ${max + 1})`,
    bound,
  );
  const [count, isFound] = found.split('\t');
  refuseMore(count);
  return isFound === '1';
}

/** The time from the message before; 0 for the first one, and for another one of the same time. */
const stepFrom = (before: string) => `toUInt64(moment - ${before})`;

/** How many messages are compared, and the usual step between two of them, in nanoseconds and in seconds. */
function stepsStatement(messages: string): string {
  const before =
    'lagInFrame(moment, 1, moment) OVER (ORDER BY moment ROWS BETWEEN 1 PRECEDING AND CURRENT ROW)';
  return `
    SELECT count(), medianExactLowIf(step, step > 0) AS usual, reinterpret(usual, 'Decimal64(9)')
    FROM (SELECT ${stepFrom(before)} AS step FROM (SELECT moment FROM (${messages}) LIMIT ${max + 1}))`;
}

/** Of one time, messages with the same value are neighbours. */
const inOrder = 'ORDER BY moment, sign ROWS';
/** Steps alone: of several messages at one time there is one. */
const steps = `PARTITION BY step > 0 ${inOrder}`;

/** The usual one of the steps in a window; 0 where they are too few to tell. */
const usualIn = (window: string) =>
  `if(count() OVER ${window} < ${besideMin}, 0, medianExactLow(step) OVER ${window})`;

/** The place of each change, and `until` when it was so. */
function changesOf(messages: string): string {
  return `
    SELECT moment, sign, until
    FROM (SELECT moment, sign, is_change,
                 leadInFrame(if(is_after_silence, before, moment), 1, moment) OVER (
                   ${inOrder} BETWEEN CURRENT ROW AND 1 FOLLOWING) AS until
          FROM (SELECT *, step > 0 AND intDiv(step - 1, ${usualStepsMax}) >= greatest(
                         {usual:UInt64}, ${usualIn('earlier')}, ${usualIn('later')}) AS is_after_silence,
                       is_first OR is_other OR is_after_silence AS is_change
                FROM (${neighboursOf(messages)})
                WINDOW earlier AS (${steps} BETWEEN ${besideMax} PRECEDING AND 1 PRECEDING),
                       later AS (${steps} BETWEEN 1 FOLLOWING AND ${besideMax} FOLLOWING))
          -- The last change holds until the last message.
          WHERE is_change OR is_last)
    WHERE is_change`;
}

/** Each message, and what it is beside its neighbours. */
function neighboursOf(messages: string): string {
  return `
    SELECT moment, sign, lagInFrame(1, 1, 0) OVER beside = 0 AS is_first,
           leadInFrame(1, 1, 0) OVER beside = 0 AS is_last,
           lagInFrame(moment, 1, moment) OVER beside AS before, ${stepFrom('before')} AS step,
           sign != lagInFrame(sign) OVER beside AS is_other
    FROM (${messages})
    WINDOW beside AS (${inOrder} BETWEEN 1 PRECEDING AND 1 FOLLOWING)`;
}

type PageStart = { from: PageCursor | undefined; dir: Direction };

/**
 * A page of changes: first where they are, and `until` when, and then the messages themselves. Only what has no array is a
 * set that the index is asked for quickly: so `found` is joined to rows again.
 */
function pageStatement(
  format: MessageFormat,
  series: ComparedSeries,
  changes: string,
  start: PageStart,
): string {
  const { time } = messageTables[format];
  const { direction } = directions[start.dir];
  const place = placeColumns(format).slice(0, -1);
  const written = place.map((column) => writtenColumns[column] ?? column);
  const until = format === 'senml' ? senmlTime('change.3', 'unix').time : 'change.3';
  const order = `${time} ${direction}, sign ${direction}`;
  const columns = [...place, tieOf[format], `${messageText[format]} AS whole`];
  const rows = series.rows(columns, `${time} IN (SELECT arrayJoin(found).1)`);
  return `
    WITH (SELECT groupArray((moment, sign, until, total))
          FROM (SELECT *, count() OVER () AS total FROM (${changes}) QUALIFY ${isReached(series.where, start)}
                ORDER BY moment ${direction}, sign ${direction}
                LIMIT {limit:UInt64} OFFSET {offset:UInt64})) AS found
    SELECT ${written.join(', ')}, sign, change.4,
           concat(substring(whole, 1, length(whole) - 1), ',"until":', toString(${until}), '}')
    FROM (SELECT *, arrayFirst(one -> one.1 = ${time} AND one.2 = sign, found) AS change
          FROM (SELECT * FROM (${rows})
                WHERE (${time}, sign) IN (SELECT one.1, one.2 FROM (SELECT arrayJoin(found) AS one))
                ORDER BY ${order}, tie
                LIMIT 1 BY ${time}, sign))
    ORDER BY ${order}`;
}

/** Leaves out the changes before the place of a cursor. That at the place itself stays, as on other pages. */
function isReached(where: Where, { from, dir }: PageStart): string {
  if (from === undefined || isFromFirst(from)) return 'true';
  const time = where.bind('Int64', from.place[0] ?? '');
  const sign = where.bind('UInt64', from.place.at(-1) ?? '');
  return `(moment, sign) ${directions[dir].from} (${time}, ${sign})`;
}
