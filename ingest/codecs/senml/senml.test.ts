import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { refusal, type SenmlRecord, senml } from '../testing.ts';

const nowMs = 1_700_000_000_123;
const now = 1_700_000_000_123_000_000n;
const sensor = 'urn:dev:ow:10e2073a01080063';

/** A record with a number, as it reads back. */
function number(name: string, unit: string, time: bigint, value: number): SenmlRecord {
  return { name, unit, time, kind: 0, value, text: '', sum: null, updateTime: null };
}

const at = (pack: unknown) => senml(pack, { nowMs });
const why = (pack: unknown) => refusal(typeof pack === 'string' ? pack : JSON.stringify(pack));

describe('the examples of RFC 8428', () => {
  it('5.1.1 single data point', () => {
    expect(at([{ n: sensor, u: 'Cel', v: 23.1 }])).toEqual([number(sensor, 'Cel', now, 23.1)]);
  });

  it('5.1.2 multiple data points, now', () => {
    const pack = [
      { bn: `${sensor}:`, n: 'voltage', u: 'V', v: 120.1 },
      { n: 'current', u: 'A', v: 1.2 },
    ];
    expect(at(pack)).toEqual([
      number(`${sensor}:voltage`, 'V', now, 120.1),
      number(`${sensor}:current`, 'A', now, 1.2),
    ]);
  });

  it('5.1.2 multiple data points, in time', () => {
    const base = 'urn:dev:ow:10e2073a0108006:';
    const body = `[
      {"bn":"${base}","bt":1.276020076001e+09,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},
      {"n":"current","t":-5,"v":1.2},
      {"n":"current","t":-4,"v":1.3},
      {"n":"current","t":-3,"v":1.4},
      {"n":"current","t":-2,"v":1.5},
      {"n":"current","t":-1,"v":1.6},
      {"n":"current","v":1.7}
    ]`;
    const time = 1_276_020_076_001_000_000n;
    const second = 1_000_000_000n;
    expect(senml(Buffer.from(body))).toEqual([
      number(`${base}voltage`, 'V', time, 120.1),
      number(`${base}current`, 'A', time - 5n * second, 1.2),
      number(`${base}current`, 'A', time - 4n * second, 1.3),
      number(`${base}current`, 'A', time - 3n * second, 1.4),
      number(`${base}current`, 'A', time - 2n * second, 1.5),
      number(`${base}current`, 'A', time - second, 1.6),
      number(`${base}current`, 'A', time, 1.7),
    ]);
  });

  const measurements = [
    { bn: sensor, bt: 1.320067464e9, bu: '%RH', v: 20 },
    { u: 'lon', v: 24.30621 },
    { u: 'lat', v: 60.07965 },
    { t: 60, v: 20.3 },
    { u: 'lon', t: 60, v: 24.30622 },
    { u: 'lat', t: 60, v: 60.07965 },
    { t: 120, v: 20.7 },
    { u: 'lon', t: 120, v: 24.30623 },
    { u: 'lat', t: 120, v: 60.07966 },
    { u: '%EL', t: 150, v: 98 },
    { t: 180, v: 21.2 },
    { u: 'lon', t: 180, v: 24.30628 },
    { u: 'lat', t: 180, v: 60.07967 },
  ];

  it('5.1.3 multiple measurements, and 5.1.4 the same resolved', () => {
    const resolved = measurements.map(({ u = '%RH', t = 0, v }) => ({
      n: sensor,
      u,
      t: 1_320_067_464 + t,
      v,
    }));
    const expected = resolved.map(({ n, u, t, v }) => number(n, u, BigInt(t) * 1_000_000_000n, v));
    expect(at(measurements)).toEqual(expected);
    expect(at(resolved)).toEqual(expected);
  });

  it('5.1.5 multiple data types', () => {
    const pack = [
      { bn: `${sensor}:`, n: 'temp', u: 'Cel', v: 23.1 },
      { n: 'label', vs: 'Machine Room' },
      { n: 'open', vb: false },
      { n: 'nfv-reader', vd: 'aGkgCg' },
    ];
    expect(at(pack)).toEqual([
      number(`${sensor}:temp`, 'Cel', now, 23.1),
      { ...number(`${sensor}:label`, '', now, 0), kind: 1, text: 'Machine Room' },
      { ...number(`${sensor}:open`, '', now, 0), kind: 2 },
      { ...number(`${sensor}:nfv-reader`, '', now, 0), kind: 3, text: 'aGkgCg' },
    ]);
  });

  it('5.1.6 collection of resources', () => {
    const time = 1_320_078_429_000_000_000n;
    const pack = [
      { bn: '2001:db8::2/', bt: 1.320078429e9, n: 'temperature', u: 'Cel', v: 25.2 },
      { n: 'humidity', u: '%RH', v: 30 },
      { bn: '2001:db8::1/', n: 'temperature', u: 'Cel', v: 12.3 },
      { n: 'humidity', u: '%RH', v: 67 },
    ];
    expect(at(pack)).toEqual([
      number('2001:db8::2/temperature', 'Cel', time, 25.2),
      number('2001:db8::2/humidity', '%RH', time, 30),
      number('2001:db8::1/temperature', 'Cel', time, 12.3),
      number('2001:db8::1/humidity', '%RH', time, 67),
    ]);
  });

  it('5.1.7 setting an actuator: a record of base fields, units, a time in the future', () => {
    const thermostat = [
      { bn: `${sensor}:` },
      { n: 'temp', u: 'Cel', v: 23.1 },
      { n: 'heat', u: '/', v: 1 },
      { n: 'fan', u: '/', v: 0 },
    ];
    expect(at(thermostat)).toEqual([
      number(`${sensor}:temp`, 'Cel', now, 23.1),
      number(`${sensor}:heat`, '/', now, 1),
      number(`${sensor}:fan`, '/', now, 0),
    ]);
    const time = 1_320_078_429_000_000_000n;
    const lights = [
      { bt: 1.320078429e9, bu: '/', n: '2001:db8::3', v: 0.5 },
      { n: '2001:db8::4', v: 0.5 },
      { n: '2001:db8::3', t: 0.1, v: 0 },
      { n: '2001:db8::4', t: 0.1, v: 0 },
    ];
    expect(at(lights)).toEqual([
      number('2001:db8::3', '/', time, 0.5),
      number('2001:db8::4', '/', time, 0.5),
      number('2001:db8::3', '/', time + 100_000_000n, 0),
      number('2001:db8::4', '/', time + 100_000_000n, 0),
    ]);
  });
});

