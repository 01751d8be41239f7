import { DomainError } from '../../../schemas/http/errors.ts';
import { includesRole } from '../../../schemas/roles.ts';
import type { webhookOrders } from '../../../schemas/resources/webhook.ts';
import { lacks } from '../../access/authorize.ts';
import type { UserCaller } from '../../access/caller.ts';
import { findWebhookRoles } from '../../access/sql.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { limits } from '../../limits.ts';
import { type ListQuery, metadataFilterOf } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

/** A webhook, with its headers and its secret sealed. */
export type StoredWebhook = {
  id: string;
  /** Null for a webhook of a group or an org. */
  thing_id: string | null;
  /** The group of the thing, or of the webhook; null for a webhook of an org. */
  group_id: string | null;
  /** The org of the webhook; null for one of a thing or a group. */
  org_id: string | null;
  name: string;
  url: string;
  /** JSON; null: none. */
  headersSealed: Buffer | null;
  messages: boolean;
  metadata: Record<string, unknown>;
  secretSealed: Buffer | null;
  failing_since: Date | null;
  disabled_at: Date | null;
  disabled_why: string | null;
  /** Deliveries that were dropped, because the org kept too many bytes, or they waited for too long. */
  missed_deliveries: number;
  missed_from: Date | null;
  missed_to: Date | null;
};

export const noneMissed = { missed_deliveries: 0, missed_from: null, missed_to: null };

export type WebhookToInsert = Pick<
  StoredWebhook,
  'id' | 'name' | 'url' | 'headersSealed' | 'messages' | 'metadata' | 'secretSealed'
>;

/** The thing, group or org that has webhooks. */
type WebhookPlace = { of: 'thing' | 'group' | 'org'; id: string };

/** How each is locked, and its column in `webhooks`. Things and groups can still be created in it. */
const places = {
  thing: {
    name: 'a thing',
    hold: 'SELECT id AS thing_id, group_id, NULL AS org_id FROM things WHERE id = $1 FOR NO KEY UPDATE',
    column: 'thing_id',
  },
  group: {
    name: 'a group',
    hold: 'SELECT NULL AS thing_id, id AS group_id, NULL AS org_id FROM groups WHERE id = $1 FOR NO KEY UPDATE',
    column: 'group_id',
  },
  org: {
    name: 'an org',
    hold: 'SELECT NULL AS thing_id, NULL AS group_id, id AS org_id FROM orgs WHERE id = $1 FOR NO KEY UPDATE',
    column: 'org_id',
  },
} as const;

/**
 * Creates webhooks of a place, all or none; returns the place, `undefined` if it is gone. Locks it
 * meanwhile, so that webhooks created at the same moment are counted. Uses primary keys and
 * `webhooks_thing`, `webhooks_group` or `webhooks_org`.
 *
 * @throws DomainError `conflict` if it would have too many.
 */
export async function insertWebhooks(
  db: Database,
  place: WebhookPlace,
  webhooks: WebhookToInsert[],
): Promise<Pick<StoredWebhook, 'thing_id' | 'group_id' | 'org_id'> | undefined> {
  const { name, hold, column } = places[place.of];
  return db.transaction(async (work) => {
    const [held] = await work.rows<Pick<StoredWebhook, 'thing_id' | 'group_id' | 'org_id'>>(hold, [
      place.id,
    ]);
    if (held === undefined) return undefined;
    const [row] = await work.rows<{ count: number }>(
      `SELECT count(*)::int AS count FROM webhooks WHERE ${column} = $1`,
      [place.id],
    );
    if ((row?.count ?? 0) + webhooks.length > limits.webhooksPerPlaceMax) {
      throw new DomainError(
        'conflict',
        `${name} has at most ${limits.webhooksPerPlaceMax} webhooks`,
      );
    }
    await work.rows(
      `INSERT INTO webhooks (id, ${column}, name, url, headers_sealed, metadata, secret_sealed, messages)
       SELECT id, $1, name, url, headers_sealed, metadata, secret_sealed, messages
       FROM unnest($2::uuid[], $3::text[], $4::text[], $5::bytea[], $6::jsonb[], $7::bytea[], $8::boolean[])
         AS given (id, name, url, headers_sealed, metadata, secret_sealed, messages)`,
      [
        place.id,
        webhooks.map((webhook) => webhook.id),
        webhooks.map((webhook) => webhook.name),
        webhooks.map((webhook) => webhook.url),
        webhooks.map((webhook) => webhook.headersSealed),
        webhooks.map((webhook) => JSON.stringify(webhook.metadata)),
        webhooks.map((webhook) => webhook.secretSealed),
        webhooks.map((webhook) => webhook.messages),
      ],
    );
    return held;
  });
}

