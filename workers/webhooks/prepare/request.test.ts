import { describe, expect, it } from 'vitest';
import { type BundledMessage, noThing } from '../../../infra/runtime/webhooks/frames.ts';
import { requestOf } from './request.ts';
import { signingKey } from './signature.ts';
import type { WebhookEndpoint } from './webhook.ts';

const message: BundledMessage = {
  contentType: 'application/json',
  protocol: undefined,
  receivedMs: 1_000,
  subtopic: '',
  requestId: '',
  thingId: noThing,
  payload: Buffer.from('{}'),
};
const endpoint: WebhookEndpoint = {
  origin: 'https://receiver.example',
  path: '/path',
  headers: ['X-Own', 'own'],
  keys: [],
};
const nowMs = 1_700_000_000_999;

/** The headers of a request, by name. */
function headersOf(changed: Partial<BundledMessage>, keys: WebhookEndpoint['keys'] = []) {
  const request = requestOf('id', { ...message, ...changed }, { ...endpoint, keys }, nowMs);
  const { headers } = request;
  return Object.fromEntries(
    headers.flatMap((name, at) => (at % 2 === 0 ? [[name, headers[at + 1]]] : [])),
  );
}

describe('the request of a delivery', () => {
  it('carries the payload and says what it is', () => {
    const { origin, path, body } = requestOf('id', message, endpoint, nowMs);
    expect({ origin, path, body: body.toString() }).toEqual({
      origin: 'https://receiver.example',
      path: '/path',
      body: '{}',
    });
    expect(headersOf({})).toEqual({
      'X-Own': 'own',
      'content-type': 'application/json',
      'user-agent': 'Millrace',
      'webhook-id': 'id',
      'webhook-timestamp': '1700000000',
      'millrace-received-at': '1970-01-01T00:00:01.000Z',
    });
  });

  it('names the thing, the protocol and the subtopic, where there are any, in ASCII', () => {
    expect(headersOf({ thingId: 'thing', protocol: 'ws', subtopic: 'a.b ä%' })).toMatchObject({
      'millrace-thing-id': 'thing',
      'millrace-protocol': 'ws',
      'millrace-subtopic': 'a.b%20%C3%A4%25',
    });
  });

  it('is signed with each key that is valid now', () => {
    const keys = [
      { key: signingKey('new'), untilMs: Number.POSITIVE_INFINITY },
      { key: signingKey('former'), untilMs: nowMs + 1 },
      { key: signingKey('older'), untilMs: nowMs },
    ];
    const signature = String(headersOf({}, keys)['webhook-signature']);
    expect(signature.split(' ')).toHaveLength(2);
    expect(signature).toMatch(/^v1,[\w+/]{43}= v1,[\w+/]{43}=$/);
  });
});
