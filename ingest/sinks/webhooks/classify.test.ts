import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';
import { RedisAway } from './send.ts';

function ofPostgres(code: string): DatabaseError {
  return Object.assign(new DatabaseError('of Postgres', 0, 'error'), { code });
}

describe('a batch for webhooks that failed', () => {
  it.each([
    ['a constraint', '23514', 'refuse'],
    ['a value out of range', '22003', 'refuse'],
    ['a deadlock', '40P01', 'retry'],
    ['a restart', '57P01', 'retry'],
    ['a code that is not known', 'P0001', 'halt'],
  ])('by %s (%s): %s', (_, code, decision) => {
    expect(classify(ofPostgres(code))).toMatchObject({ decision, code });
  });

  it('is tried again while Redis or Postgres is away', () => {
    expect(classify(new RedisAway())).toMatchObject({ decision: 'retry' });
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect(classify(refused)).toMatchObject({ decision: 'retry', code: 'ECONNREFUSED' });
  });

  it('by a mistake of our own needs somebody to look', () => {
    expect(classify(new TypeError('undefined is not a function'))).toMatchObject({
      decision: 'halt',
    });
  });
});