describe('the rules of RFC 8428 §4', () => {
  it('4.1 base fields carry forward until the next of their kind', () => {
    const pack = [
      { bn: 'a', bv: 20, bs: 100, bu: 'V', v: 1 },
      { v: 2, s: 5 },
      { bv: -1, v: 2 },
      { bn: 'b', bs: 0, bu: '', v: 3 },
      { vs: 'text' },
      { vb: true },
    ];
    expect(at(pack)).toEqual([
      { ...number('a', 'V', now, 21), sum: 100 },
      { ...number('a', 'V', now, 22), sum: 105 },
      { ...number('a', 'V', now, 1), sum: 100 },
      { ...number('b', '', now, 2), sum: 0 },
      { ...number('b', '', now, 0), kind: 1, text: 'text', sum: 0 },
      { ...number('b', '', now, 1), kind: 2, sum: 0 },
    ]);
  });

  it('4.2 exactly one value, or a sum', () => {
    const { kind, sum } = at([{ n: 'a', s: 7.5 }])[0] ?? {};
    expect([kind, sum]).toEqual([4, 7.5]);
    expect(at([{ n: 'a', bs: 7 }])[0]).toMatchObject({ kind: 4, sum: 7, value: 0 });
    expect(why([{ n: 'a', v: 1 }, { n: 'a' }])).toBe(
      'record 1: must have one of v, vs, vb, vd, or s',
    );
    expect(why([{ n: 'a', bv: 1 }])).toBe('record 0: must have one of v, vs, vb, vd, or s');
    expect(why([{ n: 'a', v: 1, vb: true }])).toBe('record 0: must have only one of v, vs, vb, vd');
    expect(why([{ n: 'a', vs: '', vd: '' }])).toBe('record 0: must have only one of v, vs, vb, vd');
    expect(why([{ bn: 'a' }])).toBe('body: no record holds a value');
    expect(why([])).toBe('body: must hold at least one record');
  });

  it('4.2 an update time is kept', () => {
    expect(at([{ n: 'a', v: 1, ut: 2.5 }])[0]).toMatchObject({ updateTime: 2.5 });
  });

  it('4.4 unknown fields are passed over, unless they end in _', () => {
    expect(at([{ n: 'a', v: 1, x: { y: [1, { z: 2 }] }, l: 'link' }])).toHaveLength(1);
    expect(why([{ n: 'a', v: 1, must_: 1 }])).toBe('record 0: "must_": is not understood');
    expect(why('[{"n":"a","v":1,"__proto__":{"v":2}}]')).toBe(
      'record 0: "__proto__": is not understood',
    );
  });

  it('4.4 one version in a pack, and one we understand', () => {
    expect(
      at([
        { n: 'a', v: 1, bver: 10 },
        { n: 'a', v: 1 },
      ]),
    ).toHaveLength(2);
    expect(
      at([
        { n: 'a', v: 1, bver: 5 },
        { n: 'a', v: 1, bver: 5 },
      ]),
    ).toHaveLength(2);
    expect(
      at([
        { n: 'a', v: 1 },
        { n: 'a', v: 1, bver: 10 },
      ]),
    ).toHaveLength(2);
    const changed = 'record 1: bver: must be the same in all records';
    expect(
      why([
        { n: 'a', v: 1 },
        { n: 'a', v: 1, bver: 5 },
      ]),
    ).toBe(changed);
    expect(
      why([
        { bver: 5, n: 'a', v: 1 },
        { n: 'a', v: 1, bver: 6 },
      ]),
    ).toBe(changed);
    for (const bver of [11, 0, -1, 1.5, '10', null]) {
      expect(why([{ n: 'a', v: 1, bver }])).toBe(
        'record 0: bver: must be a whole number from 1 to 10',
      );
    }
  });

  it('4.5.1 names: characters, first character, emptiness, length', () => {
    const badChar = 'may hold only A-Z, a-z, 0-9, and - : . / _';
    for (const n of ['a b', 'a\u0000', 'é', 'a\u{1f600}', 'long-enough-to-go-the-other-way é']) {
      expect(why([{ n, v: 1 }])).toBe(`record 0: n: ${badChar}`);
      expect(why([{ bn: n, v: 1 }])).toBe(`record 0: bn: ${badChar}`);
    }
    for (const n of ['-a', ':a', '.a', '/a', '_a']) {
      expect(why([{ n, v: 1 }])).toBe('record 0: n: must begin with a letter or digit');
      expect(at([{ bn: 'x', n, v: 1 }])[0]?.name).toBe(`x${n}`);
      expect(at([{ bn: n.slice(0, 0), n: n.slice(1), v: 1 }])[0]?.name).toBe('a');
    }
    expect(why([{ v: 1 }])).toBe('record 0: n: must not be empty');
    const half = 'n'.repeat(512);
    expect(at([{ bn: half, n: half, v: 1 }])[0]?.name).toBe(half + half);
    expect(why([{ bn: half, n: `${half}n`, v: 1 }])).toBe(
      'record 0: n: is longer than 1024 characters',
    );
    expect(why([{ bn: 'b'.repeat(1025), n: 'n', v: 1 }])).toBe(
      'record 0: bn: is longer than 1024 characters',
    );
  });

  it('4.5.2 a unit of its own comes before the base unit', () => {
    const units = at([{ bn: 'a', bu: 'V', v: 1 }, { u: 'A', v: 1 }, { v: 1 }]).map((r) => r.unit);
    expect(units).toEqual(['V', 'A', 'V']);
  });

  it('4.5.3 times below 2^28 are relative to now, and exact in nanoseconds', () => {
    const timeOf = (fields: object) => at([{ n: 'a', v: 1, ...fields }])[0]?.time;
    expect(timeOf({ t: -0.001 })).toBe(now - 1_000_000n);
    expect(timeOf({ t: 268_435_455 })).toBe(now + 268_435_455_000_000_000n);
    expect(timeOf({ t: 268_435_456 })).toBe(268_435_456_000_000_000n);
    expect(timeOf({ bt: 268_435_455, t: 1 })).toBe(268_435_456_000_000_000n);
    expect(timeOf({ bt: 1.7e9, t: -1.7e9 })).toBe(now);
    expect(timeOf({ t: -1_000_000_000 })).toBe(now - 1_000_000_000_000_000_000n);
    expect(timeOf({ t: 1_276_020_076.305 })).toBe(1_276_020_076_305_000_000n);
    expect(timeOf({ t: 68_439_226.1 })).toBe(now + 68_439_226_100_000_000n);
    expect(timeOf({ bt: 1_276_020_076.1, t: 0.2 })).toBe(1_276_020_076_300_000_000n);
    expect(timeOf({ bt: 1_276_020_076, t: 0.123456789 })).toBe(1_276_020_076_123_456_789n);
    expect(timeOf({ bt: 1_276_020_076.999999, t: 0.000001 })).toBe(1_276_020_077_000_000_000n);
  });

  it('4.5.3 times that nanoseconds cannot hold are refused', () => {
    const outOfRange = 'record 0: t: time is out of range (1677 to 2262)';
    for (const t of [1e10, 1e300, -1e11, 9_223_372_036]) {
      expect(why([{ n: 'a', v: 1, t }])).toBe(outOfRange);
    }
    expect(at([{ n: 'a', v: 1, t: 9_223_372_035 }])[0]?.time).toBe(9_223_372_035_000_000_000n);
  });

  it('names the record and the field where a type is wrong', () => {
    const good = { n: 'a', v: 1 };
    const wrong: [object, string][] = [
      [{ v: '1' }, 'v: must be a finite number'],
      [{ t: null }, 't: must be a finite number'],
      [{ bt: [] }, 'bt: must be a finite number'],
      [{ s: {} }, 's: must be a finite number'],
      [{ ut: true }, 'ut: must be a finite number'],
      [{ bv: 'x' }, 'bv: must be a finite number'],
      [{ bs: 'x' }, 'bs: must be a finite number'],
      [{ n: 1 }, 'n: must be a string'],
      [{ u: 1 }, 'u: must be a string'],
      [{ bn: 1 }, 'bn: must be a string'],
      [{ bu: 1 }, 'bu: must be a string'],
      [{ vs: 1 }, 'vs: must be a string'],
      [{ vb: 1 }, 'vb: must be true or false'],
      [{ vd: 1 }, 'vd: must be a string'],
      [{ vd: 'aGk=' }, 'vd: must be base64url without padding'],
      [{ vd: 'a+/b' }, 'vd: must be base64url without padding'],
      [{ vd: 'aaaaa' }, 'vd: must be base64url without padding'],
      [{ u: 'u'.repeat(1025) }, 'u: is longer than 1024 characters'],
    ];
    for (const [fields, problem] of wrong) {
      const base = 'vs' in fields || 'vb' in fields || 'vd' in fields ? { n: 'a' } : good;
      expect(why([good, good, { ...base, ...fields }])).toBe(`record 2: ${problem}`);
    }
    expect(why('[{"n":"a","v":1e400}]')).toBe('record 0: v: must be a finite number');
    expect(why([{ n: 'a', bv: 1e308, v: 1e308 }])).toBe(
      'record 0: v: with bv added, must be a finite number',
    );
    expect(why('[{"n":"a","vs":"\\ud800"}]')).toBe('record 0: vs: must be well-formed text');
    expect(why('[{"n":"a","v":1,"u":"\\udc00"}]')).toBe('record 0: u: must be well-formed text');
    expect(why([good, 7])).toBe('record 1: must be an object');
    expect(why({ n: 'a', v: 1 })).toBe('body: SenML must be an array of records');
  });

  it('keeps a text of any characters', () => {
    const vs = 'naïve \u{1f600} "quoted" \\ \u0000 end, and longer than a short one';
    expect(at([{ n: 'a', vs }])[0]?.text).toBe(vs);
  });

  it('refuses names, units and values that grow beyond a message together', () => {
    const base = { bn: 'n'.repeat(1024), v: 1 };
    const pack = [base, ...Array.from({ length: 9_999 }, () => ({ v: 1 }))];
    expect(why(pack)).toMatch(/^record 8\d\d\d: n: names are too long together$/);
    const units = [{ bn: 'n', bu: 'u'.repeat(1024), v: 1 }, ...pack.slice(1)];
    expect(why(units)).toMatch(/^record \d{4}: u: units are too long together$/);
  });
});