const columns = `webhooks.id, webhooks.thing_id, coalesce(webhooks.group_id, things.group_id) AS group_id,
  webhooks.org_id, webhooks.name, webhooks.url,
  webhooks.headers_sealed AS "headersSealed", webhooks.messages, webhooks.metadata, webhooks.secret_sealed AS "secretSealed",
  webhooks.failing_since, webhooks.disabled_at, webhooks.disabled_why, webhooks.missed_deliveries::float8,
  webhooks.missed_from, webhooks.missed_to`;
const from = 'webhooks LEFT JOIN things ON things.id = webhooks.thing_id';

/** Uses the primary keys. */
export async function findWebhook(db: Database, id: string): Promise<StoredWebhook | undefined> {
  const [row] = await db.rows<StoredWebhook>(
    `SELECT ${columns} FROM ${from} WHERE webhooks.id = $1`,
    [id],
  );
  return row;
}

const orders: Readonly<Record<(typeof webhookOrders)[number], string>> = {
  id: 'webhooks.id',
  name: 'webhooks.name',
  // The part that viewers see: from the order of whole URLs, one who makes some could find out others.
  url: `substring(webhooks.url FROM '^[^/]*//[^/?#]*')`,
  created_at: 'webhooks.created_at',
  updated_at: 'webhooks.updated_at',
};

const groupsOf = {
  group: (id: string) => `SELECT ${id}::uuid`,
  org: (id: string) => `SELECT groups.id FROM groups WHERE groups.org_id = ${id}`,
} as const;

/**
 * The webhooks of a thing; or those of a group or an org, and of all in it. Uses `webhooks_thing`,
 * `webhooks_group`, `webhooks_org`, `things_name` and `groups_name`.
 */
export async function findWebhooks(
  db: Database,
  place: WebhookPlace,
  query: ListQuery,
): Promise<ListPage<StoredWebhook>> {
  const conditions = new Conditions();
  const id = conditions.bind(place.id);
  if (place.of === 'thing') {
    conditions.add(`webhooks.thing_id = ${id}`);
  } else {
    const groups = groupsOf[place.of](id);
    conditions.add(`webhooks.id IN (
      SELECT id FROM webhooks WHERE ${places[place.of].column} = ${id}
      UNION ALL
      SELECT id FROM webhooks WHERE group_id IN (${groups})
      UNION ALL
      SELECT webhooks.id FROM things JOIN webhooks ON webhooks.thing_id = things.id
      WHERE things.group_id IN (${groups})
    )`);
  }
  conditions.containsText('webhooks.name', query.name);
  conditions.containsJson('webhooks.metadata', metadataFilterOf(query));
  const list = { columns, from, conditions, orders, id: 'webhooks.id' };
  return findPage<StoredWebhook>(db, list, query);
}

/** Locks a webhook until the transaction ends; returns what of it is sealed. Uses the primary key. */
export async function lockWebhook(
  db: Statements,
  id: string,
): Promise<Pick<StoredWebhook, 'secretSealed' | 'headersSealed'> | undefined> {
  const [row] = await db.rows<Pick<StoredWebhook, 'secretSealed' | 'headersSealed'>>(
    `SELECT secret_sealed AS "secretSealed", headers_sealed AS "headersSealed"
     FROM webhooks WHERE id = $1 FOR NO KEY UPDATE`,
    [id],
  );
  return row;
}

/** Why a webhook is disabled that a user disabled. */
const byUser = 'by_user';

