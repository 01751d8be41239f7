import assert from 'node:assert/strict';
import { postgresConnections } from '../infra/runtime/stores/postgres-connections.ts';

/** Every bound of the workers that is not a setting, with its unit. How they relate is asserted below. */
export const limits = {
  /* The whole process. */

  postgresConnectionsMax: postgresConnections.workers.all,
  postgresQueryMsMax: 10_000,
  redisCommandMsMax: 1_000,
  clickhouseTimeoutMs: 30_000,

  /** How long a stop may take. */
  stopMsMax: 8_000,

  /** How long mails under way at a stop may still take before they are broken off. */
  mailStopMsMax: 1_000,

  /** How long attempts under way at a stop may still take before they are broken off. */
  webhooksStopMsMax: 1_000,

  /* One attempt to deliver to a webhook. */

  connectMsMax: 5_000,
  /** From its start to the end of the response. */
  attemptMsMax: 15_000,

  /** How much of a response is read, and how much of that is kept. */
  responseBytesMax: 64 * 1024,
  keptResponseBytesMax: 4 * 1024,

  /** A webhook is disabled after all attempts failed for this long. */
  failingMsMax: 5 * 86_400_000,

  /* Admission. */

  /** Attempts under way: in this process, and at one endpoint. */
  attemptsMax: 192,
  endpointAttemptsMax: 16,
  /** Of all attempts, those at endpoints whose last attempt did not succeed quickly. */
  doubtfulAttemptsMax: 96,
  quickMsMax: 1_000,

  /** Deliveries of all jobs that were taken, and the size of their bundles. */
  heldDeliveriesMax: 384,
  heldBytesMax: 64 * 1024 * 1024,
  /** How long a delivery may wait in this process for its attempt. */
  admissionWaitMsMax: 400,

  /** Endpoints that this process remembers. */
  endpointsMax: 20_000,

  /* What is remembered of Postgres. */

  /** With `admissionWaitMsMax`: a changed or deleted webhook counts within a second. */
  webhookAgeMsMax: 500,
  webhooksMax: 10_000,

  /** Bundles that were read for single deliveries. */
  bundlesBytesMax: 32 * 1024 * 1024,
  bundlesAgeMsMax: 5_000,

  /* What is written to Postgres. */

  /** Rows of attempts: how soon they are written, how many at once, and how many may wait. */
  rowsEveryMs: 100,
  rowsAtOnceMax: 500,
  rowsWaitingMax: 5_000,

  /** How often the deliveries of a bundle that are done are saved: after a kill, the others are repeated. */
  saveEveryMs: 25,

  /* The queue. */

  /** Deliveries that become jobs of their own: those of so short a time are added together. */
  requeueEveryMs: 20,

  /** How often new bundles are looked for in Postgres, and how many are queued at once. */
  refillEveryMs: 50,
  bundlesAtOnceMax: 256,
  /** The same while there are no jobs at all, and after a failure. */
  refillRestMs: 250,
  refillRetryMs: 1_000,

  /** How often other jobs that wait in Postgres are queued, how many at once, and of how many webhooks. */
  waitingEveryMs: 250,
  refillAtOnceMax: 1_000,
  waitingWebhooksMax: 10_000,

  /** Jobs that are looked for in Redis at once, how often, and how long after they were queued. */
  checkedAtOnceMax: 500,
  checkEveryMs: 1_000,
  queuedBeforeCheckMs: 10_000,

  /** How old a look at Redis may be. */
  redisLookAgeMsMax: 500,

  /* Notices of alarms. */

  /** How often rules whose notices are due are looked for, and how soon after a failure. */
  noticesEveryMs: 250,
  noticesRetryMs: 1_000,
  /** How many of one org, and of all, are taken at a look; and how many are written in one transaction. */
  noticesPerOrgMax: 200,
  noticeRulesMax: 1_000,
  noticeRulesAtOnceMax: 50,
  /** Notices of these that are marked at once: with more, another notice follows. */
  noticesAtOnceMax: 100_000,
  /** Notices of things whose gateway is silent: one statement puts off so many. */
  noticesDeferredAtOnceMax: 25_000,
  /** After receivers were told of a rule, transitions of so long a time are told together. */
  noticesTogetherS: 30,
  /** So soon after a thing was heard it is known that its silence is over, and so often that is looked at. */
  noticesHeard: { heardWithinS: 15, lookAgainS: 2 },
  /** How often notices that are to be repeated are looked for, and how many are written at once. */
  repeatsEveryMs: 1_000,
  repeatsAtOnceMax: 1_000,

  /* Silence of things. */

  /** How often silence is looked for, and for how long after a kill no other worker does. */
  silenceEveryMs: 2_500,
  silenceWatchS: 15,
  /** A rule is looked at so many times within its `for`, but no more often, and no less, than with these pauses. */
  silenceLooksPerFor: 10,
  silencePauseS: { min: 2, max: 60 },
  silentRulesAtOnceMax: 100,
  silentThingsAtOnceMax: 2_000,
  /** So many are found by one look: others fire only after these have ended. */
  heardAgainMax: 20_000,
  /** An edge that has said nothing for so long is not waited for. */
  edgeAwayS: 120,
  /** So long after a time without edges things may take to come back. */
  silenceGraceS: 30,
  /** Longer than the longest `for`, with some room for times in which nothing was heard. */
  hearingDays: 60,

  /* Alarms of rules that were changed or deleted. */

  endingsEveryMs: 250,
  /** The same while there are none. */
  endingsRestMs: 1_000,
  endingsRetryMs: 1_000,
  endedAtOnceMax: 1_000,

  /* Corrections of the history of alarms. */

  correctionsEveryMs: 1_000,
  correctionsRetryMs: 5_000,
  correctionsAtOnceMax: 20,
  /** So long a worker may take for those that it took at once; a failed one is taken again after that. */
  correctionLeaseS: 60,
  /** How long some wait at once until what edges have in their logs is stored, and how soon that is tried again. */
  correctionStoredMsMax: 5_000,
  correctionPostponedS: 5,
  /** One that has waited for so long is written although more records have come late while it was under way. */
  correctionOvertakenS: 300,
  /** Records are read from so long before the late ones, until so long after them. */
  correctionMarginS: { min: 3_600, max: 30 * 86_400 },
  correctionMarginGrows: 8,
  /** How much time is read at once at first; how many rows; and how many records and episodes one correction has. */
  correctionSpanS: 86_400,
  correctionRowsMax: 20_000,
  correctionRecordsMax: 5_000_000,
  correctionEpisodesMax: 20_000,
} as const;

assert(limits.mailStopMsMax < limits.stopMsMax, 'a mail under way ends before the stop');
assert(limits.webhooksStopMsMax < limits.stopMsMax, 'an attempt under way ends before the stop');
assert(limits.connectMsMax < limits.attemptMsMax, 'an attempt takes longer than connecting');
assert(
  limits.doubtfulAttemptsMax < limits.attemptsMax,
  'doubtful endpoints leave places for others',
);
assert(limits.heldDeliveriesMax > limits.attemptsMax, 'deliveries may wait for their attempts');
assert(
  limits.webhookAgeMsMax + limits.admissionWaitMsMax <= 1_000,
  'a changed webhook counts within a second',
);
assert(limits.rowsWaitingMax >= limits.attemptsMax, 'the rows of all attempts have room');
