import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { classify } from './classify.ts';

const ofStore = (code: string) =>
  new ClickHouseError({ message: 'of the store', code, type: 'TYPE' });

describe('an insert that failed', () => {
  it.each([
    ['a value that can not be parsed', '27', 'refuse'],
    ['a constraint', '469', 'refuse'],
    ['too many parts', '252', 'retry'],
    ['no memory', '241', 'retry'],
    ['a shard of a cluster that went away', '32', 'retry'],
    ['a code that is not known', '60', 'halt'],
  ])('by %s (%s): %s', (_, code, decision) => {
    expect(classify(ofStore(code))).toMatchObject({ decision, code });
  });

  it('is tried again where the store was not reached, whatever the message says', () => {
    const error = Object.assign(new Error('Code: 27. DB::Exception'), { code: 'ECONNRESET' });
    expect(classify(error)).toMatchObject({ decision: 'retry', code: 'ECONNRESET' });
    expect(classify(new Error('socket hang up'))).toMatchObject({ decision: 'retry' });
  });
});
