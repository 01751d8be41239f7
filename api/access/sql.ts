import type { CredentialProblem } from '../../schemas/http/errors.ts';
import type { Role } from '../../schemas/roles.ts';
import { type EntityKind, entityPlaces } from '../http/requirement.ts';
import type { Statements } from '../stores/database.ts';
import type { ThingCaller, UserCaller } from './caller.ts';

type UserRow = {
  id: string;
  email: string;
  platform_admin: boolean;
  org: string | null;
  api_key_id?: string;
  session_id?: string;
};

/** Uses `org_memberships_first`. */
const userColumns = `users.id, users.email, users.platform_admin,
  (SELECT org_id FROM org_memberships WHERE member_id = users.id
   ORDER BY created_at, org_id LIMIT 1) AS org`;

/** The user of a token, unless a change of password has ended it. Uses the primary key. */
export async function findUser(
  db: Statements,
  id: string,
  tokenGeneration: number,
): Promise<UserCaller | CredentialProblem> {
  const [row] = await db.rows<UserRow & { revoked: boolean }>(
    `SELECT ${userColumns}, token_generation <> $2 AS revoked FROM users WHERE id = $1`,
    [id, tokenGeneration],
    'user',
  );
  if (row === undefined) return 'credential_unknown';
  return row.revoked ? 'credential_revoked' : toCaller(row);
}

/**
 * The user of a session, unless it has ended; an open one notes, once a minute, that it is used. Uses `sessions_value`
 * and the other's primary key.
 */
export async function findUserBySession(
  db: Statements,
  valueHash: Buffer,
  address: string,
): Promise<UserCaller | CredentialProblem> {
  const [row] = await db.rows<UserRow & { revoked: boolean; expired: boolean }>(
    `WITH noted AS (
       UPDATE sessions SET last_used_at = now(), address = $2
       WHERE value_hash = $1 AND revoked_at IS NULL AND last_used_at < now() - interval '1 minute'
     )
     SELECT ${userColumns}, sessions.id AS session_id, sessions.expires_at <= now() AS expired,
            revoked_at IS NOT NULL OR sessions.token_generation <> users.token_generation AS revoked
     FROM sessions JOIN users ON users.id = sessions.user_id
     WHERE sessions.value_hash = $1`,
    [valueHash, address],
    'user_by_session',
  );
  if (row === undefined) return 'credential_unknown';
  if (row.revoked) return 'credential_revoked';
  return row.expired ? 'credential_expired' : toCaller(row);
}

/** The issuer of a key, unless it has expired. Uses `api_keys_value` and on the other's primary key. */
export async function findUserByApiKey(
  db: Statements,
  valueHash: Buffer,
): Promise<UserCaller | CredentialProblem> {
  const [row] = await db.rows<UserRow & { expired: boolean }>(
    `SELECT ${userColumns}, api_keys.id AS api_key_id, coalesce(expires_at <= now(), false) AS expired
     FROM api_keys JOIN users ON users.id = api_keys.issuer_id
     WHERE api_keys.value_hash = $1`,
    [valueHash],
    'user_by_api_key',
  );
  if (row !== undefined) return row.expired ? 'credential_expired' : toCaller(row);
  const revoked = await db.rows('SELECT FROM revoked_api_keys WHERE value_hash = $1', [valueHash]);
  return revoked.length > 0 ? 'credential_revoked' : 'credential_unknown';
}

function toCaller(row: UserRow): UserCaller {
  return {
    kind: 'user',
    id: row.id,
    email: row.email,
    platformAdmin: row.platform_admin,
    apiKeyId: row.api_key_id,
    sessionId: row.session_id,
    org: row.org ?? undefined,
  };
}

type ThingRow = { id: string; org: string };

const thingWithOrg =
  'SELECT things.id, org_id AS org FROM things JOIN groups ON groups.id = things.group_id';

/** Uses `things_key` and the primary key of groups. */
export async function findThingByKey(
  db: Statements,
  lookup: Buffer,
): Promise<ThingCaller | CredentialProblem> {
  const [row] = await db.rows<ThingRow>(`${thingWithOrg} WHERE key_lookup = $1`, [lookup]);
  return row === undefined ? 'credential_unknown' : { kind: 'thing', ...row };
}

