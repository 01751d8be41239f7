import type { NewCommand } from '../../../schemas/resources/command.ts';
import type { Rows } from '../stores/postgres.ts';
import type { CommandLimits } from './settings.ts';

/** Who is commanded: one thing, or all things of a group. */
type CommandTarget = { kind: 'thing' | 'group'; id: string };

type CommandSender = { kind: 'user' | 'thing'; id: string };

/** A command as its sender gave it; its subtopic is checked. */
type CommandGiven = Omit<NewCommand, 'subtopic'> & { subtopic: string };

/** The outcome. */
export type CommandMade =
  | { kind: 'made'; id: string; expiresAt: Date; things: string[]; leftOut: number }
  | { kind: 'absent' }
  /** The sender is a thing, and may not. */
  | { kind: 'forbidden'; why: string }
  /** As many commands wait for the thing as may. */
  | { kind: 'full'; perThingMax: number }
  /** The group has more things than can be commanded at once. */
  | { kind: 'large'; perGroupMax: number };

type Row = {
  outcome: 'made' | 'absent' | 'otherGroup' | 'type' | 'full' | 'large';
  made_id: string;
  made_expires_at: Date;
  made_things: string[];
  left_out: number;
  sender_is: string | null;
  receiver_is: string | null;
};

/**
 * Makes a command. Whether a sender that is a thing may do it, PostgreSQL decides, for the API and for edges alike
 * (`make_commands` in infra/migrations/postgres/0014_commands.sql); what a user may is checked before. Within the
 * transaction of `rows`, `millrace.author` tells the audit log for whom. Uses `commands_open`, `things_group` and
 * primary keys.
 */
export async function makeCommand(
  rows: Rows,
  to: CommandTarget,
  sender: CommandSender,
  given: CommandGiven,
  limits: CommandLimits,
): Promise<CommandMade> {
  const { command, params, metadata, subtopic, expires_in: seconds = limits.seconds } = given;
  const [row] = await rows<Row>(
    'SELECT * FROM make_commands($1, $2, $3, $4, $5, $6, $7, $8, $9, $10)',
    [
      to.kind === 'thing' ? to.id : null,
      to.kind === 'group' ? to.id : null,
      sender.id,
      sender.kind,
      JSON.stringify({ command, subtopic }),
      params === undefined ? null : JSON.stringify(params),
      metadata === undefined || metadata === null ? null : JSON.stringify(metadata),
      seconds,
      limits.perThingMax,
      limits.perGroupMax,
    ],
  );
  if (row === undefined) throw new Error('make_commands gave no row');
  switch (row.outcome) {
    case 'made':
      return {
        kind: 'made',
        id: row.made_id,
        expiresAt: row.made_expires_at,
        things: row.made_things,
        leftOut: row.left_out,
      };
    case 'absent':
      return { kind: 'absent' };
    case 'otherGroup':
      return { kind: 'forbidden', why: 'a thing commands in its own group only' };
    case 'type':
      return { kind: 'forbidden', why: whyNot(row) };
    case 'full':
      return { kind: 'full', perThingMax: limits.perThingMax };
    case 'large':
      return { kind: 'large', perGroupMax: limits.perGroupMax };
    default:
      throw new Error(`make_commands said ${String(row.outcome)}`);
  }
}

function whyNot({ sender_is: sender, receiver_is: receiver }: Row): string {
  return receiver === null
    ? `a thing of the type ${sender} commands no group`
    : `a thing of the type ${sender} commands none of the type ${receiver}`;
}
