import { type Static, Type } from 'typebox';
import { about, Timestamp, Uuid } from '../http/common.ts';
import { cursor, next } from '../http/page.ts';

export const queueNames = ['webhooks', 'mail'] as const;
export type QueueName = (typeof queueNames)[number];

/** As BullMQ tells them apart. */
export const jobStates = ['waiting', 'active', 'delayed', 'failed', 'completed'] as const;
export type JobState = (typeof jobStates)[number];

const name = about(
  Type.Enum([...queueNames]),
  'Name of the queue: `webhooks` or `mail`.',
  'webhooks',
);
const jobWords = [
  'Id of the job.',
  '5ab1c0de-12-4096_3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f',
] as const;
const job = about(Type.String({ minLength: 1, maxLength: 512 }), ...jobWords);

export const QueuePath = Type.Object({ name });
export const JobPath = Type.Object({ name, job });

const count = (what: string) => about(Type.Integer(), what, 3);

const JobCounts = Type.Object({
  waiting: count('Jobs that are due, and wait for a worker.'),
  active: count('Jobs that a worker has.'),
  delayed: count('Jobs that wait for their time: that of the next attempt.'),
  failed: count('Jobs that were given up: they are kept for 30 days.'),
  completed: count('Jobs that were done not long ago. Older ones are forgotten.'),
});

export const Queue = Type.Object({
  name,
  is_paused: about(Type.Boolean(), 'Whether workers take no jobs from it.', false),
  counts: about(JobCounts, 'How many jobs it has, by their state.'),
  attempts_per_minute: about(
    Type.Number(),
    'Attempts a minute, in the last quarter of an hour: to deliver, or to send a mail.',
    12.4,
  ),
  oldest_waiting_seconds: about(
    Type.Union([Type.Number(), Type.Null()]),
    'For how long the job has been in the queue that is taken next. `null`: none waits.',
    0.4,
  ),
});

export const Queues = Type.Object({ queues: about(Type.Array(Queue), 'Queues of the workers.') });

const Named = Type.Object({
  id: about(Uuid, 'Its id.', '3f1c7a10-0b0a-4f0e-8b1a-9c569a3e2f6f'),
  name: about(Type.String(), 'Its name.', 'Thermometer'),
});

export const QueueJob = Type.Object({
  id: about(Type.String(), ...jobWords),
  state: about(Type.Enum([...jobStates]), 'Where it is in the queue.', 'delayed'),
  queued_at: about(Timestamp, 'When it was put into the queue.', '2026-11-21T10:00:00.000Z'),
  due_at: Type.Optional(
    about(Timestamp, 'When it is taken again. Absent: it does not wait for a time.'),
  ),
  started_at: Type.Optional(about(Timestamp, 'When it was last taken. Absent: never.')),
  ended_at: Type.Optional(about(Timestamp, 'When it was done, or given up. Absent: neither.')),
  attempts: about(Type.Integer(), 'Attempts that have ended.', 2),
  attempts_max: about(Type.Integer(), 'Attempts after which it is given up.', 10),
  error: Type.Optional(
    about(Type.String(), 'Why the last attempt failed. Absent: none did.', 'HTTP 500'),
  ),
  deliveries: Type.Optional(
    about(Type.Integer(), 'Deliveries that it holds. Absent: it is a mail.', 1),
  ),
  things: Type.Optional(
    about(Type.Array(Named), 'Things whose messages it delivers. Absent: it is a mail.'),
  ),
  webhooks: Type.Optional(
    about(
      Type.Array(
        Type.Object({
          ...Named.properties,
          origin: about(
            Type.String(),
            'Scheme and host of its URL, whose path may be a secret.',
            'https://example.com',
          ),
        }),
      ),
      'Webhooks that it delivers to. Absent: it is a mail.',
    ),
  ),
  to: Type.Optional(
    about(Type.String(), 'Who the mail is to. Absent: it is none.', 'ada@example.com'),
  ),
  subject: Type.Optional(
    about(Type.String(), 'Subject of the mail. Absent: it is none.', 'An invitation'),
  ),
});
export type QueueJob = Static<typeof QueueJob>;

export const QueueJobsQuery = Type.Object({
  state: about(Type.Enum([...jobStates]), 'State of the jobs.', 'failed'),
  limit: Type.Optional(
    about(Type.Integer({ minimum: 1, maximum: 200 }), 'Jobs in a page at most. Default 10.', 10),
  ),
  cursor,
});

export const QueueJobs = Type.Object({
  total: about(Type.Integer(), 'Jobs in this state.', 1),
  jobs: about(
    Type.Array(QueueJob),
    'Jobs of the page. Those that ended last, or are due first, come first.',
  ),
  next,
});

export const QueueChange = Type.Object({
  is_paused: about(Type.Boolean(), 'Whether workers are to take no jobs from it.', false),
});

export const JobsChanged = Type.Object({
  jobs: about(Type.Integer(), 'How many jobs it was.', 12),
});
