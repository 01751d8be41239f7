import { limits } from '../../limits.ts';
import { dayOf } from '../../../schemas/messages/tables.ts';
import { Where } from '../../messages/query/where.ts';
import type { Store } from '../../messages/store/store.ts';
import type { Batches } from '../answers/result.ts';
import type { Order } from '../language/ast.ts';
import { beginTransform, type TransformState, type Value } from './functions.ts';
import { cellValue, readRows } from './lines.ts';
import type { SlotRow } from './rows.ts';
import { type Asked, cellSql, isOfTags, pointsSql, rowsSql } from './sql.ts';

/** How many rows of each series the answer may need, with those that it leaves out, and in which order. */
type Wanted = { order: Order; seriesOrder: Order; rowsPerSeries: number | undefined };

/** Rows without aggregates, in the order of their series and times. */
export async function* readRaw(
  store: Store,
  asked: Asked,
  wanted: Wanted,
): AsyncGenerator<SlotRow[]> {
  const isOfCalls = asked.plan.slots.some(({ kind }) => kind === 'call');
  // A function over points does not give a row for each of them.
  const batches = cellRows(
    store,
    asked,
    isOfCalls ? { ...wanted, rowsPerSeries: undefined } : wanted,
  );
  if (isOfCalls) yield* transformedRows(batches, asked);
  else {
    for await (const rows of batches) {
      yield rows
        .map((row) => ({ tags: row.tags, time: row.time, slots: slotsOf(row, asked) }))
        .filter(({ slots }) => hasField(slots, asked));
    }
  }
}

/** A row with the cells of its fields and the tags that its columns have. */
type CellRow = {
  tags: readonly string[];
  time: bigint;
  cells: unknown[];
  shownTags: readonly unknown[];
};

async function* transformedRows(
  batches: Batches<CellRow>,
  { plan }: Asked,
): AsyncGenerator<SlotRow[]> {
  let series: readonly string[] | undefined;
  let states: (TransformState | undefined)[] = [];
  for await (const rows of batches) {
    const transformed = rows.map(({ tags, time, cells }): SlotRow => {
      if (series === undefined || series.some((tag, at) => tag !== tags[at])) {
        series = tags;
        states = plan.slots.map((slot) =>
          slot.kind === 'call' && slot.call.transform !== undefined
            ? beginTransform(slot.call.transform)
            : undefined,
        );
      }
      const slots = plan.slots.map((slot, at): Value => {
        const value = slot.kind === 'call' ? cellValue(cells[slot.call.field]) : null;
        return typeof value === 'number' ? (states[at]?.({ time, value }) ?? null) : null;
      });
      return { tags, time, slots };
    });
    yield transformed.filter(({ slots }) => slots.some((value) => value !== null));
  }
}

function slotsOf({ cells, shownTags }: CellRow, { plan }: Asked): Value[] {
  const shown = shownTagsOf(plan);
  return plan.slots.map((slot) => {
    if (slot.kind === 'field') return cellValue(cells[slot.field]);
    return slot.kind === 'tag' ? cellValue(shownTags[shown.indexOf(slot.tag)]) : null;
  });
}

const hasField = (slots: readonly Value[], { plan }: Asked) =>
  slots.some((value, at) => value !== null && plan.slots[at]?.kind === 'field');

const shownTagsOf = ({ slots }: Asked['plan']): string[] =>
  slots.flatMap((slot) => (slot.kind === 'tag' ? [slot.tag] : []));

/**
 * Where no field is compared, points are read in the order of the table and put together here: the first rows of a large
 * range come at once. Where fields are compared, ClickHouse puts the rows together.
 */
async function* cellRows(
  store: Store,
  asked: Asked,
  wanted: Wanted,
): AsyncGenerator<readonly CellRow[]> {
  const { rowsPerSeries = limits.influxRowsMax + 1 } = wanted;
  if (!isOfTags(asked.plan)) {
    yield* readCells(store, wholeRowsSql(asked, wanted, rowsPerSeries), asked);
    return;
  }
  // Points that were stored again stand for no row of their own.
  let pointsMax = 2 * rowsPerSeries * asked.plan.fields.length;
  if (rowsPerSeries > limits.influxHeldRowsMax) {
    yield* joinedPoints(store, asked, wanted, pointsMax);
    return;
  }
  for (;;) {
    const read = { isShort: false };
    const batches: CellRow[][] = [];
    const enough = { rowsPerSeries, read };
    for await (const rows of joinedPoints(store, asked, wanted, pointsMax, enough)) {
      batches.push(rows);
    }
    if (!read.isShort) {
      yield* batches;
      return;
    }
    pointsMax *= 10;
  }
}

type Statement = { query: string; where: Where };

const directions = { asc: 'ASC', desc: 'DESC' } as const;

type Orders = Pick<Wanted, 'order' | 'seriesOrder'>;

const orderBy = (
  groups: readonly string[],
  times: readonly string[],
  { order, seriesOrder }: Orders,
): string[] => [
  ...groups.map((key) => `${key} ${directions[seriesOrder]}`),
  ...times.map((key) => `${key} ${directions[order]}`),
];

