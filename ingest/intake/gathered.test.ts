import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Codec } from '../codecs/codec.ts';
import { type ColumnBatch, rowBytes, writeRow } from '../codecs/row-binary.ts';
import { decodeJsonRow, decodeSenmlRow, envelope, limits } from '../codecs/testing.ts';
import { GatheredMessages } from './gathered.ts';
import { ReadMessages } from './read-messages.ts';

const nowMs = 1_700_000_000_000;
const target = Buffer.alloc(4 * 1024 * 1024, 0xaa);

const record = fc.record(
  {
    n: fc.stringMatching(/^[A-Za-z0-9][-A-Za-z0-9:./_]{0,40}$/),
    u: fc.string({ unit: 'grapheme', maxLength: 10 }),
    t: fc.integer({ min: 1_600_000_000, max: 1_700_000_000 }),
    s: fc.double({ noNaN: true, noDefaultInfinity: true }),
    ut: fc.integer({ min: 0, max: 1_000 }),
    value: fc.oneof(
      { weight: 4, arbitrary: fc.record({ v: fc.integer() }) },
      fc.record({ vs: fc.string({ unit: 'grapheme', maxLength: 40 }) }),
      fc.record({ vb: fc.boolean() }),
    ),
  },
  { requiredKeys: ['n', 'value'] },
);
/** Most devices have no sums and units: what is left out of a column must be there where another message has it. */
const messages = fc.array(fc.array(record, { minLength: 1, maxLength: 5 }), {
  minLength: 1,
  maxLength: 20,
});

function readOf(batch: ColumnBatch): ReadMessages {
  return Object.assign(new ReadMessages(), { batch, records: batch.count });
}

function rowOf(batch: Parameters<typeof writeRow>[0]): Buffer {
  const end = writeRow(batch, envelope, target, 0);
  expect(end).toBe(rowBytes(batch, ''));
  return Buffer.from(target.subarray(0, end));
}

describe('messages gathered in one row', () => {
  it('have the records that each has by itself', () => {
    const codec = new Codec(limits);
    const gathered = new GatheredMessages(limits.recordsPerMessageMax, limits.nameCharsMax);
    fc.assert(
      fc.property(messages, (given) => {
        gathered.clear();
        const records = given.flatMap((message) => {
          const pack = message.map(({ value, ...rest }) => ({ ...rest, ...value }));
          const body = Buffer.from(JSON.stringify(pack));
          const batch = codec.read(body, 'application/senml+json', {}, nowMs);
          if (batch.kind === 'refused') throw new Error(batch.detail);
          expect(gathered.add(readOf(batch))).toBe(true);
          return decodeSenmlRow(rowOf(batch)).records;
        });
        const { batch } = gathered.all;
        if (batch === undefined) throw new Error('nothing was gathered');
        expect(gathered.all).toMatchObject({ messages: given.length, records: records.length });
        expect(decodeSenmlRow(rowOf(batch)).records).toEqual(records);
      }),
    );
  });

  it('are of one format, and no more than a row takes', () => {
    const codec = new Codec({ ...limits, recordsPerMessageMax: 3 });
    const gathered = new GatheredMessages(3, limits.nameCharsMax);
    const add = (body: string, contentType = 'application/json') => {
      const batch = codec.read(Buffer.from(body), contentType, {}, nowMs);
      if (batch.kind === 'refused') throw new Error(batch.detail);
      return gathered.add(readOf(batch));
    };
    expect(add('{"x":1}')).toBe(true);
    expect(add('[{"n":"a","v":1}]')).toBe(false);
    expect(add('[{"x":2},{"x":3}]')).toBe(true);
    expect(add('{"x":4}')).toBe(false);
    const { batch } = gathered.all;
    if (batch === undefined) throw new Error('nothing was gathered');
    const { records } = decodeJsonRow(rowOf(batch));
    expect(records.map(({ payload }) => payload)).toEqual(['{"x":1}', '{"x":2}', '{"x":3}']);
    gathered.clear();
    expect(gathered.all.isKept).toBe(false);
    expect(add('[{"n":"a","v":1}]')).toBe(true);
    gathered.clear();
    expect(add(`{"x":"${'x'.repeat(200_000)}"}`)).toBe(true);
    expect(add(`{"x":"${'x'.repeat(200_000)}"}`)).toBe(false);
  });
});
