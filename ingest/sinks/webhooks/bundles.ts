/** Makes bundles, jobs, and deliveries that wait, of frames and their webhooks. */
import type { NewBundle } from '../../../infra/runtime/webhooks/bundles.ts';
import type { DeliveryGroup } from '../../../infra/runtime/webhooks/jobs.ts';
import {
  type BundleKey,
  type WebhookJob,
  webhookJobId,
  webhookMessageId,
} from '../../../schemas/internal/webhook-job.ts';
import type { ForwardedMessage } from '../../codecs/webhook-frame.ts';

/** A message that goes to webhooks. */
export type Sent = { frame: ForwardedMessage; offset: number; orgId: string; webhookIds: string[] };

/** A bundle to be kept. Its deliveries of some orgs go to the queue, and those of the others wait. */
export type Bundle = NewBundle & { sent: Sent[]; queued: ReadonlySet<string> };

/** The bytes of a waiting delivery in Postgres, beside its message. */
export const deliveryBytes = 256;

/*
 * The messages of a bundle share the cost of a job; but a killed worker repeats what it had under way of one. A bundle
 * ends after this many frames of the log, with webhooks or without, so that the log alone decides where.
 */
const bundleFramesMax = 64;
const bundleBytesMax = 256 * 1024;

/** The deliveries and bytes of each org in a bundle. */
export function orgsOf(sent: readonly Sent[]): NewBundle['orgs'] {
  const orgs = new Map<string, { id: string; deliveries: number; bytes: number }>();
  for (const { orgId, frame, webhookIds } of sent) {
    const org = orgs.get(orgId) ?? { id: orgId, deliveries: 0, bytes: 0 };
    orgs.set(orgId, org);
    org.deliveries += webhookIds.length;
    org.bytes += frame.bytes + deliveryBytes * webhookIds.length;
  }
  return [...orgs.values()];
}

/** The deliveries of a bundle that have no place in the queue, grouped by webhook. */
export function waitingOf(
  { key, sent, frames }: Bundle,
  isWaiting: (orgId: string) => boolean,
  done: ReadonlySet<string>,
): DeliveryGroup[] {
  const byWebhook = new Map<string, DeliveryGroup>();
  for (const { orgId, offset, webhookIds } of sent) {
    if (!isWaiting(orgId)) continue;
    for (const webhookId of leftOf(key, offset, webhookIds, done)) {
      const deliveries = byWebhook.get(webhookId) ?? {
        orgId,
        webhookId,
        bundle: key,
        offsets: [],
        bytes: frames.length,
        attempts: 0,
        replay: '',
      };
      byWebhook.set(webhookId, deliveries);
      deliveries.offsets.push(offset);
    }
  }
  return [...byWebhook.values()];
}

/** The webhooks that have not got a message yet. */
function leftOf(
  { log, segment }: BundleKey,
  offset: number,
  webhookIds: string[],
  done: ReadonlySet<string>,
): string[] {
  if (done.size === 0) return webhookIds;
  const messageId = webhookMessageId({ log, segment, offset });
  return webhookIds.filter((id) => !done.has(webhookJobId(messageId, id)));
}

/** Where each bundle begins and ends among the frames. */
export function rangesOf(frames: readonly ForwardedMessage[]): { start: number; end: number }[] {
  const ranges: { start: number; end: number }[] = [];
  let start = 0;
  let bytes = 0;
  for (const [at, frame] of frames.entries()) {
    const isFull = at - start === bundleFramesMax || bytes + frame.bytes > bundleBytesMax;
    if (isFull && at > start) {
      ranges.push({ start, end: at });
      start = at;
      bytes = 0;
    }
    bytes += frame.bytes;
  }
  if (start < frames.length) ranges.push({ start, end: frames.length });
  return ranges;
}

/** The job with the deliveries of a bundle that go to the queue. */
export function jobOf(
  { key, frames, sent }: Bundle,
  isQueued: (orgId: string) => boolean,
  done: ReadonlySet<string>,
): WebhookJob {
  const messages = sent
    .filter(({ orgId }) => isQueued(orgId))
    .map(({ offset, webhookIds }) => ({
      offset,
      webhook_ids: leftOf(key, offset, webhookIds, done),
    }));
  return {
    bundle: key,
    bytes: frames.length,
    messages: messages.filter(({ webhook_ids: ids }) => ids.length > 0),
  };
}

/** How many deliveries the jobs have. */
export const countOf = (jobs: readonly WebhookJob[]): number =>
  jobs.reduce(
    (sum, { messages }) =>
      sum + messages.reduce((one, { webhook_ids: ids }) => one + ids.length, 0),
    0,
  );
