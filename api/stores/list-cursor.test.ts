import { expect, it } from 'vitest';
import { readListCursor, writeListCursor } from './list-cursor.ts';

const cursor = { order: 'name', dir: 'asc', value: 'Насос “3”', id: 'an id' } as const;

it('a cursor is read as it was written', () => {
  expect(readListCursor(writeListCursor(cursor), cursor)).toEqual(cursor);
});

it('a cursor of another order or direction is refused, and so is what is none', () => {
  const text = writeListCursor(cursor);
  expect(() => readListCursor(text, { ...cursor, order: 'id' })).toThrow('another order');
  expect(() => readListCursor(text, { ...cursor, dir: 'desc' })).toThrow('another order');
  for (const other of ['', 'x', Buffer.from('{}').toString('base64url')]) {
    expect(() => readListCursor(other, cursor)).toThrow('not one of ours');
  }
});
