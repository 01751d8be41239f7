import type { ComponentChildren } from 'preact';
import { useRef } from 'preact/hooks';
import type { Reading } from '../client/use-read.ts';
import { choose, address } from '../router.ts';
import { partsTexts } from '../texts/parts.ts';
import { Button } from './button.tsx';
import { Empty, Loaded } from './states.tsx';

export type Column<Row> = {
  head: string;
  cell: (row: Row) => ComponentChildren;
  kind?: 'name' | 'number';
  /** Left out on a phone. */
  isExtra?: boolean;
};

function classOf({ kind, isExtra }: { kind?: 'name' | 'number'; isExtra?: boolean }) {
  const classes = [
    ...(kind === 'name' ? ['cell'] : []),
    ...(kind === 'number' ? ['number'] : []),
    ...(isExtra === true ? ['extra'] : []),
  ];
  return classes.length === 0 ? undefined : classes.join(' ');
}

/** Rows of a list; the column that names them is their head. */
export function Table<Row>({
  columns,
  rows,
  keyOf,
  label,
}: {
  columns: readonly Column<Row>[];
  rows: readonly Row[];
  keyOf: (row: Row) => string;
  /** Its name, where it has no links: so that keys can scroll it where it is wider than the window. */
  label?: string;
}) {
  const focus =
    label === undefined ? {} : ({ tabIndex: 0, role: 'group', 'aria-label': label } as const);
  return (
    <div class="scroll" {...focus}>
      <table class="table">
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.head} scope="col" class={classOf(column)}>
                {column.head}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row) => (
            <tr key={keyOf(row)}>
              {columns.map((column) =>
                column.kind === 'name' ? (
                  <th key={column.head} scope="row" class={classOf(column)}>
                    {column.cell(row)}
                  </th>
                ) : (
                  <td key={column.head} class={classOf(column)}>
                    {column.cell(row)}
                  </td>
                ),
              )}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** A page of a list of the API: at most so many rows, from the one in the address on. */
export const pageLimit = 40;

export function pageOffset(): number {
  return Math.max(0, Math.trunc(Number(address.value.query['offset'] ?? 0)) || 0);
}

/** Which rows of how many show, and the way to the others. */
export function Pager({
  offset,
  limit,
  total,
  onOffset,
}: {
  offset: number;
  limit: number;
  total: number;
  onOffset: (offset: number) => void;
}) {
  const last = Math.min(offset + limit, total);
  const pager = useRef<HTMLDivElement>(null);
  const turnTo = (to: number) => {
    onOffset(to);
    // Reading goes on at the head of the list.
    pager.current?.closest('.panel')?.scrollIntoView();
  };
  return (
    <div class="pager" ref={pager}>
      <span>{partsTexts.rows(Math.min(offset + 1, total), last, total)}</span>
      <span class="row">
        <Button
          kind="quiet"
          icon="left"
          label={partsTexts.previous}
          disabled={offset === 0}
          onClick={() => turnTo(Math.max(0, offset - limit))}
        />
        <Button
          kind="quiet"
          icon="right"
          label={partsTexts.next}
          disabled={last >= total}
          onClick={() => turnTo(offset + limit)}
        />
      </span>
    </div>
  );
}

/** A page of a list, with the way to the others; `none` stands where there are no rows at all. */
export function PagedTable<Answer extends { total: number }, Row>({
  reading,
  rowsOf,
  none,
  ...table
}: {
  reading: Reading<Answer>;
  rowsOf: (answer: Answer) => readonly Row[];
  none: { title: string; text?: string };
  columns: readonly Column<Row>[];
  keyOf: (row: Row) => string;
}) {
  return (
    <Loaded reading={reading}>
      {(answer) =>
        answer.total === 0 ? (
          <Empty title={none.title} text={none.text} />
        ) : (
          <>
            <Table rows={rowsOf(answer)} {...table} />
            <Pager
              offset={pageOffset()}
              limit={pageLimit}
              total={answer.total}
              onOffset={(offset) => choose({ offset: offset === 0 ? undefined : String(offset) })}
            />
          </>
        )
      }
    </Loaded>
  );
}
