import type { Job } from 'bullmq';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import type { BundledMessages } from '../../../infra/runtime/webhooks/bundles.ts';
import {
  type WebhookJob,
  webhookJobOptions,
  webhookMessageId,
} from '../../../schemas/internal/webhook-job.ts';
import { createClock } from '../admission/clock.ts';
import type { Copy, Deliver } from '../deliver.ts';
import type { Later } from '../record/later.ts';
import { saveEveryMs } from '../limits.ts';
import type { WebhookMetrics } from '../metrics.ts';
import { waitMs } from '../schedule.ts';

/*
 * Copies of a bundle are tried at once, and the bundle is done when each was delivered or became a job of its own,
 * with a schedule of its own. Which ones are settled is written into the job while others are still under way,
 * so that a killed worker repeats only the latest.
 */

/** A copy of a bundle, and where its message stands in it. */
export type BundleCopy = Copy & { offset: number; bytes: number };

/** Tries every copy that is not in `settled`, and adds to it. False: this process ends, and some are left. */
export type WorkBundle = (
  job: Job<unknown>,
  data: WebhookJob,
  copies: (BundleCopy | undefined)[],
  settled: Set<number>,
) => Promise<boolean>;

/** One for each webhook of each message; a copy is known by its place. Undefined: it is not kept any more. */
export function copiesOf(
  { bundle: { log, segment }, messages }: WebhookJob,
  kept: BundledMessages,
): (BundleCopy | undefined)[] {
  return messages.flatMap(({ offset, webhook_ids: webhookIds }) => {
    const message = kept.get(offset);
    const messageId = webhookMessageId({ log, segment, offset });
    const read = () => message;
    return webhookIds.map((webhookId) => {
      return message && { webhookId, messageId, offset, bytes: message.payload.length, read };
    });
  });
}

export const countOf = ({ messages }: WebhookJob): number =>
  messages.reduce((sum, { webhook_ids: webhookIds }) => sum + webhookIds.length, 0);

/** What is known of a job from before: what was saved, by whoever had it. */
export function settledOf({ progress }: Job<unknown>): number[] {
  return Array.isArray(progress) ? progress.filter((place) => Number.isInteger(place)) : [];
}

export function createWorkBundle(
  later: Later,
  deliver: Deliver,
  log: Logger,
  { putAside, ended }: Pick<WebhookMetrics, 'putAside' | 'ended'>,
): { work: WorkBundle; stop: () => void } {
  const underWay = new Set<{ save: () => void }>();
  const saving = createClock(() => {
    for (const { save } of underWay) save();
    return underWay.size > 0;
  }, saveEveryMs);

  /** Whether it is settled. */
  async function tryOnce(data: WebhookJob, copy: BundleCopy | undefined): Promise<boolean> {
    if (copy === undefined) {
      ended.inc({ reason: 'not_kept' });
      return true;
    }
    const { bundle, attempts: tries = 0, replay = '' } = data;
    const { webhookId, offset, bytes } = copy;
    const outcome = await deliver(copy, tries + 1);
    if (outcome.kind === 'stopped') return false;
    if (outcome.kind !== 'aside' && outcome.kind !== 'failed') return true;
    const own = { orgId: outcome.orgId, webhookId, bundle, offsets: [offset], bytes, replay };
    if (outcome.kind === 'aside') {
      putAside.inc();
      return later.add({ ...own, attempts: tries }, outcome.untilMs - Date.now());
    }
    if (tries + 1 >= webhookJobOptions.attempts) {
      ended.inc({ reason: 'given_up' });
      const message = copy.messageId;
      const { requestId: request_id, why: reason } = outcome;
      log.warn({ request_id, message, tries, reason }, 'a webhook message was given up');
      return true;
    }
    const delayMs = waitMs(tries + 1, outcome.askedMs, Math.random());
    return later.add({ ...own, attempts: tries + 1 }, delayMs);
  }

  return {
    async work(job, data, copies, settled) {
      const saved = { size: settled.size, ended: Promise.resolve() };
      const save = () => {
        if (settled.size === saved.size) return;
        saved.size = settled.size;
        saved.ended = job.updateProgress([...settled]).catch(() => undefined);
      };
      const entry = { save };
      underWay.add(entry);
      saving.start();
      try {
        // Whatever one comes to, the others are not left alone.
        const ends = await Promise.allSettled(
          copies.map(async (copy, place) => {
            if (!settled.has(place) && (await tryOnce(data, copy))) settled.add(place);
          }),
        );
        save();
        await saved.ended;
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        return settled.size === copies.length;
      } finally {
        underWay.delete(entry);
      }
    },
    stop: () => saving.stop(),
  };
}
