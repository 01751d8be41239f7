import { Encoder } from 'cbor-x';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { senmlLabels } from './cbor-check.ts';
import { Codec } from '../codec.ts';
import { limits, refusal, send, senml } from '../testing.ts';

const contentType = 'application/senml+cbor';
const hex = (text: string): Buffer => Buffer.from(text.replaceAll(/\s/g, ''), 'hex');
const why = (body: Uint8Array | string) =>
  refusal(typeof body === 'string' ? hex(body) : body, { contentType });
const read = (body: Uint8Array | string) =>
  senml(typeof body === 'string' ? hex(body) : body, { contentType });

const encoder = new Encoder({ useRecords: false, mapsAsObjects: false, tagUint8Array: false });

/** A pack as RFC 8428 §6 writes it. */
function toCbor(pack: readonly object[]): Buffer {
  const labels = new Map<string, number>(Object.entries(senmlLabels));
  return encoder.encode(
    pack.map(
      (record) =>
        new Map(
          Object.entries(record).map(([name, field]) => [
            labels.get(name) ?? name,
            name === 'vd' ? Buffer.from(String(field), 'base64url') : field,
          ]),
        ),
    ),
  );
}

const example = `
  87 a7 21 78 1b 75 72 6e 3a 64 65 76 3a 6f 77 3a
  31 30 65 32 30 37 33 61 30 31 30 38 30 30 36 3a
  22 fb 41 d3 03 a1 5b 00 10 62 23 61 41 20 05 00
  67 76 6f 6c 74 61 67 65 01 61 56 02 fb 40 5e 06
  66 66 66 66 66 a3 00 67 63 75 72 72 65 6e 74 06
  24 02 fb 3f f3 33 33 33 33 33 33 a3 00 67 63 75
  72 72 65 6e 74 06 23 02 fb 3f f4 cc cc cc cc cc
  cd a3 00 67 63 75 72 72 65 6e 74 06 22 02 fb 3f
  f6 66 66 66 66 66 66 a3 00 67 63 75 72 72 65 6e
  74 06 21 02 f9 3e 00 a3 00 67 63 75 72 72 65 6e
  74 06 20 02 fb 3f f9 99 99 99 99 99 9a a3 00 67
  63 75 72 72 65 6e 74 06 00 02 fb 3f fb 33 33 33
  33 33 33`;

