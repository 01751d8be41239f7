import {
  type BundleJob,
  countDeliveries,
  type DeliveryGroup,
  type OrgMessages,
} from '../../../infra/runtime/webhooks/jobs.ts';
import {
  type WebhookJob,
  webhookBundleId,
  webhookJobNames,
  webhookJobOptions,
} from '../../../schemas/internal/webhook-job.ts';

/** New bundles go to the queue with some of their deliveries, and the others wait as groups. */
type Split<Job extends BundleJob> = {
  queued: (Job & { isWhole: boolean })[];
  waiting: DeliveryGroup[];
};

/**
 * Decides for each org in each bundle, in order. Its deliveries wait if the queue is full, or if its share is; but an org
 * that has none in the queue may add any number. `fresh`: how many each org has in the queue.
 */
export function splitBundles<Job extends BundleJob>(
  bundles: readonly Job[],
  fresh: ReadonlyMap<string, number>,
  { jobsMax, share }: { jobsMax: number; share: number },
): Split<Job> {
  const counts = new Map(fresh);
  const split: Split<Job> = { queued: [], waiting: [] };
  for (const bundle of bundles) {
    const isFull = split.queued.length >= jobsMax;
    const goes: OrgMessages[] = [];
    for (const part of bundle.orgs) {
      const before = counts.get(part.org_id) ?? 0;
      const after = before + countDeliveries(part.messages);
      if (isFull || (before > 0 && after > share)) {
        split.waiting.push(...groupsOf(bundle, part));
      } else {
        counts.set(part.org_id, after);
        goes.push(part);
      }
    }
    const isWhole = goes.length === bundle.orgs.length;
    if (goes.length > 0) split.queued.push({ ...bundle, orgs: goes, isWhole });
  }
  return split;
}

/** Deliveries to one webhook are one group. */
function groupsOf({ bundle, bytes }: BundleJob, { org_id: orgId, messages }: OrgMessages) {
  const groups = new Map<string, DeliveryGroup>();
  for (const { offset, webhook_ids: webhookIds } of messages) {
    for (const webhookId of webhookIds) {
      const group = groups.get(webhookId);
      if (group !== undefined) group.offsets.push(offset);
      else {
        const none = { attempts: 0, replay: '' };
        groups.set(webhookId, { orgId, webhookId, bundle, offsets: [offset], bytes, ...none });
      }
    }
  }
  return groups.values();
}

/** The job for the queue. Its messages are in the order in which they came. */
export function bundleQueueJobOf({ bundle, bytes, orgs }: BundleJob) {
  const messages = orgs.flatMap((part) => part.messages);
  if (orgs.length > 1) messages.sort((one, other) => one.offset - other.offset);
  const data: WebhookJob = { bundle, bytes, messages };
  return {
    name: webhookJobNames.bundle,
    data,
    opts: { ...webhookJobOptions, jobId: webhookBundleId(bundle) },
  };
}
