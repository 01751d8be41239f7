import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { NotReached } from '../../../infra/runtime/network/failure.ts';
import { columns } from './block/columns.ts';
import { Rows } from './block/rows.ts';
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
    expect(classify(new NotReached('Timeout error.'))).toMatchObject({ decision: 'retry' });
  });

  it('by a mistake of our own needs somebody to look', () => {
    for (const error of [new TypeError('of ours'), new RangeError('of ours'), new Error('?')]) {
      expect(classify(error)).toMatchObject({ decision: 'halt' });
    }
  });

  it('by bytes that are not what their frames say is refused', () => {
    const rows = new Rows(columns.senml);
    const error = thrownBy(() => rows.read(Buffer.alloc(64), 1, 7));
    expect(classify(error)).toMatchObject({ decision: 'refuse', code: 'BytesDamaged' });
  });
});

function thrownBy(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}
