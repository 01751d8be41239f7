import { activeMs, silentMs } from '../../../schemas/fleet-states.ts';
import type { Overview } from '../../../schemas/resources/overview.ts';
import type { UserCaller } from '../../access/caller.ts';
import { addPlace, addReach, type Scope } from '../../access/reach.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';

/** So many alarms, webhooks and orgs are told of by name. */
const namedMax = 5;

type Times = Pick<Overview['webhooks']['longest'][number], 'failing_since' | 'disabled_at'>;
type OverviewRow = {
  at: Date;
  things: Omit<Overview['things'], 'total'>;
  refused: Overview['refused'];
  over_quota: Overview['over_quota'];
  alarms: Omit<Overview['alarms'], 'worst'>;
  worst: Overview['alarms']['worst'];
  failing: number;
  longest: { id: string; name: string; failing_since: string | null; disabled_at: string | null }[];
  lag_seconds: number;
  bytes: number | null;
};

/**
 * All of it in one statement, and so of one moment. Things are counted in the narrow tables of when they were heard, which
 * know their group. Uses `group_memberships_member`, `groups_name`, `things_seen_group`, `things_unheard_group`,
 * `alarms_open`, `webhooks_failing`, `org_memberships_first` and primary keys; of all that there is, it reads the first two
 * tables and the quotas whole.
 */
export async function findOverview(
  db: Database,
  user: UserCaller,
  scope: Scope,
): Promise<Overview> {
  const conditions = new Conditions();
  addReach(conditions, 'group_id', user);
  addPlace(conditions, 'group_id', scope);
  const isIn = conditions.text;
  const [row] = await db.search<OverviewRow>(
    `SELECT now() AS at, heard.*, refused.*, quotas.*, open.*, webhooks.*, NULL::int AS bytes,
       (${lag}) AS lag_seconds
     FROM (${countStates(conditions, isIn)}) AS heard
     CROSS JOIN (${countRefused(isIn)}) AS refused
     CROSS JOIN (${findOverQuota(isMember(conditions, user, scope))}) AS quotas
     CROSS JOIN (${findOpenAlarms(isIn)}) AS open
     CROSS JOIN (${findFailing(isIn, isOwned(conditions, user, scope))}) AS webhooks`,
    conditions.values,
    { isHeavy: false, isLarge: false },
  );
  if (row === undefined) throw new Error('an aggregate gave no row');
  return toOverview(row);
}

function toOverview(row: OverviewRow): Overview {
  const { at, things, refused, over_quota, alarms, worst, failing, longest } = row;
  const before = (ms: number) => new Date(at.getTime() - ms).toISOString();
  const { active, quiet, silent, never } = things;
  return {
    at: at.toISOString(),
    active_since: before(activeMs),
    silent_since: before(silentMs),
    things: { total: active + quiet + silent + never, ...things },
    refused,
    over_quota,
    alarms: {
      ...alarms,
      worst: worst.map((one) => ({ ...one, fired_at: written(one.fired_at) })),
    },
    webhooks: {
      failing,
      longest: longest.map(({ id, name, ...times }) => ({ id, name, ...timesOf(times) })),
    },
    lag_seconds: row.lag_seconds,
  };
}

function timesOf(times: { failing_since: string | null; disabled_at: string | null }): Times {
  const { failing_since: failing, disabled_at: disabled } = times;
  return {
    ...(failing === null ? {} : { failing_since: written(failing) }),
    ...(disabled === null ? {} : { disabled_at: written(disabled) }),
  };
}

/** PostgreSQL writes times in JSON with microseconds. */
const written = (time: string) => new Date(time).toISOString();

function countStates(conditions: Conditions, isIn: string): string {
  const since = (ms: number) => `now() - make_interval(secs => ${conditions.bind(ms / 1_000)})`;
  const [active, silent] = [since(activeMs), since(silentMs)];
  return `
    SELECT json_build_object('active', active, 'quiet', quiet, 'silent', heard - active - quiet,
                             'never', (SELECT count(*)
                                       FROM (SELECT in_group AS group_id FROM things_unheard) AS unheard WHERE ${isIn})) AS things
    FROM (
      SELECT count(*) AS heard, count(*) FILTER (WHERE seen_at >= ${active}) AS active,
        count(*) FILTER (WHERE seen_at >= ${silent} AND seen_at < ${active}) AS quiet
      FROM (SELECT in_group AS group_id, seen_at FROM things_seen) AS seen WHERE ${isIn}
    ) AS counted`;
}

const countRefused = (isIn: string) => `
  SELECT json_build_object('things', count(*), 'messages', coalesce(sum(messages), 0)) AS refused
  FROM things_refused JOIN things ON things.id = thing_id
  WHERE ${isIn}`;

