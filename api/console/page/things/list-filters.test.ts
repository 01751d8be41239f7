import { expect, it } from 'vitest';
import { filtersOf, isFiltered, metadataIn, pageQuery } from './list-filters.ts';

it('a key and a value in the search ask for a member of metadata', () => {
  expect(metadataIn('floor=2')).toEqual({ floor: 2 });
  expect(metadataIn('floor="2"')).toEqual({ floor: '2' });
  expect(metadataIn('place = north hall')).toEqual({ place: 'north hall' });
  expect(metadataIn('isOld=false')).toEqual({ isOld: false });
  expect(metadataIn('=2')).toBeUndefined();
  expect(metadataIn('boiler')).toBeUndefined();
});

it('a thing that is quiet was heard within a day, and not of late', () => {
  const query = pageQuery(filtersOf({ state: 'quiet' }), undefined);
  expect(String(query.seen_since) < String(query.silent_since)).toBe(true);
});

it('a place is no filter, and an address that makes no sense shows all', () => {
  expect(isFiltered(filtersOf({ group: 'g' }))).toBe(false);
  expect(filtersOf({ state: 'nonsense', order: 'x', dir: 'y' })).toMatchObject({
    state: 'all',
    order: 'name',
    dir: 'asc',
  });
});
