import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRow } from '../row-binary.ts';
import { SenmlResolver, withExactTimes } from './senml.ts';
import { SenmlScanner } from './scanner.ts';
import type { SenmlColumnBatch } from './column-batch.ts';
import { decodeSenmlRow, limits } from '../testing.ts';
import { JsonText } from '../json/text.ts';

const nowMs = 1_700_000_000_123;
const publisher = new Uint8Array(16);
const target = Buffer.alloc(1024 * 1024);

const plainText = new JsonText(limits);
const plain = new SenmlResolver(limits);
const own = new SenmlResolver(limits);
const scanner = new SenmlScanner(own.batch, limits);

function encoded(batch: SenmlColumnBatch): string {
  return target.toString(
    'hex',
    0,
    writeRow(batch, { publisher, protocol: 'http', subtopic: 'a.b' }, target, 0),
  );
}

/** What the plain way makes of a body; undefined when it refuses it. */
function readPlain(body: Buffer): string | undefined {
  if (plainText.read(body) !== undefined) return undefined;
  if (plain.resolve(withExactTimes(plainText), nowMs) !== undefined) return undefined;
  return plain.members === plainText.members ? encoded(plain.batch) : undefined;
}

/** Whether the scanner took it; what it took must be what the plain way makes of it. */
function expectSame(body: Buffer): boolean {
  const scanned = readScanned(body);
  if (scanned !== undefined) expect(scanned).toBe(readPlain(body));
  return scanned !== undefined;
}

/** What the scanner makes of a body; undefined when it gives up. */
function readScanned(body: Buffer): string | undefined {
  return scanner.scanJson(body, nowMs) ? encoded(own.batch) : undefined;
}

const decimal = fc.oneof(
  fc.integer({ min: -1e6, max: 1e6 }).map(String),
  fc.tuple(fc.integer(), fc.nat(1e9)).map(([whole, fraction]) => `${whole}.${fraction}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map(String),
  fc.constantFrom(
    '0',
    '-0',
    '0.0',
    '1700000000',
    '1276020076.305',
    '268435456',
    '00',
    '1.',
    '.5',
    '1e3',
  ),
);
const text = fc.oneof(
  fc.constantFrom('a', 'urn:dev:a:', 'Cel', '%RH', '', '-a', 'a b', 'é', '\\u0041', '\\"'),
  fc.string({ maxLength: 12 }),
);
/** Mostly what the scanner takes; at times what it must give up. */
const usual = fc.record({
  v: fc.oneof(
    { weight: 4, arbitrary: fc.integer({ min: -1e9, max: 1e9 }).map((all) => `"v":${all / 100}`) },
    { weight: 1, arbitrary: fc.boolean().map((value) => `"vb":${value}`) },
    { weight: 1, arbitrary: fc.stringMatching(/^[ !#-[\]-~]{0,20}$/).map((is) => `"vs":"${is}"`) },
  ),
  n: fc.stringMatching(/^[a-z0-9][a-z0-9:./_-]{0,20}$/).map((name) => JSON.stringify(name)),
  t: fc.integer({ min: -1e6, max: 2e9 }).map((all) => String(all / 10)),
  u: fc.constantFrom('"Cel"', '"%RH"', '""', '"°C"', '"µS/cm²"', '"€/h"', '"\\u00b0C"', '"m\\/s"'),
  bn: fc.constantFrom('"urn:dev:a:"', '"x"', '""'),
  bt: fc.constantFrom('1700000000', '1276020076.001', '0', '-5'),
  bu: fc.constantFrom('"V"', '"A"'),
});
const ownLabels = ['v', 'n', 't', 'u'] as const;
const allLabels = [...ownLabels, 'bn', 'bt', 'bu'] as const;
const recordOf = (labels: readonly (typeof allLabels)[number][]) =>
  fc.tuple(usual, fc.shuffledSubarray([...labels], { minLength: 2 })).map(([values, given]) => {
    return given.map((label) => (label === 'v' ? values.v : `"${label}":${values[label]}`));
  });
const first = recordOf(allLabels);
const record = fc.oneof(
  { weight: 9, arbitrary: recordOf(ownLabels) },
  { weight: 1, arbitrary: first },
);
const odd = fc.oneof(
  decimal.map((value) => `"v":${value}`),
  decimal.map((value) => `"t":${value}`),
  text.map((value) => `"n":"${value}"`),
  text.map((value) => `"u":"${value}"`),
  text.map((value) => `"vs":"${value}"`),
  fc.constantFrom(
    '"vs":"x"',
    '"vb":true',
    '"vb":1',
    '"vb":falsy',
    '"vd":"x"',
    '"s":1',
    '"bver":5',
    '"x":1',
    ' "v":1',
    '"bx":1',
  ),
);
const mostly = (usually: fc.Arbitrary<string[]>) =>
  fc.oneof(
    { weight: 9, arbitrary: usually },
    { weight: 1, arbitrary: fc.tuple(usually, odd).map(([members, one]) => [...members, one]) },
  );
/** What stands between members, between records, and after a label. */
const style = fc.constantFrom(
  { members: ',', records: ',', label: ':' },
  { members: ',', records: ',', label: ':' },
  { members: ', ', records: ', ', label: ': ' },
  { members: ', ', records: ',', label: ':' },
  { members: ',  ', records: ',\n', label: ':\t' },
);
const body = fc
  .tuple(style, mostly(first), fc.array(mostly(record), { maxLength: 4 }))
  .map(([between, one, more]) => {
    const members = (list: string[]) =>
      list.map((member) => member.replace('":', `"${between.label}`)).join(between.members);
    return `[${[one, ...more].map((list) => `{${members(list)}}`).join(between.records)}]`;
  });