/** As edges count: at the quota, each message is refused. Whoever has sent nothing this month has no row of it. */
const findOverQuota = (isMemberOf: string) => `
  SELECT json_build_object('total', count(*),
                           'orgs', coalesce(json_agg(json_build_object('id', id, 'name', name) ORDER BY place)
                                            FILTER (WHERE place <= ${namedMax}), '[]')) AS over_quota
  FROM (
    SELECT orgs.id, orgs.name, row_number() OVER (ORDER BY orgs.name, orgs.id) AS place
    FROM org_quotas AS quota JOIN orgs ON orgs.id = quota.org_id
    WHERE messages_per_month <= coalesce((
        SELECT messages FROM org_usage AS usage
        WHERE usage.org_id = quota.org_id
          AND usage.month = date_trunc('month', now() AT TIME ZONE 'UTC')::date
      ), 0)
      AND ${isMemberOf}
  ) AS listed`;

/** Orgs are shown to their members alone: who is only in a group of one may not know of it. */
function isMember(conditions: Conditions, user: UserCaller, scope: Scope): string {
  const isHere = hereIs(conditions, scope);
  if (user.platformAdmin) return isHere;
  return `${isHere} AND orgs.id IN (SELECT org_id FROM org_memberships
                                   WHERE member_id = ${conditions.bind(user.id)})`;
}

function hereIs(conditions: Conditions, scope: Scope): string {
  if (scope.of === 'all') return 'true';
  if (scope.of === 'profile') return 'false';
  const id = conditions.bind(scope.id);
  return `orgs.id = ${scope.of === 'org' ? id : `(SELECT org_id FROM groups WHERE id = ${id})`}`;
}

const severity = `array_position(ARRAY['info', 'warning', 'critical'], severity)`;
const findOpenAlarms = (isIn: string) => `
  SELECT json_build_object('critical', count(*) FILTER (WHERE severity = 'critical'),
                           'warning', count(*) FILTER (WHERE severity = 'warning'),
                           'info', count(*) FILTER (WHERE severity = 'info')) AS alarms,
    coalesce((
      SELECT json_agg(worst)
      FROM (
        SELECT id, severity, rule_name, thing_id,
          (SELECT name FROM things WHERE things.id = alarms.thing_id) AS thing_name, group_id, fired_at
        FROM alarms WHERE ended_at IS NULL AND ${isIn}
        ORDER BY ${severity} DESC, fired_at DESC, id DESC LIMIT ${namedMax}
      ) AS worst
    ), '[]') AS worst
  FROM alarms WHERE ended_at IS NULL AND ${isIn}`;

const findFailing = (isIn: string, owned: string) => `
  SELECT count(*)::int AS failing,
    coalesce(json_agg(json_build_object('id', id, 'name', name, 'failing_since', failing_since,
                                        'disabled_at', disabled_at) ORDER BY place)
             FILTER (WHERE place <= ${namedMax}), '[]') AS longest
  FROM (
    SELECT id, name, failing_since, disabled_at,
      row_number() OVER (ORDER BY coalesce(disabled_at, failing_since), id) AS place
    FROM (
      SELECT webhooks.id, webhooks.name, failing_since, disabled_at, webhooks.org_id,
        coalesce(webhooks.group_id, things.group_id) AS group_id
      FROM webhooks LEFT JOIN things ON things.id = webhooks.thing_id
      WHERE failing_since IS NOT NULL OR disabled_why IN ('gone', 'failing')
    ) AS placed
    WHERE (group_id IS NOT NULL AND ${isIn}) OR (org_id IS NOT NULL AND ${owned})
  ) AS listed`;

/** Those of an org itself are for its owners. */
function isOwned(conditions: Conditions, user: UserCaller, scope: Scope): string {
  if (scope.of === 'group' || scope.of === 'profile') return 'false';
  const isHere = scope.of === 'org' ? `org_id = ${conditions.bind(scope.id)}` : 'true';
  if (user.platformAdmin) return isHere;
  return `${isHere} AND org_id IN (SELECT org_id FROM org_memberships
                                  WHERE member_id = ${conditions.bind(user.id)} AND role = 'owner')`;
}

/** How long messages have waited for the store, as the edges that run measured it. Reads a small table whole. */
const lag = `
  SELECT coalesce(max(greatest((figures ->> 'unsent_seconds:senml')::float8,
                               (figures ->> 'unsent_seconds:json')::float8, 0)), 0)
  FROM processes
  WHERE kind = 'edge' AND stopped_at IS NULL AND seen_at > now() - interval '45 seconds'`;
