import type { Value } from '../json/leaf.ts';

/*
 * Texts and booleans over time. Only their changes are read, page by page, from the newest on, up to some number: by Explore, by
 * panels and by shared links alike.
 */

/** As many changes as a page gives at once. */
export const statePage = 1_000;
/** Of more pages only the newest are drawn. */
const statePagesMax = 5;

/** Whether one more page is read after so many, of which the last named what follows it. */
export const readsOn = (pages: number, next: string | undefined): next is string =>
  next !== undefined && pages < statePagesMax;

/** Reads pages from the newest on. */
export async function readStatePages<Page extends { next?: string | undefined }>(
  ask: (cursor?: string) => Promise<Page>,
): Promise<[Page, ...Page[]]> {
  let last = await ask();
  const pages: [Page, ...Page[]] = [last];
  while (readsOn(pages.length, last.next)) {
    last = await ask(last.next);
    pages.push(last);
  }
  return pages;
}

/** From when until when a series had a value, in seconds; null is one that is not drawn. */
export type Span = { time: number; until: number; value: Value | null };

/**
 * Spans, which ascend, as points of a chart, which ascend too. A value holds until the next point. Null stands where it is not
 * known any more: a usual step after the last message before a silence, or before the end. A silence that is over by then has
 * none: the usual step is the first page's, and a page read later may tell of shorter silences.
 */
export function pointsOfSpans(
  spans: readonly Span[],
  usualStep: number,
): (readonly [time: number, value: Value | null])[] {
  return spans.flatMap(({ time, until, value }, i) => {
    const next = spans[i + 1]?.time ?? Number.POSITIVE_INFINITY;
    if (value === null || until >= next) return [[time, value] as const];
    const last = until > time ? [[until, value] as const] : [];
    const unknown = until + usualStep < next ? [[until + usualStep, null] as const] : [];
    return [[time, value] as const, ...last, ...unknown];
  });
}
