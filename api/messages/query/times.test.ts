import { expect, it } from 'vitest';
import { jsonTime, senmlTime } from './times.ts';

it('a SenML time is seconds with nine decimals, or a text in UTC', () => {
  expect(senmlTime('time', 'unix')).toEqual({
    time: `reinterpret(time, 'Decimal64(9)')`,
    type: 'Decimal64(9)',
  });
  expect(senmlTime('time', 'rfc3339')).toEqual({
    time: `concat(replaceOne(toString(fromUnixTimestamp64Nano(time, 'UTC')), ' ', 'T'), 'Z')`,
    type: 'String',
  });
});

it('a JSON time is nanoseconds, or the same text', () => {
  expect(jsonTime('created', 'unix')).toBe('created');
  expect(jsonTime('created', 'rfc3339')).toBe(senmlTime('created', 'rfc3339').time);
});
