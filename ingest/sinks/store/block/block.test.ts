import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  codeOfProtocol,
  noProtocol,
  type Protocol,
  protocols,
} from '../../../../schemas/messages/protocols.ts';
import { Codec } from '../../../codecs/codec.ts';
import { rowBytes, writeRow } from '../../../codecs/row-binary.ts';
import { decodeJsonRow, decodeSenmlRow, limits } from '../../../codecs/testing.ts';
import { uuidToRowBinary } from '../../../codecs/uuid.ts';
import type { Format } from '../../../log/format.ts';
import type { Batch } from '../../../log/reader.ts';
import { type Block, BlockWriter } from './block.ts';
import { BlockReader } from './testing.ts';

const nowMs = 1_790_000_000_000;
const dayNanos = 86_400_000_000_000n;
const publishers = Array.from({ length: 5 }, () => uuidToRowBinary(randomUUID()));
const somewhere = { segment: 1, offset: 0 };

type Message = { publisher: number; protocol: Protocol; subtopic: string; body: unknown };

/** A batch of these messages, and the rows in it. */
function batchOf(format: Format, messages: readonly Message[]): { batch: Batch; rows: Buffer[] } {
  const codec = new Codec(limits);
  const contentType = format === 'senml' ? 'application/senml+json' : 'application/json';
  let records = 0;
  const rows = messages.map(({ publisher, protocol, subtopic, body }) => {
    const read = codec.read(Buffer.from(JSON.stringify(body)), contentType, {}, nowMs);
    if (read.kind === 'refused') throw new Error(read.detail);
    records += read.count;
    const row = Buffer.alloc(rowBytes(read, subtopic));
    const envelope = { publisher: publishers[publisher] ?? new Uint8Array(16), protocol, subtopic };
    writeRow(read, envelope, row, 0);
    return row;
  });
  const body = Buffer.concat(rows);
  const batch = { from: somewhere, to: somewhere, frames: rows.length, records, body };
  return { batch: { ...batch, offsets: [], ends: [], formats: [] }, rows };
}

/** The records of a block, each with all columns. */
function recordsOf(block: Block, names: readonly string[]): Record<string, unknown>[] {
  const { columns } = new BlockReader(block.bytes);
  const structure = [...columns].map(([name, { type }]) => `${name} ${type}`).join(', ');
  expect(block.structure).toBe(structure);
  const count = columns.get('publisher')?.values.length ?? 0;
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(
      names.map((name) => {
        const selected = block.selected.get(name);
        const isWritten = selected === name;
        return [name, isWritten ? columns.get(name)?.values[at] : defaults[String(selected)]];
      }),
    ),
  );
}

const protocolDefaults = Object.fromEntries(
  protocols.map((name) => [`'${name}'`, codeOfProtocol(name)]),
);
const defaults: Record<string, unknown> = {
  ...protocolDefaults,
  "''": '',
  "'value'": 0,
  '0.': 0,
  NULL: null,
};

const senmlColumns = [
  'publisher',
  'subtopic',
  'protocol',
  'name',
  'unit',
  'time',
  'kind',
  'given',
  'text',
  'sum',
  'update_time',
];

const codeOf = (protocol: Protocol | undefined) =>
  protocol === undefined ? noProtocol : codeOfProtocol(protocol);

/** What a block of these rows must hold: all records, in the order of the table. */
function expectedSenml(rows: readonly Buffer[]) {
  return rows
    .map((row) => decodeSenmlRow(row))
    .flatMap(({ publisher, protocol, subtopic, records }) =>
      records.map(({ name, unit, time, kind, value, text, sum, updateTime }) => ({
        publisher: publisher.toString('hex'),
        subtopic,
        protocol: codeOf(protocol),
        name,
        unit,
        time,
        kind,
        given: value,
        text,
        sum,
        update_time: updateTime,
      })),
    )
    .toSorted(
      (one, other) =>
        compare(one.time / dayNanos, other.time / dayNanos) ||
        compare(comparable(one.publisher), comparable(other.publisher)) ||
        Buffer.compare(Buffer.from(one.name), Buffer.from(other.name)) ||
        compare(one.time, other.time),
    );
}

function compare<T extends bigint | string>(one: T, other: T): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}

/** The bytes that ClickHouse compares of a UUID, the highest one first. */
const comparable = (hex: string) =>
  Buffer.from(Buffer.from(hex, 'hex').toReversed()).toString('hex');

const entry = fc.record(
  {
    n: fc.stringMatching(/^[A-Za-z0-9][-A-Za-z0-9:./_]{0,3}$/),
    u: fc.constantFrom('Cel', 'V', '%RH', 'a long unit of more than sixteen bytes'),
    t: fc.oneof(
      fc.integer({ min: 1_790_000_000, max: 1_790_000_010 }),
      fc.integer({ min: 300_000_000, max: 4_000_000_000 }),
    ),
    s: fc.double({ noNaN: true, noDefaultInfinity: true }),
    ut: fc.integer({ min: 0, max: 1_000 }),
    value: fc.oneof(
      fc.record({ v: fc.double({ noNaN: true, noDefaultInfinity: true }) }),
      fc.record({ vs: fc.string({ unit: 'grapheme', maxLength: 200 }) }),
      fc.record({ vb: fc.boolean() }),
    ),
  },
  { requiredKeys: ['n', 'value'] },
);
const pack = fc
  .array(entry, { minLength: 1, maxLength: 8 })
  .map((records) => records.map(({ value, ...rest }) => ({ ...rest, ...value })));
