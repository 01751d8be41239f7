import { DomainError } from '../../../schemas/http/errors.ts';
import type { DeliveriesQuery, WebhookDelivery } from '../../../schemas/resources/webhook.ts';
import {
  type BundleKey,
  noticeLogPrefix,
  pingLogPrefix,
  placeOfMessage,
} from '../../../schemas/internal/webhook-job.ts';
import type { Database } from '../../stores/database.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';
import { withTimes } from '../../http/query/time.ts';
import type { StoredWebhook } from './sql.ts';

type DeliveryRow = {
  id: string;
  message_id: string;
  request_id: string | null;
  attempt: number;
  tried_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: Buffer;
};

const columns = 'id, message_id, request_id, attempt, tried_at, duration_ms, status, error, answer';

const delivered = 'status IS NOT NULL AND status BETWEEN 200 AND 299';

/** The attempts at a webhook. Uses `webhook_deliveries_webhook`. */
export async function findDeliveries(
  db: Database,
  webhookId: string,
  query: DeliveriesQuery,
): Promise<ListPage<WebhookDelivery>> {
  const { message_id: messageId, status, outcome } = query;
  const conditions = new Conditions();
  conditions.equals('webhook_id', webhookId);
  conditions.equals('message_id', messageId);
  if (status !== undefined) conditions.add(`status = ${conditions.bind(status)}`);
  if (outcome !== undefined)
    conditions.add(outcome === 'delivered' ? delivered : `NOT (${delivered})`);
  addRange(conditions, 'tried_at', withTimes(query));
  const list = { columns, from: 'webhook_deliveries', conditions, orders: { id: 'id' }, id: 'id' };
  const { total, rows } = await findPage<DeliveryRow>(db, list, query);
  return { total, rows: rows.map(toDelivery) };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, request_id, tried_at, status, error, answer, ...shown } = row;
  return {
    ...shown,
    id: Number(id),
    ...(request_id === null ? {} : { request_id }),
    tried_at: tried_at.toISOString(),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    answer: answer.toString('utf8'),
  };
}

type Range = { from?: bigint | undefined; to?: bigint | undefined };

function addRange(conditions: Conditions, column: string, { from, to }: Range): void {
  const at = (time: bigint) =>
    `timestamptz 'epoch' + ${conditions.bind(String(time / 1_000n))}::bigint * interval '1 microsecond'`;
  if (from !== undefined) conditions.add(`${column} >= ${at(from)}`);
  if (to !== undefined) conditions.add(`${column} <= ${at(to)}`);
}

/** Which messages are delivered again. */
export type Which =
  | { kind: 'message'; messageId: string }
  /** Those whose last attempt failed. */
  | { kind: 'failure' }
  | { kind: 'time'; range: Range };

/** A message that is kept: its bundle, its offset there, and the size of the bundle. */
export type KeptMessage = { bundle: BundleKey; offset: number; bytes: number };

type KeptRow = {
  log: string;
  segment: number;
  first: number;
  last: number;
  offset: number;
  bytes: number;
};

const keptColumns = `bundle.log_id AS log, bundle.segment, bundle.first_offset AS first,
  bundle.last_offset AS last, bundle.bytes`;

export type Of = Pick<StoredWebhook, 'id' | 'thing_id' | 'group_id' | 'org_id'>;

/**
 * Kept messages of the things that the webhook has now, and notices of alarms that it was sent; the oldest first, and of
 * a range of time the notices last.
 */
export async function findKeptMessages(
  db: Database,
  webhook: Of,
  which: Which,
  limit: number,
): Promise<KeptMessage[]> {
  const rows =
    which.kind === 'time'
      ? [
          ...(await findOfTime(db, webhook, which.range, limit)),
          ...(await findNoticesOfTime(db, webhook, which.range, limit)),
        ].slice(0, limit)
      : await findByIds(db, webhook, await idsOf(db, webhook.id, which, limit));
  return rows.map(({ offset, bytes, ...bundle }) => ({ bundle, offset, bytes }));
}

/** Uses `webhook_deliveries_webhook`. */
async function idsOf(
  db: Database,
  webhookId: string,
  which: Exclude<Which, { kind: 'time' }>,
  limit: number,
): Promise<string[]> {
  if (which.kind === 'message') {
    const { messageId } = which;
    const isFree =
      !messageId.startsWith(noticeLogPrefix) || (await wasSent(db, webhookId, messageId));
    return isFree ? [messageId] : [];
  }
  const rows = await db.rows<{ messageId: string }>(
    `SELECT message_id AS "messageId"
     FROM (
       SELECT DISTINCT ON (message_id) message_id, status
       FROM webhook_deliveries
       WHERE webhook_id = $1
       ORDER BY message_id, id DESC
     ) AS last
     WHERE NOT (${delivered})
     LIMIT $2`,
    [webhookId, limit],
  );
  return rows.map(({ messageId }) => messageId);
}

/** Whether a notice went to a webhook: who is told of a rule is no matter of its things. Uses `webhook_deliveries_webhook`. */
async function wasSent(db: Database, webhookId: string, messageId: string): Promise<boolean> {
  const found = await db.rows(
    'SELECT FROM webhook_deliveries WHERE webhook_id = $1 AND message_id = $2 LIMIT 1',
    [webhookId, messageId],
  );
  return found.length > 0;
}

