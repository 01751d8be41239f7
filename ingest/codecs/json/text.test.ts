import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Codec } from '../codec.ts';
import { limits, refusal, send, senml } from '../testing.ts';
import { JsonText } from './text.ts';

const why = (body: string | Uint8Array) => refusal(body);

describe('the text of a body', () => {
  it('counts the members that JSON.parse would find', () => {
    const text = new JsonText(limits);
    fc.assert(
      fc.property(fc.json({ depthSize: 'medium' }), fc.boolean(), (json, spaced) => {
        const body = spaced ? JSON.stringify(JSON.parse(json), undefined, 1) : json;
        expect(text.read(Buffer.from(body))).toBeUndefined();
        expect(text.value).toEqual(JSON.parse(body));
        expect(text.members).toBeGreaterThanOrEqual(count(JSON.parse(body)));
        if (spaced) expect(text.members).toBe(count(JSON.parse(body)));
      }),
    );
  });

  it.each([
    ['[{"n":"a","v":1,"v":2}]', 'record 0: "v": is given twice'],
    ['[{"n":"a","v":1},{"n":"a","v":1,"\\u0076":1}]', 'record 1: "v": is given twice'],
    ['[{"n":"a","v":1,"x":{"y":[{"z":1},{"z":1,"z" : 1}]}}]', 'record 0: "z": is given twice'],
    [
      '[{"n":"a","v":1,"x":"\\"v\\":","__proto__":1,"__proto__":1}]',
      'record 0: "__proto__": is not understood',
    ],
    ['', 'body: empty'],
    ['\ufeff', 'body: empty'],
    [' ', 'body: line 1, column 2 (byte 1): there is no value, only white space'],
    [
      '[{"n":"a","v":1},{"n":"bé',
      'body: line 1, column 26 (byte 26), record 1, n: it ends inside a text, after 26 bytes: ' +
        'was it cut? Content-Length counts bytes, not characters; in a stream a line break ends a message',
    ],
    [
      '[{"n":"a","v":1}]\n[{"n":"a","v":2}]',
      'body: line 2, column 1 (byte 18): a second value begins: ' +
        'send one message per request, or one per line of a stream',
    ],
    [
      '[{"n":"a","v":1},{"n":"b","v":NaN}]',
      'body: line 1, column 31 (byte 30), record 1, v: NaN is not a JSON number: ' +
        'leave the record out; where it is not SenML, null may stand for it',
    ],
    [
      '{"temperature":.5}',
      'body: line 1, column 16 (byte 15), temperature: a number begins with its point: write a 0 before it',
    ],
  ])('refuses %j', (body, detail) => {
    expect(why(body)).toBe(detail);
  });

  it('refuses what is not UTF-8, passes over a byte order mark', () => {
    expect(why(Buffer.from([0x5b, 0x22, 0xff, 0x22, 0x5d]))).toBe(
      'body: line 1, column 3 (byte 2), record 0: byte 0xFF is not UTF-8: is the text in Latin-1?',
    );
    expect(why(Buffer.from([0x5b, 0x22, 0xed, 0xa0, 0x80, 0x22, 0x5d]))).toBe(
      'body: line 1, column 3 (byte 2), record 0: byte 0xED is not UTF-8: is the text in Latin-1?',
    );
    // The depth of what is looked through for its fault is bounded first.
    expect(why(Buffer.alloc(100_000, '[\xff', 'latin1'))).toMatch(/nested deeper than 32/);
    expect(senml(Buffer.from('\ufeff[{"n":"a","vs":"ü"}]'))).toMatchObject([{ text: 'ü' }]);
    expect(senml(Buffer.from('\ufeff[{"n":"a","v":1}]'))).toHaveLength(1);
  });

  it('bounds depth, members and records, and takes what is at the bound', () => {
    const nested = (depth: number) =>
      `[{"n":"a","v":1,"x":${'['.repeat(depth - 2)}${']'.repeat(depth - 2)}}]`;
    expect(senml(Buffer.from(nested(32)))).toHaveLength(1);
    expect(why(nested(33))).toBe('record 0: nested deeper than 32');
    const members = (more: number) =>
      `[{"n":"a","v":1${Array.from({ length: more }, (_, i) => `,"k${i}":1`).join('')}}]`;
    expect(senml(Buffer.from(members(998)))).toHaveLength(1);
    expect(why(members(999))).toBe('record 0: more than 1000 members');
    const containers = (more: number) =>
      `[{"n":"a","v":1,"x":[${Array.from({ length: more }, () => '[]').join()}]}]`;
    expect(senml(Buffer.from(containers(99_997)))).toHaveLength(1);
    expect(why(containers(99_998))).toBe('body: more than 100000 arrays and objects');
    const record = '{"n":"a","v":1}';
    const records = (number: number) => `[${Array.from({ length: number }, () => record).join()}]`;
    expect(senml(Buffer.from(records(10_000)))).toHaveLength(10_000);
    const { rejected } = send(new Codec(limits), records(10_001));
    expect(rejected).toMatchObject({ code: 'too_large', detail: 'body: more than 10000 records' });
  });

  it('refuses hostile bodies of a mebibyte', () => {
    const mebibyte = 1024 * 1024;
    const codec = new Codec(limits);
    const bodies = [
      '['.repeat(mebibyte),
      '{"a":'.repeat(mebibyte / 5),
      `[${'1,'.repeat(mebibyte / 2 - 1)}1]`,
      `{${Array.from({ length: 100_000 }, (_, i) => `"k${i}":1`).join()}}`,
      `["${'\\u0000'.repeat(mebibyte / 6 - 1)}`,
      `[{"n":"a","vd":"${'*'.repeat(mebibyte)}"}]`,
      `[{"n":"${'a'.repeat(mebibyte)}","v":1}]`,
      `[{"n":"a","v":${'9'.repeat(mebibyte)}}]`,
      `[{"n":"a","v":1,"v":1,"x":"${'\\\\'.repeat(mebibyte / 2)}"}]`,
    ];
    for (const contentType of ['application/senml+json', 'application/json']) {
      for (const body of bodies) {
        const bytes = Buffer.from(body);
        const { rejected } = send(codec, bytes, { contentType });
        expect([body.slice(0, 20), rejected === undefined]).toEqual([body.slice(0, 20), false]);
      }
    }
  });

  it('any bytes, and a good body with bytes changed, give records or a named refusal', () => {
    const codec = new Codec(limits);
    const good = Buffer.from(
      '[{"bn":"urn:dev:","bt":1.7e9,"bu":"V","n":"t","u":"Cel","v":21.34,"s":1,"ut":5},' +
        '{"n":"h","t":-1,"vs":"a\\u0041\\"b"},{"n":"x","vb":true,"y":{"z":[null]}},{"n":"d","vd":"aGk"}]',
    );
    const changed = fc
      .array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 4 })
      .map((changes) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    const cut = fc.nat(good.length).map((length) => good.subarray(0, length));
    const bodies = fc.oneof(
      fc.uint8Array({ maxLength: 200 }),
      changed,
      cut,
      fc.json().map((json) => Buffer.from(json)),
    );
    const types = fc.constantFrom('application/senml+json', 'application/json');
    const profile = {
      transformer: {
        data_field: 'a',
        time_field: 't',
        time_format: 'rfc3339',
        data_filters: ['b.c'],
      },
    };
    fc.assert(
      fc.property(bodies, types, fc.boolean(), (body, contentType, transforms) => {
        const outcome = send(codec, body, { contentType, profile: transforms ? profile : {} });
        if (outcome.rejected !== undefined) expect(outcome.rejected.detail).not.toBe('');
      }),
      { numRuns: 10_000 },
    );
    expect(send(codec, good).rejected).toBeUndefined();
  });
});

function count(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  const inner = Object.values(value).reduce((sum: number, item) => sum + count(item), 0);
  return inner + (Array.isArray(value) ? 0 : Object.keys(value).length);
}
