import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeRow } from '../row-binary.ts';
import { limits } from '../testing.ts';
import { SenmlCbor } from './cbor.ts';
import type { SenmlColumnBatch } from './column-batch.ts';
import { SenmlScanner } from './scanner.ts';
import { SenmlResolver } from './senml.ts';

const nowMs = 1_700_000_000_123;
const publisher = new Uint8Array(16);
const target = Buffer.alloc(1024 * 1024);

const plainBody = new SenmlCbor(limits);
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

/** Whether the scanner took it; what it took must be what the plain way makes of it. */
function expectSame(body: Buffer): boolean {
  if (!scanner.scanCbor(body, nowMs)) return false;
  const scanned = encoded(own.batch);
  const isRead =
    plainBody.read(body) === undefined && plain.resolve(plainBody.value, nowMs) === undefined;
  expect(scanned).toBe(isRead ? encoded(plain.batch) : undefined);
  return true;
}

const majors = { unsigned: 0, negative: 1, text: 3, array: 4, map: 5 } as const;

/** An item's first bytes (RFC 8949 §3): the major type, and the argument in so many bytes. */
function head(major: number, argument: number, bytes: 0 | 1 | 2 | 4): Buffer {
  if (bytes === 0) return Buffer.from([(major << 5) | argument]);
  const written = Buffer.alloc(1 + bytes);
  written[0] = (major << 5) | { 1: 24, 2: 25, 4: 26 }[bytes];
  written.writeUIntBE(argument, 1, bytes);
  return written;
}

function hex(bytes: string): Buffer {
  return Buffer.from(bytes.replaceAll(' ', ''), 'hex');
}

function textItem(value: string): Buffer {
  const bytes = Buffer.from(value);
  const { length } = bytes;
  return Buffer.concat([head(majors.text, length, length < 24 ? 0 : 1), bytes]);
}

function double(value: number): Buffer {
  const written = Buffer.alloc(9, 0xfb);
  written.writeDoubleBE(value, 1);
  return written;
}

function single(value: number): Buffer {
  const written = Buffer.alloc(5, 0xfa);
  written.writeFloatBE(value, 1);
  return written;
}

/** A float of so many bytes, whatever they mean. */
const anyFloat = (first: number, bytes: number) =>
  fc
    .uint8Array({ minLength: bytes, maxLength: bytes })
    .map((some) => Buffer.from([first, ...some]));
const halves = anyFloat(0xf9, 2);
const integerOf = (max: number, bytes: 0 | 1 | 2 | 4) =>
  fc
    .tuple(fc.constantFrom(majors.unsigned, majors.negative), fc.nat(max))
    .map(([major, value]) => head(major, value, bytes));
const number = fc.oneof(
  integerOf(23, 0),
  integerOf(255, 1),
  integerOf(65_535, 2),
  integerOf(2 ** 32 - 1, 4),
  fc.double({ min: -1e6, max: 1e6, noNaN: true }).map(double),
  fc.float({ noNaN: true, noDefaultInfinity: true }).map(single),
  fc.integer({ min: -100_000, max: 100_000 }).map((hundredths) => double(hundredths / 100)),
  halves,
);
const anyNumber = fc.oneof(number, anyFloat(0xfa, 4), anyFloat(0xfb, 8), halves);
const time = fc.oneof(
  fc.integer({ min: 0, max: 2e9 }).map((value) => head(majors.unsigned, value, 4)),
  fc.nat(23).map((value) => head(majors.negative, value, 0)),
  fc.integer({ min: -1e6, max: 2e9 }).map((tenths) => double(tenths / 10)),
  fc.double({ min: -1e10, max: 1e10, noNaN: true }).map(double),
  fc.double({ min: 0, max: 2e9, noNaN: true }).map(double),
);
const name = fc.stringMatching(/^[a-z0-9][a-z0-9:./_-]{0,30}$/).map(textItem);
const unit = fc
  .constantFrom('Cel', '%RH', '', 'm/s', '°C', 'µS/cm²', '€/h', '温度', '\ufeff', '😀')
  .map(textItem);

/** A record's members, each with its label before it. Mostly what the scanner takes. */
const labels = { n: '00', t: '06', u: '01', bn: '21', bt: '22', bu: '23' } as const;
const valueLabels = { v: '02', vs: '03', vb: '04' } as const;
type Label = keyof typeof labels;
type ValueLabel = keyof typeof valueLabels;
const member = (label: Label | ValueLabel, field: Buffer) =>
  Buffer.concat([hex({ ...labels, ...valueLabels }[label]), field]);
const value = fc.oneof(
  { weight: 4, arbitrary: number.map((field) => member('v', field)) },
  { weight: 1, arbitrary: fc.constantFrom('f4', 'f5').map((field) => member('vb', hex(field))) },
  { weight: 1, arbitrary: fc.oneof(name, unit).map((field) => member('vs', field)) },
);
const ownLabels: (Label | 'value')[] = ['value', 'n', 't', 'u'];
const allLabels: (Label | 'value')[] = [...ownLabels, 'bn', 'bt', 'bu'];
const fields = fc.record({ value, n: name, t: time, u: unit, bn: name, bt: time, bu: unit });

const membersOf = (may: (Label | 'value')[]) =>
  fc
    .tuple(fields, fc.shuffledSubarray(may, { minLength: 3 }))
    .map(([values, given]) =>
      given.map((label) => (label === 'value' ? values.value : member(label, values[label]))),
    );
const first = membersOf(allLabels);
const later = fc.oneof(
  { weight: 4, arbitrary: membersOf(ownLabels) },
  { weight: 1, arbitrary: first },
);

