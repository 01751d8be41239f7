import { describe, expect, it } from 'vitest';
import { groupJobOf, miss, type Missed, queueJobOf, singleJobId } from './jobs.ts';

const webhookId = '01933b2e-7c1c-7e07-9a3f-5b8f6f0f6c11';
const group = {
  orgId: 'org',
  webhookId,
  bundle: { log: 'edge', segment: 3, first: 64, last: 512 },
  offsets: [128],
  bytes: 100,
  attempts: 2,
  replay: '',
};

describe('the job of a single delivery', () => {
  it('has one id, whoever makes it; a replay has another', () => {
    expect(singleJobId(group)).toBe(`edge-3-128_${webhookId}`);
    expect(singleJobId({ ...group, replay: 'again' })).toBe(`edge-3-128_${webhookId}_again`);
  });

  it('has the attempts that are left, and at least one', () => {
    const job = { ...group, kind: 'single' as const, id: singleJobId(group) };
    expect(queueJobOf(job, 5_000.4)).toMatchObject({
      name: 'message',
      data: {
        bundle: group.bundle,
        attempts: 2,
        messages: [{ offset: 128, webhook_ids: [webhookId] }],
      },
      opts: { attempts: 8, delay: 5_000, jobId: job.id },
    });
    expect(queueJobOf({ ...job, attempts: 12 }, -1).opts).toMatchObject({ attempts: 1, delay: 0 });
  });
});

describe('the job of a group', () => {
  it('has an id of its own each time, and gives each of its deliveries one attempt', () => {
    const job = groupJobOf({ ...group, replay: 'again' });
    expect(job.id).not.toBe(groupJobOf(group).id);
    expect(queueJobOf(job, 0)).toMatchObject({
      name: 'messages',
      data: { replay: 'again' },
      opts: { attempts: 10 },
    });
  });
});

it('deliveries that are not kept are counted by webhook, with the time they cover', () => {
  const missed = new Map<string, Missed>();
  for (const atMs of [20, 10, 30]) miss(missed, 'one', atMs);
  expect([...missed.values()]).toEqual([{ webhookId: 'one', deliveries: 3, fromMs: 10, toMs: 30 }]);
});
