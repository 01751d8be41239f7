import { useRef, useState } from 'preact/hooks';
import { type Answers, call, type Thing } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { type Filters, type ListQuery, pageQuery } from './list-filters.ts';

type Page = Answers['listThings'];

/** A page of things, in the place that is chosen. */
export function listIn(
  { org, group, profile }: Pick<Filters, 'org' | 'group' | 'profile'>,
  query: ListQuery,
  signal?: AbortSignal,
): Promise<Page> {
  if (profile !== '') return call('listProfileThings', { path: { id: profile }, query }, signal);
  if (group !== '') return call('listGroupThings', { path: { id: group }, query }, signal);
  if (org !== '') return call('listOrgThings', { path: { id: org }, query }, signal);
  return call('listThings', { query }, signal);
}

/** Things that were read so far, and what reads the next ones. */
export type Rows = {
  first: Reading<Page>;
  rows: readonly Thing[];
  hasMore: boolean;
  more: () => void;
};

/** The things that match, page by page as one scrolls. */
export function useRows(filters: Filters): Rows {
  const first = useRead(JSON.stringify(filters), (signal) =>
    listIn(filters, pageQuery(filters, undefined), signal),
  );
  const [added, setAdded] = useState<{ to?: Page; rows: Thing[]; next?: string | undefined }>({
    rows: [],
  });
  const reading = useRef<Page | undefined>(undefined);
  const page = first.value;
  const isCurrent = page !== undefined && added.to === page;
  const rows = page === undefined ? [] : isCurrent ? added.rows : page.things;
  const next = isCurrent ? added.next : page?.next;
  const more = () => {
    if (page === undefined || next === undefined || reading.current === page) return;
    reading.current = page;
    listIn(filters, pageQuery(filters, next))
      .then(({ things, next: after }) =>
        setAdded({ to: page, rows: [...rows, ...things], next: after }),
      )
      // Scrolling on tries again.
      .catch(() => undefined)
      .finally(() => {
        reading.current = undefined;
      });
  };
  return { first, rows, hasMore: next !== undefined, more };
}
