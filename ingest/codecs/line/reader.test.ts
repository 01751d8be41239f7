import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ProfileConfig } from '../../../schemas/resources/profile-config.ts';
import { decodeSenmlRow, publisher, type SenmlRecord } from '../testing.ts';
import { parseLine } from './plain.ts';
import { nanoseconds, precisionOf } from './precision.ts';
import { LineReader, type ReadLines } from './reader.ts';
import { lineRowsBytes, writeLineRows } from './row-binary.ts';

const limits = { recordsMax: 1_000, nameCharsMax: 1_024, subtopicCharsMax: 254 };
const nowMs = 1_700_000_000_123;
const target = Buffer.alloc(8 * 1024 * 1024);
const bytes = { bytes: target, view: new DataView(target.buffer) };

type Row = { subtopic: string; records: SenmlRecord[] };

/** The rows of a body that was read, as the log has them. */
function rowsOf({ batch }: ReadLines): Row[] {
  const end = writeLineRows(batch, { publisher, protocol: 'line' }, bytes, 0);
  expect(end).toBe(lineRowsBytes(batch));
  const rows: Row[] = [];
  for (let at = 0; at < end; ) {
    const {
      protocol,
      subtopic,
      records,
      bytes: length,
      publisher: of,
    } = decodeSenmlRow(target.subarray(at, end), true);
    expect(protocol).toBe('line');
    expect(of).toEqual(Buffer.from(publisher));
    rows.push({ subtopic, records });
    at += length;
  }
  // Rates and quotas count these.
  expect(batch.count).toBe(rows.reduce((sum, { records }) => sum + records.length, 0));
  return rows;
}

function read(
  body: string | Buffer,
  {
    precision = '',
    profile = {},
    reader = new LineReader(limits),
  }: {
    precision?: string;
    profile?: ProfileConfig;
    reader?: LineReader;
  } = {},
): { rows: Row[]; problems: string } {
  const of = precisionOf(precision);
  if (of === undefined) throw new Error(`there is no precision ${precision}`);
  const outcome = reader.read(Buffer.from(body), of, profile, nowMs);
  if (outcome.kind === 'refused') return { rows: [], problems: outcome.detail };
  return { rows: rowsOf(outcome), problems: outcome.problems };
}

const facts = ({ name, unit, time, kind, value, text }: SenmlRecord) => ({
  name,
  unit,
  time,
  is: kind === 0 ? value : kind === 2 ? value === 1 : text,
});

/** A generated point: the records that it must become, and how a client writes it. */
type Point = {
  measurement: string;
  tags: [string, string][];
  fields: [string, { written: string; is: number | boolean | string }][];
  time: bigint | undefined;
};

const printable = fc.string({
  unit: fc.integer({ min: 0x20, max: 0x7e }).map((code) => String.fromCharCode(code)),
  minLength: 1,
  maxLength: 12,
});
const anyText = fc.oneof(printable, fc.string({ unit: 'grapheme', minLength: 1, maxLength: 8 }));
/** A backslash before what must be escaped, or at an end, can't be written. */
const label = anyText
  .map((text) => text.replaceAll(/\p{Cc}|\\/gu, '_'))
  .filter((text) => !/^[#\s\0]/u.test(text) && text !== '');

const numberText = fc.oneof(
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((is) => ({ written: String(is), is })),
  fc.integer().map((is) => ({ written: `${is}i`, is })),
  fc.maxSafeNat().map((is) => ({ written: `${is}u`, is })),
  fc
    .bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n })
    .map((is) => ({ written: `${is}i`, is: Number(is) })),
  fc
    .tuple(fc.nat(99_999), fc.nat({ max: 9_999 }), fc.boolean())
    .map(([whole, part, isNegative]) => `${isNegative ? '-' : ''}${whole}.${part}`)
    .map((written) => ({ written, is: Number(written) })),
);
const value = fc.oneof(
  numberText,
  fc.constantFrom('t', 'T', 'true', 'True', 'TRUE').map((written) => ({ written, is: true })),
  fc.constantFrom('f', 'F', 'false', 'False', 'FALSE').map((written) => ({ written, is: false })),
  fc.string({ unit: 'grapheme', maxLength: 20 }).map((is) => ({
    written: `"${is.replaceAll(/["\\]/g, String.raw`\$&`)}"`,
    is,
  })),
);

