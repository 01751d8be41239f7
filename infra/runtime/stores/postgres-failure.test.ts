import { DatabaseError } from 'pg';
import { expect, it } from 'vitest';
import { BytesDamaged, NotReached } from '../network/failure.ts';
import { postgresFailure } from './postgres-failure.ts';

const ofPostgres = (code: string): DatabaseError =>
  Object.assign(new DatabaseError('of Postgres', 0, 'error'), { code });

it.each([
  ['a constraint', '23514', 'refuse'],
  ['a value out of range', '22003', 'refuse'],
  ['a trigger that refuses the row', 'P0001', 'refuse'],
  ['a deadlock', '40P01', 'retry'],
  ['a restart', '57P01', 'retry'],
  ['a table that is not there', '42P01', 'halt'],
])('what failed by %s (%s): %s', (_, code, decision) => {
  expect(postgresFailure(ofPostgres(code))).toMatchObject({ decision, code });
});

it('what failed while Postgres is away is tried again', () => {
  expect(postgresFailure(new NotReached('away'))).toMatchObject({ decision: 'retry' });
  const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
  expect(postgresFailure(refused)).toMatchObject({ decision: 'retry', code: 'ECONNREFUSED' });
});

it('bytes that are damaged are refused', () => {
  const damaged = postgresFailure(new BytesDamaged('the frames end before they should'));
  expect(damaged).toMatchObject({ decision: 'refuse', code: 'BytesDamaged' });
});

it('a mistake of our own needs somebody to look', () => {
  const mistake = new TypeError('undefined is not a function');
  expect(postgresFailure(mistake)).toMatchObject({ decision: 'halt' });
});
