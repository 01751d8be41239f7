import { ReplyError } from 'ioredis';
import { DatabaseError } from 'pg';
import { describe, expect, it } from 'vitest';
import { NotReached } from '../../../infra/runtime/network/failure.ts';
import { redisFailure } from '../../../infra/runtime/stores/redis.ts';
import { readWebhookFrames } from '../../codecs/webhook-frame.ts';
import { classify } from './classify.ts';

function ofPostgres(code: string): DatabaseError {
  return Object.assign(new DatabaseError('of Postgres', 0, 'error'), { code });
}

describe('a batch for webhooks that failed', () => {
  it.each([
    ['a constraint', '23514', 'refuse'],
    ['a value out of range', '22003', 'refuse'],
    ['a deadlock', '40P01', 'retry'],
    ['a restart', '57P01', 'retry'],
    ['a trigger that refuses the row', 'P0001', 'refuse'],
    ['a table that is not there', '42P01', 'halt'],
  ])('by %s (%s): %s', (_, code, decision) => {
    expect(classify(ofPostgres(code))).toMatchObject({ decision, code });
  });

  it('is tried again while Redis or Postgres is away', () => {
    expect(classify(new NotReached('Redis is away'))).toMatchObject({ decision: 'retry' });
    const refused = Object.assign(new Error('refused'), { code: 'ECONNREFUSED' });
    expect(classify(refused)).toMatchObject({ decision: 'retry', code: 'ECONNREFUSED' });
  });

  it.each([
    ['READONLY You can not write against a read only replica.', 'retry'],
    ['OOM command not allowed', 'retry'],
    ['ERR unknown command', 'halt'],
  ])('as Redis refuses it (%s): %s', (text, decision) => {
    const [code] = text.split(' ');
    expect(classify(redisFailure(new ReplyError(text)))).toMatchObject({ decision, code });
  });

  it('is tried again where Redis does not answer in time', () => {
    const error = redisFailure(new Error('Command timed out'));
    expect(classify(error)).toMatchObject({ decision: 'retry' });
  });

  it('by bytes that are no frames is refused', () => {
    for (const bytes of [Buffer.alloc(10), Buffer.alloc(40, 1)]) {
      let thrown: unknown;
      try {
        readWebhookFrames(bytes);
      } catch (error) {
        thrown = error;
      }
      expect(classify(thrown)).toMatchObject({ decision: 'refuse', code: 'BytesDamaged' });
    }
  });

  it('by a mistake of our own needs somebody to look', () => {
    expect(classify(new TypeError('undefined is not a function'))).toMatchObject({
      decision: 'halt',
    });
  });
});