const unique = <T>(arb: fc.Arbitrary<T>, min: number) =>
  fc.uniqueArray(fc.tuple(label, arb), { minLength: min, maxLength: 4, selector: ([key]) => key });

const point: fc.Arbitrary<Point> = fc.record({
  measurement: label,
  tags: unique(label, 0),
  fields: unique(value, 1),
  time: fc.option(
    fc.bigInt({ min: -9_000_000_000_000_000_000n, max: 9_000_000_000_000_000_000n }),
    { nil: undefined },
  ),
});

const escaped = (text: string, chars: RegExp) => text.replaceAll(chars, String.raw`\$&`);

function lineOf({ measurement, tags, fields, time }: Point): string {
  const key = [
    escaped(measurement, /[, ]/g),
    ...tags.map(([tag, text]) => `${escaped(tag, /[,= ]/g)}=${escaped(text, /[,= ]/g)}`),
  ];
  const all = fields.map(([field, { written: text }]) => `${escaped(field, /[,= ]/g)}=${text}`);
  return `${key.join(',')} ${all.join(',')}${time === undefined ? '' : ` ${time}`}`;
}

const inSubtopic = (text: string) =>
  text.replaceAll(
    /[.=*>/% ]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  );

const ownTags = ['unit', 'thing', 'thing_id', 'group', 'subtopic'];

/** Records of a point by the rules of the guide, put together in the plainest way. */
function expected({ measurement, tags, fields, time }: Point) {
  const subtopic = tags
    .filter(([tag]) => !ownTags.includes(tag))
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([tag, text]) => `${inSubtopic(tag)}=${inSubtopic(text)}`)
    .join('.');
  return fields.map(([field, { is }]) => ({
    subtopic,
    name: field === 'value' ? measurement : `${measurement}.${field}`,
    unit: '',
    time: time ?? BigInt(nowMs) * 1_000_000n,
    is,
  }));
}

const sorted = (list: object[]) =>
  list
    .map((one) =>
      JSON.stringify(one, (_, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part)),
    )
    .toSorted();