/** Uses `things_external_key` and the primary key of groups. */
export async function findThingByExternalKey(
  db: Statements,
  lookup: Buffer,
): Promise<ThingCaller | CredentialProblem> {
  const [row] = await db.rows<ThingRow>(`${thingWithOrg} WHERE external_key_lookup = $1`, [lookup]);
  return row === undefined ? 'credential_unknown' : { kind: 'thing', ...row };
}

/**
 * For the webhook of a thing or a group: the role in the group. For the webhook of an org: the owner of the org
 * only, because it gets the messages of all groups, and no other role in an org gives rights in all of them.
 */
const webhookRoles = `
    SELECT CASE WHEN webhooks.org_id IS NULL THEN in_group.role
                WHEN in_org.role = 'owner' THEN in_org.role END AS role
    FROM webhooks
    LEFT JOIN things ON things.id = webhooks.thing_id
    LEFT JOIN group_memberships AS in_group
      ON in_group.group_id = coalesce(webhooks.group_id, things.group_id) AND in_group.member_id = $2
    LEFT JOIN org_memberships AS in_org
      ON in_org.org_id = webhooks.org_id AND in_org.member_id = $2`;

/** For a dashboard of an org the role in that, for one of a group the role in the group. */
const dashboardRoles = `
    SELECT CASE WHEN dashboards.org_id IS NULL THEN in_group.role ELSE in_org.role END AS role
    FROM dashboards
    LEFT JOIN group_memberships AS in_group
      ON in_group.group_id = dashboards.group_id AND in_group.member_id = $2
    LEFT JOIN org_memberships AS in_org
      ON in_org.org_id = dashboards.org_id AND in_org.member_id = $2`;

/** The role where entities of a table are, by the column that names their org or group. */
const roleIn = (kind: EntityKind, table: string, column: string) => {
  const place = entityPlaces[kind];
  return `
    SELECT member.role
    FROM ${table} AS entity
    LEFT JOIN ${place}_memberships AS member
      ON member.${place}_id = entity.${column} AND member.member_id = $2
    WHERE entity.id = $1`;
};

/** Each uses primary keys: the entity's, its thing's if it is a webhook, and the membership's. */
const roleQueries: Readonly<Record<EntityKind, string>> = {
  org: roleIn('org', 'orgs', 'id'),
  group: roleIn('group', 'groups', 'id'),
  profile: roleIn('profile', 'profiles', 'group_id'),
  thing: roleIn('thing', 'things', 'group_id'),
  webhook: `${webhookRoles} WHERE webhooks.id = $1`,
  command: roleIn('command', 'commands', 'group_id'),
  alarm: roleIn('alarm', 'alarms', 'group_id'),
  silence: roleIn('silence', 'silences', 'group_id'),
  rule: roleIn('rule', 'rules', 'group_id'),
  dashboard: `${dashboardRoles} WHERE dashboards.id = $1`,
  annotation: roleIn('annotation', 'annotations', 'group_id'),
  share: `${dashboardRoles}
    WHERE dashboards.id = (SELECT dashboard_id FROM dashboard_shares WHERE id = $1)`,
};

/** The user's roles where the webhooks are; null for none. Uses primary keys. */
export async function findWebhookRoles(
  db: Statements,
  ids: readonly string[],
  userId: string,
): Promise<(Role | null)[]> {
  const rows = await db.rows<{ role: Role | null }>(
    `${webhookRoles} WHERE webhooks.id = ANY ($1::uuid[])`,
    [ids, userId],
  );
  return rows.map(({ role }) => role);
}

/** The user's role where the entity is: `null` for none, `undefined` if there is no such entity. */
export async function findRole(
  db: Statements,
  kind: EntityKind,
  entityId: string,
  userId: string,
): Promise<Role | null | undefined> {
  const [row] = await db.rows<{ role: Role | null }>(roleQueries[kind], [entityId, userId]);
  return row?.role;
}