describe('resolving', () => {
  const decimals = (min: number, max: number) =>
    fc.integer({ min: min * 1000, max: max * 1000 }).map((milliseconds) => milliseconds / 1000);
  const value = fc.oneof(
    fc.record({ v: fc.double({ noNaN: true, min: -1e100, max: 1e100 }) }),
    fc.record({ vs: fc.string({ unit: 'grapheme' }) }),
    fc.record({ vb: fc.boolean() }),
    fc.constant({ vd: 'aGkgCg' }),
    fc.record({ s: fc.integer() }),
  );
  const record = fc
    .tuple(
      fc.record(
        {
          bn: fc.stringMatching(/^[A-Za-z][-:./_a-z0-9]{0,30}$/),
          bt: decimals(1_000_000_000, 2_000_000_000),
          bu: fc.constantFrom('V', '', 'Cel'),
          bv: fc.integer({ min: -1000, max: 1000 }),
          bs: fc.integer({ min: -1000, max: 1000 }),
          n: fc.stringMatching(/^[a-z0-9]{1,20}$/),
          u: fc.constantFrom('A', '%RH', ''),
          t: decimals(-1000, 1000),
          ut: fc.integer(),
        },
        { requiredKeys: ['n'] },
      ),
      value,
    )
    .map(([fields, one]) => ({ ...fields, ...one }));

  it('is idempotent', () => {
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 30 }), (pack) => {
        const once = at(pack);
        expect(at(once.map(asRecord))).toEqual(once);
      }),
      { numRuns: 300 },
    );
  });
});

/** A resolved record as SenML again. */
function asRecord(record: SenmlRecord) {
  const values = [
    { v: record.value },
    { vs: record.text },
    { vb: record.value === 1 },
    { vd: record.text },
    {},
  ];
  return {
    n: record.name,
    u: record.unit,
    t: Number(record.time / 1_000_000n) / 1000,
    ...values[record.kind],
    ...(record.sum === null ? {} : { s: record.sum }),
    ...(record.updateTime === null ? {} : { ut: record.updateTime }),
  };
}