describe('a body of line protocol', () => {
  it('becomes what its points say', () => {
    const reader = new LineReader(limits);
    fc.assert(
      fc.property(fc.array(point, { maxLength: 8 }), (points) => {
        const body = points.map(lineOf).join('\n');
        const { rows, problems } = read(body, { reader });
        expect(problems).toBe('');
        const records = rows.flatMap(({ subtopic, records: of }) =>
          of.map((record) => ({ subtopic, ...facts(record) })),
        );
        expect(sorted(records)).toEqual(sorted(points.flatMap(expected)));
      }),
      { numRuns: 500 },
    );
  });

  it('has a row for each series, with its records in their order', () => {
    const body =
      'a,x=1 value=1 1\nb value=2 2\na,x=1 value=3 3\na,x=2 value=4 4\na,x=1 other=5 5\n';
    const { rows } = read(body);
    expect(
      rows.map(({ subtopic, records }) => [subtopic, records.map(({ value: is }) => is)]),
    ).toEqual([
      ['x=1', [1, 3, 5]],
      ['', [2]],
      ['x=2', [4]],
    ]);
    expect(rows[0]?.records.map(({ name }) => name)).toEqual(['a', 'a', 'a.other']);
  });

  it('is read the same by the scanner and the plain way', () => {
    const plain = new LineReader(limits);
    const fast = new LineReader(limits);
    const piece = fc.oneof(
      fc.constantFrom(
        'cpu',
        ',',
        '=',
        ' ',
        '"',
        '\\',
        '\r',
        '#',
        '.',
        '-',
        'e',
        'i',
        'u',
        't',
        'true',
        'value',
        '1',
        '42',
        '1.5',
        '17000',
        '\t',
        '\0',
        'é',
      ),
      printable,
    );
    const line = fc.array(piece, { maxLength: 14 }).map((pieces) => pieces.join(''));
    const near = fc.tuple(point, fc.nat(60), piece).map(([one, at, more]) => {
      const text = lineOf(one);
      return text.slice(0, at) + more + text.slice(at);
    });
    fc.assert(
      fc.property(fc.oneof(line, near, point.map(lineOf)), (text) => {
        const one = read(text, { reader: fast });
        // A blank before a line has the scanner leave it.
        expect(read(` ${text}`, { reader: plain })).toEqual(one);
      }),
      { numRuns: 5_000 },
    );
  });

  it('may hold any bytes, and is read or told what is wrong', () => {
    const reader = new LineReader(limits);
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), (body) => {
        const outcome = reader.read(Buffer.from(body), nanoseconds, {}, nowMs);
        if (outcome.kind === 'lines') rowsOf(outcome);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('a number', () => {
  it.each([
    '0.1',
    '-0.0',
    '123456789012345',
    '1234567890123456',
    '0.000000000000001',
    '9007199254740993',
    '21.340000000000003',
    '1e5',
    '1E-7',
    '-1.5e+300',
    '5.',
    '.5',
    '00012',
  ])('%s is the nearest double', (text) => {
    const [row] = read(`m v=${text} 1`).rows;
    expect(Object.is(row?.records[0]?.value, Number(text))).toBe(true);
  });
});

describe('lines that are wrong', () => {
  it.each([
    ['cpu', 'missing fields'],
    ['cpu,a v=1', 'missing tag value'],
    ['cpu,a= v=1', 'missing tag value'],
    ['cpu,=b v=1', 'missing tag key'],
    ['cpu,a=b=c v=1', 'invalid tag format'],
    ['cpu,b=1,a=2,b=3 v=1', 'duplicate tags'],
    [',a=b v=1', 'missing measurement'],
    ['cpu v=', 'missing field value'],
    ['cpu =2', 'missing field key'],
    ['cpu v', 'invalid field format'],
    ['cpu v=1.1.1', 'invalid number'],
    ['cpu v=1e', 'invalid float'],
    ['cpu v=1e999', 'invalid float'],
    ['cpu v=nan', 'invalid number'],
    ['cpu v=x', 'invalid boolean'],
    ['cpu v=1 x', 'bad timestamp'],
    ['cpu v=1 5 6', 'point is invalid'],
    [
      'cpu v=1 9223372036854775807',
      'time outside range -9223372036854775806 - 9223372036854775806',
    ],
  ])('%j: %s', (line, why) => {
    const { rows, problems } = read(`good v=1 1\n${line}\ngood v=2 2`);
    expect(problems).toBe(`unable to parse '${line}': ${why}`);
    expect(rows[0]?.records).toHaveLength(2);
  });

  it('end where InfluxDB ends them: a string may have newlines, and so a quote that is missing takes what follows', () => {
    const { rows, problems } = read('good v=1 1\nm s="a\ngood v=2 2');
    expect(problems).toBe("unable to parse 'm s=\"a\ngood v=2 2': unbalanced quotes");
    expect(rows[0]?.records).toHaveLength(1);
  });

  it('are told up to twenty, and each of them up to its 256th character', () => {
    const { problems } = read(`${'x'.repeat(5_000)}\n`.repeat(50));
    const told = problems.split('\n');
    expect(told).toHaveLength(21);
    expect(told.at(-1)).toBe('and 30 more lines');
    expect(told[0]?.length).toBeLessThan(320);
  });

  it('are those of too many fields, with the whole body', () => {
    const { problems } = read('m value=1\n'.repeat(1_001));
    expect(problems).toContain('more than 1000 fields');
  });

  it('take time in proportion to their length', () => {
    for (const line of ['1', '\\', ',a=b', '"', ' ', '=', 'v=1,', '9']) {
      for (const start of ['m v=', 'm ', 'm,a=', 'm v="', 'm v=1 ']) {
        const begun = performance.now();
        read(start + line.repeat(1_000_000 / line.length));
        // On any machine: what is quadratic takes minutes.
        expect(performance.now() - begun).toBeLessThan(20_000);
      }
    }
  });
});

describe('the plain way', () => {
  it('takes the time in any precision', () => {
    const time = (text: string, precision: string) => {
      const parsed = parseLine(`m v=1 ${text}`, precisionOf(precision) ?? nanoseconds);
      return parsed.kind === 'wrong' ? parsed.problem : parsed.time;
    };
    expect(time('-1', 'ns')).toEqual({ kind: 'time', seconds: -1, nanos: 999_999_999 });
    expect(time('28333333', 'm')).toEqual({ kind: 'time', seconds: 1_699_999_980, nanos: 0 });
    expect(time('1500', 'ms')).toEqual({ kind: 'time', seconds: 1, nanos: 500_000_000 });
  });
});
