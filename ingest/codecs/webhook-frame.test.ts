import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type Protocol, protocols } from '../../schemas/messages/protocols.ts';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import { Codec } from './codec.ts';
import { limits } from './testing.ts';
import { uuidToRowBinary } from './uuid.ts';
import { readWebhookFrames, webhookFrameBytesMax, writeWebhookFrame } from './webhook-frame.ts';

const thingId = 'f02c9a4e-1b7d-4c58-9e21-0d6f7a8b9c0d';
const publisher = uuidToRowBinary(thingId);
const atMs = 1_700_000_000_123;
const codec = new Codec(limits);
const target = Buffer.alloc(64 * 1024);

/** Reads a message and appends its frame at `offset`; where it ends. */
function append(
  body: string | Uint8Array,
  contentType: string,
  profile: ProfileConfig = {},
  offset = 0,
  subtopic = '',
  requestId = '',
  protocol: Protocol = 'http',
): number {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body;
  const batch = codec.read(bytes, contentType, profile, atMs);
  if (batch.kind === 'refused') throw new Error(batch.detail);
  const payload = codec.webhookPayload(batch, bytes, contentType, profile);
  const message = { publisher, protocol, payload, subtopic, requestId, atMs } as const;
  const end = writeWebhookFrame(message, target, offset);
  const spare = offset + webhookFrameBytesMax(message) - end;
  // A text that is put together takes up to two bytes less than its parts.
  expect(spare).toBeGreaterThanOrEqual(0);
  expect(spare).toBeLessThanOrEqual(payload.kind === 'body' ? 0 : 2 + batch.count * 4);
  return end;
}

/** What webhooks get of a message. */
function forwarded(body: string | Uint8Array, contentType: string, profile?: ProfileConfig) {
  const end = append(body, contentType, profile);
  const [message, ...others] = readWebhookFrames(target.subarray(0, end));
  expect(others).toEqual([]);
  if (message === undefined) throw new Error('no message');
  const { start, bytes, contentType: type } = message;
  const payload = target.subarray(start, start + bytes);
  const encoding = isUtf8(payload) ? 'utf8' : 'base64';
  return { type, payload: payload.toString(encoding), encoding };
}

const senml = '[ {"bn":"a", "bt":1}, {"n":"b","v":1.50} ]';
const json = '[{"a": {"b": 1.50, "c": 12345678901234567890}, "at": 1700000000}]';

describe('what webhooks get', () => {
  it('of SenML is the body as it came', () => {
    const expected = { type: 'application/senml+json', payload: senml, encoding: 'utf8' };
    expect(forwarded(senml, 'application/senml+json')).toEqual(expected);
    expect(forwarded(senml, 'text/plain', { content_type: 'application/senml+json' })).toEqual(
      expected,
    );
    const slow = '[{"n":"\\u0061","v":1e0}]';
    expect(forwarded(slow, 'Application/SenML+JSON; x=1').payload).toBe(slow);
    expect(forwarded(slow, 'application/json')).toMatchObject({ type: 'application/json' });
  });

  it('of CBOR is its bytes', () => {
    // [{0: "abc", 2: 1}]
    const body = Buffer.from('81a200636162630201', 'hex');
    const text = forwarded(body, 'application/senml+cbor');
    expect(text).toMatchObject({ type: 'application/senml+cbor', encoding: 'base64' });
    expect(Buffer.from(text.payload, 'base64')).toEqual(body);
  });

  it('of JSON without a transformer is the body as it came', () => {
    const expected = { type: 'application/json', payload: json, encoding: 'utf8' };
    expect(forwarded(json, 'application/json; charset=utf-8')).toEqual(expected);
    const marked = `\ufeff${json}`;
    expect(forwarded(marked, 'application/json').payload).toBe(marked);
  });

  it.each([
    ['an object', '{"a":{"b":1},"x":2}', { data_filters: ['a.b'] }, '{"a.b":1}'],
    ['a list of one', '[{"a":{"b":1},"x":2}]', { data_filters: ['a.b'] }, '[{"a.b":1}]'],
    ['a part', '{"a":{"b":1},"x":2}', { data_field: 'a' }, '{"b":1}'],
    ['a part that is a list', '{"a":[{"b":1}]}', { data_field: 'a' }, '[{"b":1}]'],
    [
      'parts of a list',
      '[{"a":[{"b":1},{"b":2}]},{"a":{"b":3}}]',
      { data_field: 'a' },
      '[{"b":1},{"b":2},{"b":3}]',
    ],
    [
      'long texts',
      `{"a":"${'ü'.repeat(200)}"}`,
      { data_filters: ['a'] },
      `{"a":"${'ü'.repeat(200)}"}`,
    ],
    ['large integers', json, { data_field: 'a' }, '[{"b":1.5,"c":12345678901234567890}]'],
    ['nothing that is asked for', '{"a":1}', { data_filters: ['b'] }, '{}'],
  ])('of JSON with a transformer is what it made of %s', (_, body, transformer, payload) => {
    const profile = { transformer };
    expect(forwarded(body, 'application/json', profile)).toMatchObject({ payload });
    const whole = JSON.stringify(JSON.parse(payload));
    expect(whole.length).toBeGreaterThan(1);
  });

  it('comes with the thing, the subtopic and the time of receipt, side by side with others', () => {
    const first = append(senml, 'application/senml+json');
    const subtopic = 'Küche.oben';
    const second = append(json, 'application/json', {}, first, subtopic);
    const end = append(senml, 'application/senml+json', {}, second);
    const read = readWebhookFrames(target.subarray(0, end));
    expect(read).toMatchObject([
      { thingId, receivedMs: atMs, subtopic: '', bytes: senml.length },
      { thingId, receivedMs: atMs, subtopic, bytes: json.length, contentType: 'application/json' },
      { thingId, receivedMs: atMs, subtopic: '', bytes: senml.length },
    ]);
    const [, { start, bytes } = { start: 0, bytes: 0 }] = read;
    expect(target.toString('utf8', start, start + bytes)).toBe(json);
  });

  it('comes with its protocol, the id of its request and its subtopic, whatever they are, and beside frames without', () => {
    const letters = 'azAZ09_.:=+/@-'.split('');
    const message = fc.record({
      subtopic: fc.string({ unit: 'grapheme', maxLength: 60 }),
      protocol: fc.constantFrom(...protocols),
      requestId: fc.string({ unit: fc.constantFrom(...letters), maxLength: 128 }),
      body: fc.constantFrom(senml, '[{"n":"b","v":1}]'),
    });
    fc.assert(
      fc.property(fc.array(message, { maxLength: 20 }), (messages) => {
        let end = 0;
        for (const { subtopic, requestId, protocol, body } of messages) {
          end = append(body, 'application/senml+json', {}, end, subtopic, requestId, protocol);
        }
        const read = readWebhookFrames(target.subarray(0, end)).map((one) => ({
          ...one,
          body: target.toString('utf8', one.start, one.start + one.bytes),
        }));
        expect(read).toMatchObject(messages.map((one) => ({ ...one, thingId, receivedMs: atMs })));
        expect(read).toHaveLength(messages.length);
      }),
    );
  });
});