/** A time as it is written, in nanoseconds, rounded by the digit after them. */
function nanosOf(number: string): bigint {
  const [, sign = '', whole = '', fraction = '', exponent = '0'] =
    /^(-?)(\d+)\.?(\d*)(?:[eE](.+))?$/.exec(number) ?? [];
  const digits = BigInt(whole + fraction);
  const power = 9 + Number(exponent) - fraction.length;
  const divisor = 10n ** BigInt(Math.max(-power, 0));
  const size = (digits * 10n ** BigInt(Math.max(power, 0)) + divisor / 2n) / divisor;
  return sign === '-' ? -size : size;
}

/**
 * The middle between a double of 0.01 or more and the next one, in 17 digits, and `beside` more in the last of them.
 * Doubles times 2^60 are integers here.
 */
function halfway(double: number, beside: bigint): string {
  const next = double + 2 ** Math.floor(Math.log2(double)) * Number.EPSILON;
  const places = Math.min(17, 16 - Math.floor(Math.log10(double)));
  const middle = (BigInt(double * 2 ** 60) + BigInt(next * 2 ** 60)) * 10n ** BigInt(places);
  const digits = String((middle >> 61n) + beside).padStart(places + 1, '0');
  const at = digits.length - places;
  return places === 0 ? digits : `${digits.slice(0, at)}.${digits.slice(at)}`;
}

