import { describe, expect, it } from 'vitest';
import { bundlesOf, type Sent } from './bundles.ts';

const place = { log: 'log', segment: 1 };
const body = Buffer.alloc(1024 * 1024);

/** A message whose frame has so many bytes, as the one at this place among others. */
const sentOf = (bytes: number, at: number, to: Partial<Sent> = {}): Sent => ({
  frame: {
    at: 0,
    start: 0,
    bytes,
    contentType: 'application/json',
    protocol: 'http',
    receivedMs: at,
    subtopic: '',
    requestId: '',
    thingId: 'thing',
  },
  offset: at * 64,
  orgId: 'a',
  webhookIds: ['one'],
  ...to,
});

const lengthsOf = (sent: Sent[]) =>
  bundlesOf(place, sent, body).map(({ kept }) => kept.offsets.length);

describe('messages for webhooks', () => {
  it('are bundles of 64 at most', () => {
    expect(lengthsOf(Array.from({ length: 130 }, (_, at) => sentOf(10, at)))).toEqual([64, 64, 2]);
    expect(lengthsOf([])).toEqual([]);
  });

  it('are bundles of a quarter of a mebibyte, unless one message is larger', () => {
    const kibibytes = [200, 50, 10, 500, 1].map((size, at) => sentOf(size * 1024, at));
    expect(lengthsOf(kibibytes)).toEqual([2, 1, 1, 1]);
  });

  it('have a place, and what each org keeps and gets of them', () => {
    const sent = [
      sentOf(10, 0, { webhookIds: ['one', 'two'] }),
      sentOf(20, 1, { orgId: 'b', webhookIds: ['three'] }),
      sentOf(30, 2),
    ];
    const [bundle] = bundlesOf(place, sent, body);
    expect(bundle?.kept).toMatchObject({
      key: { log: 'log', segment: 1, first: 0, last: 128 },
      offsets: [0, 64, 128],
      receivedMs: [0, 1, 2],
      orgs: [
        { id: 'a', bytes: 10 + 30 + 3 * 256 },
        { id: 'b', bytes: 20 + 256 },
      ],
    });
    expect(bundle?.kept.frames).toHaveLength(60);
    expect(bundle?.job).toEqual({
      bundle: bundle?.kept.key,
      bytes: 60,
      orgs: [
        {
          org_id: 'a',
          messages: [
            { offset: 0, webhook_ids: ['one', 'two'] },
            { offset: 128, webhook_ids: ['one'] },
          ],
        },
        { org_id: 'b', messages: [{ offset: 64, webhook_ids: ['three'] }] },
      ],
    });
  });
});
