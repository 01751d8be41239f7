import { type Static, Type } from 'typebox';
import { Value } from 'typebox/value';
import { DomainError } from '../../schemas/http/errors.ts';

/** Where a page of a list ended: what its last row is sorted by, as Postgres writes it, and its id. */
const ListCursor = Type.Object({
  order: Type.String({ maxLength: 64 }),
  dir: Type.Enum(['asc', 'desc']),
  value: Type.String({ maxLength: 1_024 }),
  id: Type.String({ maxLength: 64 }),
});
type ListCursor = Static<typeof ListCursor>;

export function writeListCursor(cursor: ListCursor): string {
  return Buffer.from(JSON.stringify(cursor)).toString('base64url');
}

/**
 * Postgres compares the values in it, and refuses those of another type.
 *
 * @throws DomainError `malformed` if the text is no cursor, or one of a list that is sorted otherwise.
 */
export function readListCursor(
  text: string,
  { order, dir }: Pick<ListCursor, 'order' | 'dir'>,
): ListCursor {
  const cursor = parse(text);
  if (cursor === undefined) throw new DomainError('malformed', 'cursor is not one of ours');
  if (cursor.order !== order || cursor.dir !== dir) {
    throw new DomainError('malformed', 'cursor is of another order or direction');
  }
  return cursor;
}

function parse(text: string): ListCursor | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
    return Value.Check(ListCursor, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
