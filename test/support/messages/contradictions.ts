/** A page of a list as a client sees it, and what it was asked for. */
type SeenPage = { limit: number; offset: number; total: number; rows: number };

/** The contradictions between the total of a page, which has no cursor, and its rows. */
export function contradictionsOf({ limit, offset, total, rows }: SeenPage): string[] {
  const found: string[] = [];
  if (rows > limit) found.push('more rows than asked for');
  if (rows > 0 && total < offset + rows) found.push('a smaller total than rows');
  if (rows > 0 && rows < limit && total !== offset + rows) found.push('a total that lacks rows');
  if (rows === 0 && total > offset) found.push('a total without its rows');
  return found;
}
