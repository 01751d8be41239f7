import type { Pool, PoolClient } from '../../../infra/runtime/stores/postgres.ts';
import { columnsOf } from '../../../infra/runtime/webhooks/bundles.ts';
import type { BundleKey } from '../../../schemas/internal/webhook-job.ts';

/** An attempt, as its row in `webhook_deliveries` has it. */
export type AttemptRow = {
  webhookId: string;
  messageId: string;
  /** Of the request that brought the message; null if that is not known. */
  requestId: string | null;
  attempt: number;
  triedAtMs: number;
  durationMs: number;
  status: number | null;
  error: string | null;
  /** In base64. */
  answer: string;
};

/**
 * Attempts at deleted webhooks are left out. Returns those of the webhooks whose rows say that they fail. Uses the
 * primary key of `webhooks`.
 */
export async function insertAttempts(
  pool: Pool,
  rows: readonly AttemptRow[],
): Promise<ReadonlySet<string>> {
  const failing = await pool.query<{ id: string }>({
    name: 'insert-webhook-deliveries',
    // As one value, although rows have no lists: pg would write each element of nine arrays out by itself.
    text: `
      WITH tried AS (
        SELECT * FROM ROWS FROM (json_to_recordset($1::json) AS (
          "webhookId" uuid, "messageId" text, "requestId" text, attempt integer, "triedAtMs" float8,
          "durationMs" integer, status integer, error text, answer text
        )) WITH ORDINALITY AS tried
      ),
      held AS (
        SELECT id, failing_since FROM webhooks
        WHERE id IN (SELECT "webhookId" FROM tried)
        ORDER BY id FOR KEY SHARE OF webhooks
      ),
      inserted AS (
        INSERT INTO webhook_deliveries
          (webhook_id, message_id, request_id, attempt, tried_at, duration_ms, status, error, answer)
        SELECT held.id, "messageId", "requestId", attempt, to_timestamp("triedAtMs" / 1000), "durationMs",
               status, error, decode(answer, 'base64')
        FROM tried JOIN held ON held.id = "webhookId"
        ORDER BY ordinality
      )
      SELECT id FROM held WHERE failing_since IS NOT NULL`,
    values: [JSON.stringify(rows)],
  });
  return new Set(failing.rows.map(({ id }) => id));
}

/** Notes since when webhooks fail, where that is not known yet. Uses the primary key. */
export async function noteFailing(
  pool: Pool,
  since: readonly { webhookId: string; at: Date }[],
): Promise<void> {
  await pool.query(
    `UPDATE webhooks SET failing_since = noted.at
     FROM unnest($1::uuid[], $2::timestamptz[]) AS noted (id, at)
     WHERE webhooks.id = noted.id AND failing_since IS NULL`,
    [since.map(({ webhookId }) => webhookId), since.map(({ at }) => at)],
  );
}

/** These webhooks don't fail any more. Uses the primary key. */
export async function noteSuccess(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query(
    `UPDATE webhooks SET failing_since = NULL
     WHERE id = ANY ($1::uuid[]) AND failing_since IS NOT NULL`,
    [ids],
  );
}

/** The facts for the mail about a disabled webhook, and who gets it. Of thing, group and org two are null. */
export type Disabled = {
  name: string;
  thing: string | null;
  group: string | null;
  org: string;
  ownerEmail: string;
};

/**
 * Disables a webhook that still calls this URL and, where `failingBefore` is given, has only failed since before then.
 * Undefined when it was disabled, changed or deleted meanwhile. Uses the primary keys and `webhook_deliveries_webhook`.
 */
export async function disable(
  client: PoolClient,
  webhook: { id: string; url: string; why: string; failingBefore: Date | null },
): Promise<Disabled | undefined> {
  const { rows } = await client.query<Disabled>(
    `WITH disabled AS (
       UPDATE webhooks SET disabled_at = now(), disabled_why = $3
       WHERE id = $1 AND url = $2 AND disabled_at IS NULL
         AND ($4::timestamptz IS NULL OR failing_since < $4 AND NOT EXISTS (
           SELECT FROM webhook_deliveries
           WHERE webhook_id = $1 AND tried_at > failing_since AND status BETWEEN 200 AND 299
         ))
       RETURNING name, thing_id, group_id, org_id
     )
     SELECT disabled.name, things.name AS thing,
            CASE WHEN disabled.group_id IS NOT NULL THEN groups.name END AS group,
            orgs.name AS org, users.email AS "ownerEmail"
     FROM disabled
     LEFT JOIN things ON things.id = disabled.thing_id
     LEFT JOIN groups ON groups.id = coalesce(disabled.group_id, things.group_id)
     JOIN orgs ON orgs.id = coalesce(disabled.org_id, groups.org_id)
     JOIN users ON users.id = orgs.owner_id`,
    [webhook.id, webhook.url, webhook.why, webhook.failingBefore],
  );
  return rows[0];
}

