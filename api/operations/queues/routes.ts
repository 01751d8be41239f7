import type { Queue } from 'bullmq';
import { everySeconds } from '../../../infra/runtime/history/spans.ts';
import { DomainError } from '../../../schemas/http/errors.ts';
import { type JobState, type QueueName, queueNames } from '../../../schemas/resources/queue.ts';
import { handle } from '../../http/handle.ts';
import type { Api } from '../../http/schemas.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../stores/database.ts';
import { findHistory, type HistoryRow } from '../history/sql.ts';
import { stateOf, toldJobs } from './jobs.ts';
import { service } from '../operations.ts';
import type { Queues } from './open.ts';
import { queueOperations } from './operations.ts';
import { forgetWebhookJob, noteQueueChange } from './sql.ts';

type QueueDependencies = { db: Database; queues: Queues };

/** The queues of the workers, for platform admins. */
export function queueRoutes(api: Api, dependencies: QueueDependencies): void {
  const { db, queues } = dependencies;

  handle(api, queueOperations.listQueues, async () => {
    const history = await recentHistory(db);
    return {
      queues: await Promise.all(queueNames.map((name) => toldQueue(queues, name, history))),
    };
  });

  handle(api, queueOperations.viewQueue, async ({ params: { name } }) =>
    toldQueue(queues, name, await recentHistory(db)),
  );

  handle(api, queueOperations.changeQueue, async ({ params: { name }, body }, reply) => {
    const { is_paused: isPaused } = body;
    await queues.ask(name, async (queue) => {
      const wasPaused = await queue.isPaused();
      const change = { from: String(wasPaused), to: String(isPaused) };
      await noteQueueChange(db, name, 'update', { is_paused: change });
      await (isPaused ? queue.pause() : queue.resume());
    });
    return reply.send();
  });

  handle(api, queueOperations.listQueueJobs, async ({ params: { name }, query }) => {
    const { state, limit = limits.pageLimitDefault, cursor = '0' } = query;
    const start = positionOf(cursor);
    return queues.ask(name, async (queue) => {
      // Those that are taken first come first, and those that ended last.
      const isAscending = state === 'delayed' || state === 'waiting';
      const [jobs, total] = await Promise.all([
        queue.getJobs([state], start, start + limit - 1, isAscending),
        countOf(queue, state),
      ]);
      const due = state === 'delayed' ? await queues.dueMs(name, jobs) : new Map();
      const end = start + limit;
      return {
        total,
        jobs: await toldJobs(db, jobs, state, due),
        ...(end < total ? { next: String(end) } : {}),
      };
    });
  });

  handle(api, queueOperations.viewQueueJob, async ({ params: { name, job: id } }) =>
    queues.ask(name, async (queue) => {
      const { job, state } = await found(queue, id);
      const due = state === 'delayed' ? await queues.dueMs(name, [job]) : new Map();
      const [told] = await toldJobs(db, [job], state, due);
      if (told === undefined) throw new DomainError('not_found', 'job');
      return told;
    }),
  );

  changeRoutes(api, dependencies);

  for (const path of [service.viewQueuesPage.path, '/queues/*']) {
    handle(api, { ...service.viewQueuesPage, path }, async ({ url }, reply) => {
      // Relative: a proxy may have put the service under a path of its own.
      const depth = (url.split('?')[0] ?? '').split('/').length - 2;
      return reply.redirect(`${'../'.repeat(depth) || './'}#/operations/queues`, 303);
    });
  }
}

function changeRoutes(api: Api, { db, queues }: QueueDependencies): void {
  handle(api, queueOperations.retryQueueJob, async ({ params: { name, job: id } }, reply) => {
    await queues.ask(name, async (queue) => {
      const { job, state } = await found(queue, id);
      if (state !== 'failed') throw new DomainError('conflict', 'job: is not failed');
      await noteQueueChange(db, name, 'update', { job: { to: id } });
      await job.retry('failed');
    });
    return reply.send();
  });

  handle(api, queueOperations.promoteQueueJob, async ({ params: { name, job: id } }, reply) => {
    await queues.ask(name, async (queue) => {
      const { job, state } = await found(queue, id);
      if (state !== 'delayed') throw new DomainError('conflict', 'job: is not delayed');
      await noteQueueChange(db, name, 'update', { job: { to: id } });
      await job.promote();
    });
    return reply.send();
  });

  handle(api, queueOperations.removeQueueJob, async ({ params: { name, job: id } }, reply) => {
    await queues.ask(name, async (queue) => {
      const { job, state } = await found(queue, id);
      if (state === 'active') throw new DomainError('conflict', 'job: is under way');
      await noteQueueChange(db, name, 'delete', { job: { from: id } });
      await job.remove();
      await forgetWebhookJob(db, id);
    });
    return reply.status(204).send();
  });

  handle(api, queueOperations.retryFailedJobs, async ({ params: { name } }) =>
    queues.ask(name, async (queue) => {
      const jobs = await countOf(queue, 'failed');
      await noteQueueChange(db, name, 'update', { jobs: { to: String(jobs) } });
      await queue.retryJobs({ state: 'failed' });
      return { jobs };
    }),
  );

  handle(api, queueOperations.removeFailedJobs, async ({ params: { name } }) =>
    queues.ask(name, async (queue) => {
      const failed = await countOf(queue, 'failed');
      await noteQueueChange(db, name, 'delete', { jobs: { from: String(failed) } });
      const removed = await queue.clean(0, 0, 'failed');
      return { jobs: removed.length };
    }),
  );
}

/** A job with its state. @throws DomainError `not_found` */
async function found(queue: Queue, id: string) {
  const job = await queue.getJob(id);
  const state = await stateOf(job);
  if (job === undefined) throw new DomainError('not_found', 'job');
  return { job, state };
}

async function countOf(queue: Queue, state: JobState): Promise<number> {
  const counts = await queue.getJobCounts(state);
  return counts[state] ?? 0;
}

/** The cursor of a page says how many jobs come before it. */
function positionOf(cursor: string): number {
  if (!/^\d{1,9}$/.test(cursor)) throw new DomainError('malformed', 'cursor: is of no page');
  return Number(cursor);
}

const recentMinutes = 15;

const recentHistory = (db: Database) =>
  findHistory(db, everySeconds, Date.now() / 1_000 - recentMinutes * 60);

/** Attempts, as the workers count them of each queue. */
const attemptFigures: Readonly<Record<QueueName, RegExp>> = {
  webhooks: /^attempts(?::|$)/,
  mail: /^mails_(?:sent|failed)$/,
};

function toldQueue(queues: Queues, name: QueueName, history: readonly HistoryRow[]) {
  return queues.ask(name, async (queue) => {
    const [isPaused, counts, [next]] = await Promise.all([
      queue.isPaused(),
      queue.getJobCounts('waiting', 'active', 'delayed', 'failed', 'completed'),
      queue.getJobs(['waiting'], 0, 0, true),
    ]);
    const { waiting = 0, active = 0, delayed = 0, failed = 0, completed = 0 } = counts;
    const attempts = history
      .flatMap(({ figures }) => Object.entries(figures))
      .filter(([figure]) => attemptFigures[name].test(figure))
      .reduce((sum, [, value]) => sum + value, 0);
    return {
      name,
      is_paused: isPaused,
      counts: { waiting, active, delayed, failed, completed },
      attempts_per_minute: Number((attempts / recentMinutes).toPrecision(3)),
      oldest_waiting_seconds:
        next === undefined ? null : Math.max(0, (Date.now() - next.timestamp) / 1_000),
    };
  });
}
