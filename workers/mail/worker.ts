import { type Job, UnrecoverableError } from 'bullmq';
import { Value } from 'typebox/value';
import { Counter, type Registry } from '../../infra/runtime/observability/metrics.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { closeQueueWorker, openQueueWorker } from '../../infra/runtime/stores/queue.ts';
import type { Redis } from '../../infra/runtime/stores/redis.ts';
import { MailMessage, mailQueue } from '../../schemas/internal/mail.ts';
import { limits } from '../limits.ts';
import { classify, MailRefused } from './classify.ts';
import type { SendMail } from './send.ts';

type MailMetrics = Record<'queued' | 'sent' | 'failedAttempts' | 'givenUp', Counter>;

export function registerMailMetrics(registry: Registry): MailMetrics {
  const counter = (name: string, help: string) =>
    new Counter({ name: `millrace_mails_${name}_total`, help, registers: [registry] });
  return {
    queued: counter('queued', 'Mails moved from the outbox into the queue'),
    sent: counter('sent', 'Mails sent'),
    failedAttempts: counter('failed_attempts', 'Attempts to send a mail that failed'),
    givenUp: counter('given_up', 'Mails in the failed set of the queue'),
  };
}

const mailsAtOnceMax = 5;

/** How long after a kill of its process a mail is taken again, and how many times. */
const lockMs = 10_000;
const killedAttemptsMax = 10;

/**
 * Takes mails from the queue and sends them; the queue repeats those that fail.
 *
 * @returns how to stop: mails under way get a moment to end; those that don't are sent again later.
 */
export function startMailWorker(
  { redis, send }: { redis: Redis; send: SendMail },
  logger: Logger,
  metrics: MailMetrics,
): () => Promise<void> {
  const stopped = new AbortController();

  async function sendJob(job: Job<unknown>): Promise<void> {
    const { id, data } = job;
    if (id === undefined || !Value.Check(MailMessage, data)) {
      throw new UnrecoverableError('this is no mail');
    }
    try {
      await send(id, data, stopped.signal);
    } catch (error) {
      const failure = classify(error);
      throw failure.decision === 'refuse' ? new MailRefused(failure) : error;
    }
  }

  const options = {
    concurrency: mailsAtOnceMax,
    lockDuration: lockMs,
    maxStalledCount: killedAttemptsMax,
  };
  const worker = openQueueWorker(mailQueue, redis, sendJob, options, logger);
  worker.on('completed', () => metrics.sent.inc());
  worker.on('failed', (job, error) => {
    // The job knows whether it has another attempt; the error does not.
    const givenUp = job?.finishedOn !== undefined;
    metrics.failedAttempts.inc();
    if (givenUp) metrics.givenUp.inc();
    const { decision, code, reason } = classify(error);
    const what = { mail: job?.id, attempts: job?.attemptsMade, code, error: reason };
    if (givenUp) logger.error(what, 'a mail was given up');
    else if (decision === 'halt')
      logger.error(what, 'a mail fails for a reason that an operator must mend');
    else logger.warn(what, 'a mail was not sent; it is attempted again');
  });

  return () => closeQueueWorker(worker, limits.mailStopMsMax, () => stopped.abort());
}
