import type { AuditEntry, AuditFileQuery, AuditQuery } from '../../../schemas/resources/audit.ts';
import { readTime } from '../../http/query/time.ts';
import { limits } from '../../limits.ts';
import { Conditions } from '../../stores/conditions.ts';
import type { Database } from '../../stores/database.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type EntryRow = {
  id: string;
  at: Date;
  org_id: string | null;
  group_id: string | null;
  actor_type: AuditEntry['actor_type'];
  actor_id: string | null;
  actor_email: string | null;
  api_key_id: string | null;
  address: string | null;
  request_id: string | null;
  operation: string | null;
  action: AuditEntry['action'];
  kind: AuditEntry['kind'];
  entity_id: string | null;
  entity_name: string | null;
  changes: AuditEntry['changes'];
  /** Of a grouped list. */
  entries?: number;
};

const columns = `id, at, org_id, group_id, actor_type, actor_id, actor_email, api_key_id, address, request_id,
  operation, action, kind, entity_id, entity_name, changes`;
const from = 'audit_entries';

/** Which entries are wanted. */
type Wanted = Omit<
  AuditQuery & AuditFileQuery,
  'limit' | 'offset' | 'order' | 'dir' | 'convert' | 'grouped'
>;

/** Entries told together with one of `audit_entries`. One request is one transaction, and so one moment. */
const ofSameRequest = `FROM audit_entries AS same
  WHERE same.at = audit_entries.at AND same.request_id = audit_entries.request_id
    AND same.action = audit_entries.action AND same.kind = audit_entries.kind
    AND same.org_id IS NOT DISTINCT FROM audit_entries.org_id`;

/**
 * Uses `audit_entries_org`, `audit_entries_entity` or the primary key; where they are grouped, `audit_entries_org_last` or
 * `audit_entries_last`, and `audit_entries_moment`.
 */
export async function findEntries(db: Database, query: AuditQuery): Promise<ListPage<AuditEntry>> {
  const { grouped = false, ...wanted } = query;
  const conditions = conditionsOf(wanted);
  const isGrouped = grouped && query.entity_id === undefined;
  if (isGrouped) conditions.add('is_last');
  const counted = `${columns}, (SELECT count(*)::int ${ofSameRequest}) AS entries`;
  const list = {
    columns: isGrouped ? counted : columns,
    from,
    conditions,
    orders: { id: 'id' },
    id: 'id',
  };
  const { total, rows } = await findPage<EntryRow>(db, list, query);
  return { total, rows: rows.map(toEntry) };
}

/** All that are wanted, the earliest first, some at a time. Uses the same. */
export async function* findAllEntries(db: Database, wanted: Wanted): AsyncGenerator<AuditEntry[]> {
  for (let after = '0'; ; ) {
    const conditions = conditionsOf(wanted);
    conditions.add(`id > ${conditions.bind(after)}`);
    const rows = await db.rows<EntryRow>(
      `SELECT ${columns} FROM ${from} WHERE ${conditions.text}
       ORDER BY id LIMIT ${conditions.bind(limits.auditRowsAtOnce)}`,
      conditions.values,
    );
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map(toEntry);
    after = last.id;
  }
}

/**
 * Deletes what is older, some at a time. Several processes may do it at once. Uses `audit_entries_moment`. Whether there may
 * be more.
 */
export async function deleteOldEntries(db: Database, days: number): Promise<boolean> {
  const rows = await db.rows(
    `DELETE FROM audit_entries
     WHERE id IN (
       SELECT id FROM audit_entries WHERE at < now() - make_interval(days => $1)
       ORDER BY at LIMIT $2 FOR UPDATE SKIP LOCKED
     )
     RETURNING id`,
    [days, limits.auditRowsAtOnce],
  );
  return rows.length === limits.auditRowsAtOnce;
}

function conditionsOf({ org_id: orgId, actor, action, operation, kind, ...others }: Wanted) {
  const conditions = new Conditions();
  conditions.equals('org_id', orgId);
  if (actor !== undefined) {
    const who = conditions.bind(actor);
    conditions.add(
      `actor_id::text = lower(${who}) OR email_name(actor_email) = email_name(${who})`,
    );
  }
  conditions.equals('action', action);
  conditions.equals('operation', operation);
  conditions.equals('kind', kind);
  conditions.equals('request_id', others.request_id);
  // As the ids of what is told are written; only those of trees are in upper case.
  conditions.equals('entity_id', others.entity_id);
  if (others.from !== undefined) conditions.add(`at >= ${timeOf(conditions, 'from', others.from)}`);
  if (others.to !== undefined) conditions.add(`at <= ${timeOf(conditions, 'to', others.to)}`);
  return conditions;
}

function timeOf(conditions: Conditions, name: string, given: string | number): string {
  const micros = conditions.bind(String(readTime(name, given) / 1_000n));
  return `timestamptz 'epoch' + ${micros}::bigint * interval '1 microsecond'`;
}

function toEntry(row: EntryRow): AuditEntry {
  const { id, at, actor_type, action, kind, changes } = row;
  return {
    id: Number(id),
    at: at.toISOString(),
    ...(row.org_id === null ? {} : { org_id: row.org_id }),
    ...(row.group_id === null ? {} : { group_id: row.group_id }),
    actor_type,
    ...(row.actor_id === null ? {} : { actor_id: row.actor_id }),
    ...(row.actor_email === null ? {} : { actor_email: row.actor_email }),
    ...(row.api_key_id === null ? {} : { api_key_id: row.api_key_id }),
    ...(row.address === null ? {} : { address: row.address }),
    ...(row.request_id === null ? {} : { request_id: row.request_id }),
    ...(row.operation === null ? {} : { operation: row.operation }),
    action,
    kind,
    ...(row.entity_id === null ? {} : { entity_id: row.entity_id }),
    ...(row.entity_name === null ? {} : { entity_name: row.entity_name }),
    changes,
    ...((row.entries ?? 0) > 1 ? { entries: row.entries } : {}),
  };
}
