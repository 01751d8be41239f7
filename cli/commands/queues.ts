import type { Command } from 'commander';
import type { Requests } from '../../schemas/client/client.ts';
import { type AnyFields, text } from '../input/fields.ts';
import { UsageError } from '../input/usage.ts';
import type { Call } from '../invocation/call.ts';
import type { Add } from '../invocation/command.ts';
import { askFirst } from '../invocation/removal.ts';
import { change, show } from './ordinary.ts';

type QueueName = Requests['viewQueue']['path']['name'];

/** `@throws` UsageError for the name of no queue. */
function queueOf(call: Call): { path: { name: QueueName } } {
  const name = call.text('queue');
  if (name !== 'webhooks' && name !== 'mail') throw new UsageError('queue: webhooks or mail');
  return { path: { name } };
}

const jobOf = (call: Call) => ({ path: { ...queueOf(call).path, job: call.text('job_id') } });

const paused = (isPaused: boolean) => (call: Call) => ({
  ...queueOf(call),
  body: { is_paused: isPaused },
});

const filters: AnyFields = {
  state: text('--state <state>', 'waiting, active, delayed, failed or completed'),
  cursor: text('--cursor <cursor>', '"next" of the page before'),
};

const states = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;

function jobsOf(call: Call): Requests['listQueueJobs'] {
  const state = states.find((one) => one === (call.flag('state') ?? 'failed'));
  if (state === undefined) throw new UsageError(`--state: ${states.join(', ')}`);
  const { limit } = call.settings.page;
  const cursor = call.flag('cursor');
  return {
    ...queueOf(call),
    query: { state, limit, ...(cursor === undefined ? {} : { cursor }) },
  };
}

/** Adds the queues of the workers. */
export function addQueues(group: Command, add: Add): void {
  const queues = add(
    group,
    'queues [token]',
    'Show the queues of the workers: how many jobs they have, by state',
    show('listQueues', () => ({})),
  );
  add(queues, 'get <queue> [token]', 'Show one queue', show('viewQueue', queueOf), {
    examples: ['admin queues get webhooks'],
  });
  add(
    queues,
    'pause <queue> [token]',
    'Have workers take no more jobs from a queue',
    change('changeQueue', paused(true)),
    { examples: ['admin queues pause mail'] },
  );
  add(
    queues,
    'resume <queue> [token]',
    'Let a paused queue go on',
    change('changeQueue', paused(false)),
    { examples: ['admin queues resume mail'] },
  );
  add(
    queues,
    'jobs <queue> [token]',
    'List jobs of a queue, those that failed unless told',
    show('listQueueJobs', jobsOf),
    {
      fields: filters,
      uses: ['limit'],
      examples: ['admin queues jobs mail', 'admin queues jobs webhooks --state delayed'],
    },
  );
  addJob(queues, add);
}

function addJob(queues: Command, add: Add): void {
  add(queues, 'job <queue> <job_id> [token]', 'Show a job', show('viewQueueJob', jobOf), {
    examples: ['admin queues job webhooks $JOB'],
  });
  add(
    queues,
    'retry <queue> <job_id> [token]',
    'Try a failed job once more',
    change('retryQueueJob', jobOf),
    { examples: ['admin queues retry webhooks $JOB'] },
  );
  add(
    queues,
    'promote <queue> <job_id> [token]',
    'Try a delayed job now',
    change('promoteQueueJob', jobOf),
    { examples: ['admin queues promote webhooks $JOB'] },
  );
  add(
    queues,
    'retry-failed <queue> [token]',
    'Try all failed jobs of a queue once more',
    show('retryFailedJobs', queueOf),
    { examples: ['admin queues retry-failed mail'] },
  );
  add(
    queues,
    'remove <queue> <job_id> [token]',
    'Remove a job, so that it is never tried again',
    async (call) => {
      const request = jobOf(call);
      await askFirst(call, 'remove', `the job ${request.path.job}`, () =>
        call.ask('removeQueueJob', request),
      );
    },
    { removes: true, examples: ['admin queues remove webhooks $JOB --yes'] },
  );
  add(
    queues,
    'remove-failed <queue> [token]',
    'Remove all failed jobs of a queue',
    async (call) => {
      const request = queueOf(call);
      const what = `all failed jobs of the queue ${request.path.name}`;
      await askFirst(call, 'remove', what, () => call.ask('removeFailedJobs', request));
    },
    { removes: true, examples: ['admin queues remove-failed mail --yes'] },
  );
}
