import type { Pool } from '../../infra/runtime/stores/postgres.ts';

/** A command that an edge may hand out now: as much of it as tells who wants it. */
export type DueCommand = {
  id: string;
  thingId: string;
  groupId: string;
  /** It was sent to the whole group. */
  isOfGroup: boolean;
  subtopic: string;
};

/** A command that an edge has taken to hand it out. */
export type TakenCommand = DueCommand & {
  /** As its thing gets it: JSON. */
  text: string;
  expiresAtMs: number;
  /** How long it had waited (ms) when it was handed out first; undefined: it was handed out before. */
  waitedMs: number | undefined;
};

/**
 * The commands of these things that are due; with `all`, those too that were handed out a moment ago. None of a thing
 * that is in another group now. Uses `commands_open` and the primary key of things.
 */
export async function findDue(
  pool: Pool,
  things: readonly string[],
  all: boolean,
): Promise<DueCommand[]> {
  const { rows } = await pool.query<DueCommand>({
    name: 'find-due-commands',
    text: `SELECT commands.id, thing_id AS "thingId", commands.group_id AS "groupId",
                  batch_id IS NOT NULL AS "isOfGroup", subtopic
           FROM commands
           JOIN things ON things.id = commands.thing_id AND things.group_id = commands.group_id
           WHERE thing_id = ANY ($1::uuid[]) AND due_at IS NOT NULL AND ($2 OR due_at <= now())
             AND expires_at > now()
           ORDER BY commands.id`,
    values: [things, all],
  });
  return rows;
}

/**
 * Takes commands, each to be handed out by a protocol: no other edge takes them for so many seconds. Those that another
 * one has taken meanwhile are left out, unless `all`. That they are taken may be lost in a crash of PostgreSQL: they are
 * handed out once more then. Uses the primary key.
 */
export async function takeCommands(
  pool: Pool,
  wanted: readonly { id: string; way: string }[],
  all: boolean,
  seconds: number,
): Promise<TakenCommand[]> {
  const { rows } = await pool.query<{
    id: string;
    thing_id: string;
    group_id: string;
    batch_id: string | null;
    subtopic: string;
    command: string;
    params: string | null;
    metadata: string | null;
    created_at: Date;
    expires_at: Date;
    waited_ms: number | null;
  }>({
    name: 'take-commands',
    text: `WITH lenient AS (SELECT set_config('synchronous_commit', 'off', true) AS is_set),
           wanted AS (SELECT id, way FROM unnest($1::uuid[], $2::text[]) AS wanted (id, way))
           UPDATE commands
           SET due_at = now() + make_interval(secs => $3),
               delivered_at = coalesce(delivered_at, now()),
               delivered_by = coalesce(delivered_by, wanted.way),
               deliveries = deliveries + 1
           FROM wanted, lenient
           WHERE commands.id = wanted.id AND due_at IS NOT NULL AND ($4 OR due_at <= now())
             AND expires_at > now() AND lenient.is_set IS NOT NULL
           RETURNING commands.id, thing_id, group_id, batch_id, subtopic, command, params::text, metadata::text,
                     created_at, expires_at,
                     CASE WHEN deliveries = 1
                          THEN extract(epoch FROM clock_timestamp() - created_at)::float8 * 1000 END AS waited_ms`,
    values: [wanted.map(({ id }) => id), wanted.map(({ way }) => way), seconds, all],
  });
  return rows
    .map((row) => ({
      id: row.id,
      thingId: row.thing_id,
      groupId: row.group_id,
      isOfGroup: row.batch_id !== null,
      subtopic: row.subtopic,
      text: textOf(row),
      expiresAtMs: row.expires_at.getTime(),
      waitedMs: row.waited_ms ?? undefined,
    }))
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));
}