/** Devices send the same names again and again: some messages are those of others, a little later. */
const messages = fc
  .array(
    fc.record({
      publisher: fc.integer({ min: 0, max: publishers.length - 1 }),
      protocol: fc.constantFrom('http', 'http', 'http', 'ws'),
      subtopic: fc.constantFrom('', '', 'a', 'a.subtopic.of.more.than.sixteen.bytes'),
      body: pack,
      again: fc.integer({ min: 1, max: 4 }),
    }),
    { minLength: 1, maxLength: 12 },
  )
  .map((all) =>
    all.flatMap(({ again, ...message }) =>
      Array.from({ length: again }, (_, turn) => ({
        ...message,
        body: message.body.map((record) => ({ ...record, t: (record.t ?? 0) + turn * 5 })),
      })),
    ),
  );

const usual: Message = { publisher: 0, protocol: 'http', subtopic: '', body: [{ n: 'a', v: 1 }] };

describe('a block', () => {
  it('has every record of its batch of SenML, in the order of the table', () => {
    const writer = new BlockWriter('senml');
    fc.assert(
      fc.property(messages, (sent) => {
        const { batch, rows } = batchOf('senml', sent);
        const block = writer.write(batch);
        expect(recordsOf(block, senmlColumns)).toEqual(expectedSenml(rows));
      }),
      { numRuns: 300 },
    );
  });

  it('has every record of its batch of JSON, in the order of the table', () => {
    const writer = new BlockWriter('json');
    const sent = [0, 1, 2, 1, 0, 0].map((publisher, at) => ({
      publisher,
      protocol: protocols[at % protocols.length] ?? 'http',
      subtopic: at % 2 === 0 ? '' : `topic${at}`,
      body: Array.from({ length: at + 1 }, (_, record) => ({ at, record })),
    }));
    const { batch, rows } = batchOf('json', sent);
    const columns = ['publisher', 'subtopic', 'protocol', 'created', 'payload'];
    const expected = rows
      .map((row) => decodeJsonRow(row))
      .flatMap(({ publisher, protocol, subtopic, records }) =>
        records.map((record) => ({
          publisher: publisher.toString('hex'),
          subtopic,
          protocol: codeOf(protocol),
          ...record,
        })),
      )
      .toSorted(
        (one, other) =>
          compare(comparable(one.publisher), comparable(other.publisher)) ||
          compare(one.created, other.created),
      );
    expect(recordsOf(writer.write(batch), columns)).toEqual(expected);
  });

  it('leaves out what all records have the default of', () => {
    const sent: Message[] = [
      { publisher: 0, protocol: 'ws', subtopic: '', body: [{ n: 'a', v: 0 }] },
    ];
    const { structure, selected } = new BlockWriter('senml').write(batchOf('senml', sent).batch);
    expect(structure).toBe(
      'publisher LowCardinality(UUID), name LowCardinality(String), time Int64',
    );
    expect(Object.fromEntries(selected)).toEqual({
      publisher: 'publisher',
      subtopic: "''",
      protocol: "'ws'",
      name: 'name',
      unit: "''",
      time: 'time',
      kind: "'value'",
      given: '0.',
      text: "''",
      sum: 'NULL',
      update_time: 'NULL',
    });
  });

  it('is not larger for a long subtopic of many records', () => {
    const records = Array.from({ length: 1_000 }, (_, at) => ({ n: 'a', v: at }));
    const bytesWith = (subtopic: string) => {
      const { batch } = batchOf('senml', [
        { publisher: 0, protocol: 'http', subtopic, body: records },
      ]);
      return new BlockWriter('senml').write(batch).bytes.length;
    };
    expect(bytesWith('x'.repeat(254)) - bytesWith('x')).toBe(254);
  });

  it('is the same whether each row has a frame of its own or several share one', () => {
    const { batch } = batchOf(
      'senml',
      Array.from({ length: 5 }, () => usual),
    );
    const bytes = Buffer.from(new BlockWriter('senml').write(batch).bytes);
    const shared = new BlockWriter('senml').write({ ...batch, frames: 1 });
    expect(shared.bytes.equals(bytes)).toBe(true);
  });

  it('is refused where frames and their records disagree', () => {
    const { batch } = batchOf('senml', [usual]);
    const write = () => new BlockWriter('senml').write({ ...batch, records: 2 });
    expect(write).toThrow('the rows of a batch are not what its frames say');
  });

  it('is refused where a row has a protocol that nobody knows', () => {
    const { batch } = batchOf('senml', [usual]);
    batch.body[16] = 255;
    expect(() => new BlockWriter('senml').write(batch)).toThrow('a row has no protocol');
  });
});
