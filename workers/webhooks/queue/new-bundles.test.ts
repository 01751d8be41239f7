import { describe, expect, it } from 'vitest';
import type { BundleJob } from '../../../infra/runtime/webhooks/jobs.ts';
import { bundleQueueJobOf, splitBundles } from './new-bundles.ts';

const [first, second] = ['first webhook', 'second webhook'];
const key = { log: 'edge', segment: 0, first: 0, last: 128 };

/** A bundle with messages of orgs, each for both webhooks. */
function bundleOf(...orgs: [org: string, ...offsets: number[]][]): BundleJob {
  return {
    bundle: key,
    bytes: 100,
    orgs: orgs.map(([org, ...offsets]) => ({
      org_id: org,
      messages: offsets.map((offset) => ({ offset, webhook_ids: [first, second] })),
    })),
  };
}

const limits = { jobsMax: 10, share: 4 };

describe('new bundles', () => {
  it('go to the queue whole while there is room', () => {
    const bundles = [bundleOf(['a', 0]), bundleOf(['a', 0], ['b', 64])];
    const queued = bundles.map((bundle) => ({ ...bundle, isWhole: true }));
    expect(splitBundles(bundles, new Map(), limits)).toEqual({ queued, waiting: [] });
  });

  it('wait by webhook where the share of their org is full, and leave other orgs alone', () => {
    const bundles = [bundleOf(['a', 0, 128], ['b', 64])];
    const { queued, waiting } = splitBundles(bundles, new Map([['a', 1]]), limits);
    expect(queued).toEqual([{ ...bundleOf(['b', 64]), isWhole: false }]);
    expect(waiting).toEqual(
      [first, second].map((webhookId) => ({
        orgId: 'a',
        webhookId,
        bundle: key,
        offsets: [0, 128],
        bytes: 100,
        attempts: 0,
        replay: '',
      })),
    );
  });

  it('of an org that has nothing in the queue go there, however many they are', () => {
    const large = bundleOf(['a', 0, 64, 128]);
    const { queued, waiting } = splitBundles([large, large], new Map(), limits);
    expect(queued).toMatchObject([large]);
    expect(waiting.flatMap(({ offsets }) => offsets)).toEqual([0, 64, 128, 0, 64, 128]);
  });

  it('wait when the queue has as many jobs as it may', () => {
    const bundles = [bundleOf(['a', 0]), bundleOf(['b', 64])];
    const { queued, waiting } = splitBundles(bundles, new Map(), { ...limits, jobsMax: 1 });
    expect(queued).toMatchObject([{ ...bundles[0], isWhole: true }]);
    expect(waiting.map(({ orgId }) => orgId)).toEqual(['b', 'b']);
  });
});

it('the job of a bundle has its messages in the order in which they came', () => {
  const { data, opts } = bundleQueueJobOf(bundleOf(['a', 0, 128], ['b', 64]));
  expect(data.messages.map(({ offset }) => offset)).toEqual([0, 64, 128]);
  expect(opts.jobId).toBe('edge-0-0-128_bundle');
});