/** In the transaction that causes the mail. */
export async function insertMail(client: PoolClient, id: string, message: object): Promise<void> {
  await client.query('INSERT INTO mail_outbox (id, message) VALUES ($1, $2)', [
    id,
    JSON.stringify(message),
  ]);
}

/** Deletes some of the old attempts; returns how many. Uses `webhook_deliveries_tried`. */
export async function deleteOldAttempts(
  pool: Pool,
  keptDays: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_deliveries WHERE id IN (
       SELECT id FROM webhook_deliveries
       WHERE tried_at < now() - make_interval(days => $1)
       LIMIT $2
       FOR UPDATE SKIP LOCKED
     )`,
    [keptDays, rowsMax],
  );
  return rowCount ?? 0;
}

/** Deletes some of the attempts over the number that is kept; returns how many. Uses the primary key. */
export async function deleteSurplusAttempts(
  pool: Pool,
  keptRows: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_deliveries WHERE id IN (
       SELECT id FROM webhook_deliveries
       WHERE id <= (SELECT max(id) FROM webhook_deliveries) - $1
       ORDER BY id LIMIT $2
       FOR UPDATE SKIP LOCKED
     )`,
    [keptRows, rowsMax],
  );
  return rowCount ?? 0;
}

const isKey = `(bundle.log_id, bundle.segment, bundle.first_offset, bundle.last_offset)
         = (key.log_id, key.segment, key.first_offset, key.last_offset)`;
const keys = `unnest($1::text[], $2::integer[], $3::integer[], $4::integer[])
          AS key (log_id, segment, first_offset, last_offset)`;
const ofBundle = `webhook_jobs.log_id = bundle.log_id AND webhook_jobs.segment = bundle.segment
         AND webhook_jobs.first_offset = bundle.first_offset AND webhook_jobs.last_offset = bundle.last_offset`;

/**
 * Settles those of these bundles that have no deliveries left; they are kept only to be replayed. Uses the primary key
 * and `webhook_jobs_bundle`.
 */
export async function settleBundles(pool: Pool, bundles: readonly BundleKey[]): Promise<void> {
  if (bundles.length === 0) return;
  await pool.query({
    name: 'settle-bundles',
    text: `UPDATE webhook_bundles AS bundle SET settled_at = now() FROM ${keys}
           WHERE ${isKey} AND settled_at IS NULL
             AND NOT EXISTS (SELECT FROM webhook_jobs WHERE ${ofBundle})`,
    values: columnsOf(bundles),
  });
}

const bundleKey = 'log_id, segment, first_offset, last_offset';

/**
 * Deletes some of the oldest bundles; returns how many. Those not settled are kept for longer. Uses
 * `webhook_bundles_received` and `webhook_jobs_bundle`.
 */
export async function deleteOldBundles(
  pool: Pool,
  keptDays: { settled: number; unsettled: number },
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_bundles WHERE (${bundleKey}) IN (
       SELECT ${bundleKey} FROM webhook_bundles AS bundle
       WHERE received_at < now() - make_interval(days => $1) AND settled_at IS NOT NULL
         AND NOT EXISTS (SELECT FROM webhook_jobs WHERE ${ofBundle})
          OR received_at < now() - make_interval(days => $2)
       ORDER BY received_at LIMIT $3
       FOR UPDATE SKIP LOCKED
     )`,
    [keptDays.settled, keptDays.unsettled, rowsMax],
  );
  return rowCount ?? 0;
}

/**
 * Deletes some of the settled bundles over the number that is kept, by Postgres' own count; returns how many. Uses
 * `webhook_bundles_received`.
 */
export async function deleteSurplusBundles(
  pool: Pool,
  keptRows: number,
  rowsMax: number,
): Promise<number> {
  const { rowCount } = await pool.query(
    `DELETE FROM webhook_bundles WHERE (${bundleKey}) IN (
       SELECT ${bundleKey} FROM webhook_bundles AS bundle
       WHERE settled_at IS NOT NULL AND NOT EXISTS (SELECT FROM webhook_jobs WHERE ${ofBundle})
       ORDER BY received_at
       LIMIT (
         SELECT least($2, greatest(0, n_live_tup - $1))
         FROM pg_stat_user_tables WHERE relname = 'webhook_bundles'
       )
       FOR UPDATE SKIP LOCKED
     )`,
    [keptRows, rowsMax],
  );
  return rowCount ?? 0;
}
