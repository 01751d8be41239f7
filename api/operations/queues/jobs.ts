import type { Job } from 'bullmq';
import { Compile } from 'typebox/compile';
import { countDeliveries } from '../../../infra/runtime/webhooks/jobs.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { MailMessage } from '../../../schemas/internal/mail.ts';
import { readWebhookJob, type WebhookJob } from '../../../schemas/internal/webhook-job.ts';
import { type JobState, jobStates, type QueueJob } from '../../../schemas/resources/queue.ts';
import type { Database } from '../../stores/database.ts';
import { findNamesOf, type JobNames } from './sql.ts';

const mails = Compile(MailMessage);

/** A job may hold many deliveries: of their things and webhooks so many are named. */
const namedMax = 20;

/** The state of a job. @throws DomainError `not_found` if it has left the queue. */
export async function stateOf(job: Job | undefined): Promise<JobState> {
  const told = await job?.getState();
  const state = jobStates.find((one) => one === told);
  if (state === undefined) throw new DomainError('not_found', 'job');
  return state;
}

/** Jobs as they are told: with names, and without what customers sent. */
export async function toldJobs(
  db: Database,
  jobs: readonly Job[],
  state: JobState,
  dueMs: ReadonlyMap<string, number>,
): Promise<QueueJob[]> {
  const known = jobs.flatMap(({ id = '', data }) => {
    const job = readWebhookJob(data);
    return job === undefined ? [] : [{ id, ...job }];
  });
  const names = await findNamesOf(db, known);
  const holds = new Map(known.map((one) => [one.id, one]));
  return jobs.map((job) => {
    const id = job.id ?? '';
    const held = holds.get(id);
    // A delivery that failed with its bundle had attempts before it became a job of its own.
    const before = held?.attempts ?? 0;
    const due = dueMs.get(id);
    return {
      id,
      state,
      queued_at: timeOf(job.timestamp),
      ...(due === undefined ? {} : { due_at: timeOf(due) }),
      ...(job.processedOn === undefined ? {} : { started_at: timeOf(job.processedOn) }),
      ...(job.finishedOn === undefined ? {} : { ended_at: timeOf(job.finishedOn) }),
      attempts: before + job.attemptsMade,
      attempts_max: before + (job.opts.attempts ?? 1),
      ...(job.failedReason ? { error: job.failedReason } : {}),
      ...(held === undefined ? {} : ofDeliveries(held, names.get(id))),
      ...ofMail(job.data),
    };
  });
}

const timeOf = (ms: number) => new Date(ms).toISOString();

function ofDeliveries({ messages }: WebhookJob, names: JobNames | undefined) {
  const { things = [], webhooks = [] } = names ?? {};
  return {
    deliveries: countDeliveries(messages),
    things: things.slice(0, namedMax),
    webhooks: webhooks.slice(0, namedMax).map(({ id, name, url }) => ({
      id,
      name,
      origin: URL.canParse(url) ? new URL(url).origin : '',
    })),
  };
}

/** Not its text: the links in it are for whom it is sent to. */
function ofMail(data: unknown) {
  return mails.Check(data) ? { to: data.to, subject: data.subject } : {};
}
