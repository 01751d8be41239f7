import { describe, expect, it } from 'vitest';
import {
  placeOfMessage,
  readWebhookJob,
  webhookBundleId,
  webhookJobId,
  webhookMessageId,
} from './webhook-job.ts';

const bundle = { log: 'edge', segment: 3, first: 64, last: 512 };
const webhookId = '01933b2e-7c1c-7e07-9a3f-5b8f6f0f6c11';
const rest = { bytes: 100, messages: [{ offset: 64, webhook_ids: [webhookId] }] };

describe('the data of a job', () => {
  it('is read', () => {
    const job = { bundle, attempts: 2, replay: 'again', ...rest };
    expect(readWebhookJob(job)).toEqual(job);
    expect(readWebhookJob({ bundle, ...rest })).toEqual({ bundle, ...rest });
  });

  it.each([
    ['nothing', undefined],
    ['no bundle', rest],
    ['a bundle without its end', { bundle: { log: 'edge', segment: 3, first: 64 }, ...rest }],
    [
      'a webhook that has no id',
      { bundle, bytes: 1, messages: [{ offset: 0, webhook_ids: [''] }] },
    ],
    ['attempts below zero', { bundle, attempts: -1, ...rest }],
  ])('is refused with %s', (_, data) => {
    expect(readWebhookJob(data)).toBeUndefined();
  });
});

describe('ids', () => {
  it('tell where a message stands, and are read back', () => {
    const place = { log: 'ping-a-1', segment: 2, offset: 64 };
    expect(webhookMessageId(place)).toBe('ping-a-1-2-64');
    expect(placeOfMessage('ping-a-1-2-64')).toEqual(place);
    expect(placeOfMessage('never-in-a-log')).toBeUndefined();
  });

  it('differ for bundles that end elsewhere, and hold no dot', () => {
    expect(webhookBundleId(bundle)).not.toBe(webhookBundleId({ ...bundle, last: 64 }));
    expect(webhookJobId(webhookMessageId({ ...bundle, offset: 64 }), webhookId)).not.toContain('.');
  });
});