describe('the SenML scanner on JSON', () => {
  it('takes what devices send most', () => {
    const pack = Buffer.from(
      '[{"bn":"urn:dev:a:","bt":1700000000.25,"bu":"Cel","n":"t0","v":21.34},' +
        '{"n":"t1","t":0.01,"v":-5},{"n":"t2","u":"%RH","t":-1,"v":0.5}]',
    );
    expect(readScanned(pack)).toBeDefined();
    expect(readScanned(pack)).toBe(readPlain(pack));
  });

  it('takes the one space that Python writes after a colon and a comma', () => {
    const pack = Buffer.from(
      '[{"bn": "urn:dev:a:", "bt": 1700000000, "bu": "Cel", "n": "t", "v": -1.5}, ' +
        '{"n": "h", "u": "%RH", "t": -1, "v": 2}, {"n": "door", "vb": false}, {"n": "s", "vs": "x"}]',
    );
    expect(readScanned(pack)).toBeDefined();
    expect(readScanned(pack)).toBe(readPlain(pack));
  });

  it('takes base fields that change within a pack', () => {
    const pack = Buffer.from(
      '[{"bn":"urn:dev:a:","bt":1700000000,"bu":"Cel","n":"t","v":1},{"n":"h","u":"%RH","v":2},' +
        '{"bn":"urn:dev:b:","n":"t","v":3},{"bu":"V","bt":1700000060.5,"n":"p","t":-1,"v":4}]',
    );
    expect(readScanned(pack)).toBeDefined();
    expect(readScanned(pack)).toBe(readPlain(pack));
  });

  it('takes booleans and strings among numbers', () => {
    const pack = Buffer.from(
      '[{"bn":"urn:dev:a:","n":"door","vb":true},{"n":"t","u":"°C","v":21.5},{"n":"mode","vs":"eco, night"},' +
        '{"n":"leak","vb":false},{"n":"none","vs":""},{"n":"zero","v":0}]',
    );
    expect(readScanned(pack)).toBeDefined();
    expect(readScanned(pack)).toBe(readPlain(pack));
  });

  it('takes texts of every character, and no bytes that are none', () => {
    const pack = (unit: Uint8Array) =>
      Buffer.concat([Buffer.from('[{"n":"a","u":"'), unit, Buffer.from('","v":1}]')]);
    for (let code = 0x80; code <= 0x10ffff; code += code < 0x1_0000 ? 1 : 31) {
      const isHalf = code >= 0xd800 && code <= 0xdfff;
      if (isHalf) continue;
      expect(
        expectSame(pack(Buffer.from(String.fromCodePoint(code)))),
        `U+${code.toString(16)}`,
      ).toBe(true);
    }
    // All pairs of a first and a second byte, before bytes that may follow and before some that may not.
    for (let lead = 0x80; lead <= 0xff; lead++) {
      for (let second = 0; second <= 0xff; second++) {
        for (const more of [[], [0x80], [0x80, 0xbf], [0x80, 0x41], [0x41]]) {
          expectSame(pack(Uint8Array.of(lead, second, ...more)));
        }
      }
    }
  });

  it('takes escapes of what may stand in a text', () => {
    for (let code = 0; code <= 0xffff; code++) {
      const hex = code.toString(16).padStart(4, '0');
      const escape = `\\u${code % 2 === 0 ? hex : hex.toUpperCase()}`;
      const isOther = code < 0x20 || code === 0x7f || (code >= 0xd800 && code <= 0xdfff);
      const isTaken = expectSame(Buffer.from(`[{"n":"a","vs":"is ${escape}!"}]`));
      expect(isTaken, escape).toBe(!isOther);
    }
    for (let byte = 0; byte <= 0xff; byte++) {
      for (const end of ['', 'C', '\\', '0041"', '00b', '00b0', 'd83d\\ude00']) {
        const [before, after] = ['[{"n":"a","u":"\\', `${end}","v":1}]`];
        expectSame(Buffer.concat([Buffer.from(before), Buffer.of(byte), Buffer.from(after)]));
      }
    }
    const pack = Buffer.from(
      '[{"bn":"a\\/\\u0062","n":"\\u0063","u":"\\u00b0C","v":1},{"n":"d","vs":"\\"\\u20AC\\" \\\\ °"},' +
        '{"n":"\\u00b5","v":2}]',
    );
    expect(expectSame(pack)).toBe(false);
    expect(expectSame(Buffer.from(pack.toString().replace('\\u00b5', '\\u0065')))).toBe(true);
  });

  it('takes a message larger than any before', () => {
    const records = Array.from({ length: limits.recordsPerMessageMax }, (_, at) => ({
      n: `a-rather-long-name-${at}`,
      u: 'a-unit-of-its-own',
      t: at,
      v: at / 100,
    }));
    const pack = Buffer.from(JSON.stringify(records));
    expect(readScanned(pack)).toBeDefined();
    expect(readScanned(pack)).toBe(readPlain(pack));
  });

  it('takes a message at its limits to the same bytes as the plain way', () => {
    const name = (bytes: number) => 'n'.repeat(bytes);
    const unit = (bytes: number) => 'u'.repeat(bytes);
    const texts = (base: number, more: number, unitBytes: number) =>
      Buffer.from(`[{"bn":"${name(base)}","n":"${name(more)}","u":"${unit(unitBytes)}","v":1}]`);
    for (const [base, more, unitBytes, isTaken] of [
      [0, 127, 0, true],
      [127, 0, 16, true],
      [100, 27, 127, true],
      [100, 28, 17, false],
      [128, 0, 1, false],
      [2_000, 1, 1, false],
      [1, 2_000, 1, false],
      [1, 1, 128, false],
    ] as const) {
      expect(expectSame(texts(base, more, unitBytes)), `${base} ${more} ${unitBytes}`).toBe(
        isTaken,
      );
    }
    // A base unit is bounded also where no record uses it.
    for (const bytes of [127, 128, 1_025]) {
      const pack = Buffer.from(`[{"bu":"${unit(bytes)}","n":"a","u":"V","v":1}]`);
      expect(expectSame(pack), `${bytes} in a base unit`).toBe(bytes === 127);
    }
    for (const bytes of [127, 128]) {
      const pack = Buffer.from(`[{"n":"a","vs":"${unit(bytes)}"}]`);
      expect(expectSame(pack), `${bytes} in a text`).toBe(bytes === 127);
    }
    const seconds = ['9223372035.999999999', '9223372036', '-9223372036', '-9223372037', '1e9'];
    for (const t of ['268435455.999', '268435456', '-0.000000001', ...seconds]) {
      expectSame(Buffer.from(`[{"bt":${t},"n":"a","v":1}]`));
      expectSame(Buffer.from(`[{"n":"a","v":-0,"t":${t}}]`));
    }
  });

  it('reads nothing of the message before', () => {
    const one = '{"n":"a","v":1}';
    const long = Buffer.from(`[${`${one},`.repeat(20)}${one}]`);
    for (let end = 1; end < long.length; end++) {
      expect(readScanned(long)).toBeDefined();
      expect(readScanned(long.subarray(0, end))).toBeUndefined();
    }
  });

  it('gives up a body that is larger than its memory', () => {
    const spaces = ' '.repeat(4 * 1024 * 1024);
    expect(readScanned(Buffer.from(`[{"n":"a","v":1}]${spaces}`))).toBeUndefined();
  });

  it('takes a message to the same bytes as the plain way, or gives it up', () => {
    let taken = 0;
    fc.assert(
      fc.property(body, (one) => {
        if (expectSame(Buffer.from(one))) taken += 1;
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(2_500);
  });

  it('takes no damaged message that the plain way refuses', () => {
    const whole =
      '[{"bn":"urn:dev:a:","bt":1700000000,"bu":"Cel","n":"t","v":21.5},{"n":"h","v":40,"t":-1},' +
      '{"n":"b","vb":true},{"n":"c","vb":false},{"n":"s","u":"°","vs":"is a text"}]';
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
        const bytes = Buffer.from(cut ? whole.slice(0, at) : whole);
        if (!cut) bytes[at] = byte;
        expectSame(bytes);
      }),
      { numRuns: 20_000 },
    );
  });

  it('reads every decimal of up to eighteen digits as JSON.parse does', () => {
    const digits = fc.tuple(fc.boolean(), fc.bigInt({ min: 0n, max: 10n ** 18n - 1n }), fc.nat(18));
    fc.assert(
      fc.property(digits, ([negative, all, places]) => {
        const padded = String(all).padStart(places + 1, '0');
        const at = padded.length - places;
        const number = `${padded.slice(0, at)}${places > 0 ? '.' : ''}${padded.slice(at)}`;
        const signed = `${negative ? '-' : ''}${number}`;
        expect(expectSame(Buffer.from(`[{"n":"a","v":${signed}}]`)), signed).toBe(true);
        expectSame(Buffer.from(`[{"n":"a","t":${signed},"v":1}]`));
      }),
      { numRuns: 40_000 },
    );
  });

  it('reads doubles as programs write them, and what lies between two', () => {
    const double = fc.double({ min: 0.01, max: 1e16, noNaN: true });
    fc.assert(
      fc.property(double, fc.bigInt({ min: -1n, max: 1n }), (value, beside) => {
        expectSame(Buffer.from(`[{"n":"a","v":${value}}]`));
        const middle = halfway(value, beside);
        expect(expectSame(Buffer.from(`[{"n":"a","v":-${middle}}]`)), middle).toBe(true);
        // As a clock is written, in seconds.
        const clock = String(2 ** 28 + (value % 2 ** 33));
        expectSame(Buffer.from(`[{"bt":${clock},"n":"a","v":1}]`));
      }),
      { numRuns: 40_000 },
    );
    expect(
      readScanned(Buffer.from('[{"bt":1764079444.1234567,"n":"a","v":21.340000000000003}]')),
    ).toBeDefined();
  });

  it('reads numbers with an exponent as JSON.parse does', () => {
    const parts = fc.record({
      whole: fc.bigInt({ min: 0n, max: 10n ** 12n }),
      fraction: fc.oneof(fc.constant(''), fc.stringMatching(/^\.[0-9]{1,16}$/)),
      sign: fc.constantFrom('e', 'E', 'e+', 'E-', 'e-'),
      exponent: fc.stringMatching(/^[0-9]{1,3}$/),
    });
    let taken = 0;
    fc.assert(
      fc.property(parts, ({ whole, fraction, sign, exponent }) => {
        const number = `${whole}${fraction}${sign}${exponent}`;
        if (expectSame(Buffer.from(`[{"n":"a","v":${number}}]`))) taken += 1;
        expectSame(Buffer.from(`[{"bt":-${number},"n":"a","v":1}]`));
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(2_500);
    for (const number of ['1.764079444123E9', '1.0E7', '2.5e-5', '-4E+2']) {
      expect(expectSame(Buffer.from(`[{"n":"a","v":${number},"t":${number}}]`)), number).toBe(true);
    }
    for (const number of ['1e', '1e+', '1e-', '1e1.5', '1E999', '1e4294967297']) {
      expect(expectSame(Buffer.from(`[{"n":"a","v":${number}}]`)), number).toBe(false);
    }
  });

  it('keeps times to the nanosecond as they are written, as the plain way does', () => {
    const seconds = fc.oneof(
      fc.bigInt({ min: -(10n ** 9n), max: 9n * 10n ** 9n }).map(String),
      fc.constantFrom('0', '-0', '1483228799', '1700000000', '268435455'),
    );
    const fraction = fc.stringMatching(/^[0-9]{0,14}$/);
    const number = fc
      .tuple(seconds, fraction, fc.constantFrom('', '', '', 'e0', 'E+1', 'e-2', 'e-9'))
      .map(([whole, digits, exponent]) => `${whole}${digits && `.${digits}`}${exponent}`);
    let scanned = 0;
    const check = (bt: string, t: string) => {
      let time = nanosOf(bt) + nanosOf(t);
      if (time < 2n ** 28n * 10n ** 9n) time += BigInt(nowMs) * 10n ** 6n;
      const isInRange = time / 10n ** 9n <= 9_223_372_035n && time >= -9_223_372_036n * 10n ** 9n;
      if (!isInRange) return;
      const pack = `[{"bt":${bt},"n":"a","t":${t},"v":1}]`;
      const ways = [
        readPlain(Buffer.from(pack)),
        readPlain(Buffer.from(pack.replace('"t"', ' "\\u0074" '))),
        readScanned(Buffer.from(pack)),
      ];
      for (const row of ways) {
        if (row === undefined) continue;
        const [only] = decodeSenmlRow(Buffer.from(row, 'hex')).records;
        expect(only?.time, pack).toBe(time);
      }
      expect(ways[0]).toBeDefined();
      if (ways[2] !== undefined) scanned += 1;
    };
    fc.assert(fc.property(number, number, check), { numRuns: 20_000 });
    expect(scanned).toBeGreaterThan(5_000);
    check('1483228799.999999999', '0');
    check('1483228799.9999999994', '0.0000000001');
    check('0.9999999999', '1700000000');
    check('1700000000.123456789', '-0.7999999999999999');
    // More digits than the scanner takes.
    check('1700000000.1234567894999999999999', '0');
  });

  it('reads what lies exactly between two doubles as the even one', () => {
    for (let at = 0n; at < 2_000n; at++) {
      for (const number of [2n ** 53n + at, `${2n ** 52n + at}.5`, `${2n ** 51n + at}.25`]) {
        const pack = Buffer.from(`[{"n":"a","v":${number}}]`);
        expect(expectSame(pack), String(number)).toBe(true);
      }
    }
  });

  it('keeps the limits of the plain way, however many records a message may have', () => {
    const large = { ...limits, recordsPerMessageMax: 100_000 };
    const many = new SenmlScanner(new SenmlResolver(large).batch, large);
    const pack = (records: number) =>
      Buffer.from(`[${'{"n":"a","v":1},'.repeat(records - 1)}{"n":"a","v":1}]`);
    expect(many.scanJson(pack(65_535), nowMs)).toBe(true);
    expect(many.scanJson(pack(65_536), nowMs)).toBe(false);
    const few = { ...limits, containersMax: 10 };
    const bounded = new SenmlScanner(new SenmlResolver(few).batch, few);
    expect(bounded.scanJson(pack(9), nowMs)).toBe(true);
    expect(bounded.scanJson(pack(10), nowMs)).toBe(false);
  });

  it('gives up numbers of more digits, whatever they are in 64 bits', () => {
    for (const number of [2n ** 64n, 2n ** 65n, 10n ** 18n, 2n ** 64n * 5n + 1n]) {
      expect(expectSame(Buffer.from(`[{"n":"a","v":${number}}]`)), String(number)).toBe(false);
      expect(expectSame(Buffer.from(`[{"n":"a","t":${number},"v":1}]`))).toBe(false);
    }
  });
});
