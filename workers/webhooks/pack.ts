import type { Job, Queue } from 'bullmq';
import type { PackedMessages } from '../../infra/webhook-packs.ts';
import {
  payloadText,
  type WebhookJob,
  type WebhookPack,
  webhookJobId,
  webhookJobOptions,
  webhookMessageId,
} from '../../schemas/webhook-job.ts';
import type { Copy, Deliver } from './deliver.ts';
import { saveEveryMs } from './limits.ts';
import type { WebhookMetrics } from './metrics.ts';
import { waitMs } from './schedule.ts';

/*
 * Copies of a pack are tried at once, and the pack is done when each was delivered or became a job of its own,
 * with a schedule of its own. Which ones are settled is written into the job while others are still under way,
 * so that a killed worker repeats only the latest.
 */

/** Tries every copy that is not in `settled`, and adds to it. False: this process ends, and some are left. */
export type WorkPack = (
  job: Job<unknown>,
  copies: (Copy | undefined)[],
  settled: Set<number>,
) => Promise<boolean>;

/** One for each webhook of each message; a copy is known by its place. Undefined: it is not kept any more. */
export function copiesOf(
  { pack: { log, segment }, messages }: WebhookPack,
  kept: PackedMessages,
): (Copy | undefined)[] {
  return messages.flatMap(({ offset, webhook_ids: webhookIds }) => {
    const message = kept.get(offset);
    const messageId = webhookMessageId({ log, segment, offset });
    return webhookIds.map((webhookId) => {
      return (
        message && { webhookId, messageId, contentType: message.contentType, body: message.payload }
      );
    });
  });
}

export const countOf = ({ messages }: WebhookPack): number =>
  messages.reduce((sum, { webhook_ids: webhookIds }) => sum + webhookIds.length, 0);

/** What is known of a pack from before: what was saved, by whoever had it. */
export function settledOf({ progress }: Job<unknown>): number[] {
  return Array.isArray(progress) ? progress.filter((place) => Number.isInteger(place)) : [];
}

export function createWorkPack(
  queue: Queue,
  deliver: Deliver,
  { putAside, ended }: Pick<WebhookMetrics, 'putAside' | 'ended'>,
): { work: WorkPack; stop: () => void } {
  const underWay = new Set<{ save: () => void }>();
  const addOwnJob = createOwnJobs(queue);
  const saving = setInterval(() => {
    for (const { save } of underWay) save();
  }, saveEveryMs);

  /** Whether it is settled. */
  async function tryOnce(copy: Copy | undefined): Promise<boolean> {
    if (copy === undefined) {
      ended.inc({ reason: 'not kept' });
      return true;
    }
    const outcome = await deliver(copy, 1);
    if (outcome.kind === 'stopped') return false;
    if (outcome.kind === 'aside') {
      putAside.inc();
      await addOwnJob(ownJob(copy, 0), outcome.untilMs - Date.now());
    }
    if (outcome.kind === 'failed') {
      await addOwnJob(ownJob(copy, 1), waitMs(1, outcome.askedMs, Math.random()));
    }
    return true;
  }

  return {
    async work(job, copies, settled) {
      const saved = { size: settled.size, ended: Promise.resolve() };
      const save = () => {
        if (settled.size === saved.size) return;
        saved.size = settled.size;
        saved.ended = job.updateProgress([...settled]).catch(() => undefined);
      };
      const entry = { save };
      underWay.add(entry);
      try {
        // Whatever one comes to, the others are not left alone.
        const ends = await Promise.allSettled(
          copies.map(async (copy, place) => {
            if (!settled.has(place) && (await tryOnce(copy))) settled.add(place);
          }),
        );
        if (settled.size < copies.length) save();
        await saved.ended;
        for (const end of ends) if (end.status === 'rejected') throw end.reason;
        return settled.size === copies.length;
      } finally {
        underWay.delete(entry);
      }
    },
    stop: () => clearInterval(saving),
  };
}

function ownJob({ webhookId, messageId, contentType, body }: Copy, tries: number): WebhookJob {
  return {
    webhook_id: webhookId,
    message_id: messageId,
    content_type: contentType,
    ...payloadText(body),
    tries,
  };
}

/** Adds jobs for single copies; those of one moment together. */
function createOwnJobs(queue: Queue): (copy: WebhookJob, delayMs: number) => Promise<void> {
  type Jobs = Parameters<typeof queue.addBulk>[0];
  let waiting: Jobs = [];
  let adding: Promise<void> | undefined;

  async function addWaiting(): Promise<void> {
    await new Promise(setImmediate);
    const jobs = waiting;
    waiting = [];
    adding = undefined;
    await queue.addBulk(jobs);
  }

  return (copy, delayMs) => {
    waiting.push({
      name: 'message',
      data: copy,
      opts: {
        ...webhookJobOptions,
        attempts: webhookJobOptions.attempts - (copy.tries ?? 0),
        delay: Math.max(0, delayMs),
        jobId: webhookJobId(copy.message_id, copy.webhook_id),
      },
    });
    adding ??= addWaiting();
    return adding;
  };
}
