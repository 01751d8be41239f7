/**
 * The columns of tables, the most useful first, by the member of the answer that has the list. Others are shown by
 * `-o json` alone: ids of ids, and secrets. A list that is not here shows all.
 */
export const columnsOfLists: Readonly<Record<string, readonly string[]>> = {
  things: [
    'name',
    'type',
    'last_seen',
    'messages',
    'id',
    'group_id',
    'profile_id',
    'external_key',
    'metadata',
  ],
  groups: ['name', 'description', 'id', 'org_id', 'created_at', 'metadata', 'level', 'parent_id'],
  profiles: ['name', 'id', 'group_id', 'config', 'metadata'],
  orgs: ['name', 'description', 'id', 'created_at', 'owner_id', 'metadata'],
  Users: ['email', 'id', 'metadata'],
  org_memberships: ['email', 'role', 'member_id', 'created_at'],
  group_memberships: ['email', 'role', 'member_id', 'created_at'],
  keys: ['id', 'issued_at', 'expires_at', 'subject'],
  webhooks: [
    'name',
    'url',
    'failing_since',
    'disabled_at',
    'id',
    'missed_deliveries',
    'waiting_deliveries',
  ],
  alarms: [
    'fired_at',
    'state',
    'severity',
    'rule_name',
    'thing_name',
    'ended_at',
    'acknowledged_by_email',
    'note',
    'id',
  ],
  annotations: ['from', 'to', 'text', 'thing_id', 'made_by_email', 'id'],
  silences: ['until', 'reason', 'rule_id', 'thing_id', 'made_by_email', 'id'],
  dashboards: ['name', 'panels', 'updated_at', 'saved_by_email', 'version', 'id'],
  shares: ['name', 'expires_at', 'last_used_at', 'made_by_email', 'id'],
  versions: ['version', 'saved_at', 'saved_by_email', 'name', 'panels'],
  deliveries: ['tried_at', 'status', 'error', 'attempt', 'duration_ms', 'message_id', 'answer'],
  entries: [
    'at',
    'actor_email',
    'action',
    'kind',
    'entity_name',
    'operation',
    'changes',
    'address',
  ],
  messages: [
    'time',
    'created',
    'until',
    'thing',
    'publisher',
    'subtopic',
    'name',
    'value',
    'string_value',
    'bool_value',
    'data_value',
    'sum',
    'unit',
    'payload',
    'protocol',
  ],
};

/** Ids, times, keys and e-mails are copied and compared: a part of one is of no use. */
export function isWhole(name: string): boolean {
  return /(^|_)(id|at|since|from|to|seen|key|seconds|email)$|^(time|created|until|serial|value|publisher)$/.test(
    name,
  );
}
