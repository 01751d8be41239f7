import { describe, expect, it } from 'vitest';
import { preview } from './preview.ts';

const now = Date.parse('2026-11-27T12:00:00.5Z');
const of = (payload: unknown, transformer?: object) =>
  preview(
    typeof payload === 'string' ? payload : JSON.stringify(payload),
    transformer === undefined ? {} : { transformer },
    now,
  );

describe('a preview of a profile', () => {
  it('shows a message without a transformer as it is, at the time of receipt', () => {
    expect(of({ a: 1 })).toEqual({
      total: 1,
      records: [{ time: '2026-11-27T12:00:00.500Z', payload: { a: 1 } }],
    });
  });

  it('shows each object of the part, with its time and the members that are kept', () => {
    const message = {
      at: 1795780800.123456,
      data: [
        { motor: { rpm: 1 }, x: 2 },
        { at: 1795780801, y: 3 },
      ],
    };
    const filters = { data_field: 'data', time_field: 'at', data_filters: ['motor.rpm', 'y'] };
    expect(of(message, filters)).toEqual({
      total: 2,
      records: [
        { time: '2026-11-27T12:00:00.123456Z', payload: { 'motor.rpm': 1 } },
        { time: '2026-11-27T12:00:01.000Z', payload: { y: 3 } },
      ],
    });
  });

  it('keeps the digits of integers that a double would round', () => {
    const [one] = of('{"data":{"serial":12345678901234567891,"n":[-9007199254740993,1.5]}}', {
      data_field: 'data',
    }).records;
    expect(JSON.stringify(one?.payload)).toBe(
      '{"serial":12345678901234567891,"n":[-9007199254740993,1.5]}',
    );
  });

  it.each([
    ['{"a":', /^body: not JSON: line 1, column \d+/],
    ['[]', /^body: must hold at least one record$/],
    ['[{"data":{"at":"2026-11-21T10:00:00Z"}},3]', /^record 1: must be an object$/],
    ['7', /^body: must be an object or an array of objects$/],
    ['{"b":1}', /^record 0: data_field "data" is missing$/],
    ['{"data":{"at":"noon"}}', /^record 0: time_field "at": "noon" does not match time_format/],
    [`${'['.repeat(60)}${']'.repeat(60)}`, /^body: nested deeper than/],
  ])('tells why %s would be refused', (payload, why) => {
    const { refused, total } = of(payload, { data_field: 'data', time_field: 'at' });
    expect(refused).toMatch(why);
    expect(total).toBe(0);
  });

  it('shows the first records of many, and counts all of them', () => {
    const { total, records } = of(Array.from({ length: 1_000 }, (_, a) => ({ a })));
    expect([total, records.length]).toEqual([1_000, 50]);
  });

  it('ends where filters would be looked up too often', () => {
    const filters = Array.from({ length: 900 }, (_, i) => `${i}`);
    const { refused } = of(
      Array.from({ length: 1_000 }, () => ({})),
      { data_filters: filters },
    );
    expect(refused).toBe('body: too many records for the data_filters of the profile');
  });
});
