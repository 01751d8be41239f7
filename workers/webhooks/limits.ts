import { stopMsMax } from '../limits.ts';

/** One try: to connect, and in all. */
export const connectMsMax = 5_000;
export const tryMsMax = 15_000;

/** What is read of an answer, and what of that is kept. */
export const answerBytesMax = 64 * 1024;
export const keptAnswerBytesMax = 4 * 1024;

/** Tries under way in this process, and of one endpoint. */
export const triesAtOnceMax = 192;
export const endpointTriesAtOnceMax = 16;
/** Of them, those of endpoints whose last try was not answered well and soon. */
export const doubtfulTriesAtOnceMax = triesAtOnceMax / 2;
export const soonMs = 1_000;

/** Copies under way or waiting here for their turn, how long one waits, and how much all taken jobs hold. */
export const heldCopiesMax = 384;
export const heldMsMax = 400;
export const heldBytesMax = 64 * 1024 * 1024;

/** Endpoints, and webhooks, that this process remembers. */
export const endpointsMax = 20_000;
export const targetsMax = 10_000;
/** With `heldMsMax`: a changed or deleted webhook is heeded within a second. */
export const targetAgeMsMax = 500;

/** Rows of tries: how soon they are written, how many at once, and how many may wait. */
export const rowsEveryMs = 100;
export const rowsAtOnceMax = 500;
export const rowsWaitingMax = 5_000;

/** Copies that become jobs of their own: those of so short a time together. */
export const lateEveryMs = 20;

/** How often jobs that wait in Postgres are looked at, how many go at once, and of how many webhooks. */
export const admitEveryMs = 250;
export const admittedAtOnceMax = 1_000;
export const waitingWebhooksMax = 10_000;

/** Jobs whose being in Redis is checked at once, once they have been there for a while. */
export const checkedAtOnceMax = 500;
export const queuedBeforeCheckMs = 10_000;

/** How often Redis' memory is looked at. */
export const redisLookEveryMs = 500;

/** Bundles that were read for copies that are tried again, remembered for a moment. */
export const bundlesBytesMax = 32 * 1024 * 1024;
export const bundlesAgeMsMax = 5_000;

/** How long a webhook may fail and nothing else, before it is disabled. */
export const failingMsMax = 5 * 86_400_000;

/** How often it is saved which copies of a bundle under way are settled: what is sent twice after a kill. */
export const saveEveryMs = 25;

/** How long tries that are under way at a stop may still take, before they are broken off. */
export const webhooksStopMsMax = 1_000;

if (webhooksStopMsMax >= stopMsMax) throw new Error('a try under way outlasts the stop');
if (connectMsMax >= tryMsMax) throw new Error('connecting takes longer than a try');
if (heldCopiesMax <= triesAtOnceMax) throw new Error('nothing may wait for its turn');
if (targetAgeMsMax + heldMsMax > 1_000) throw new Error('a changed webhook is heeded too late');
if (rowsWaitingMax < triesAtOnceMax) throw new Error('the rows of tries have no room');
