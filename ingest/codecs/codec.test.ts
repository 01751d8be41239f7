import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Codec } from './codec.ts';
import { looksLikeSenml } from './content-type.ts';
import { Instant } from '../../schemas/transform/instant.ts';
import { TimeReader } from '../../schemas/transform/time-layouts.ts';
import {
  decodeJsonRow,
  decodeSenmlRow,
  json as readJson,
  limits,
  type Sent,
  send,
  senml,
} from './testing.ts';

const pack = '[{"n":"a","v":1},{"n":"b","vs":"x"}]';
const objects = '[{"name":"a","value":1}]';

function formatOf(body: string, sent: Sent): string {
  const codec = new Codec(limits);
  const outcome = send(codec, body, sent);
  return outcome.rejected === undefined ? outcome.batch.format : outcome.rejected.code;
}

describe('the format of a message', () => {
  it.each([
    ['application/senml+json', 'senml'],
    ['Application/SenML+JSON; charset=utf-8', 'senml'],
    [' application/senml+json ', 'senml'],
    ['application/json', 'senml'],
    ['application/json;charset=UTF-8', 'senml'],
    ['text/plain', 'unsupported_type'],
    ['application/senml+xml', 'unsupported_type'],
    ['application/senml+json-x', 'unsupported_type'],
    ['', 'unsupported_type'],
  ])('by Content-Type %j: %s', (contentType, expected) => {
    expect(formatOf(pack, { contentType })).toBe(expected);
  });

  it.each([
    [pack, 'senml'],
    [objects, 'json'],
    ['[{"n":"a","v":1},{"x":1}]', 'json'],
    ['[{"bn":"a"},{"n":"a","v":1}]', 'json'],
    ['[{"n":"a","s":1}]', 'json'],
    ['[{"bn":"a","vb":true}]', 'senml'],
    ['[{"bn":"a","n":"b","v":1},{"n":"c","v":2}]', 'senml'],
    ['[{"bn":"a","v":1},{"v":2}]', 'json'],
    [' [{"n":"a","v":1}]', 'senml'],
    ['{"n":"a","v":1}', 'json'],
    ['[{"n":"a","v":"x"}]', 'malformed'],
  ])('plain JSON %s is %s', (body, expected) => {
    expect(formatOf(body, { contentType: 'application/json' })).toBe(expected);
  });

  it('of plain JSON is SenML where each element looks like it, and nowhere else', () => {
    const record = fc.record(
      {
        bn: fc.constantFrom('a', 'urn:dev:1:'),
        bt: fc.constant(1_700_000_000),
        n: fc.constantFrom('b', 'c'),
        u: fc.constant('Cel'),
        t: fc.constantFrom(0, 1),
        v: fc.double({ min: -1e6, max: 1e6, noNaN: true }),
      },
      { requiredKeys: [] },
    );
    const codec = new Codec(limits);
    fc.assert(
      fc.property(fc.array(record, { minLength: 1, maxLength: 4 }), (records) => {
        const outcome = send(codec, JSON.stringify(records), { contentType: 'application/json' });
        const format = looksLikeSenml(records) ? 'senml' : 'json';
        if (outcome.rejected === undefined) expect(outcome.batch.format).toBe(format);
        else expect(outcome.rejected.code).toBe('malformed');
      }),
    );
  });

  it('is the profile’s before the request’s', () => {
    const contentType = 'application/json';
    const as = (profileType: string, body = pack, requestType = contentType) =>
      formatOf(body, { contentType: requestType, profile: { content_type: profileType } });
    expect(as('application/json')).toBe('json');
    expect(as('application/senml+json', objects)).toBe('malformed');
    expect(as('application/senml+json', pack, 'text/plain')).toBe('senml');
    expect(as('application/senml+json', pack, 'application/senml+cbor')).toBe('senml');
    expect(as('text/plain')).toBe('unsupported_type');
    expect(as('')).toBe('senml');
  });

  it('reads one message after another, of any format, without a trace of the one before', () => {
    const codec = new Codec(limits);
    for (let round = 0; round < 3; round++) {
      const rich = '[{"bn":"x","bu":"V","bs":1,"n":"a","v":1,"ut":2},{"n":"b","vs":"text"}]';
      expect(send(codec, rich).rejected).toBeUndefined();
      const json = send(codec, objects, { contentType: 'application/json' });
      if (json.rejected !== undefined) throw new Error(json.rejected.detail);
      expect(json.batch.count).toBe(1);
      expect(decodeJsonRow(json.row).records[0]?.payload).toBe('{"name":"a","value":1}');
      expect(send(codec, '[{"bn":"zzz","n":"a","v":1},{"n":"b"}]').rejected?.code).toBe(
        'malformed',
      );
      const plain = send(codec, '[{"n":"a","v":1}]');
      if (plain.rejected !== undefined) throw new Error(plain.rejected.detail);
      expect(plain.batch.count).toBe(1);
      expect(decodeSenmlRow(plain.row).records).toMatchObject([
        { name: 'a', unit: '', kind: 0, value: 1, sum: null, updateTime: null },
      ]);
    }
  });
});

describe('the guides tell the truth:', () => {
  const guide = (name: string) =>
    readFileSync(new URL(`../../infra/guide/${name}.md`, import.meta.url), 'utf8');
  const blocks = (name: string) =>
    [...guide(name).matchAll(/^```json\n(.*?)^```$/gms)].map(([, block = '']) => block);

  it('the SenML of sending.md is three measurements of one device', () => {
    const [example = ''] = blocks('sending');
    const received = 1_700_000_000_000_000_000n;
    expect(senml(Buffer.from(example))).toMatchObject([
      { name: 'urn:dev:mill:3:temperature', unit: 'Cel', time: received, value: 21.5 },
      { name: 'urn:dev:mill:3:temperature', unit: 'Cel', time: received - 60_000_000_000n },
      { name: 'urn:dev:mill:3:door', unit: '', time: received, kind: 2, value: 1 },
    ]);
  });

  it('the transformers of transformers.md make what stands below them', () => {
    const examples = blocks('transformers');
    expect(examples.length).toBe(9);
    for (let at = 0; at < examples.length; at += 3) {
      const [transformer = '', message = '', records] = examples.slice(at, at + 3);
      const made = readJson(message, { transformer: JSON.parse(transformer) });
      const lines = made.map(({ created, payload }) => {
        return `{"created":${created},"payload":${payload}}\n`;
      });
      expect(lines.join('')).toBe(records);
    }
  });

  it('each time of transformers.md is read by its time_format, as the same moment', () => {
    const moment = Date.UTC(2026, 10, 26, 10, 15) / 1000;
    const rows = guide('transformers').matchAll(/^\| (`[a-z0-9]+`.*?) \| (.*\d\d:?\d\d.*) \|$/gm);
    const codes = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code);
    let times = 0;
    for (const [, formats = '', cell = ''] of rows) {
      for (const text of codes(cell).filter((code) => /^[^+-].*\d\d:?\d\d/.test(code))) {
        const time = new Instant();
        // A clock that shows 11:15 hangs in Berlin.
        const location = text.includes('CET') ? 'Europe/Berlin' : 'UTC';
        const isRead = codes(formats).some(
          (format) => new TimeReader(format, location).read(text, moment, time) === undefined,
        );
        expect([text, isRead, time.seconds]).toEqual([text, true, moment]);
        times += 1;
      }
    }
    expect(times).toBe(12);
  });
});