/** The notices that were sent to a webhook. Uses `webhook_deliveries_webhook`. */
async function findNoticesOfTime(
  db: Database,
  webhook: Of,
  range: Range,
  limit: number,
): Promise<KeptRow[]> {
  const conditions = new Conditions();
  conditions.equals('webhook_id', webhook.id);
  conditions.add(`starts_with(message_id, ${conditions.bind(noticeLogPrefix)})`);
  addRange(conditions, 'tried_at', { from: range.from });
  const sent = await db.rows<{ messageId: string }>(
    `SELECT DISTINCT message_id AS "messageId" FROM webhook_deliveries
     WHERE ${conditions.text} LIMIT ${conditions.bind(limit)}`,
    conditions.values,
  );
  const ids = sent.map(({ messageId }) => messageId);
  return findByIds(db, webhook, ids, range);
}

/** A condition: the thing is one of the webhook's. Uses primary keys. */
export function isOfWebhook(thing: string, webhook: Of, bind: (value: unknown) => string): string {
  if (webhook.thing_id !== null) return `${thing} = ${bind(webhook.thing_id)}`;
  return webhook.org_id === null
    ? `EXISTS (SELECT FROM things WHERE id = ${thing} AND group_id = ${bind(webhook.group_id)})`
    : `EXISTS (
         SELECT FROM things JOIN groups ON groups.id = things.group_id
         WHERE things.id = ${thing} AND groups.org_id = ${bind(webhook.org_id)}
       )`;
}

/** Uses the primary key. After a power cut a message may stand in two bundles: one is taken. */
async function findByIds(
  db: Database,
  webhook: Of,
  ids: readonly string[],
  range: Range = {},
): Promise<KeptRow[]> {
  const conditions = new Conditions();
  const places = ids.map(placeOfMessage).filter((place) => place !== undefined);
  const logs = conditions.bind(places.map(({ log }) => log));
  const segments = conditions.bind(places.map(({ segment }) => segment));
  const offsets = conditions.bind(places.map(({ offset }) => offset));
  const thing = 'bundle.thing_ids[array_position(bundle.offsets, place.at)]';
  const isNotice = `starts_with(place.log_id, ${conditions.bind(noticeLogPrefix)})`;
  const isOfThing = isOfWebhook(thing, webhook, (value) => conditions.bind(value));
  conditions.add(`${isNotice} OR ${isOfThing}`);
  addRange(conditions, 'bundle.received_at', range);
  return db.rows<KeptRow>(
    `SELECT ${keptColumns}, place.at AS offset
     FROM unnest(${logs}::text[], ${segments}::integer[], ${offsets}::integer[])
       AS place (log_id, segment, at)
     CROSS JOIN LATERAL (
       SELECT * FROM webhook_bundles
       WHERE log_id = place.log_id AND segment = place.segment
         AND first_offset <= place.at AND last_offset >= place.at
       ORDER BY first_offset DESC
       LIMIT 1
     ) AS bundle
     WHERE ${conditions.text}
     ORDER BY bundle.received_at, bundle.log_id, bundle.segment, place.at`,
    conditions.values,
  );
}

/**
 * For one thing this uses `webhook_bundles_things`. For the things of a group or an org all bundles are scanned, of which
 * a few gigabytes are kept at most; a bundle of other orgs or times is skipped without reading its messages.
 */
async function findOfTime(
  db: Database,
  webhook: Of,
  range: Range,
  limit: number,
): Promise<KeptRow[]> {
  const conditions = new Conditions();
  if (webhook.thing_id !== null) {
    conditions.add(`bundle.thing_ids @> ARRAY[${conditions.bind(webhook.thing_id)}::uuid]`);
  } else {
    const org = conditions.bind(await findOrg(db, webhook));
    conditions.add(`${org}::uuid = ANY (bundle.org_ids)`);
    addRange(conditions, 'bundle.received_at', { to: range.to });
    const last = 'bundle.received_ms[cardinality(bundle.received_ms)]';
    addRange(conditions, `to_timestamp(${last} / 1000.0)`, { from: range.from });
  }
  conditions.add(isOfWebhook('message.thing_id', webhook, (value) => conditions.bind(value)));
  for (const prefix of [pingLogPrefix, noticeLogPrefix]) {
    conditions.add(`NOT starts_with(bundle.log_id, ${conditions.bind(prefix)})`);
  }
  addRange(conditions, 'to_timestamp(message.received_ms / 1000.0)', range);
  return db.rows<KeptRow>(
    `SELECT ${keptColumns}, message.at AS offset
     FROM webhook_bundles AS bundle,
          unnest(bundle.offsets, bundle.thing_ids, bundle.received_ms) AS message (at, thing_id, received_ms)
     WHERE ${conditions.text}
     ORDER BY message.received_ms, bundle.log_id, bundle.segment, message.at
     LIMIT ${conditions.bind(limit)}`,
    conditions.values,
  );
}

/** The org of a webhook. Uses the primary key. */
export async function findOrg(
  db: Database,
  webhook: Pick<StoredWebhook, 'group_id' | 'org_id'>,
): Promise<string> {
  if (webhook.org_id !== null) return webhook.org_id;
  const [row] = await db.rows<{ orgId: string }>(
    'SELECT org_id AS "orgId" FROM groups WHERE id = $1',
    [webhook.group_id],
  );
  if (row === undefined) throw new DomainError('not_found', 'group');
  return row.orgId;
}

/** How many deliveries wait for a place in the queue, counted up to `deliveriesMax`. Uses `webhook_jobs_waiting`. */
export async function countWaiting(
  db: Database,
  webhookId: string,
  deliveriesMax: number,
): Promise<number> {
  const [row] = await db.rows<{ deliveries: number }>(
    `SELECT coalesce(sum(cardinality(offsets)), 0)::integer AS deliveries
     FROM (
       SELECT offsets FROM webhook_jobs WHERE webhook_id = $1 AND queued_at IS NULL LIMIT $2
     ) AS waiting`,
    [webhookId, deliveriesMax],
  );
  return row?.deliveries ?? 0;
}
