/** Makes bundles, and their first jobs, of frames and their webhooks. */
import type { NewBundle } from '../../../infra/runtime/webhooks/bundles.ts';
import type { BundleJob, OrgMessages } from '../../../infra/runtime/webhooks/jobs.ts';
import type { ForwardedMessage } from '../../codecs/webhook-frame.ts';

/** A message that goes to webhooks, and where its frame stands in the segment. */
export type Sent = { frame: ForwardedMessage; offset: number; orgId: string; webhookIds: string[] };

/** A bundle to be kept, and the job of its deliveries. */
export type Bundle = { kept: NewBundle; job: BundleJob };

/** The bytes that a delivery takes in Postgres, beside its message. */
export const deliveryBytes = 256;

/*
 * The messages of a bundle share the cost of a row and of a job; but a killed worker repeats what it had under way of
 * one.
 */
const bundleMessagesMax = 64;
const bundleBytesMax = 256 * 1024;

/** Bundles of messages that follow each other in a segment. `body`: where their frames are. */
export function bundlesOf(
  place: { log: string; segment: number },
  sent: readonly Sent[],
  body: Buffer,
): Bundle[] {
  return rangesOf(sent).map((some): Bundle => {
    const offsets = some.map(({ offset }) => offset);
    const frames = some.map(({ frame }) => body.subarray(frame.at, frame.start + frame.bytes));
    const key = { ...place, first: offsets[0] ?? 0, last: offsets.at(-1) ?? 0 };
    const kept = {
      key,
      offsets,
      thingIds: some.map(({ frame }) => frame.thingId),
      receivedMs: some.map(({ frame }) => frame.receivedMs),
      frames: Buffer.concat(frames),
      orgs: bytesOf(some),
    };
    return { kept, job: { bundle: key, bytes: kept.frames.length, orgs: messagesOf(some) } };
  });
}

function rangesOf(sent: readonly Sent[]): Sent[][] {
  const ranges: Sent[][] = [];
  let range: Sent[] = [];
  let bytes = 0;
  for (const one of sent) {
    const isFull = range.length === bundleMessagesMax || bytes + one.frame.bytes > bundleBytesMax;
    if (range.length === 0 || isFull) {
      range = [];
      ranges.push(range);
      bytes = 0;
    }
    range.push(one);
    bytes += one.frame.bytes;
  }
  return ranges;
}

function bytesOf(sent: readonly Sent[]): NewBundle['orgs'] {
  const bytes = new Map<string, number>();
  for (const { orgId, frame, webhookIds } of sent) {
    const more = frame.bytes + deliveryBytes * webhookIds.length;
    bytes.set(orgId, (bytes.get(orgId) ?? 0) + more);
  }
  return [...bytes].map(([id, orgBytes]) => ({ id, bytes: orgBytes }));
}

function messagesOf(sent: readonly Sent[]): OrgMessages[] {
  const orgs = new Map<string, OrgMessages>();
  for (const { orgId, offset, webhookIds } of sent) {
    const org = orgs.get(orgId) ?? { org_id: orgId, messages: [] };
    orgs.set(orgId, org);
    org.messages.push({ offset, webhook_ids: webhookIds });
  }
  return [...orgs.values()];
}