/** The tags of the answer's groups and those of its columns, as SQL. */
function tagColumns(where: Where, { tags, groupedBy, plan }: Asked) {
  const column = (key: string) => tags.value(where, key);
  const groups = groupedBy.map((key, at) => `${column(key)} AS g${at}`);
  return {
    columns: [...groups, ...shownTagsOf(plan).map((key, at) => `${column(key)} AS shown${at}`)],
    groupNames: groups.map((_group, at) => `g${at}`),
    names: [
      ...groups.map((_group, at) => `g${at}`),
      ...shownTagsOf(plan).map((_key, at) => `shown${at}`),
    ],
  };
}

/** The fields of columns: a row without any of them is none, though its others are compared. */
const shownFields = ({ slots }: Asked['plan']): number[] =>
  slots.flatMap((slot) => {
    if (slot.kind === 'call') return [slot.call.field];
    return slot.kind === 'field' ? [slot.field] : [];
  });

function wholeRowsSql(asked: Asked, orders: Orders, rowsPerSeries: number): Statement {
  const where = new Where();
  const { columns, groupNames, names } = tagColumns(where, asked);
  const cells = asked.plan.fields.map((_field, at) => cellSql(at));
  const read = asked.plan.fields.map((_field, at) => `k${at}, v${at}, t${at}`);
  const shown = ['toString(time)', ...names, ...cells];
  const by = orderBy(groupNames, ['time'], orders);
  return {
    where,
    query: `
      SELECT ${shown.join(', ')} FROM (
        SELECT ${['time', ...columns, ...read].join(', ')} FROM (${rowsSql(where, asked)})
        WHERE ${shownFields(asked.plan)
          .map((at) => `k${at} != 0`)
          .join(' OR ')}
        ORDER BY ${[...by, 'publisher', 'subtopic', 'unit'].join(', ')}
        ${limitBy(groupNames, rowsPerSeries)})`,
  };
}

/** Of each series so many, and of all no more than an answer can take. */
function limitBy(
  groupNames: readonly string[],
  perSeries: number,
  all = limits.influxRowsMax + 1,
): string {
  const each = groupNames.length === 0 ? '' : `LIMIT ${perSeries} BY ${groupNames.join(', ')}`;
  return `${each} LIMIT ${groupNames.length === 0 ? Math.min(perSeries, all) : all}`;
}

async function* readCells(
  store: Store,
  { query, where }: Statement,
  { groupedBy, plan }: Asked,
): AsyncGenerator<CellRow[]> {
  const tagsEnd = 1 + groupedBy.length;
  const shownEnd = tagsEnd + shownTagsOf(plan).length;
  for await (const rows of readRows(store, query, where.bound)) {
    yield rows.map((row) => ({
      time: BigInt(String(row[0])),
      tags: row.slice(1, tagsEnd).map(String),
      shownTags: row.slice(tagsEnd, shownEnd),
      cells: row.slice(shownEnd),
    }));
  }
}

/** Points as they are read: `series` is a hash of all their tags, then the place of their field and its cell. */
function pointsInOrderSql(asked: Asked, orders: Orders, pointsMax: number): Statement {
  const where = new Where();
  const { columns, groupNames, names } = tagColumns(where, asked);
  const series = 'toString(sipHash64(publisher, subtopic, unit))';
  const shown = ['toString(time)', ...names, series, 'field', '(kind, value, text)'];
  const by = orderBy(groupNames, [dayOf('time'), 'time'], orders);
  const all = 2 * (limits.influxRowsMax + 1) * asked.plan.fields.length;
  return {
    where,
    query: `
      SELECT ${shown.join(', ')} FROM (
        SELECT *${columns.map((column) => `, ${column}`).join('')} FROM (${pointsSql(where, asked)})
        ORDER BY ${[...by, 'publisher', 'subtopic', 'unit', 'field', 'place'].join(', ')}
        ${limitBy(groupNames, pointsMax, all)})`,
  };
}

/** Tells whether rows are missing because points that were stored again took their places. */
type Enough = { rowsPerSeries: number; read: { isShort: boolean } };

async function* joinedPoints(
  store: Store,
  asked: Asked,
  orders: Orders,
  pointsMax: number,
  enough?: Enough,
): AsyncGenerator<CellRow[]> {
  const statement = pointsInOrderSql(asked, orders, pointsMax);
  let open: { row: CellRow; id: string } | undefined;
  const counted = { series: '', points: 0, rows: 0 };
  const check = () => {
    if (enough === undefined || counted.points < pointsMax) return;
    if (counted.rows < enough.rowsPerSeries) enough.read.isShort = true;
  };
  for await (const points of readCells(store, statement, asked)) {
    const joined: CellRow[] = [];
    for (const point of points) {
      const [id, field, cell] = point.cells;
      const series = point.tags.join('\0');
      if (series !== counted.series) {
        check();
        Object.assign(counted, { series, points: 0, rows: 0 });
      }
      counted.points += 1;
      const isSame = open !== undefined && open.id === id && open.row.time === point.time;
      if (
        open === undefined ||
        !isSame ||
        open.row.tags.some((tag, at) => tag !== point.tags[at])
      ) {
        if (open !== undefined) joined.push(open.row);
        counted.rows += 1;
        open = { row: { ...point, cells: [] }, id: String(id) };
      }
      open.row.cells[Number(field)] = cell;
    }
    yield joined;
  }
  check();
  if (open !== undefined) yield [open.row];
}
