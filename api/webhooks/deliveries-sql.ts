import { DomainError } from '../../schemas/errors.ts';
import type { DeliveriesQuery, WebhookDelivery } from '../../schemas/webhook.ts';
import { type PackKey, pingLogPrefix, placeOfMessage } from '../../schemas/webhook-job.ts';
import type { Database } from '../database.ts';
import { Conditions, findPage, type Page } from '../page.ts';
import { readTime } from '../time.ts';

type DeliveryRow = {
  id: string;
  message_id: string;
  attempt: number;
  tried_at: Date;
  duration_ms: number;
  status: number | null;
  error: string | null;
  answer: Buffer;
};

const columns = 'id, message_id, attempt, tried_at, duration_ms, status, error, answer';

const delivered = 'status IS NOT NULL AND status BETWEEN 200 AND 299';

/** The tries of a webhook. Leans on `webhook_deliveries_webhook`. */
export async function findDeliveries(
  db: Database,
  webhookId: string,
  asked: DeliveriesQuery,
): Promise<Page<WebhookDelivery>> {
  const { message_id: messageId, status, outcome } = asked;
  const conditions = new Conditions();
  conditions.equals('webhook_id', webhookId);
  conditions.equals('message_id', messageId);
  if (status !== undefined) conditions.add(`status = ${conditions.bind(status)}`);
  if (outcome !== undefined)
    conditions.add(outcome === 'delivered' ? delivered : `NOT (${delivered})`);
  addRange(conditions, 'tried_at', asked);
  const list = { columns, from: 'webhook_deliveries', conditions, orders: { id: 'id' }, id: 'id' };
  const { total, rows } = await findPage<DeliveryRow>(db, list, asked);
  return { total, rows: rows.map(toDelivery) };
}

function toDelivery(row: DeliveryRow): WebhookDelivery {
  const { id, tried_at, status, error, answer, ...shown } = row;
  return {
    ...shown,
    id: Number(id),
    tried_at: tried_at.toISOString(),
    ...(status === null ? {} : { status }),
    ...(error === null ? {} : { error }),
    answer: answer.toString('utf8'),
  };
}

type Range = { [End in 'from' | 'to']?: DeliveriesQuery[End] | undefined };

function addRange(conditions: Conditions, column: string, { from, to }: Range): void {
  const at = (time: bigint) =>
    `timestamptz 'epoch' + ${conditions.bind(String(time / 1_000n))}::bigint * interval '1 microsecond'`;
  if (from !== undefined) conditions.add(`${column} >= ${at(readTime('from', from))}`);
  if (to !== undefined) conditions.add(`${column} <= ${at(readTime('to', to))}`);
}

/** What is to be delivered again. */
export type Which =
  | { by: 'message'; messageId: string }
  /** Those whose last try failed. */
  | { by: 'failure' }
  | { by: 'time'; range: Range };

/** A message that is kept: its pack, where it stands in there, and how large the pack is. */
export type KeptMessage = { pack: PackKey; offset: number; bytes: number };

type KeptRow = {
  log: string;
  segment: number;
  first: number;
  last: number;
  offset: number;
  bytes: number;
};

const keptColumns = `pack.log_id AS log, pack.segment, pack.first_offset AS first,
  pack.last_offset AS last, pack.bytes`;

/** Messages of a webhook's thing that are kept, the oldest first. */
export async function findKeptMessages(
  db: Database,
  webhook: { id: string; thing_id: string },
  which: Which,
  limit: number,
): Promise<KeptMessage[]> {
  const rows =
    which.by === 'time'
      ? await findOfTime(db, webhook.thing_id, which.range, limit)
      : await findByIds(db, webhook.thing_id, await idsOf(db, webhook.id, which, limit));
  return rows.map(({ offset, bytes, ...pack }) => ({ pack, offset, bytes }));
}

/** Leans on `webhook_deliveries_webhook`. */
async function idsOf(
  db: Database,
  webhookId: string,
  which: Exclude<Which, { by: 'time' }>,
  limit: number,
): Promise<string[]> {
  if (which.by === 'message') return [which.messageId];
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

/** Leans on the primary key. After a power cut a message may stand in two packs: one is taken. */
async function findByIds(
  db: Database,
  thingId: string,
  ids: readonly string[],
): Promise<KeptRow[]> {
  const places = ids.map(placeOfMessage).filter((place) => place !== undefined);
  return db.rows<KeptRow>(
    `SELECT ${keptColumns}, place.at AS offset
     FROM unnest($1::text[], $2::integer[], $3::integer[]) AS place (log_id, segment, at)
     CROSS JOIN LATERAL (
       SELECT * FROM webhook_packs
       WHERE log_id = place.log_id AND segment = place.segment
         AND first_offset <= place.at AND last_offset >= place.at
       ORDER BY first_offset DESC
       LIMIT 1
     ) AS pack
     WHERE pack.thing_ids[array_position(pack.offsets, place.at)] = $4
     ORDER BY pack.received_at, pack.log_id, pack.segment, place.at`,
    [
      places.map(({ log }) => log),
      places.map(({ segment }) => segment),
      places.map(({ offset }) => offset),
      thingId,
    ],
  );
}

/** Leans on `webhook_packs_things`. */
async function findOfTime(
  db: Database,
  thingId: string,
  range: Range,
  limit: number,
): Promise<KeptRow[]> {
  const conditions = new Conditions();
  const thing = conditions.bind(thingId);
  conditions.add(`pack.thing_ids @> ARRAY[${thing}::uuid]`);
  conditions.add(`message.thing_id = ${thing}`);
  conditions.add(`NOT starts_with(pack.log_id, ${conditions.bind(pingLogPrefix)})`);
  addRange(conditions, 'to_timestamp(message.received_ms / 1000.0)', range);
  return db.rows<KeptRow>(
    `SELECT ${keptColumns}, message.at AS offset
     FROM webhook_packs AS pack,
          unnest(pack.offsets, pack.thing_ids, pack.received_ms) AS message (at, thing_id, received_ms)
     WHERE ${conditions.text}
     ORDER BY message.received_ms, pack.log_id, pack.segment, message.at
     LIMIT ${conditions.bind(limit)}`,
    conditions.values,
  );
}

/** The org of a webhook. Leans on the primary key. */
export async function findOrg(db: Database, webhook: { group_id: string }): Promise<string> {
  const [row] = await db.rows<{ orgId: string }>(
    'SELECT org_id AS "orgId" FROM groups WHERE id = $1',
    [webhook.group_id],
  );
  if (row === undefined) throw new DomainError('not_found', 'group');
  return row.orgId;
}

/** Copies that wait for a place in the queue; not counted further than to `copiesMax`. Leans on `webhook_jobs_waiting`. */
export async function countWaiting(
  db: Database,
  webhookId: string,
  copiesMax: number,
): Promise<number> {
  const [row] = await db.rows<{ copies: number }>(
    `SELECT coalesce(sum(cardinality(offsets)), 0)::integer AS copies
     FROM (
       SELECT offsets FROM webhook_jobs WHERE webhook_id = $1 AND queued_at IS NULL LIMIT $2
     ) AS waiting`,
    [webhookId, copiesMax],
  );
  return row?.copies ?? 0;
}
