import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { JsonColumnBatch } from './json/column-batch.ts';
import { protocols } from '../../schemas/messages/protocols.ts';
import { rowBytes, writeRow } from './row-binary.ts';
import { SenmlResolver } from './senml/senml.ts';
import { decodeJsonRow, decodeSenmlRow, envelope, limits, publisher } from './testing.ts';
import { uuidToRowBinary } from './uuid.ts';

const nowMs = 1_700_000_000_123;

const records = fc.array(
  fc.record(
    {
      n: fc.stringMatching(/^[A-Za-z0-9][-A-Za-z0-9:./_]{0,150}$/),
      u: fc.string({ unit: 'grapheme', maxLength: 40 }),
      t: fc.integer({ min: -1000, max: 4_000_000_000 }),
      s: fc.double({ noNaN: true, noDefaultInfinity: true }),
      ut: fc.double({ noNaN: true, noDefaultInfinity: true }),
      value: fc.oneof(
        fc.record({ v: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
        fc.record({ vs: fc.string({ unit: 'grapheme', maxLength: 200 }) }),
        fc.record({ vb: fc.boolean() }),
        fc.uint8Array().map((bytes) => ({ vd: Buffer.from(bytes).toString('base64url') })),
      ),
    },
    { requiredKeys: ['n', 'value'] },
  ),
  { minLength: 1, maxLength: 150 },
);

const subtopics = fc.string({ maxLength: 254 });

describe('RowBinary', () => {
  it('encode then decode is identity for SenML', () => {
    const resolver = new SenmlResolver(limits);
    const target = Buffer.alloc(1024 * 1024, 0xaa);
    fc.assert(
      fc.property(
        records,
        fc.constantFrom(...protocols),
        subtopics,
        (given, protocol, subtopic) => {
          const pack = given.map(({ value, ...rest }) => ({ ...rest, ...value }));
          expect(resolver.resolve(pack, nowMs)).toBeUndefined();
          const end = writeRow(resolver.batch, { publisher, protocol, subtopic }, target, 5);
          expect(end - 5).toBe(rowBytes(resolver.batch, subtopic));
          const row = decodeSenmlRow(target.subarray(5, end));
          expect(row.subtopic).toBe(subtopic.toWellFormed());
          expect(row.protocol).toBe(protocol);
          expect(row.publisher).toEqual(Buffer.from(publisher));
          expect(row.records).toEqual(
            pack.map((record) => ({
              name: record.n,
              unit: record.u ?? '',
              time: BigInt(resolvedSeconds(record.t ?? 0)) * 1_000_000n,
              kind: kindOf(record),
              value: 'v' in record ? record.v : 'vb' in record ? Number(record.vb) : 0,
              text: 'vs' in record ? record.vs : 'vd' in record ? record.vd : '',
              sum: record.s ?? null,
              updateTime: record.ut ?? null,
            })),
          );
        },
      ),
      { numRuns: 200 },
    );
  });

  it('encode then decode is identity for JSON', () => {
    const target = Buffer.alloc(1024 * 1024);
    const batch = new JsonColumnBatch(limits.recordsPerMessageMax);
    const entries = fc.array(
      fc.tuple(
        fc.string({ unit: 'grapheme', maxLength: 500 }),
        fc.integer({ min: -9_223_372_036, max: 9_223_372_035 }),
        fc.integer({ min: 0, max: 999_999_999 }),
      ),
    );
    fc.assert(
      fc.property(entries, (given) => {
        batch.clear();
        for (const [payload, seconds, nanos] of given) {
          expect(batch.payloads.append(payload)).toBe(true);
          batch.times.set(batch.count, seconds, nanos);
          batch.count += 1;
        }
        const end = writeRow(batch, { ...envelope, subtopic: 'a.b' }, target, 0);
        expect(end).toBe(rowBytes(batch, 'a.b'));
        expect(decodeJsonRow(target.subarray(0, end)).records).toEqual(
          given.map(([payload, seconds, nanos]) => ({
            payload,
            created: BigInt(seconds) * 1_000_000_000n + BigInt(nanos),
          })),
        );
      }),
    );
  });

  it('takes as many bytes as it said, and writes nothing after them', () => {
    const resolver = new SenmlResolver(limits);
    resolver.resolve(
      [
        { n: 'a', u: 'V', v: 1.5, s: 2, ut: 3 },
        { n: 'b', vs: 'x' },
      ],
      nowMs,
    );
    const bytes = rowBytes(resolver.batch, 'topic');
    const target = Buffer.alloc(bytes + 8, 0xaa);
    expect(writeRow(resolver.batch, { ...envelope, subtopic: 'topic' }, target, 0)).toBe(bytes);
    expect(target.subarray(bytes)).toEqual(Buffer.alloc(8, 0xaa));
  });

  it('leaves a column out that every record leaves at its default', () => {
    const resolver = new SenmlResolver(limits);
    resolver.resolve([{ n: 'a', v: 0 }], nowMs);
    const target = Buffer.alloc(100);
    const end = writeRow(resolver.batch, envelope, target, 0);
    // UUID, protocol, subtopic, names, units, times, kinds, values, texts, sums, update times
    expect(end).toBe(16 + 1 + 1 + 3 + 1 + 9 + 1 + 1 + 1 + 1 + 1);
  });

  it('puts a UUID as two little-endian halves', () => {
    expect(
      Buffer.from(uuidToRowBinary('00112233-4455-4677-8899-aabbccddeeff')).toString('hex'),
    ).toBe('7746554433221100ffeeddccbbaa9988');
    expect(() => uuidToRowBinary('00112233')).toThrow(TypeError);
  });
});

/** In milliseconds, of the time of receipt as well. */
function resolvedSeconds(seconds: number): number {
  return seconds < 2 ** 28 ? nowMs + seconds * 1000 : seconds * 1000;
}

function kindOf(record: object): number {
  return ['v', 'vs', 'vb', 'vd'].findIndex((field) => field in record);
}
