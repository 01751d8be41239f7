import type { Command, CommandsQuery, commandOrders } from '../../../schemas/resources/command.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type CommandRow = {
  id: string;
  thing_id: string;
  group_id: string;
  batch_id: string | null;
  subtopic: string;
  command: string;
  params: unknown;
  metadata: Record<string, unknown> | null;
  state: Command['state'];
  sender_type: Command['sender_type'];
  sender_id: string;
  created_at: Date;
  expires_at: Date;
  delivered_at: Date | null;
  delivered_by: string | null;
  deliveries: number;
  acknowledged_at: Date | null;
};

const state = `CASE WHEN acknowledged_at IS NOT NULL THEN 'acknowledged'
  WHEN expires_at <= now() THEN 'expired'
  WHEN delivered_at IS NOT NULL THEN 'delivered'
  ELSE 'queued' END`;

const columns = `id, thing_id, group_id, batch_id, subtopic, command, params, metadata, ${state} AS state, sender_type,
  sender_id, created_at, expires_at, delivered_at, delivered_by, deliveries, acknowledged_at`;

const orders: Readonly<Record<(typeof commandOrders)[number], string>> = {
  id: 'id',
  created_at: 'created_at',
  expires_at: 'expires_at',
};

/** Uses the primary key. */
export async function findCommand(db: Database, id: string): Promise<Command | undefined> {
  const [row] = await db.rows<CommandRow>(`SELECT ${columns} FROM commands WHERE id = $1`, [id]);
  return row && toCommand(row);
}

/** Those to a thing, or to the things of a group. Uses `commands_thing` or `commands_group`. */
export async function findCommands(
  db: Database,
  place: { of: 'thing' | 'group'; id: string },
  query: CommandsQuery,
): Promise<ListPage<Command>> {
  const conditions = new Conditions();
  conditions.equals(place.of === 'thing' ? 'thing_id' : 'group_id', place.id);
  conditions.equals(state, query.state);
  conditions.equals('batch_id', query.batch_id);
  const list = { columns, from: 'commands', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<CommandRow>(db, list, query);
  return { total, rows: rows.map(toCommand) };
}

/** Whether it was withdrawn: it was there, and nobody had sent it on. Uses the primary key. */
export async function withdrawCommand(db: Database, id: string): Promise<boolean> {
  const [row] = await db.change<{ withdrawn: boolean }>(
    'SELECT withdraw_command($1) AS withdrawn',
    [id],
  );
  return row?.withdrawn ?? false;
}

/**
 * Closes commands whose time is over, some at a time: no edge looks at them any more. Several processes may do it at once.
 * Gives how many. Uses `commands_expiry`.
 */
export async function closeExpired(db: Database): Promise<number> {
  const rows = await db.rows(
    `UPDATE commands SET due_at = NULL
     WHERE id IN (
       SELECT id FROM commands WHERE due_at IS NOT NULL AND expires_at <= now()
       ORDER BY expires_at LIMIT $1 FOR UPDATE SKIP LOCKED
     )
     RETURNING id`,
    [limits.commandsAtOnce],
  );
  return rows.length;
}

/** Deletes closed commands that are older, some at a time. Whether there may be more. Uses `commands_created`. */
export async function deleteOldCommands(db: Database, days: number): Promise<boolean> {
  const rows = await db.rows(
    `DELETE FROM commands
     WHERE id IN (
       SELECT id FROM commands WHERE created_at < now() - make_interval(days => $1) AND due_at IS NULL
       ORDER BY created_at LIMIT $2 FOR UPDATE SKIP LOCKED
     )
     RETURNING id`,
    [days, limits.commandsAtOnce],
  );
  return rows.length === limits.commandsAtOnce;
}

function toCommand(row: CommandRow): Command {
  const { batch_id, subtopic, params, metadata, delivered_at, delivered_by, acknowledged_at } = row;
  return {
    id: row.id,
    thing_id: row.thing_id,
    group_id: row.group_id,
    ...(batch_id === null ? {} : { batch_id }),
    ...(subtopic === '' ? {} : { subtopic }),
    command: row.command,
    ...(params === null ? {} : { params }),
    ...(metadata === null ? {} : { metadata }),
    state: row.state,
    sender_type: row.sender_type,
    sender_id: row.sender_id,
    created_at: row.created_at.toISOString(),
    expires_at: row.expires_at.toISOString(),
    ...(delivered_at === null ? {} : { delivered_at: delivered_at.toISOString() }),
    ...(delivered_by === null ? {} : { delivered_by }),
    deliveries: row.deliveries,
    ...(acknowledged_at === null ? {} : { acknowledged_at: acknowledged_at.toISOString() }),
  };
}
