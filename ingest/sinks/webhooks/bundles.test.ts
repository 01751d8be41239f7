import { describe, expect, it } from 'vitest';
import { webhookJobId, webhookMessageId } from '../../../schemas/internal/webhook-job.ts';
import type { ForwardedMessage } from '../../codecs/webhook-frame.ts';
import { type Bundle, countOf, jobOf, orgsOf, rangesOf, waitingOf } from './bundles.ts';

const frame = (bytes: number): ForwardedMessage => ({
  at: 0,
  start: 0,
  bytes,
  contentType: 'application/json',
  protocol: 'http',
  receivedMs: 0,
  subtopic: '',
  requestId: '',
  thingId: 'thing',
});
const key = { log: 'log', segment: 1, first: 0, last: 64 };
const sent = [
  { frame: frame(10), offset: 0, orgId: 'a', webhookIds: ['one', 'two'] },
  { frame: frame(20), offset: 64, orgId: 'b', webhookIds: ['three'] },
];
const bundle: Bundle = {
  key,
  offsets: [0, 64],
  thingIds: [],
  receivedMs: [],
  frames: Buffer.alloc(30),
  orgs: [],
  sent,
  queued: new Set(['a']),
};
const nothing = new Set<string>();

describe('the frames of a batch', () => {
  it('are bundles of 64 at most', () => {
    const frames = Array.from({ length: 130 }, () => frame(10));
    expect(rangesOf(frames)).toEqual([
      { start: 0, end: 64 },
      { start: 64, end: 128 },
      { start: 128, end: 130 },
    ]);
    expect(rangesOf([])).toEqual([]);
  });

  it('are bundles of a quarter of a mebibyte, unless one frame is larger', () => {
    const kibibytes = [200, 50, 10, 500, 1].map((size) => frame(size * 1024));
    expect(rangesOf(kibibytes)).toEqual([
      { start: 0, end: 2 },
      { start: 2, end: 3 },
      { start: 3, end: 4 },
      { start: 4, end: 5 },
    ]);
  });
});

describe('a bundle', () => {
  it('counts deliveries and bytes for each org', () => {
    expect(orgsOf(sent)).toEqual([
      { id: 'a', deliveries: 2, bytes: 10 + 2 * 256 },
      { id: 'b', deliveries: 1, bytes: 20 + 256 },
    ]);
  });

  it('goes to the queue with the deliveries of orgs that have room, and the others wait', () => {
    const job = jobOf(bundle, (orgId) => orgId === 'a', nothing);
    expect(job.messages).toEqual([{ offset: 0, webhook_ids: ['one', 'two'] }]);
    expect(countOf([job])).toBe(2);
    const waiting = waitingOf(bundle, (orgId) => orgId !== 'a', nothing);
    expect(waiting).toMatchObject([{ orgId: 'b', webhookId: 'three', offsets: [64], bytes: 30 }]);
  });

  it('leaves out the deliveries that are done', () => {
    const messageId = webhookMessageId({ log: 'log', segment: 1, offset: 0 });
    const done = new Set([webhookJobId(messageId, 'one')]);
    expect(jobOf(bundle, () => true, done).messages).toEqual([
      { offset: 0, webhook_ids: ['two'] },
      { offset: 64, webhook_ids: ['three'] },
    ]);
  });
});
