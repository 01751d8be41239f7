import { expect, it } from 'vitest';
import { groupsOf, type LateDelivery, splitByShare } from './requeue.ts';
import { Shares } from './shares.ts';

const bundle = { log: 'edge', segment: 0, first: 0, last: 128 };

function late(webhookId: string, offset: number, changed: Partial<LateDelivery['job']> = {}) {
  const counts = { offsets: [offset], bytes: 10, attempts: 1, replay: '' };
  const ids = { id: '', orgId: 'org', webhookId, bundle };
  const job = { kind: 'single' as const, ...ids, ...counts, ...changed };
  return { job, dueMs: 1_000 + offset };
}

it('deliveries of one bundle to one webhook wait as one group, until the last is due', () => {
  const groups = groupsOf([late('a', 0), late('b', 0), late('a', 64)]);
  expect(groups).toMatchObject([
    { webhookId: 'a', offsets: [0, 64], bytes: 20, dueMs: 1_064 },
    { webhookId: 'b', offsets: [0], bytes: 10, dueMs: 1_000 },
  ]);
  expect(groups[0]?.id).not.toBe(groups[1]?.id);
});

it('those with other attempts, of another replay or bundle, are another group', () => {
  const others = [{ attempts: 2 }, { replay: 'again' }, { bundle: { ...bundle, last: 64 } }];
  expect(groupsOf([late('a', 0), ...others.map((other) => late('a', 0, other))])).toHaveLength(4);
});

it('what is over its share waits', () => {
  const deliveries = Array.from({ length: 6 }, (_, at) => late('a', at));
  const { queued, waiting } = splitByShare(deliveries, new Shares(4, []));
  expect(queued).toEqual(deliveries.slice(0, queued.length));
  expect(waiting).toEqual(deliveries.slice(queued.length));
  expect(queued).toHaveLength(2);
});