/** A change of a webhook; undefined members stay as they are. */
type WebhookUpdate = {
  name: string | undefined;
  url: string | undefined;
  /** Other headers; null: none. */
  headersSealed: Buffer | null | undefined;
  messages: boolean | undefined;
  metadata: Record<string, unknown> | undefined;
  /** Another secret; null: nothing is signed from now on. */
  secretSealed: Buffer | null | undefined;
  /** Undefined: what a user disabled stays so, all else is enabled. */
  disabled: boolean | undefined;
};

/**
 * Sets what is given, and enables or disables the webhook. A secret that is replaced also signs for this many seconds.
 * After another URL, headers or secret, or once it is enabled, it may be well again; any other change leaves it
 * failing since when it was. Uses the primary key.
 */
export async function updateWebhook(
  db: Statements,
  id: string,
  { name, url, headersSealed, messages, metadata, secretSealed, disabled }: WebhookUpdate,
  previousSeconds: number,
): Promise<void> {
  await db.rows(
    `UPDATE webhooks
     SET name = coalesce($2, name),
         url = coalesce($3, url),
         headers_sealed = CASE WHEN $4 THEN $11::bytea ELSE headers_sealed END,
         metadata = coalesce($5, metadata),
         messages = coalesce($12, messages),
         secret_sealed = CASE WHEN $6 THEN $7::bytea ELSE secret_sealed END,
         previous_secret_sealed = CASE WHEN NOT $6 THEN previous_secret_sealed
                                       WHEN $7::bytea IS NOT NULL THEN secret_sealed END,
         previous_secret_until = CASE WHEN NOT $6 THEN previous_secret_until
                                      WHEN $7::bytea IS NOT NULL AND secret_sealed IS NOT NULL
                                        THEN now() + make_interval(secs => $8) END,
         failing_since = CASE WHEN $9::boolean IS NULL AND disabled_at IS NULL AND NOT $4 AND NOT $6
                                   AND coalesce($3, url) = url THEN failing_since END,
         disabled_at = CASE WHEN coalesce($9, disabled_why = $10) THEN coalesce(disabled_at, now()) END,
         disabled_why = CASE WHEN coalesce($9, disabled_why = $10) THEN $10 END,
         updated_at = now()
     WHERE id = $1`,
    [
      id,
      name ?? null,
      url ?? null,
      headersSealed !== undefined,
      metadata === undefined ? null : JSON.stringify(metadata),
      secretSealed !== undefined,
      secretSealed ?? null,
      previousSeconds,
      disabled ?? null,
      byUser,
      headersSealed ?? null,
      messages ?? null,
    ],
  );
}

/**
 * Deletes webhooks, all or none, each of them one that the user may edit. Uses the primary keys of
 * webhooks, things and memberships.
 *
 * @throws DomainError `not_found` if one is absent, `forbidden` if the user is no editor.
 */
export async function deleteWebhooks(db: Database, user: UserCaller, ids: string[]): Promise<void> {
  await db.transaction(async (work) => {
    // In the order of their ids, so that two transactions with the same ids do not wait for each other.
    const held = await work.rows(
      'SELECT id FROM webhooks WHERE id = ANY ($1::uuid[]) ORDER BY id FOR UPDATE',
      [ids],
    );
    if (held.length < ids.length) throw new DomainError('not_found', 'webhook');
    if (!user.platformAdmin) {
      const roles = await findWebhookRoles(work, ids, user.id);
      const may = roles.every((role) => role !== null && includesRole(role, 'editor'));
      if (!may) throw lacks('editor', 'webhook');
    }
    await work.rows('DELETE FROM webhooks WHERE id = ANY ($1::uuid[])', [ids]);
  });
}

/** Tells the audit log that messages are delivered again. Uses the primary key. */
export async function noteReplay(db: Statements, id: string, told: string): Promise<void> {
  await db.rows(
    `SELECT audit_done('webhook', 'replay', to_jsonb(webhooks), $2) FROM webhooks WHERE id = $1`,
    [id, told],
  );
}
