import {
  type Pool,
  type Rows,
  rowsOf,
  transaction,
} from '../../../infra/runtime/stores/postgres.ts';
import { insertBundles, type NewBundle } from '../../../infra/runtime/webhooks/bundles.ts';
import { frameOf, noThing } from '../../../infra/runtime/webhooks/frames.ts';
import { type BundleJob, insertBundleJobs } from '../../../infra/runtime/webhooks/jobs.ts';
import { noticeLogPrefix } from '../../../schemas/internal/webhook-job.ts';
import { noticeTransitionsMax } from '../../../schemas/resources/alarm-notice.ts';
import { limits } from '../../limits.ts';
import { mailsOf, type Notice, noticesOf, payloadOf } from './compose.ts';
import {
  deferToldRules,
  deferUnheard,
  deferUnreached,
  type HeldCounts,
  insertMails,
  lockRules,
  noteTold,
  takeDueNotices,
} from './sql.ts';

/** The outcome of the notices of some rules. */
export type Sent = { held: HeldCounts; transitions: number; webhooks: number; mails: number };

/**
 * Tells the receivers of rules what is due: marks it and writes the mails and the deliveries to webhooks, in one
 * transaction. So a worker that is killed has told either all of it or nothing. Rules that another worker has in hand
 * are left to it.
 */
export function sendDue(pool: Pool, asked: readonly string[], publicUrl: string): Promise<Sent> {
  return transaction(pool, async (client) => {
    const rows = rowsOf(client);
    const locked = await lockRules(rows, asked);
    const open = await deferToldRules(rows, locked);
    if (open.length === 0) return nothing;
    await deferUnheard(rows, open, limits.noticesHeard);
    await deferAllUnreached(rows, open);
    const { told, held } = await takeDueNotices(rows, open, {
      noticesMax: limits.noticesAtOnceMax,
      shownMax: noticeTransitionsMax,
    });
    const notices = noticesOf(told);
    const webhooks = await insertDeliveries(rows, notices);
    const mails = notices.flatMap((notice) => mailsOf(notice, publicUrl));
    await insertMails(rows, mails);
    const rules = new Set(notices.map(({ first }) => first.ruleId));
    await noteTold(rows, [...rules], limits.noticesTogetherS);
    const transitions = notices.reduce((sum, { first }) => sum + first.count, 0);
    return { held, transitions, webhooks, mails: mails.length };
  });
}

/** As many statements as it takes: one for a gateway of hundreds of thousands of things would last for too long. */
async function deferAllUnreached(rows: Rows, ruleIds: readonly string[]): Promise<void> {
  const noticesMax = limits.noticesDeferredAtOnceMax;
  while ((await deferUnreached(rows, ruleIds, noticesMax)) === noticesMax);
}

const nothing: Sent = {
  held: { silenced: 0, inhibited: 0, nobody: 0 },
  transitions: 0,
  webhooks: 0,
  mails: 0,
};

/** Writes a bundle and its job for each notice that goes to webhooks; gives how many deliveries there are. */
async function insertDeliveries(rows: Rows, notices: readonly Notice[]): Promise<number> {
  const made = notices
    .filter(({ first }) => first.webhookIds.length > 0)
    .map((notice) => bundleOf(notice, Date.now()));
  if (made.length === 0) return 0;
  await insertBundles(
    rows,
    made.map(({ kept }) => kept),
  );
  await insertBundleJobs(
    rows,
    made.map(({ job }) => job),
  );
  return notices.reduce((sum, { first }) => sum + first.webhookIds.length, 0);
}

/** A notice is called as its bundle, so its `webhook-id` is the same for each attempt and each replay. */
function bundleOf(notice: Notice, nowMs: number): { kept: NewBundle; job: BundleJob } {
  const { orgId, thingId, webhookIds, count } = notice.first;
  const payload = Buffer.from(JSON.stringify(payloadOf(notice)));
  const key = { log: `${noticeLogPrefix}${notice.id}`, segment: 0, first: 0, last: 0 };
  // Of one thing, it goes with that.
  const ofThing = count === 1 ? thingId : noThing;
  const frames = frameOf({
    contentType: 'application/json',
    protocol: undefined,
    receivedMs: nowMs,
    requestId: '',
    thingId: ofThing,
    payload,
  });
  const kept = {
    key,
    offsets: [key.first],
    thingIds: [ofThing],
    receivedMs: [nowMs],
    frames,
    orgs: [{ id: orgId, bytes: payload.length }],
  };
  const messages = [{ offset: key.first, webhook_ids: webhookIds }];
  const job = { bundle: key, bytes: frames.length, orgs: [{ org_id: orgId, messages }] };
  return { kept, job };
}