/** What the scanner must often give up: other labels and values, also where they may not stand. */
const odd = fc
  .tuple(
    fc.constantFrom(
      ...Object.values(labels),
      ...Object.values(valueLabels),
      '08',
      '61 6e',
      '61 76',
      '18 00',
      '38 20',
      '20',
      '24',
      '07',
    ),
    fc.oneof(
      anyNumber,
      name,
      fc
        .constantFrom('f4', 'f6', 'f7', '41 61', '80', 'a0', 'c2 41 01', '1b 0000000000000001')
        .map(hex),
      fc.string({ unit: 'grapheme', maxLength: 8 }).map(textItem),
      fc.constantFrom('a "unit"', '-a', '').map(textItem),
    ),
  )
  .map(([label, field]) => Buffer.concat([hex(label), field]));
const mostly = (usually: fc.Arbitrary<Buffer[]>) =>
  fc.oneof(
    { weight: 9, arbitrary: usually },
    { weight: 1, arbitrary: fc.tuple(usually, odd).map(([members, one]) => [...members, one]) },
  );

function recordItem(members: readonly Buffer[]): Buffer {
  return Buffer.concat([head(majors.map, members.length, 0), ...members]);
}

const pack = fc
  .tuple(mostly(first), fc.array(mostly(later), { maxLength: 4 }))
  .map(([one, more]) =>
    Buffer.concat([head(majors.array, 1 + more.length, 0), ...[one, ...more].map(recordItem)]),
  );

/** A pack with every label, a float of each size, units in UTF-8, a string and both booleans. */
const whole = hex(
  `85 a7 21 6a ${Buffer.from('urn:dev:a:').toString('hex')} 22 fb 41d954fc40100000 23 63 43656c` +
    '00 61 74 01 63 c2b043 02 f9 3e00 06 20 a3 00 61 68 02 fa 47c35000 06 19 0100' +
    'a2 00 61 62 04 f5 a2 00 61 63 04 f4 a2 00 61 73 03 66 612074657874',
);

describe('the SenML scanner on CBOR', () => {
  it('takes what devices send most', () => {
    expect(expectSame(whole)).toBe(true);
  });

  it('takes as many records as a message may have, and no more', () => {
    const records = (count: number) =>
      Buffer.concat([
        head(majors.array, count, 2),
        ...Array.from({ length: count }, (_, at) =>
          recordItem([
            member('n', textItem(`a-rather-long-name-${at}`)),
            member('u', textItem('a-unit-of-its-own')),
            member('t', head(majors.unsigned, at, 2)),
            member('v', double(at / 100)),
          ]),
        ),
      ]);
    expect(expectSame(records(limits.recordsPerMessageMax))).toBe(true);
    expect(expectSame(records(limits.recordsPerMessageMax + 1))).toBe(false);
  });

  it('bounds a base unit also where no record uses it', () => {
    const ofUnit = (bytes: number) =>
      Buffer.concat([
        head(majors.array, 1, 0),
        recordItem([
          Buffer.concat([hex(labels.bu), head(majors.text, bytes, 2), Buffer.alloc(bytes, 0x78)]),
          member('n', textItem('a')),
          member('u', textItem('V')),
          member('v', hex('01')),
        ]),
      ]);
    expect(expectSame(ofUnit(127))).toBe(true);
    expect(expectSame(ofUnit(1_025))).toBe(false);
  });

  it('takes every float of 16 bits to the same bytes as the plain way', () => {
    let taken = 0;
    for (let half = 0; half < 65_536; half++) {
      const body = hex('81 a2 00 61 61 02 f9 0000');
      body.writeUInt16BE(half, 7);
      if (expectSame(body)) taken += 1;
    }
    // All but infinities and what is no number.
    expect(taken).toBe(65_536 - 2 * 1_024);
  });

  it('reads nothing of the message before', () => {
    for (let end = 0; end < whole.length; end++) {
      expect(expectSame(whole)).toBe(true);
      expect(scanner.scanCbor(whole.subarray(0, end), nowMs), `cut at ${end}`).toBe(false);
    }
  });

  it('gives up a message whose last number ends after the memory', () => {
    const long = Buffer.alloc(4 * 1024 * 1024 - 10, 0x61);
    const before = [hex('81 a2 00'), head(majors.text, long.length, 4)];
    const body = Buffer.concat([...before, long, hex('02 fb')]);
    expect(body.length).toBe(4 * 1024 * 1024);
    expect(scanner.scanCbor(body, nowMs)).toBe(false);
    expect(scanner.scanCbor(Buffer.concat([body, body]), nowMs)).toBe(false);
  });

  it('takes a message to the same bytes as the plain way, or gives it up', () => {
    let taken = 0;
    fc.assert(
      fc.property(pack, (one) => {
        if (expectSame(one)) taken += 1;
      }),
      { numRuns: 20_000 },
    );
    expect(taken).toBeGreaterThan(3_000);
  });

  it('takes no damaged message that the plain way refuses', () => {
    fc.assert(
      fc.property(fc.nat(whole.length - 1), fc.nat(255), fc.boolean(), (at, byte, cut) => {
        const bytes = Buffer.from(cut ? whole.subarray(0, at) : whole);
        if (!cut) bytes[at] = byte;
        expectSame(bytes);
      }),
      { numRuns: 20_000 },
    );
  });

  it('takes any time to the same nanoseconds as the plain way', () => {
    const any = fc.oneof(time, anyNumber);
    const named = hex('00 61 61 02 01');
    fc.assert(
      fc.property(any, any, (base, more) => {
        expectSame(Buffer.concat([hex('81 a4'), member('bt', base), named, member('t', more)]));
      }),
      { numRuns: 20_000 },
    );
  });
});