describe('SenML in CBOR', () => {
  it('reads the example of RFC 8428 §6', () => {
    const records = read(example);
    const time = 1_276_020_076_001_000_000n;
    expect(records.map(({ name }) => name.replace('urn:dev:ow:10e2073a0108006:', ''))).toEqual([
      'voltage',
      ...Array.from({ length: 6 }, () => 'current'),
    ]);
    expect(records.map(({ unit }) => unit)).toEqual(['V', 'A', 'A', 'A', 'A', 'A', 'A']);
    expect(records.map(({ value }) => value)).toEqual([120.1, 1.2, 1.3, 1.4, 1.5, 1.6, 1.7]);
    expect(records.map((record) => record.time - time)).toEqual(
      [0n, -5n, -4n, -3n, -2n, -1n, 0n].map((seconds) => seconds * 1_000_000_000n),
    );
  });

  it('reads what JSON reads', () => {
    const record = fc
      .record(
        {
          bn: fc.constantFrom('a', 'urn:dev:1:'),
          bt: fc.integer({ min: 1_000_000_000, max: 2_000_000_000 }),
          bu: fc.constantFrom('V', 'Cel'),
          n: fc.stringMatching(/^[a-z0-9]{1,20}$/),
          t: fc.double({ min: -1000, max: 1000, noNaN: true }),
          s: fc.integer(),
          ut: fc.integer(),
        },
        { requiredKeys: ['n'] },
      )
      .chain((fields) =>
        fc
          .oneof(
            fc.record({ v: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
            fc.record({ v: fc.maxSafeInteger() }),
            fc.record({ vs: fc.string({ unit: 'grapheme' }) }),
            fc.record({ vb: fc.boolean() }),
            fc.uint8Array().map((bytes) => ({ vd: Buffer.from(bytes).toString('base64url') })),
          )
          .map((value) => ({ ...fields, ...value })),
      );
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 20 }), (pack) => {
        const plain = pack.map((one) => ('v' in one ? { ...one, v: one.v + 0 } : one));
        expect(read(toCbor(plain))).toEqual(senml(plain));
      }),
    );
  });

  it('takes every form of number', () => {
    const value = (bytes: string) => read(`81 a2 00 61 61 02 ${bytes}`)[0]?.value;
    expect(value('18 64')).toBe(100);
    expect(value('39 03e7')).toBe(-1000);
    expect(value('3a ffffffff')).toBe(-4_294_967_296);
    expect(value('1b 0020000000000001')).toBe(9_007_199_254_740_992);
    expect(value('1b ffffffffffffffff')).toBe(2 ** 64);
    expect(value('3b ffffffffffffffff')).toBe(-(2 ** 64));
    expect(value('f9 0001')).toBe(2 ** -24);
    expect(value('f9 7bff')).toBe(65_504);
    expect(value('fa 47c35000')).toBe(100_000);
    expect(value('c2 49 010000000000000000')).toBe(2 ** 64);
    expect(value('c3 41 09')).toBe(-10);
    expect(value('c4 82 21 19 6ab3')).toBe(273.15);
    expect(value('c4 82 20 c2 41 0f')).toBe(1.5);
  });

  it('takes arrays and maps of indefinite length, the mark of CBOR, and text labels', () => {
    const record = { name: 'a', value: 1 };
    expect(read('9f bf 00 61 61 02 01 ff ff')).toMatchObject([record]);
    expect(read('d9 d9f7 81 a2 00 61 61 02 01')).toMatchObject([record]);
    expect(read('81 a2 61 6e 61 61 61 76 01')).toMatchObject([record]);
    // An extension, nested, with a null in it.
    expect(read('81 a3 00 61 61 02 01 61 78 82 f6 a1 01 80')).toMatchObject([record]);
  });

  it('takes what encoders write by default', () => {
    const [time, bytes] = [1_700_000_000_123_000_000n, [1, 2]];
    const expected = [
      { name: 'a', time, value: 1 },
      { name: 'b', time: time + 1_000_000_000n, text: 'AQI' },
    ];
    // Dates get tag 1, arrays of bytes tag 64, maps tag 259.
    const records = (vd: Uint8Array) => [
      { bt: new Date(1_700_000_000_123), n: 'a', v: 1 },
      { n: 'b', t: 1, vd },
    ];
    const plain = new Encoder({ useRecords: false });
    expect(read(plain.encode(records(Uint8Array.from(bytes))))).toMatchObject(expected);
    expect(read(plain.encode(records(Buffer.from(bytes))))).toMatchObject(expected);
    const maps = records(Uint8Array.from(bytes)).map((record) => new Map(Object.entries(record)));
    expect(read(new Encoder().encode(maps))).toMatchObject(expected);
    expect(why(new Encoder().encode(records(Buffer.from(bytes))))).toBe(
      'body: tag 57343 is not taken here (byte 4)',
    );
  });

  it('takes decimal fractions, as times to the nanosecond', () => {
    // 1483228799.999999999, as the time of a meter: [-9, 1483228799999999999].
    const meter = 'c4 82 28 1b 14957cbc30a0ffff';
    expect(read(`81 a3 00 61 61 02 c4 82 21 19 6ab3 06 ${meter}`)).toMatchObject([
      { value: 273.15, time: 1_483_228_799_999_999_999n },
    ]);
    expect(read(`81 a3 00 61 61 02 01 22 ${meter}`)[0]?.time).toBe(1_483_228_799_999_999_999n);
    expect(read('81 a3 00 61 61 02 01 06 c1 1a 5868467f')[0]?.time).toBe(
      1_483_228_799_000_000_000n,
    );
    expect(why('81 a3 00 61 61 02 01 06 c4 82 1a 7fffffff 01')).toBe(
      'record 0: t: must be a finite number',
    );
  });

  it.each([
    ['', 'body: empty'],
    ['81', 'body: ends too early (byte 0)'],
    ['a0', 'body: SenML must be an array of records'],
    ['01', 'body: SenML must be an array of records'],
    ['80', 'body: must hold at least one record'],
    ['80 80', 'body: more than one item (byte 1)'],
    ['81 01', 'record 0: must be an object'],
    ['81 a2 00 61 61 02 f9 7e00', 'record 0: v: must be a finite number'],
    ['81 a2 00 61 61 02 f9 7c00', 'record 0: v: must be a finite number'],
    ['81 a2 00 61 61 02 f6', 'record 0: v: must be a finite number'],
    ['81 a2 00 61 61 03 41 61', 'record 0: vs: must be a string'],
    ['81 a2 00 61 61 08 61 61', 'record 0: vd: must be a byte string'],
    ['81 a2 00 61 61 00 61 62', 'record 0: "n": is given twice (byte 5)'],
    ['81 a2 00 61 61 61 6e 61 62', 'record 0: "n": is given twice (byte 5)'],
    ['81 a2 09 01 61 39 02', 'record 0: "9": is given twice (byte 4)'],
    ['81 a1 61 78 a2 01 01 01 01', 'record 0: x: "u": is given twice (byte 7)'],
    ['81 a1 f9 3c00 01', 'record 0: labels must be integers or text (byte 2)'],
    ['81 a1 80 01', 'record 0: labels must be integers or text (byte 2)'],
    ['81 a1 1b 0000000000000000 01', 'record 0: label is out of range (byte 2)'],
    ['81 a2 00 61 61 03 61 ff', 'record 0: vs: text is not valid UTF-8 (byte 6)'],
    ['81 a2 00 61 61 03 63 eda080', 'record 0: vs: text is not valid UTF-8 (byte 6)'],
    ['81 a2 00 61 61 03 7f 61 61 ff', 'record 0: vs: strings in pieces are not taken (byte 6)'],
    ['81 a2 00 61 61 03 7b ffffffffffffffff', 'record 0: vs: ends too early (byte 6)'],
    ['9b 7fffffffffffffff', 'body: ends too early (byte 0)'],
    ['9a 7fffffff', 'body: ends too early (byte 0)'],
    ['81 ba 7fffffff', 'body: ends too early (byte 1)'],
    ['ff', 'body: not well-formed (byte 0)'],
    ['81 ff', 'body: not well-formed (byte 1)'],
    ['81 bf 00 ff', 'record 0: n: not well-formed (byte 3)'],
    ['1c', 'body: not well-formed (byte 0)'],
    ['1f', 'body: not well-formed (byte 0)'],
    ['81 a2 00 61 61 02 f8 ff', 'record 0: v: value is not understood (byte 6)'],
    ['81 a2 00 61 61 02 c1 01', 'record 0: v: tag 1 is not taken here (byte 7)'],
    ['81 a2 00 61 61 06 c1 61 61', 'record 0: t: tag 1 is not taken here (byte 7)'],
    ['81 a3 00 61 61 02 01 06 c0 61 61', 'record 0: t: tag 0 is not taken here (byte 9)'],
    ['81 a2 00 61 61 08 d5 42 0102', 'record 0: vd: tag 21 is not taken here (byte 7)'],
    ['81 a2 00 61 61 03 d8 40 61 61', 'record 0: vs: tag 64 is not taken here (byte 8)'],
    ['81 a2 00 61 61 06 c1 c4 82 20 01', 'record 0: t: tag 1 is not taken here (byte 7)'],
    ['81 d8 1b 82 66 526567457870 61 28', 'body: tag 27 is not taken here (byte 3)'],
    ['81 d9 dfff 80', 'body: tag 57343 is not taken here (byte 4)'],
    ['81 a2 00 61 61 02 c2 01', 'record 0: v: tag 2 is not taken here (byte 7)'],
    [
      `81 a2 00 61 61 02 c2 58 81 ${'ff'.repeat(129)}`,
      'record 0: v: number is out of range (byte 7)',
    ],
    ['81 a2 00 61 61 02 c4 82 61 78 80', 'record 0: v: must be a finite number'],
    ['81 a2 00 61 61 02 c4 82 1a 7fffffff 01', 'record 0: v: must be a finite number'],
    ['81 a3 00 61 61 02 01 69 5f5f70726f746f5f5f 01', 'record 0: "__proto_": is not understood'],
  ])('refuses %s', (body, detail) => {
    expect(why(body)).toBe(detail);
  });

  it('bounds depth, members and records', () => {
    const nested = (depth: number) => `81 a3 00 61 61 02 01 61 78 ${'81'.repeat(depth - 2)} 01`;
    expect(read(nested(32))).toHaveLength(1);
    expect(why(nested(33))).toMatch(/^record 0: x: nested deeper than 32/);
    expect(why(Buffer.alloc(1_000_000, 0x81))).toMatch(/nested deeper than 32/);
    expect(why(Buffer.alloc(1_000_000, 0x9f))).toMatch(/nested deeper than 32/);
    const members = encoder.encode([new Map(Array.from({ length: 1001 }, (_, i) => [`k${i}`, 1]))]);
    expect(why(members)).toMatch(/^record 0: more than 1000 members/);
    const many = toCbor(Array.from({ length: 10_001 }, () => ({ n: 'a', v: 1 })));
    const outcome = send(new Codec(limits), many, { contentType });
    expect(outcome.rejected).toMatchObject({
      code: 'too_large',
      detail: 'body: more than 10000 records',
    });
  });

  it('any bytes, and a good body with bytes changed, give records or a named refusal', () => {
    const codec = new Codec(limits);
    const good = hex(example);
    const changed = fc
      .array(fc.tuple(fc.nat(good.length - 1), fc.integer({ min: 0, max: 255 })), { maxLength: 5 })
      .map((changes) => {
        const bytes = Buffer.from(good);
        for (const [at, byte] of changes) bytes[at] = byte;
        return bytes;
      });
    const cut = fc.nat(good.length).map((length) => good.subarray(0, length));
    fc.assert(
      fc.property(fc.oneof(fc.uint8Array({ maxLength: 200 }), changed, cut), (bytes) => {
        const outcome = send(codec, bytes, { contentType });
        if (outcome.rejected !== undefined) expect(outcome.rejected.detail).not.toBe('');
      }),
      { numRuns: 5_000 },
    );
    expect(send(codec, good, { contentType }).rejected).toBeUndefined();
  });
});
