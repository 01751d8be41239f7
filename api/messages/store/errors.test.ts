import { ClickHouseError } from '@clickhouse/client';
import { expect, it } from 'vitest';
import { DomainError } from '../../../schemas/http/errors.ts';
import { storeErrorOf } from './errors.ts';

const ofStore = (code: string) =>
  new ClickHouseError({ message: 'of the store', code, type: 'TYPE' });

it.each([
  ['a shard that went away', '32'],
  ['a server without our tables', '60'],
  ['no memory', '241'],
  ['another password', '516'],
])('%s (%s) is a store that is unavailable for a while', (_, code) => {
  const error = storeErrorOf(ofStore(code));
  expect(error).toBeInstanceOf(DomainError);
  expect(error).toMatchObject({ code: 'unavailable', cause: { code } });
});

it('what the store says of our own query stays as it is', () => {
  const error = ofStore('47');
  expect(storeErrorOf(error)).toBe(error);
});
