import {
  JobPath,
  JobsChanged,
  Queue,
  QueueChange,
  QueueJob,
  QueueJobs,
  QueueJobsQuery,
  QueuePath,
  Queues,
} from '../../../schemas/resources/queue.ts';
import { operations } from '../../http/operation.ts';
import { Empty } from '../../http/schemas.ts';

const needs = { kind: 'platformAdmin' } as const;
const path = '/operations/queues';

const ofQueue = { needs, params: QueuePath, errors: ['unavailable'] } as const;
const ofJob = { needs, params: JobPath, errors: ['not_found', 'unavailable'] } as const;
const changesJob = { ...ofJob, errors: ['not_found', 'conflict', 'unavailable'] } as const;

export const queueOperations = operations('service', {
  listQueues: {
    method: 'GET',
    path,
    needs,
    answers: { 200: Queues },
    summary: 'How the queues of the workers are',
    about: 'Deliveries to webhooks, and mails.',
    errors: ['unavailable'],
  },
  viewQueue: {
    ...ofQueue,
    method: 'GET',
    path: `${path}/:name`,
    answers: { 200: Queue },
    summary: 'How one queue is',
  },
  changeQueue: {
    ...ofQueue,
    method: 'PUT',
    path: `${path}/:name`,
    body: QueueChange,
    answers: { 200: Empty },
    summary: 'Pause a queue, or let it go on',
    about:
      'Of a paused queue no job is taken. Deliveries wait then, and nothing is lost; a job that is under way ends.',
    audit: 'queue',
  },
  listQueueJobs: {
    ...ofQueue,
    method: 'GET',
    path: `${path}/:name/jobs`,
    query: QueueJobsQuery,
    answers: { 200: QueueJobs },
    summary: 'List the jobs of a queue in one state',
    about:
      'Jobs move while they are looked at: one that leaves the state before a page is read moves those after it up.',
  },
  viewQueueJob: {
    ...ofJob,
    method: 'GET',
    path: `${path}/:name/jobs/:job`,
    answers: { 200: QueueJob },
    summary: 'View a job of a queue',
    about: 'Neither the text of a mail nor the payload of a message is in it.',
  },
  retryQueueJob: {
    ...changesJob,
    method: 'POST',
    path: `${path}/:name/jobs/:job/retry`,
    answers: { 200: Empty },
    summary: 'Try a failed job once more',
    about: 'A delivery whose message is not kept any more ends without an attempt.',
    audit: 'queue',
  },
  promoteQueueJob: {
    ...changesJob,
    method: 'POST',
    path: `${path}/:name/jobs/:job/promote`,
    answers: { 200: Empty },
    summary: 'Try a delayed job now',
    audit: 'queue',
  },
  removeQueueJob: {
    ...changesJob,
    method: 'DELETE',
    path: `${path}/:name/jobs/:job`,
    answers: { 204: Empty },
    summary: 'Remove a job from its queue, so that it is never tried again',
    audit: 'queue',
    removes: true,
  },
  retryFailedJobs: {
    ...ofQueue,
    method: 'POST',
    path: `${path}/:name/retry`,
    answers: { 200: JobsChanged },
    summary: 'Try all failed jobs of a queue once more',
    audit: 'queue',
  },
  removeFailedJobs: {
    ...ofQueue,
    method: 'DELETE',
    path: `${path}/:name/failed`,
    answers: { 200: JobsChanged },
    summary: 'Remove all failed jobs of a queue',
    audit: 'queue',
    removes: true,
  },
});
