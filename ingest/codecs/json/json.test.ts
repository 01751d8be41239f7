import { describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import { json, refusal } from '../testing.ts';

type Transformer = NonNullable<ProfileConfig['transformer']>;

const nowMs = 1_700_000_000_123;
const now = 1_700_000_000_123_000_000n;
const contentType = 'application/json';
const payloads = (body: string, transformer?: Transformer) =>
  json(body, transformer === undefined ? {} : { transformer }).map(({ payload }) => payload);
const why = (body: string, transformer?: Transformer) =>
  refusal(body, { contentType, profile: transformer === undefined ? {} : { transformer } });

describe('JSON messages', () => {
  it('are an object or an array of objects, at the time of receipt', () => {
    expect(json('{"a":1}', {}, nowMs)).toEqual([{ created: now, payload: '{"a":1}' }]);
    expect(json('[{"a":1}, {"b":[true,null,"ü"]}]', {}, nowMs)).toEqual([
      { created: now, payload: '{"a":1}' },
      { created: now, payload: '{"b":[true,null,"ü"]}' },
    ]);
  });

  it.each([
    ['[]', 'body: must hold at least one record'],
    ['1', 'body: must be an object or an array of objects'],
    ['null', 'body: must be an object or an array of objects'],
    ['"text"', 'body: must be an object or an array of objects'],
    ['[{},1]', 'record 1: must be an object'],
    ['[{},null]', 'record 1: must be an object'],
    ['[{},[]]', 'record 1: must be an object'],
    ['[{},{"a":{"b":[0,1e400]}}]', 'record 1: a.b[1]: must be a finite number'],
    ['{"a":"\\udc00"}', 'record 0: a: must be well-formed text'],
    ['{"\\udc00":1}', 'record 0: "�": is not allowed'],
    ['{"a":{"__proto__":{"b":1}}}', 'record 0: a."__proto__": is not allowed'],
    ['{"a":1,"a":2}', 'body: "a": is given twice'],
    ['[{},{"a":1,"b":{"c":1,"c":1}}]', 'record 1: "c": is given twice'],
  ])('refuses %s', (body, detail) => {
    expect(why(body)).toBe(detail);
  });

  it('keep every digit of an integer', () => {
    const body =
      '[{"id":8659456789564231564,"n":-12345678901234567890,"s":"12345678901234567890 \\"x","f":1.5},' +
      '{"deep":[9007199254740993,1e20,{"a":18446744073709551615}]}]';
    expect(payloads(body)).toEqual([
      '{"id":8659456789564231564,"n":-12345678901234567890,"s":"12345678901234567890 \\"x","f":1.5}',
      '{"deep":[9007199254740993,100000000000000000000,{"a":18446744073709551615}]}',
    ]);
    expect(payloads('{"a":{"b":9007199254740993}}', { data_filters: ['a.b'] })).toEqual([
      '{"a.b":9007199254740993}',
    ]);
  });
});

describe('the transformer', () => {
  it('keeps the part that data_field names', () => {
    const transformer = { data_field: 'payload.data' };
    expect(payloads('{"payload":{"data":{"a":1},"x":2}}', transformer)).toEqual(['{"a":1}']);
    expect(payloads('{"payload":{"data":[{"a":1},{"a":2}]}}', transformer)).toEqual([
      '{"a":1}',
      '{"a":2}',
    ]);
    expect(payloads('{"payload.data":{"a":1}}', transformer)).toEqual(['{"a":1}']);
    const field = 'record 0: data_field "payload.data"';
    expect(why('{"payload":{}}', transformer)).toBe(`${field} is missing`);
    expect(why('{"payload":{"data":1}}', transformer)).toBe(
      `${field} must be an object or an array of objects`,
    );
    expect(why('{"payload":{"data":[]}}', transformer)).toBe(`${field} must hold objects only`);
    expect(why('{"payload":{"data":[{},1]}}', transformer)).toBe(`${field} must hold objects only`);
    expect(why('{"a":1}', { data_field: 'constructor' })).toMatch(/is missing$/);
    expect(why('{"a":1}', { data_field: '__proto__' })).toMatch(/is missing$/);
  });

  it('keeps what data_filters name, flat, and leaves out what is not there', () => {
    const body = '{"a":{"b":{"c":1},"x":2},"d.e":3,"d":{"e":4,"f":[5]},"g":null}';
    const transformer = {
      data_filters: ['a.b.c', 'a.b', 'd.e', 'd.f', 'g', 'h', 'a.b.c.d', 'toString'],
    };
    expect(payloads(body, transformer)).toEqual([
      '{"a.b.c":1,"a.b":{"c":1},"d.e":3,"d.f":[5],"g":null}',
    ]);
    expect(payloads('{"x":1}', { data_filters: ['y'] })).toEqual(['{}']);
    expect(payloads('{"x":1}', { data_filters: [] })).toEqual(['{"x":1}']);
    expect(payloads('{"x":1}', { data_filters: [''] })).toEqual(['{"x":1}']);
    expect(payloads('{"x":1,"y":2}', { data_filters: ['', 'y'] })).toEqual(['{"y":2}']);
  });

  it('works in the order data_field, time, data_filters', () => {
    const transformer = {
      data_field: 'd',
      time_field: 'meta.ts',
      time_format: 'unix_ms',
      data_filters: ['v'],
    };
    const body = '{"meta":{"ts":1},"d":[{"meta":{"ts":1638310819001},"v":1},{"v":2}]}';
    expect(json(body, { transformer }, nowMs)).toEqual([
      { created: 1_638_310_819_001_000_000n, payload: '{"v":1}' },
      { created: 1_000_000n, payload: '{"v":2}' },
    ]);
  });

  it('looks for the time in the part, then in the whole', () => {
    const transformer = { data_field: 'uplink.data', time_field: 'at', time_format: 'unix' };
    const body = '{"at":2,"uplink":{"data":[{"v":1},{"v":2,"at":1}],"at":3}}';
    expect(json(body, { transformer }, nowMs)).toEqual([
      { created: 2_000_000_000n, payload: '{"v":1}' },
      { created: 1_000_000_000n, payload: '{"v":2,"at":1}' },
    ]);
    const nested = { ...transformer, time_field: 'uplink.at' };
    expect(json(body, { transformer: nested }, nowMs)[0]?.created).toBe(3_000_000_000n);
    expect(why('{"at":"x","uplink":{"data":{}}}', transformer)).toMatch(
      /^record 0: time_field "at"/,
    );
  });

  it('refuses an unreadable time, and takes nothing of its message', () => {
    const transformer = { time_field: 't', time_format: 'rfc3339' };
    const body = '[{"t":"2021-11-30T22:20:19Z"},{"t":"yesterday"}]';
    const layout = 'does not match time_format rfc3339 (2006-01-02T15:04:05Z07:00)';
    expect(why(body, transformer)).toBe(`record 1: time_field "t": "yesterday" ${layout}`);
    for (const t of ['null', '1', '{}', '""', 'true']) {
      expect(why(`{"t":${t}}`, transformer)).toBe(`record 0: time_field "t": ${t} ${layout}`);
    }
    expect(why('{"t":"x"}', { time_field: 't', time_format: 'nonsense' })).toBe(
      'record 0: time_field "t": time_format of the profile names no day',
    );
    expect(
      why('{"t":1}', { time_field: 't', time_format: 'unix', time_location: 'Mars/Base' }),
    ).toBe('record 0: time_field "t": time_location of the profile is not known');
  });

  it('keeps nanoseconds of a number beyond 2^53', () => {
    const transformer = { time_field: 't', time_format: 'unix_ns' };
    for (const t of ['1638310819123456789', '"1638310819123456789"']) {
      expect(json(`{"t":${t}}`, { transformer })[0]?.created).toBe(1_638_310_819_123_456_789n);
    }
  });

  it('keeps every digit of a time, and leaves the payload as it is without one', () => {
    const timed = (body: string, time_format: string, more: Transformer = {}) =>
      json(body, { transformer: { time_field: 'a.t', time_format, ...more } });
    const created = 1_638_310_819_123_456_789n;
    expect(timed('{"a":{"t":1638310819.123456789}}', 'unix')).toEqual([
      { created, payload: '{"a":{"t":1638310819.1234567}}' },
    ]);
    expect(timed('{"a.t":1638310819.123456789}', 'unix')[0]?.created).toBe(created);
    expect(timed('{"a":{"\\u0074":1638310819123.456789}}', 'unix_ms')[0]?.created).toBe(created);
    expect(timed('{"a":{"t":163831081912.3456789e-2}}', 'unix')[0]?.created).toBe(created);
    expect(timed('{"a":{"t":1638310819123456.789}}', 'unix_us')[0]?.created).toBe(created);
    const body =
      '{"a":{"t":1638310819.123456789},"t":0.1234567890123456789,"n":12345678901234567890}';
    expect(timed(body, 'unix', { data_filters: ['a.t', 't', 'n'] })).toEqual([
      {
        created,
        payload: '{"a.t":1638310819.1234567,"t":0.12345678901234568,"n":12345678901234567890}',
      },
    ]);
    expect(payloads(body)).toEqual([
      '{"a":{"t":1638310819.1234567},"t":0.12345678901234568,"n":12345678901234567890}',
    ]);
  });

  it('bounds the records that data_field makes', () => {
    const body = `{"d":[${Array.from({ length: 10_001 }, () => '{}').join()}]}`;
    expect(why(body, { data_field: 'd' })).toBe('body: more than 10000 records');
  });

  it('takes the largest messages, and refuses more', () => {
    const list = (record: (i: number) => string) =>
      `[${Array.from({ length: 10_000 }, (_, i) => record(i)).join()}]`;
    const filters = Array.from({ length: 1_000 }, (_, i) => `a.b.c${i}`);
    const empty = list(() => '{"a":{"b":{}}}');
    expect(why(empty, { data_filters: filters })).toBe(
      'body: too many records for the data_filters of the profile',
    );
    expect(why(empty, { data_filters: filters.slice(0, 10) })).toBe('');
    const clock = { time_field: 't', time_format: 'iso8601', time_location: 'Europe/Berlin' };
    const times = list((i) => `{"t":"${new Date(i * 86_400_000).toISOString().slice(0, 19)}"}`);
    expect(why(times, clock)).toBe('');
    const integers = `{"a":[${Array.from({ length: 45_000 }, () => '12345678901234567890').join()}]}`;
    expect(why(integers, {})).toBe('');
  });
});