/** `params` and `metadata` stand in it as they were sent: numbers keep their digits. */
function textOf(row: {
  id: string;
  group_id: string;
  batch_id: string | null;
  subtopic: string;
  command: string;
  params: string | null;
  metadata: string | null;
  created_at: Date;
  expires_at: Date;
}): string {
  const members = [
    `"id":"${row.id}"`,
    `"command":${JSON.stringify(row.command)}`,
    ...(row.params === null ? [] : [`"params":${row.params}`]),
    ...(row.metadata === null ? [] : [`"metadata":${row.metadata}`]),
    ...(row.subtopic === '' ? [] : [`"subtopic":${JSON.stringify(row.subtopic)}`]),
    ...(row.batch_id === null ? [] : [`"group_id":"${row.group_id}"`]),
    `"created_at":"${row.created_at.toISOString()}"`,
    `"expires_at":"${row.expires_at.toISOString()}"`,
  ];
  return `{${members.join(',')}}`;
}

/** They stay with this edge for so many seconds more. Uses the primary key. */
export async function holdCommands(
  pool: Pool,
  ids: readonly string[],
  seconds: number,
): Promise<void> {
  await pool.query({
    name: 'hold-commands',
    text: `UPDATE commands SET due_at = now() + make_interval(secs => $2)
           WHERE id = ANY ($1::uuid[]) AND due_at IS NOT NULL`,
    values: [ids, seconds],
  });
}

/** They were handed out, and whoever got them has gone: they are due again. Uses the primary key. */
export async function releaseCommands(pool: Pool, ids: readonly string[]): Promise<void> {
  await pool.query({
    name: 'release-commands',
    text: 'UPDATE commands SET due_at = now() WHERE id = ANY ($1::uuid[]) AND due_at IS NOT NULL',
    values: [ids],
  });
}

/**
 * Things have them. Gives the ids of those that are commands of their things, and how many were not acknowledged before.
 * Uses the primary key.
 */
export async function acknowledgeCommands(
  pool: Pool,
  acks: readonly { id: string; thingId: string }[],
): Promise<{ known: Set<string>; fresh: number }> {
  const { rows } = await pool.query<{ id: string; is_fresh: boolean }>({
    name: 'acknowledge-commands',
    text: `WITH given AS (SELECT id, thing_id FROM unnest($1::uuid[], $2::uuid[]) AS given (id, thing_id)),
           done AS (
             UPDATE commands
             SET acknowledged_at = now(), due_at = NULL, delivered_at = coalesce(delivered_at, now())
             FROM given
             WHERE commands.id = given.id AND commands.thing_id = given.thing_id AND acknowledged_at IS NULL
           )
           SELECT commands.id, acknowledged_at IS NULL AS is_fresh
           FROM commands JOIN given USING (id, thing_id)`,
    values: [acks.map(({ id }) => id), acks.map(({ thingId }) => thingId)],
  });
  return {
    known: new Set(rows.map(({ id }) => id)),
    fresh: rows.filter(({ is_fresh: isFresh }) => isFresh).length,
  };
}

/** A place in the order in which commands become due: the text of a time of PostgreSQL. */
export type DuePlace = string;

/**
 * The things of commands that became due after a place, or a while before it: who makes one may commit it late. Gives the
 * next place. Without a place there are none. Uses `commands_due`.
 */
export async function findNewlyDue(
  pool: Pool,
  after: DuePlace | undefined,
  { overlapSeconds, rowsMax }: { overlapSeconds: number; rowsMax: number },
): Promise<{ things: Set<string>; place: DuePlace; isAll: boolean }> {
  const { rows } = await pool.query<{ thing_id: string | null; due: string }>({
    name: 'find-newly-due-commands',
    text: `(SELECT NULL AS thing_id, now()::text AS due)
           UNION ALL
           (SELECT thing_id, due_at::text AS due
            FROM commands
            WHERE due_at > $1::timestamptz AND due_at <= now() AND expires_at > now()
            ORDER BY due_at LIMIT $2)`,
    values: [after ?? 'infinity', rowsMax],
  });
  const things = new Set(rows.flatMap(({ thing_id: id }) => id ?? []));
  const isAll = rows.length <= rowsMax;
  const end = isAll ? rows.find(({ thing_id: id }) => id === null)?.due : rows.at(-1)?.due;
  if (end === undefined) throw new Error('PostgreSQL told no time');
  if (!isAll) return { things, place: end, isAll };
  const overlap = Date.parse(end) - overlapSeconds * 1_000;
  return { things, place: new Date(overlap).toISOString(), isAll };
}
