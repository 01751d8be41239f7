/*
 * Texts and booleans over time. Nothing thins them out, so they are read page by page, from the newest on, up to some number:
 * by Explore, by panels and by shared links alike.
 */

/** As many messages as a page gives at once. */
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
