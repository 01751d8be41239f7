import { postgresConnections } from '../infra/runtime/stores/postgres-connections.ts';

/* The whole process. */

export const postgresConnectionsMax = postgresConnections.workers.all;
export const postgresQueryMsMax = 10_000;
export const redisCommandMsMax = 1_000;
export const clickhouseTimeoutMs = 30_000;

/** How long a stop may take. */
export const stopMsMax = 8_000;

/** How long mails under way at a stop may still take before they are broken off. */
export const mailStopMsMax = 1_000;

/** How long attempts under way at a stop may still take before they are broken off. */
export const webhooksStopMsMax = 1_000;

/* One attempt to deliver to a webhook. */

export const connectMsMax = 5_000;
/** From its start to the end of the response. */
export const attemptMsMax = 15_000;

/** How much of a response is read, and how much of that is kept. */
export const responseBytesMax = 64 * 1024;
export const keptResponseBytesMax = 4 * 1024;

/** A webhook is disabled after all attempts failed for this long. */
export const failingMsMax = 5 * 86_400_000;

/* Admission. */

/** Attempts under way: in this process, and at one endpoint. */
export const attemptsMax = 192;
export const endpointAttemptsMax = 16;
/** Of all attempts, those at endpoints whose last attempt did not succeed quickly. */
export const doubtfulAttemptsMax = attemptsMax / 2;
export const quickMsMax = 1_000;

/** Deliveries of all jobs that were taken, and the size of their bundles. */
export const heldDeliveriesMax = 384;
export const heldBytesMax = 64 * 1024 * 1024;
/** How long a delivery may wait in this process for its attempt. */
export const admissionWaitMsMax = 400;

/** Endpoints that this process remembers. */
export const endpointsMax = 20_000;

/* What is remembered of Postgres. */

/** With `admissionWaitMsMax`: a changed or deleted webhook counts within a second. */
export const webhookAgeMsMax = 500;
export const webhooksMax = 10_000;

/** Bundles that were read for single deliveries. */
export const bundlesBytesMax = 32 * 1024 * 1024;
export const bundlesAgeMsMax = 5_000;

/* What is written to Postgres. */

/** Rows of attempts: how soon they are written, how many at once, and how many may wait. */
export const rowsEveryMs = 100;
export const rowsAtOnceMax = 500;
export const rowsWaitingMax = 5_000;

/** How often the deliveries of a bundle that are done are saved: after a kill, the others are repeated. */
export const saveEveryMs = 25;

/* The queue. */

/** Deliveries that become jobs of their own: those of so short a time are added together. */
export const requeueEveryMs = 20;

/** How often new bundles are looked for in Postgres, and how many are queued at once. */
export const refillEveryMs = 50;
export const bundlesAtOnceMax = 256;
/** The same while there are no jobs at all, and after a failure. */
export const refillRestMs = 250;
export const refillRetryMs = 1_000;

/** How often other jobs that wait in Postgres are queued, how many at once, and of how many webhooks. */
export const waitingEveryMs = 250;
export const refillAtOnceMax = 1_000;
export const waitingWebhooksMax = 10_000;

/** Jobs that are looked for in Redis at once, how often, and how long after they were queued. */
export const checkedAtOnceMax = 500;
export const checkEveryMs = 1_000;
export const queuedBeforeCheckMs = 10_000;

/** How old a look at Redis may be. */
export const redisLookAgeMsMax = 500;

if (mailStopMsMax >= stopMsMax) throw new Error('a mail under way outlasts the stop');
if (webhooksStopMsMax >= stopMsMax) throw new Error('an attempt under way outlasts the stop');
if (connectMsMax >= attemptMsMax) throw new Error('connecting takes longer than an attempt');
if (heldDeliveriesMax <= attemptsMax) throw new Error('no delivery may wait for its attempt');
if (webhookAgeMsMax + admissionWaitMsMax > 1_000) {
  throw new Error('a changed webhook counts too late');
}
if (rowsWaitingMax < attemptsMax) throw new Error('the rows of attempts have no room');
