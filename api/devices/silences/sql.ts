import { DomainError } from '../../../schemas/http/errors.ts';
import type { NewSilence, Silence, SilencesQuery } from '../../../schemas/resources/alarm.ts';
import type { UserCaller } from '../../access/caller.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database, Statements } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type SilenceRow = {
  id: string;
  group_id: string;
  rule_id: string | null;
  thing_id: string | null;
  reason: string;
  until: Date;
  made_by_email: string | null;
  created_at: Date;
};

const columns = 'id, group_id, rule_id, thing_id, reason, until, made_by_email, created_at';
const orders = { id: 'id', until: 'until', created_at: 'created_at' };

/** Uses `silences_group`. */
export async function findSilences(
  db: Database,
  groupId: string,
  { state, rule_id: ruleId, thing_id: thingId, ...page }: SilencesQuery,
): Promise<ListPage<Silence>> {
  const conditions = new Conditions();
  conditions.equals('group_id', groupId);
  conditions.equals('rule_id', ruleId);
  conditions.equals('thing_id', thingId);
  if (state !== undefined) conditions.add(`until ${state === 'live' ? '>' : '<='} now()`);
  const list = { columns, from: 'silences', conditions, orders, id: 'id' };
  const { total, rows } = await findPage<SilenceRow>(db, list, page);
  return { total, rows: rows.map(toSilence) };
}

/**
 * Makes a silence of a group. Uses the primary keys of groups, rules and things, and `silences_group`.
 *
 * @throws DomainError `malformed` for a time that is past or far away, and for a rule or a thing of another group;
 * `conflict` if the group has too many.
 */
export async function insertSilence(
  db: Database,
  groupId: string,
  { rule_id: ruleId, thing_id: thingId, reason, until }: NewSilence,
  user: UserCaller,
): Promise<Silence> {
  const untilMs = Number(readTime('until', until) / 1_000_000n);
  checkUntil(untilMs);
  return db.transaction(async (work) => {
    // Two at the same moment would both find room for one more.
    const held = await work.rows('SELECT FROM groups WHERE id = $1 FOR NO KEY UPDATE', [groupId]);
    if (held.length === 0) throw new DomainError('not_found', 'group');
    if (ruleId !== undefined) await checkPlace(work, 'rule', ruleId, groupId);
    if (thingId !== undefined) await checkPlace(work, 'thing', thingId, groupId);
    await checkRoom(work, groupId);
    const [row] = await work.rows<SilenceRow>(
      `INSERT INTO silences (id, group_id, rule_id, thing_id, reason, until, made_by, made_by_email)
       VALUES (uuid_v7(), $1, $2, $3, $4, $5, $6, $7)
       RETURNING ${columns}`,
      [
        groupId,
        ruleId ?? null,
        thingId ?? null,
        reason,
        new Date(untilMs).toISOString(),
        user.id,
        user.email,
      ],
    );
    if (row === undefined) throw new Error('a silence was not written');
    return toSilence(row);
  });
}

function checkUntil(untilMs: number): void {
  const ahead = untilMs - Date.now();
  if (ahead <= 0) throw new DomainError('malformed', 'until is not in the future');
  if (ahead > limits.silenceMsMax) {
    throw new DomainError('malformed', 'until is more than a year from now');
  }
}

/** Its row cannot be deleted, nor be moved, before the transaction ends. */
async function checkPlace(
  db: Statements,
  kind: 'rule' | 'thing',
  id: string,
  groupId: string,
): Promise<void> {
  const table = kind === 'rule' ? 'rules' : 'things';
  const found = await db.rows(`SELECT FROM ${table} WHERE id = $1 AND group_id = $2 FOR SHARE`, [
    id,
    groupId,
  ]);
  if (found.length === 0) {
    throw new DomainError('malformed', `${kind}_id is no ${kind} of the group`);
  }
}

async function checkRoom(db: Statements, groupId: string): Promise<void> {
  const [row] = await db.rows<{ live: number }>(
    'SELECT count(*)::integer AS live FROM silences WHERE group_id = $1 AND until > now()',
    [groupId],
  );
  if ((row?.live ?? 0) < limits.silencesPerGroupMax) return;
  const detail = `the group has ${limits.silencesPerGroupMax} silences that have not ended`;
  throw new DomainError('conflict', detail);
}

/** Ends it; one that has ended stays as it is. Whether there is one. Uses the primary key. */
export async function endSilence(db: Database, id: string): Promise<boolean> {
  const rows = await db.change(
    'UPDATE silences SET until = least(until, now()) WHERE id = $1 RETURNING id',
    [id],
  );
  return rows.length > 0;
}

function toSilence(row: SilenceRow): Silence {
  const { rule_id, thing_id, made_by_email } = row;
  return {
    id: row.id,
    group_id: row.group_id,
    ...(rule_id === null ? {} : { rule_id }),
    ...(thing_id === null ? {} : { thing_id }),
    reason: row.reason,
    until: row.until.toISOString(),
    ...(made_by_email === null ? {} : { made_by_email }),
    created_at: row.created_at.toISOString(),
  };
}
