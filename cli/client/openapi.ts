// Made from api/operations/docs/openapi.json by `npm run openapi`. Change the schemas, not this file.

export type Error = {
  /** What is wrong, and where, for people */
  error: string;
  /**
   * - `malformed`: the request is not as it must be; `error` names the place
   * - `credential_missing`: the request has no credential
   * - `credential_malformed`: the credential can not be read
   * - `credential_unknown`: the credential belongs to nobody: it never did, or what it belonged to is gone
   * - `credential_expired`: the credential was right, and its time is over
   * - `credential_revoked`: the credential was right, and was revoked, or ended by a change of password
   * - `credential_unsuitable`: the operation takes no credential of this kind
   * - `login_failed`: the e-mail and the password do not belong together
   * - `forbidden`: the caller is known and may not do this; `error` names the role that is needed
   * - `not_found`: there is no such thing; `error` names its kind
   * - `method_not_allowed`: the path takes other methods; `Allow` lists them
   * - `conflict`: it exists already, or its state does not allow this; `error` tells which
   * - `too_large`: the body is over the limit
   * - `unsupported_type`: the body is of a type that the route does not take
   * - `too_many`: more than the caller’s share or rate; wait for `Retry-After` seconds
   * - `internal`: a fault of the service; its log has the `request_id`
   * - `unavailable`: something it needs is away; wait for `Retry-After` seconds
   */
  code: 'malformed' | 'credential_missing' | 'credential_malformed' | 'credential_unknown' | 'credential_expired' | 'credential_revoked' | 'credential_unsuitable' | 'login_failed' | 'forbidden' | 'not_found' | 'method_not_allowed' | 'conflict' | 'too_large' | 'unsupported_type' | 'too_many' | 'internal' | 'unavailable';
  /** The request’s `X-Request-Id`: the service’s log has it */
  request_id: string;
};

export type User = {
  /** Id of the user: a UUID. */
  id: string;
  /** E-mail by which the user logs in. */
  email: string;
  /** Free-form members. Absent where there are none. */
  metadata?: Record<string, unknown>;
};

export type NewUser = {
  /** E-mail by which the user logs in. Nobody else may have it. */
  email: string;
  /** Password, of 8 characters at least. */
  password: string;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type UserChange = {
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type PasswordChange = {
  /** Password so far. */
  old_password: string;
  /** New password, of 8 characters at least. */
  password: string;
};

export type Users = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Users of the page. */
  Users: User[];
  /** The same list under the usual name. */
  users: User[];
};

export type ApiKey = {
  /** Id of the key: a UUID. */
  id: string;
  /** Id of the user who issued it, and whose rights it has. */
  issuer_id: string;
  /** E-mail of the issuer. */
  subject: string;
  /** Type of the key: always 2. */
  type: 2;
  /** When it was issued: ISO 8601, UTC, milliseconds. */
  issued_at: string;
  /** When it ends: ISO 8601, UTC, milliseconds. Absent: never. */
  expires_at?: string;
};

export type NewApiKey = {
  /** Type of the key: always 2. */
  type: 2;
  /** Seconds until it ends. Absent or 0: never. From 1,000,000,000 on: nanoseconds, as clients of the platform send them. */
  duration?: number | null;
};

export type IssuedApiKey = {
  /** Id of the key: a UUID. */
  id: string;
  /** The key itself, for `Authorization: Bearer`. It is shown here, and never again. */
  value: string;
  /** When it was issued: ISO 8601, UTC, milliseconds. */
  issued_at: string;
  /** When it ends: ISO 8601, UTC, milliseconds. Absent: never. */
  expires_at?: string;
};

export type ApiKeys = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Keys of the page. */
  keys: ApiKey[];
};

export type Session = {
  /** Id of the session: a UUID. */
  id: string;
  /** When the browser signed in: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When a request came with it last, to the minute: ISO 8601, UTC. */
  last_used_at: string;
  /** When it ends by itself: ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** Network address of that last request. */
  address: string;
  /** What the browser called itself when it signed in; at most 512 characters. */
  user_agent: string;
  /** Whether it is the session of this request. */
  current: boolean;
};

export type Sessions = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Sessions of the page: those that have not ended. */
  sessions: Session[];
};

export type Org = {
  /** Id of the org: a UUID. */
  id: string;
  /** Name of the org. */
  name: string;
  /** Description of the org. Empty where none was given. */
  description: string;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** Id of the user who made the org and owns it. */
  owner_id: string;
  /** Days that the messages of its groups are kept, where a group does not say otherwise. Absent: for good. */
  retention_days?: number;
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it was last changed: ISO 8601, UTC, milliseconds. */
  updated_at: string;
};

export type NewOrg = {
  /** Name of the org: 1 to 254 characters. */
  name: string;
  /** Description: at most 1,024 characters. Default empty. */
  description?: string;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** Days that the messages of its groups are kept, where a group does not say otherwise. `null`, or absent where it is made: for good. */
  retention_days?: number | null;
};

export type OrgChange = {
  /** New name of the org. Absent: it stays. */
  name?: string;
  /** New description of the org. Absent: it stays; `null`: it becomes empty. */
  description?: string | null;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** Days that the messages of its groups are kept, where a group does not say otherwise. Absent: it stays; `null`: for good. */
  retention_days?: number | null;
};

export type Orgs = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Orgs of the page. */
  orgs: Org[];
};

export type OrgMembership = {
  /** Id of the member: that of a user. */
  member_id: string;
  /** E-mail of the member. */
  email: string;
  /** Role of the member, each including the next: `owner`, `admin`, `editor`, `viewer`. */
  role: 'owner' | 'admin' | 'editor' | 'viewer';
  /** When they became a member: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When their role was last changed: ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Id of the org. */
  org_id: string;
};

export type GroupMembership = {
  /** Id of the member: that of a user. */
  member_id: string;
  /** E-mail of the member. */
  email: string;
  /** Role of the member, each including the next: `owner`, `admin`, `editor`, `viewer`. */
  role: 'owner' | 'admin' | 'editor' | 'viewer';
  /** When they became a member: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When their role was last changed: ISO 8601, UTC, milliseconds. */
  updated_at: string;
  /** Id of the group. */
  group_id: string;
};

export type OrgMemberships = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Members of the page. */
  org_memberships: OrgMembership[];
};

export type GroupMemberships = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Members of the page. */
  group_memberships: GroupMembership[];
};

export type AuditEntry = {
  /** Number of the entry: later ones are larger. */
  id: number;
  /** When the change was made: ISO 8601, UTC, milliseconds. */
  at: string;
  /** Id of the org that it was made in. Absent: of no org, such as of a user. */
  org_id?: string;
  /** Id of the group that it was made in. Absent: of no group. */
  group_id?: string;
  /** Who made it: a user, a thing, a guest without a credential, or the system by itself. */
  actor_type: 'user' | 'thing' | 'guest' | 'system';
  /** Id of the user or the thing. Absent: neither. */
  actor_id?: string;
  /** E-mail that the user had. Absent: no user. */
  actor_email?: string;
  /** Id of the API key that the user sent. Absent: they sent a token. */
  api_key_id?: string;
  /** Network address of the request. Absent: of the system. */
  address?: string;
  /** `X-Request-Id` of the request. Absent: of the system. */
  request_id?: string;
  /** Operation of the API, as this document names it. Absent: of the system. */
  operation?: string;
  /** What was done. Of a `failed_login`, `changes` has the number of `failures` within an hour: of one account, or of all e-mails that have none. */
  action: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login';
  /** Kind of what was changed. */
  kind: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue';
  /** Id of what was changed; of a member that of the user, of a certificate its serial, of messages the thing. Absent: of several things. */
  entity_id?: string;
  /** Name that it had then; of a user, a member or an invite the e-mail. Absent: none. */
  entity_name?: string;
  /** Members that were changed, each with its value before and after. Of secrets, addresses of webhooks, `metadata` and `config` the name alone. Values of more than 1,024 characters are cut. */
  changes: Record<string, {
    /** Value before, as text. Absent: none. */
    from?: string;
    /** Value after, as text. Absent: none. */
    to?: string;
  }>;
};

export type AuditEntries = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Id or e-mail of who made the change. */
  actor?: string;
  /** What was done. */
  action?: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login';
  /** Operation of the API. */
  operation?: string;
  /** Kind of what was changed. */
  kind?: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue';
  /** Id of what was changed. */
  entity_id?: string;
  /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
  from?: number | string;
  /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
  to?: number | string;
  /** Id of the org, which may be gone. */
  org_id?: string;
  /** Entries of the page, the latest first. */
  entries: AuditEntry[];
};

export type Quota = {
  /** Things in the org. Absent: no limit. */
  things?: number;
  /** Webhooks of the org, its groups and its things. Absent: no limit. */
  webhooks?: number;
  /** Messages in a calendar month (UTC). Absent: no limit. */
  messages_per_month?: number;
  /** Records a second. Absent: no limit. */
  records_per_second?: number;
  /** Days that messages are kept at most, whatever the retention of the org and its groups. Absent: no limit. */
  storage_days?: number;
};

export type QuotaChange = {
  /** Things in the org. Absent: it stays; `null`: no limit. */
  things?: number | null;
  /** Webhooks of the org, its groups and its things. Absent: it stays; `null`: no limit. */
  webhooks?: number | null;
  /** Messages in a calendar month (UTC). Absent: it stays; `null`: no limit. */
  messages_per_month?: number | null;
  /** Records a second. Absent: it stays; `null`: no limit. */
  records_per_second?: number | null;
  /** Days that messages are kept at most, whatever the retention of the org and its groups. Absent: it stays; `null`: no limit. */
  storage_days?: number | null;
};

export type Usage = {
  /** Id of the org. */
  org_id: string;
  /** Month whose messages and records are counted, as year and month (UTC). */
  month: string;
  /** Things in the org now. */
  things: number;
  /** Webhooks of the org, its groups and its things now. */
  webhooks: number;
  /** Messages that were accepted this month, as of a few seconds ago. */
  messages: number;
  /** Records of these messages. */
  records: number;
  /** Records and JSON messages of the things now in the org that are stored. */
  stored_records: number;
  /** Limits of the org. Empty: none. */
  quota: {
    /** Things in the org. Absent: no limit. */
    things?: number;
    /** Webhooks of the org, its groups and its things. Absent: no limit. */
    webhooks?: number;
    /** Messages in a calendar month (UTC). Absent: no limit. */
    messages_per_month?: number;
    /** Records a second. Absent: no limit. */
    records_per_second?: number;
    /** Days that messages are kept at most, whatever the retention of the org and its groups. Absent: no limit. */
    storage_days?: number;
  };
};

export type Operations = {
  /** When this was put together. */
  at: string;
  /** The worst of all that is known: `pass` where there is no problem. */
  status: 'pass' | 'warn' | 'fail';
  /** What is wrong now, the worst first. */
  problems: {
    /** What kind of problem it is. */
    kind: 'process_missing' | 'process_silent' | 'check_failed' | 'messages_refused' | 'senders_refused' | 'log_filling' | 'disk_filling' | 'disk_short' | 'disk_refuses_writes' | 'frames_lost' | 'log_renewed' | 'store_late' | 'quarantined' | 'webhook_sink_late' | 'webhook_queue_old' | 'webhook_failing' | 'webhook_disabled' | 'deliveries_given_up' | 'deliveries_missed' | 'mails_failing' | 'mails_given_up' | 'api_errors';
    /** `fail`: devices or people are refused, or something is lost; `warn`: somebody should look today. */
    severity: 'warn' | 'fail';
    /** What is wrong, in a sentence. */
    text: string;
    /** What to do, in short. */
    advice: string;
    /** Section of `infra/README.md` that tells what it means and what to do. */
    runbook: string;
    /** Id of the webhook. Absent: it is of none. */
    webhook_id?: string;
  }[];
  /** Ends of the intervals, in seconds since 1970. Absent: no `range` was asked for. */
  times?: number[];
  /** Figures of all processes together. */
  series: OperationsSeries[];
  /** Processes that reported: silent ones for a day, stopped ones for an hour. */
  processes: OperationsProcess[];
  /** What was quarantined because a target refused it for good, the newest first: up to 20 of each edge. */
  quarantine: OperationsQuarantined[];
};

export type OperationsSeries = {
  /**
   * What it is, with its unit:
   * - `messages_per_second`: messages acknowledged a second
   * - `records_per_second`: records in them a second
   * - `refused_per_second`: messages refused a second; `of`: the error code
   * - `ack_p50_ms`: half of the acks took no longer, in milliseconds
   * - `ack_p99_ms`: 99 of 100 acks took no longer, in milliseconds
   * - `unsent_seconds`: age of the oldest message that a sink has not delivered; `of`: the sink
   * - `log_bytes`: bytes of the logs of all edges
   * - `log_max_bytes`: bytes that they may have
   * - `disk_free_bytes`: free bytes of the disk that has the least
   * - `store_bytes`: bytes of the store on disks
   * - `store_parts`: parts of the store
   * - `store_merges`: merges that run in the store
   * - `queue_jobs`: jobs in the queue of webhooks; `of`: their state
   * - `queue_seconds`: how long the next job has been in the queue, in seconds
   * - `queue_waiting`: deliveries that wait for room in the queue
   * - `attempts_per_second`: attempts at deliveries a second; `of`: how they ended
   * - `answers_per_second`: requests that the API answered a second; `of`: the status
   * - `answer_p50_ms`: half of the answers of the API took no longer, in milliseconds
   * - `answer_p99_ms`: 99 of 100 answers of the API took no longer, in milliseconds
   */
  figure: 'messages_per_second' | 'records_per_second' | 'refused_per_second' | 'ack_p50_ms' | 'ack_p99_ms' | 'unsent_seconds' | 'log_bytes' | 'log_max_bytes' | 'disk_free_bytes' | 'store_bytes' | 'store_parts' | 'store_merges' | 'queue_jobs' | 'queue_seconds' | 'queue_waiting' | 'attempts_per_second' | 'answers_per_second' | 'answer_p50_ms' | 'answer_p99_ms';
  /** Which of several. Absent: there is one. */
  of?: string;
  /** Value of the last 15 seconds. `null`: nothing tells. */
  now: number | null;
  /** Value of each interval: the earliest first, `null` where nothing tells. Absent: no `range` was asked for. */
  values?: (number | null)[];
};

export type OperationsProcess = {
  /** Id, which it keeps when it is started again. */
  id: string;
  /** What it does. */
  kind: 'edge' | 'api' | 'workers';
  /** Machine and port. */
  name: string;
  /** Version that runs. */
  version: string;
  /** `running`; `silent`: nothing was heard of it for 45 seconds; `stopped`: it was told to. */
  state: 'running' | 'silent' | 'stopped';
  /** Its worst check: `pass`, `warn` (it does its job) or `fail` (it can not). */
  status: 'pass' | 'warn' | 'fail';
  /** Its checks, as its `/health` has them. */
  checks: {
    /** What was checked. */
    part: string;
    /** How it is. */
    status: 'pass' | 'warn' | 'fail';
    /** What is wrong. Absent: nothing. */
    output?: string;
  }[];
  /** When it was started. */
  started_at: string;
  /** When it last reported. */
  seen_at: string;
  /** Cores that it used in its last interval. */
  cpu_cores: number | null;
  /** Memory that it held. */
  memory_bytes: number | null;
  /** Its worst status in each interval: `null` where it did not report. Absent: no `range` was asked for. */
  health?: ('pass' | 'warn' | 'fail' | null)[];
};

export type OperationsQuarantined = {
  /** When it was quarantined. */
  at: string;
  /** Name of the edge whose log has it. */
  process: string;
  /** Sink whose target refused it. */
  sink: string;
  /** Records in it. Absent: not known. */
  records?: number;
  /** Code of the refusal. */
  code: string;
  /** Reason of the refusal, in the words of the target. */
  reason: string;
  /** Segment of the log. */
  segment: number;
  /** Offset in the segment. */
  offset: number;
};

export type Invite = {
  /** Id of the invite: a UUID. */
  id: string;
  /** E-mail of who is invited. */
  invitee_email: string;
  /** State of the invite. A pending one whose time is over is `expired`. */
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it ends: 7 days after it was made, unless the operator set something else: ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** Id of the user who is invited. */
  invitee_id?: string;
  /** Id of the user who invited. */
  inviter_id?: string;
  /** E-mail of the user who invited. */
  inviter_email?: string;
  /** Id of the org that the invite is to. */
  org_id?: string;
  /** Name of that org. */
  org_name?: string;
  /** Role in the org once it is accepted. */
  invitee_role?: 'admin' | 'editor' | 'viewer';
};

export type OrgInvite = {
  /** Id of the invite: a UUID. */
  id: string;
  /** E-mail of who is invited. */
  invitee_email: string;
  /** State of the invite. A pending one whose time is over is `expired`. */
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it ends: 7 days after it was made, unless the operator set something else: ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** Id of the user who is invited. */
  invitee_id: string;
  /** Id of the user who invited. */
  inviter_id: string;
  /** E-mail of the user who invited. */
  inviter_email: string;
  /** Id of the org that the invite is to. */
  org_id: string;
  /** Name of that org. */
  org_name: string;
  /** Role in the org once it is accepted. */
  invitee_role: 'admin' | 'editor' | 'viewer';
};

export type PlatformInvite = {
  /** Id of the invite: a UUID. */
  id: string;
  /** E-mail of who is invited. */
  invitee_email: string;
  /** State of the invite. A pending one whose time is over is `expired`. */
  state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it ends: 7 days after it was made, unless the operator set something else: ISO 8601, UTC, milliseconds. */
  expires_at: string;
};

export type NewOrgInvite = {
  /** E-mail of a registered user. */
  email: string;
  /** Role to give: `admin`, `editor` or `viewer`. An `owner` can not be made. */
  role: 'admin' | 'editor' | 'viewer';
  /** Path in the link of the mail, between the host and the id of the invite. Default empty. */
  redirect_path?: string;
  /** Groups of the org to join along with it. Default none. */
  group_invites?: {
    /** Id of a group of the org. */
    group_id: string;
    /** Role in the group once it is accepted. */
    member_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type NewPlatformInvite = {
  /** E-mail of somebody who is not registered. */
  invitee_email: string;
  /** Id of an org to be invited to once registered. Default none. */
  org_id?: string;
  /** Role in that org. Default `viewer`. */
  role?: 'admin' | 'editor' | 'viewer';
  /** Path in the link of the mail, between the host and the id of the invite. Default empty. */
  redirect_path?: string;
  /** Groups of that org to join along with it. Default none. */
  group_invites?: {
    /** Id of a group of the org. */
    group_id: string;
    /** Role in the group once it is accepted. */
    member_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type Registration = {
  /** E-mail that the invite was sent to. */
  email: string;
  /** Password to log in with, of 8 characters at least. */
  password: string;
};

export type OrgInvites = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Invites of the page. */
  invites: OrgInvite[];
};

export type InvitesOfUser = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Invites of the page. */
  invites: {
    /** Id of the invite: a UUID. */
    id: string;
    /** E-mail of who is invited. */
    invitee_email: string;
    /** State of the invite. A pending one whose time is over is `expired`. */
    state: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired';
    /** When it was made: ISO 8601, UTC, milliseconds. */
    created_at: string;
    /** When it ends: 7 days after it was made, unless the operator set something else: ISO 8601, UTC, milliseconds. */
    expires_at: string;
    /** Id of the user who is invited. */
    invitee_id: string;
    /** E-mail of the user who invited. */
    inviter_email: string;
    /** Id of the org that the invite is to. */
    org_id: string;
    /** Name of that org. */
    org_name: string;
    /** Role in the org once it is accepted. */
    invitee_role: 'admin' | 'editor' | 'viewer';
  }[];
};

export type PlatformInvites = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Invites of the page. */
  invites: PlatformInvite[];
};

export type Group = {
  /** Id of the group: a UUID. */
  id: string;
  /** Id of the org that the group belongs to. */
  org_id: string;
  /** Name of the group: no other in the org has it. */
  name: string;
  /** Description of the group. Empty where none was given. */
  description: string;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** Days that messages are kept, from the time in them. Absent: they are kept for as long as the org says, or for good. */
  retention_days?: number;
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it was last changed: ISO 8601, UTC, milliseconds. */
  updated_at: string;
};

export type NewGroup = {
  /** Name of the group: 1 to 254 characters. No other in the org may have it. */
  name: string;
  /** Description: at most 1,024 characters. Default empty. */
  description?: string;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** Days that messages are kept. `null`, or absent where it is made: for as long as the org says, or for good. */
  retention_days?: number | null;
};

export type GroupChange = {
  /** New name of the group. Absent: it stays. */
  name?: string;
  /** New description of the group. Absent: it stays; `null`: it becomes empty. */
  description?: string | null;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** Days that messages are kept. Absent: it stays; `null`: for as long as the org says, or for good. */
  retention_days?: number | null;
};

export type Groups = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Groups of the page. */
  groups: Group[];
};

export type Profile = {
  /** Id of the profile: a UUID. */
  id: string;
  /** Name of the profile: no other in the group has it. */
  name: string;
  /** Id of the group that the profile belongs to. */
  group_id: string;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** What is done with the messages of its things; see the body of a change. */
  config: Record<string, unknown>;
};

export type NewProfile = {
  /** Id to give it: a UUID of version 4 that nothing else has. Default: one is made. */
  id?: string;
  /** Name: 1 to 1,024 characters. No other in the group may have it. */
  name: string;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** What is done with the messages of its things. Default: they are read as they are sent, and stored. */
  config?: {
    /** Type that messages are read as, whatever `Content-Type` they are sent with: `application/senml+json`, `application/senml+cbor` or `application/json`. Default: as they are sent. */
    content_type?: string;
    /** `false`: messages go to webhooks and are not stored. Default `true`. */
    write?: boolean;
    /** How JSON messages are read. Default: whole, at the time of receipt. */
    transformer?: {
      /** Dotted paths of the members to keep, each stored flat under its path. Default: all. */
      data_filters?: string[];
      /** Dotted path of the part to keep: an object, or a list of objects. Default: the whole. */
      data_field?: string;
      /** Dotted path of the time, in the part that is kept or else in the whole. Default: the time of receipt. */
      time_field?: string;
      /** How the time is written: `unix`, `unix_ms`, `unix_us`, `unix_ns`; `rfc3339`, `rfc3339nano`, `iso8601`, `ansic`, `unixdate`, `rubydate`, `rfc822`, `rfc822z`, `rfc850`, `rfc1123`, `rfc1123z`, `stamp`, `stampmilli`, `stampmicro`, `stampnano`; or a Go reference layout such as `02.01.2006 15:04`. Default: a number of seconds, or `rfc3339`. */
      time_format?: string;
      /** IANA time zone of times that name none, and of abbreviations such as `CET`. Default `UTC`. */
      time_location?: string;
    };
  } | null;
};

export type ProfileChange = {
  /** New name of the profile. Absent: it stays. */
  name?: string;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** What is done with the messages of its things. Absent: it stays; `null`: the defaults. */
  config?: {
    /** Type that messages are read as, whatever `Content-Type` they are sent with: `application/senml+json`, `application/senml+cbor` or `application/json`. Default: as they are sent. */
    content_type?: string;
    /** `false`: messages go to webhooks and are not stored. Default `true`. */
    write?: boolean;
    /** How JSON messages are read. Default: whole, at the time of receipt. */
    transformer?: {
      /** Dotted paths of the members to keep, each stored flat under its path. Default: all. */
      data_filters?: string[];
      /** Dotted path of the part to keep: an object, or a list of objects. Default: the whole. */
      data_field?: string;
      /** Dotted path of the time, in the part that is kept or else in the whole. Default: the time of receipt. */
      time_field?: string;
      /** How the time is written: `unix`, `unix_ms`, `unix_us`, `unix_ns`; `rfc3339`, `rfc3339nano`, `iso8601`, `ansic`, `unixdate`, `rubydate`, `rfc822`, `rfc822z`, `rfc850`, `rfc1123`, `rfc1123z`, `stamp`, `stampmilli`, `stampmicro`, `stampnano`; or a Go reference layout such as `02.01.2006 15:04`. Default: a number of seconds, or `rfc3339`. */
      time_format?: string;
      /** IANA time zone of times that name none, and of abbreviations such as `CET`. Default `UTC`. */
      time_location?: string;
    };
  } | null;
};

export type Profiles = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Profiles of the page. */
  profiles: Profile[];
};

export type Thing = {
  /** Id of the thing: a UUID. */
  id: string;
  /** Id of the group that the thing is in. */
  group_id: string;
  /** Id of the profile that the thing has. */
  profile_id: string;
  /** Name of the thing: no other in the group has it. */
  name: string;
  /** Type of the thing. */
  type: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  /** Key by which the thing is known: `Authorization: Thing <key>`. For editors and above. */
  key?: string;
  /** Key that another system knows the thing by: `Authorization: External <key>`. For editors and above; absent where there is none. */
  external_key?: string;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** When its last message came: ISO 8601, UTC, right within five seconds. `null`: none ever did. */
  last_seen: string | null;
};

export type NewThing = {
  /** Id to give it: a UUID of version 4 that nothing else has. Default: one is made. */
  id?: string;
  /** Name: 1 to 1,024 characters. No other in the group may have it. */
  name: string;
  /** Type of the thing. */
  type: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  /** Key to give it, which no other thing has: 1 to 4,096 characters. Default: one is made. */
  key?: string;
  /** Key that another system knows it by, which no other thing has: 5 to 1,024 characters. Default none. */
  external_key?: string;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type ThingChange = {
  /** New name of the thing. Absent: it stays. */
  name?: string;
  /** New type. Absent: it stays. */
  type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
  /** New key: 1 to 4,096 characters. The old one ends at once. Absent: it stays. */
  key?: string;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type ThingMetadata = {
  /** Id of the thing: a UUID. */
  id: string;
  /** Members to add to those there are, or to put in their place. `null`: none are left. */
  metadata?: Record<string, unknown> | null;
};

export type ThingMove = {
  /** Id of the profile to give it. */
  profile_id: string;
  /** Id of the group that the profile is in. Default: that of the profile. */
  group_id?: string;
};

export type Things = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** As it was asked for. */
  silent_since?: number | string;
  /** As it was asked for. */
  seen_since?: number | string;
  /** As it was asked for. */
  messages_since?: number | string;
  /** Things of the page. */
  things: {
    /** Id of the thing: a UUID. */
    id: string;
    /** Id of the group that the thing is in. */
    group_id: string;
    /** Id of the profile that the thing has. */
    profile_id: string;
    /** Name of the thing: no other in the group has it. */
    name: string;
    /** Type of the thing. */
    type: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
    /** Key by which the thing is known: `Authorization: Thing <key>`. For editors and above. */
    key?: string;
    /** Key that another system knows the thing by: `Authorization: External <key>`. For editors and above; absent where there is none. */
    external_key?: string;
    /** Free-form members, as they were given. */
    metadata: Record<string, unknown>;
    /** When its last message came: ISO 8601, UTC, right within five seconds. `null`: none ever did. */
    last_seen: string | null;
    /** How many of its messages, by their own times, are stored since `messages_since`; a SenML record is one. Only where that was asked for. */
    messages?: number;
  }[];
  /** `cursor` of the page after this one. Absent: there is none. */
  next?: string;
};

export type Certificate = {
  /** Id of the thing that is known by it. */
  thing_id: string;
  /** The certificate, PEM. */
  certificate: string;
  /** Certificate of the authority that issued it, PEM. */
  issuing_ca: string;
  /** Certificates of the authorities, PEM, beginning with `issuing_ca`. */
  ca_chain: string[];
  /** Serial number: lower-case hex. */
  serial: string;
  /** Type of the key. */
  key_type: 'rsa' | 'ecdsa';
  /** Length of the key in bits. */
  key_bits: number;
  /** When it was issued: ISO 8601, UTC, milliseconds. */
  issued_at: string;
  /** When it ends: ISO 8601, UTC, milliseconds. */
  expires_at: string;
  /** When it was revoked: ISO 8601, UTC, milliseconds. Absent: it was not. */
  revocation_time?: string;
};

export type NewCertificate = {
  /** Id of the thing that is known by the certificate. */
  thing_id: string;
  /** How long it is valid: a duration such as `8760h` or `1h30m`; without a unit, hours. Default `8760h`. */
  ttl?: string;
  /** Type of the key: `rsa` or `ecdsa`, which may also be spelled `ec`; all in lower or in upper case. Default `rsa`. */
  key_type?: 'rsa' | 'ecdsa' | 'ec' | 'RSA' | 'ECDSA' | 'EC';
  /** Length of the key in bits: 2048 (the default) or 4096 of `rsa`, 256 (the default), 384 or 521 of `ecdsa`. */
  key_bits?: number;
};

export type IssuedCertificate = {
  /** Id of the thing that is known by it. */
  thing_id: string;
  /** The certificate, PEM. */
  certificate: string;
  /** Certificate of the authority that issued it, PEM. */
  issuing_ca: string;
  /** Certificates of the authorities, PEM, beginning with `issuing_ca`. */
  ca_chain: string[];
  /** Serial number: lower-case hex. */
  serial: string;
  /** Private key, PEM. It is shown here, and never again. */
  private_key: string;
  /** Type of the private key. */
  private_key_type: 'rsa' | 'ec';
  /** When it ends: ISO 8601, UTC, milliseconds. */
  expires_at: string;
};

export type Revocation = {
  /** When it was revoked: ISO 8601, UTC, milliseconds. */
  revocation_time: string;
};

export type Serials = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Certificates of the page. */
  certs: {
    /** Id of the thing: a UUID. */
    thing_id: string;
    /** Serial number: lower-case hex. */
    cert_serial: string;
    /** When it was issued: ISO 8601, UTC, milliseconds. */
    issued_at: string;
    /** When it ends: ISO 8601, UTC, milliseconds. */
    expires_at: string;
  }[];
};

export type Webhook = {
  /** Id of the webhook: a UUID. */
  id: string;
  /** Id of the thing whose messages it gets. Absent: those of all things of the group or org. */
  thing_id?: string;
  /** Id of the group of the thing, or whose things’ messages it gets. Absent: those of all things of the org. */
  group_id?: string;
  /** Id of the org whose things’ messages it gets, those of all. Absent: it is of a thing or a group. */
  org_id?: string;
  /** Label of the webhook. */
  name: string;
  /** Where messages are sent: `http` or `https`. For editors and above; others see scheme and host. */
  url: string;
  /** Headers sent with each delivery. For editors and above. */
  headers?: Record<string, string>;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** Secret that deliveries are signed with, as in Standard Webhooks. For editors and above; absent if there is none. */
  secret?: string;
  /** Since when every attempt has failed: ISO 8601, UTC. Absent: the last one succeeded, or there was none. */
  failing_since?: string;
  /** Since when nothing is sent to it: ISO 8601, UTC. Absent: it is sent to. An update sends again, unless a user disabled it. */
  disabled_at?: string;
  /** Why nothing is sent to it: `gone` (the receiver answered 410), `failing` (for five days) or `by_user`. */
  disabled_why?: string;
  /** Deliveries that wait for a place in the queue, because its org has as many under way as it may. */
  waiting_copies?: number;
  /** Deliveries that were dropped, because its org kept too many bytes, they waited for too long, or were due while it was disabled. */
  missed_copies?: number;
  /** When the first of them was received: ISO 8601, UTC. */
  missed_from?: string;
  /** When the last of them was received: ISO 8601, UTC. */
  missed_to?: string;
};

export type NewWebhook = {
  /** Label: 1 to 254 characters. */
  name: string;
  /** Where messages are sent: `http` or `https`, to a public address unless the operator allows others; without user and password. */
  url: string;
  /** Headers to send with each delivery. Default none. At most 50, of 4,096 characters of ASCII each. Refused are `content-type`, `content-length`, `content-encoding`, `transfer-encoding`, `connection`, `expect`, `http2-settings`, `keep-alive`, all that begin with `proxy-`, `te`, `trailer`, `upgrade`, `host`, `user-agent`, all that begin with `millrace-`, all that begin with `webhook-`. A `content-type` of messages is taken and left out. */
  headers?: Record<string, string> | null;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** Secret to sign deliveries with, as in Standard Webhooks: 24 bytes or more, 256 characters at most. Default: they are not signed. */
  secret?: string | null;
};

export type WebhookChange = {
  /** New label. Absent: it stays. */
  name?: string;
  /** New address. Absent: it stays. */
  url?: string;
  /** Headers instead of those there were. Absent: they stay; `null`: none are left. At most 50, of 4,096 characters of ASCII each. Refused are `content-type`, `content-length`, `content-encoding`, `transfer-encoding`, `connection`, `expect`, `http2-settings`, `keep-alive`, all that begin with `proxy-`, `te`, `trailer`, `upgrade`, `host`, `user-agent`, all that begin with `millrace-`, all that begin with `webhook-`. A `content-type` of messages is taken and left out. */
  headers?: Record<string, string> | null;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
  /** New secret; the one before also signs for a day. Absent: it stays; `null`: deliveries are not signed. */
  secret?: string | null;
  /** `true`: within a second nothing is sent to it any more. It gets no messages of that time, and a delivery whose next attempt falls into that time is dropped. `false`: it is sent to again. Absent: it stays as a user has set it; a webhook that the service disabled is sent to again. */
  disabled?: boolean;
};

export type Webhooks = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  name?: string;
  /** Filter, as asked. */
  email?: string;
  /** Filter, as asked. */
  role?: string;
  /** Filter, as asked. */
  state?: string;
  /** Filter, as asked. */
  type?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** Webhooks of the page. */
  webhooks: Webhook[];
};

export type WebhookDelivery = {
  /** Number of the attempt, which grows. */
  id: number;
  /** Id of the message: `webhook-id` of the delivery. */
  message_id: string;
  /** Which attempt of this message it was, from 1. */
  attempt: number;
  /** When it was made: ISO 8601, UTC, milliseconds. */
  tried_at: string;
  /** Milliseconds until the answer, or until there was none. */
  duration_ms: number;
  /** HTTP status of the answer. Absent: there was none. */
  status?: number;
  /** Why there was no answer. */
  error?: string;
  /** First 4 KiB of the answer, as text. */
  answer: string;
  /** Id of the request that brought the message: `X-Request-Id` of its answer. Absent: it was received before these were kept. */
  request_id?: string;
};

export type WebhookDeliveries = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Id of a message: only attempts of this one. */
  message_id?: string;
  /** HTTP status that the answer must have. */
  status?: number;
  /** `delivered`: answered with 2xx; `failed`: all others. */
  outcome?: 'delivered' | 'failed';
  /** Earliest time of an attempt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
  from?: number | string;
  /** Latest time of an attempt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
  to?: number | string;
  /** Attempts of the page. */
  deliveries: WebhookDelivery[];
};

export type Replay = {
  /** Id of the message to deliver again. */
  message_id?: string;
  /** `true`: those whose last attempt failed. */
  failed?: true;
  /** Earliest time of receipt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
  from?: number | string;
  /** Latest time of receipt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
  to?: number | string;
};

export type NewTreeGroup = {
  /** Name: 1 to 254 characters. No other under its parent may have it. */
  name: string;
  /** Description: at most 1,024 characters. Default empty. */
  description?: string | null;
  /** Id of the group to put it under. Default: it is a root. */
  parent_id?: string | null;
  /** Free-form members, kept as they are. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type TreeGroupChange = {
  /** New name. Absent: it stays. */
  name?: string;
  /** New description. Absent: it stays; `null`: it becomes empty. */
  description?: string | null;
  /** Free-form members instead of those there were. Absent: they stay; `null`: none are left. At most 64 KiB of JSON and 1,000 values. */
  metadata?: Record<string, unknown> | null;
};

export type TreeGroups = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows in a page at most, as asked. */
  limit?: number;
  /** Rows left out before the page, as asked. */
  offset?: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  metadata?: Record<string, unknown>;
  /** How far from the group, as asked. */
  level: number;
  /** Name of the group that was asked about. */
  name: string;
  /** Groups: a list, or with `tree` a tree. */
  groups: TreeGroup[];
};

export type TreeMembers = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Rows left out before the page, as asked. */
  offset?: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Filter, as asked. */
  type?: string;
  /** Name of the group. */
  name: string;
  /** Members of the page. */
  Members: {
    /** Id of the member. */
    ID: string;
    /** What the member is. */
    Type: 'users' | 'things';
  }[];
};

export type TreeUsers = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Order, as asked. */
  order?: string;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Members of the page that are users. */
  users: {
    /** Id of the user. */
    id: string;
    /** E-mail of the user, for those who may see them. */
    email?: string;
  }[];
};

export type TreeThings = {
  /** Rows in all, whatever the page shows of them. */
  total: number;
  /** Rows left out before the page, as asked. */
  offset: number;
  /** Rows in a page at most, as asked. */
  limit: number;
  /** Direction of the order, as asked. */
  dir?: string;
  /** Order, as asked. */
  order: string;
  /** Direction of the order, as asked. */
  direction: string;
  /** Members of the page that are things. */
  things: {
    /** Id of the thing. */
    id: string;
    /** Key of the thing, for its editors. */
    key?: string;
    /** When its last message came, for its viewers: ISO 8601, UTC, right within five seconds. `null`: none ever did. */
    last_seen?: string | null;
  }[];
};

export type TreeGroup = {
  /** Id of the group: a ULID. */
  id: string;
  /** Name of the group: no other under its parent has it. */
  name: string;
  /** Description. Empty where none was given. */
  description: string;
  /** Id of the group over it. Absent: it is a root. */
  parent_id?: string;
  /** Free-form members, as they were given. */
  metadata: Record<string, unknown>;
  /** Id of the user who made it. */
  owner_id: string;
  /** Depth in its tree; that of a root is 1. */
  level: number;
  /** Ids from the root to this group, joined by dots. */
  path: string;
  /** Groups under it, in a tree only. */
  children?: TreeGroup[];
  /** When it was made: ISO 8601, UTC, milliseconds. */
  created_at: string;
  /** When it was last changed: ISO 8601, UTC, milliseconds. */
  updated_at: string;
};

/** What each operation takes. */
export type Requests = {
  /** Send messages */
  sendMessages: {
    body: Record<string, unknown> | (Record<string, unknown>)[];
  };
  /** Send messages of a subtopic */
  sendMessagesOfSubtopic: {
    path: {
      /** Subtopic, its parts joined by dots: at most 254 characters, no `*` and no `>`, and no part that is `.` or `..`. */
      subtopic: string;
    };
    body: Record<string, unknown> | (Record<string, unknown>)[];
  };
  /** This document */
  viewDocs: Record<string, never>;
  /** Log in */
  issueToken: {
    body: {
      /** E-mail of the user. */
      email: string;
      /** Password of the user. */
      password: string;
    };
  };
  /** Create a user */
  createUser: {
    body: NewUser;
  };
  /** List users */
  listUsers: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'email' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Change one’s own metadata */
  updateOwnMetadata: {
    body: UserChange;
  };
  /** View a user */
  viewUser: {
    path: {
      /** Id of the user: a UUID. */
      id: string;
    };
  };
  /** View oneself */
  viewOwnUser: Record<string, never>;
  /** Search users */
  searchUsers: {
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'email' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Change one’s own password */
  changeOwnPassword: {
    body: PasswordChange;
  };
  /** Create an org */
  createOrg: {
    body: NewOrg;
  };
  /** List one’s orgs */
  listOrgs: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View an org */
  viewOrg: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
  };
  /** Change an org */
  updateOrg: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: OrgChange;
  };
  /** Delete an org and all in it */
  deleteOrg: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
  };
  /** Search one’s orgs */
  searchOrgs: {
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Add members to an org */
  addOrgMembers: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: {
      /** Members, with their roles. */
      org_memberships: {
        /** E-mail of a registered user. */
        email: string;
        /** Role to give: an `owner` can not be made. Absent or empty: `viewer`. */
        role?: 'admin' | 'editor' | 'viewer' | '';
      }[];
    };
  };
  /** Change roles of an org’s members */
  changeOrgRoles: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: {
      /** Members, with their new roles. */
      org_memberships: {
        /** E-mail of the member. Absent: `member_id` says who. */
        email?: string;
        /** Id of the member, where there is no `email`. */
        member_id?: string;
        /** Role to give: an `owner` can not be made. */
        role: 'admin' | 'editor' | 'viewer';
      }[];
    };
  };
  /** Remove members from an org */
  removeOrgMembers: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: {
      /** Ids of the members to remove. */
      member_ids: string[];
    };
  };
  /** List the members of an org */
  listOrgMembers: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'email' | 'role' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** Role that the member must have. */
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** View a member of an org */
  viewOrgMember: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
      /** Id of the member: that of a user. */
      memberId: string;
    };
  };
  /** List the changes made in an org */
  listOrgAudit: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Id or e-mail of who made the change. */
      actor?: string | undefined;
      /** What was done. */
      action?: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login' | undefined;
      /** Operation of the API. */
      operation?: string | undefined;
      /** Kind of what was changed. */
      kind?: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue' | undefined;
      /** Id of what was changed. */
      entity_id?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
    };
  };
  /** List the changes made on the platform */
  listAudit: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Id or e-mail of who made the change. */
      actor?: string | undefined;
      /** What was done. */
      action?: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login' | undefined;
      /** Operation of the API. */
      operation?: string | undefined;
      /** Kind of what was changed. */
      kind?: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue' | undefined;
      /** Id of what was changed. */
      entity_id?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Id of the org, which may be gone. */
      org_id?: string | undefined;
    };
  };
  /** Export the changes made in an org */
  exportOrgAudit: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Id or e-mail of who made the change. */
      actor?: string | undefined;
      /** What was done. */
      action?: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login' | undefined;
      /** Operation of the API. */
      operation?: string | undefined;
      /** Kind of what was changed. */
      kind?: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue' | undefined;
      /** Id of what was changed. */
      entity_id?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Type of the file: `csv` or `ndjson`. Default `ndjson`. */
      convert?: 'csv' | 'ndjson' | undefined;
      /** CSV: begins with a byte order mark, by which Excel knows that it is UTF-8 (default `false`). */
      bom?: boolean | undefined;
    };
  };
  /** Export the changes made on the platform */
  exportAudit: {
    query?: {
      /** Id or e-mail of who made the change. */
      actor?: string | undefined;
      /** What was done. */
      action?: 'create' | 'update' | 'delete' | 'restore' | 'backup' | 'export' | 'replay' | 'failed_login' | undefined;
      /** Operation of the API. */
      operation?: string | undefined;
      /** Kind of what was changed. */
      kind?: 'user' | 'api_key' | 'session' | 'org' | 'quota' | 'org_member' | 'invite' | 'group' | 'group_member' | 'profile' | 'thing' | 'certificate' | 'webhook' | 'tree_group' | 'tree_member' | 'messages' | 'queue' | undefined;
      /** Id of what was changed. */
      entity_id?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Id of the org, which may be gone. */
      org_id?: string | undefined;
      /** Type of the file: `csv` or `ndjson`. Default `ndjson`. */
      convert?: 'csv' | 'ndjson' | undefined;
      /** CSV: begins with a byte order mark, by which Excel knows that it is UTF-8 (default `false`). */
      bom?: boolean | undefined;
    };
  };
  /** Set the quota of an org */
  setOrgQuota: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: QuotaChange;
  };
  /** View what an org has and sent, and its quota */
  viewOrgUsage: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
  };
  /** Create a group, or several */
  createGroups: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: NewGroup[] | NewGroup;
  };
  /** List one’s groups in an org */
  listOrgGroups: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a group */
  viewGroup: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
  };
  /** Change a group */
  updateGroup: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: GroupChange;
  };
  /** Delete a group and all in it */
  deleteGroup: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
  };
  /** List one’s groups */
  listGroups: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Delete several groups and all in them, all or none */
  deleteGroups: {
    body: {
      /** Ids of the groups to remove. */
      group_ids: string[];
    };
  };
  /** Create a hierarchical group */
  createTreeGroup: {
    body: NewTreeGroup;
  };
  /** Search one’s groups */
  searchGroups: {
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Search one’s groups in an org */
  searchOrgGroups: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** View the group of a thing */
  viewThingGroup: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
  };
  /** View the group of a profile */
  viewProfileGroup: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
  };
  /** Add members to a group */
  addGroupMembers: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: {
      /** Id of a registered user. */
      member_id: string;
      /** Role to give: an `owner` can not be made. Absent or empty: `viewer`. */
      role?: 'admin' | 'editor' | 'viewer' | '';
    }[] | {
      /** Members, with their roles. */
      group_memberships: {
        /** Id of a registered user. */
        member_id: string;
        /** Role to give: an `owner` can not be made. Absent or empty: `viewer`. */
        role?: 'admin' | 'editor' | 'viewer' | '';
      }[];
    };
  };
  /** Change roles of a group’s members */
  changeGroupRoles: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: {
      /** Id of a registered user. */
      member_id: string;
      /** Role to give: an `owner` can not be made. */
      role: 'admin' | 'editor' | 'viewer';
    }[] | {
      /** Members, with their roles. */
      group_memberships: {
        /** Id of a registered user. */
        member_id: string;
        /** Role to give: an `owner` can not be made. */
        role: 'admin' | 'editor' | 'viewer';
      }[];
    };
  };
  /** Remove members from a group */
  removeGroupMembers: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: {
      /** Ids of the members to remove. */
      member_ids: string[];
    };
  };
  /** List the members of a group */
  listGroupMembers: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'email' | 'role' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** Role that the member must have. */
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Create profiles */
  createProfiles: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: NewProfile[];
  };
  /** List the profiles of a group */
  listGroupProfiles: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a profile */
  viewProfile: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
  };
  /** Change a profile */
  updateProfile: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
    body: ProfileChange;
  };
  /** Delete a profile no thing has */
  deleteProfile: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
  };
  /** View the profile of a thing */
  viewThingProfile: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
  };
  /** List one’s profiles */
  listProfiles: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Delete several profiles no thing has, all or none */
  deleteProfiles: {
    body: {
      /** Ids of the profiles to remove. */
      profile_ids: string[];
    };
  };
  /** Search one’s profiles */
  searchProfiles: {
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Search the profiles of a group */
  searchGroupProfiles: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** List one’s profiles in an org */
  listOrgProfiles: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search one’s profiles in an org */
  searchOrgProfiles: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Create things */
  createThings: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
    body: NewThing[];
  };
  /** List the things of a profile */
  listProfileThings: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string | undefined;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a thing */
  viewThing: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
  };
  /** Change a thing */
  updateThing: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    body: ThingChange;
  };
  /** Give a thing another profile, in its group or another */
  moveThing: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    body: ThingMove;
  };
  /** Delete a thing */
  deleteThing: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
  };
  /** List one’s things */
  listThings: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string | undefined;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Merge into the metadata of several things */
  updateThingsMetadata: {
    body: ThingMetadata[];
  };
  /** Delete several things, all or none */
  deleteThings: {
    body: {
      /** Ids of the things to remove. */
      thing_ids: string[];
    };
  };
  /** Search one’s things */
  searchThings: {
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string;
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** List one’s things in an org */
  listOrgThings: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string | undefined;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search one’s things in an org */
  searchOrgThings: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string;
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** List the things of a group */
  listGroupThings: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway' | undefined;
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string | undefined;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string | undefined;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Search the things of a group */
  searchGroupThings: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string;
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Search the things of a profile */
  searchProfileThings: {
    path: {
      /** Id of the profile: a UUID. */
      id: string;
    };
    body?: {
      /** Rows in a page at most. Default 10. */
      limit?: number;
      /** Rows left out before the page. Default 0. */
      offset?: number;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'type' | 'created_at' | 'updated_at' | 'last_seen';
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it, by the same filters and in the same order. As fast at the end of a long list as at its start, which `offset` is not. */
      cursor?: string;
      /** Text that the name must hold, in upper or lower case. */
      name?: string;
      /** Type that the thing must have. */
      type?: 'device' | 'sensor' | 'actuator' | 'controller' | 'gateway';
      /** Only things that were not heard at this time or later, nor ever. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      silent_since?: number | string;
      /** Only things that were heard at this time or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      seen_since?: number | string;
      /** Each thing tells how many messages are stored whose own time is this or later. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      messages_since?: number | string;
      /** Object that the metadata must contain. */
      metadata?: Record<string, unknown>;
    };
  };
  /** Set a thing’s external key */
  setExternalKey: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    body: {
      /** External key, which no other thing has: 5 to 1,024 characters. */
      key: string;
    };
  };
  /** Remove a thing’s external key */
  removeExternalKey: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
  };
  /** As a thing, read one’s metadata */
  viewOwnMetadata: Record<string, never>;
  /** Find the thing of a key */
  identifyThing: {
    body: {
      /** Key of a thing. */
      key: string;
      /** `internal`: the key of the thing; `external`: its external key. */
      type: 'internal' | 'external';
    };
  };
  /** Issue a certificate to a thing; its private key shows here alone */
  issueCertificate: {
    body: NewCertificate;
  };
  /** View a certificate */
  viewCertificate: {
    path: {
      /** Serial number of the certificate: hex. */
      serial: string;
    };
  };
  /** Issue another of the same kind; the old one goes on until it ends or is revoked */
  renewCertificate: {
    path: {
      /** Serial number of the certificate: hex. */
      serial: string;
    };
  };
  /** Revoke a certificate */
  revokeCertificate: {
    path: {
      /** Serial number of the certificate: hex. */
      serial: string;
    };
  };
  /** List the certificates of a thing that are not revoked */
  listSerials: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'issued_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** The revocation list, as DER or, where that is accepted, as PEM */
  viewRevocationList: Record<string, never>;
  /** Create webhooks of a thing; answered as they were sent, as a list or wrapped, and wrapped where an element has an `id` */
  createWebhooks: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    body: NewWebhook[] | {
      /** Webhooks to make. */
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of a thing */
  listThingWebhooks: {
    path: {
      /** Id of the thing: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Create webhooks of all things of a group, now and later; answered as those of a thing */
  createGroupWebhooks: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    body: NewWebhook[] | {
      /** Webhooks to make. */
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of a group, and of its things */
  listGroupWebhooks: {
    path: {
      /** Id of the group: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Create webhooks of all things of an org, now and later; answered as those of a thing */
  createOrgWebhooks: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: NewWebhook[] | {
      /** Webhooks to make. */
      webhooks: NewWebhook[];
    };
  };
  /** List the webhooks of an org, and of its groups and their things */
  listOrgWebhooks: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'url' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** View a webhook */
  viewWebhook: {
    path: {
      /** Id of the webhook: a UUID. */
      id: string;
    };
  };
  /** Change a webhook, disable or enable it; a secret that is replaced signs too for a day */
  updateWebhook: {
    path: {
      /** Id of the webhook: a UUID. */
      id: string;
    };
    body: WebhookChange;
  };
  /** Delete webhooks */
  deleteWebhooks_delete: {
    body: {
      /** Ids of the webhooks to remove. */
      webhook_ids: string[];
    };
  };
  /** Delete webhooks */
  deleteWebhooks_patch: {
    body: {
      /** Ids of the webhooks to remove. */
      webhook_ids: string[];
    };
  };
  /** Send a small message to a webhook, to test it */
  pingWebhook: {
    path: {
      /** Id of the webhook: a UUID. */
      id: string;
    };
  };
  /** List the attempts to deliver to a webhook */
  listWebhookDeliveries: {
    path: {
      /** Id of the webhook: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Id of a message: only attempts of this one. */
      message_id?: string | undefined;
      /** HTTP status that the answer must have. */
      status?: number | undefined;
      /** `delivered`: answered with 2xx; `failed`: all others. */
      outcome?: 'delivered' | 'failed' | undefined;
      /** Earliest time of an attempt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time of an attempt, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
    };
  };
  /** Deliver again: one message, those whose last attempt failed, or those of a time */
  replayWebhook: {
    path: {
      /** Id of the webhook: a UUID. */
      id: string;
    };
    body: Replay;
  };
  /** View a hierarchical group */
  viewTreeGroup: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
  };
  /** Change a hierarchical group */
  updateTreeGroup: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    body: TreeGroupChange;
  };
  /** Delete a hierarchical group and all under it, if they have no members */
  deleteTreeGroup: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
  };
  /** List a hierarchical group and its ancestors */
  listTreeParents: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    query?: {
      /** How far from the group, at most: 1 to 5. Default 1. */
      level?: number | undefined;
      /** `true`: groups stand nested under `children`. Default `false`: in a list. */
      tree?: boolean | undefined;
      /** Groups in a page at most. Default 10. */
      limit?: number | undefined;
      /** Groups left out before the page. Default 0. */
      offset?: number | undefined;
    };
  };
  /** List a hierarchical group and its descendants */
  listTreeChildren: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    query?: {
      /** How far from the group, at most: 1 to 5. Default 1. */
      level?: number | undefined;
      /** `true`: groups stand nested under `children`. Default `false`: in a list. */
      tree?: boolean | undefined;
      /** Groups in a page at most. Default 10. */
      limit?: number | undefined;
      /** Groups left out before the page. Default 0. */
      offset?: number | undefined;
    };
  };
  /** Add members to a hierarchical group */
  addTreeMembers: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    body: {
      /** Ids of the members: of users, of things, or of another system. */
      members: string[];
      /** What the members are. */
      type: 'users' | 'things';
    };
  };
  /** Remove members from a hierarchical group */
  removeTreeMembers: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    body: {
      /** Ids of the members to remove. */
      members: string[];
      /** Members of this type only. Default: of both. */
      type?: 'users' | 'things';
    };
  };
  /** List the ids of a hierarchical group’s members */
  listTreeMembers: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'type' | 'created_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Members of this type only. Default: of both. */
      type?: 'users' | 'things' | undefined;
    };
  };
  /** List a hierarchical group’s members that are users */
  listTreeUsers: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'type' | 'created_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** List a hierarchical group’s members that are things */
  listTreeThings: {
    path: {
      /** Id of the hierarchical group: a ULID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'type' | 'created_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** List the hierarchical groups a member is in */
  listTreeGroupsOfMember: {
    path: {
      /** Id of the member, of whatever kind. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'name' | 'created_at' | 'updated_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the name must hold, in upper or lower case. */
      name?: string | undefined;
      /** JSON object that the metadata must contain: `{"place":"hall"}`. */
      metadata?: Record<string, unknown> | undefined;
    };
  };
  /** Issue an API key */
  issueKey: {
    body: NewApiKey;
  };
  /** List one’s API keys */
  listKeys: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'issued_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** View one of one’s API keys */
  viewKey: {
    path: {
      /** Id of the API key: a UUID. */
      id: string;
    };
  };
  /** Revoke one of one’s API keys */
  revokeKey: {
    path: {
      /** Id of the API key: a UUID. */
      id: string;
    };
  };
  /** List one’s sessions */
  listSessions: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'created_at' | 'last_used_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
    };
  };
  /** End all of one’s sessions and tokens */
  endAllSessions: Record<string, never>;
  /** End one of one’s sessions */
  endSession: {
    path: {
      /** Id of the session: a UUID. */
      id: string;
    };
  };
  /** Invite a user to an org */
  createOrgInvite: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    body: NewOrgInvite;
  };
  /** List the invites to an org */
  listOrgInvites: {
    path: {
      /** Id of the org: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** State that the invite must be in. */
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      /** Role that the member must have. */
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Invite someone to the platform */
  createPlatformInvite: {
    body: NewPlatformInvite;
  };
  /** List the invites to the platform */
  listPlatformInvites: {
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** State that the invite must be in. */
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
    };
  };
  /** Register as a platform invite’s invitee */
  registerByInvite: {
    path: {
      /** Id of the invite: a UUID. */
      id: string;
    };
    body: Registration;
  };
  /** View an invite of either kind */
  viewInvite: {
    path: {
      /** Id of the invite: a UUID. */
      id: string;
    };
  };
  /** Revoke an org invite */
  revokeInvite: {
    path: {
      /** Id of the invite: a UUID. */
      id: string;
    };
  };
  /** Accept an org invite */
  acceptInvite: {
    path: {
      /** Id of the invite: a UUID. */
      id: string;
    };
  };
  /** Decline an org invite */
  declineInvite: {
    path: {
      /** Id of the invite: a UUID. */
      id: string;
    };
  };
  /** List the invites a user got */
  listReceivedInvites: {
    path: {
      /** Id of the user: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** State that the invite must be in. */
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      /** Role that the member must have. */
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** List the invites a user sent */
  listSentInvites: {
    path: {
      /** Id of the user: a UUID. */
      id: string;
    };
    query?: {
      /** Rows in a page at most. Default 10. */
      limit?: number | undefined;
      /** Rows left out before the page. Default 0. */
      offset?: number | undefined;
      /** Member to sort by. Default `id`. */
      order?: 'id' | 'created_at' | 'expires_at' | undefined;
      /** Direction of the order: `asc` or `desc`. Default `desc`. */
      dir?: 'asc' | 'desc' | undefined;
      /** Text that the e-mail must hold, in upper or lower case. */
      email?: string | undefined;
      /** State that the invite must be in. */
      state?: 'pending' | 'accepted' | 'declined' | 'revoked' | 'expired' | undefined;
      /** Role that the member must have. */
      role?: 'owner' | 'admin' | 'editor' | 'viewer' | undefined;
    };
  };
  /** Read messages, newest first, or an aggregate of each interval */
  readMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number | undefined;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean | undefined;
      /** Messages, or intervals, in a page at most. */
      limit?: number | undefined;
      /** Messages, or intervals, left out before the page. */
      offset?: number | undefined;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it. */
      cursor?: string | undefined;
    };
  };
  /** Delete the messages of all things one administers, or one’s own as a thing */
  deleteMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as a file */
  exportMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** Direction of the order: `desc` begins with the newest. */
      dir?: 'asc' | 'desc' | undefined;
      /** `store`: day by day, and within a day thing by thing and name by name, each by time; the quickest. `time`: by time, as the reader gives them. Aggregates come by time. */
      order?: 'store' | 'time' | undefined;
      /** How times are written in `json`, `ndjson` and `csv`: `unix` as the reader does (the default), `rfc3339` as `2026-11-22T10:00:00.000000000Z`, in any letter case. Parquet and Arrow have timestamps. */
      time_format?: string | undefined;
      /** Type of the file; without it `Accept` says, and otherwise it is `json`. `arrow` is the file format of Arrow IPC, `arrows` its stream. */
      convert?: 'json' | 'csv' | 'ndjson' | 'parquet' | 'arrow' | 'arrows' | undefined;
      /** CSV: begins with a byte order mark, by which Excel knows that it is UTF-8 (default `false`). */
      bom?: boolean | undefined;
    };
  };
  /** Delete the messages of a thing */
  deleteMessagesOfThing_senml: {
    path: {
      /** Id of the thing whose messages they are: a UUID. */
      publisher: string;
    };
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Read messages, newest first, or an aggregate of each interval */
  readMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number | undefined;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean | undefined;
      /** Messages, or intervals, in a page at most. */
      limit?: number | undefined;
      /** Messages, or intervals, left out before the page. */
      offset?: number | undefined;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc' | undefined;
      /** `next` of the page before: what follows it. */
      cursor?: string | undefined;
    };
  };
  /** Delete the messages of all things one administers, or one’s own as a thing */
  deleteMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as a file */
  exportMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last' | undefined;
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year' | undefined;
      /** Units in an interval (default 1). */
      agg_value?: number | undefined;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[] | undefined;
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear' | undefined;
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string | undefined;
      /** Direction of the order: `desc` begins with the newest. */
      dir?: 'asc' | 'desc' | undefined;
      /** `store`: day by day, and within a day thing by thing and name by name, each by time; the quickest. `time`: by time, as the reader gives them. Aggregates come by time. */
      order?: 'store' | 'time' | undefined;
      /** How times are written in `json`, `ndjson` and `csv`: `unix` as the reader does (the default), `rfc3339` as `2026-11-22T10:00:00.000000000Z`, in any letter case. Parquet and Arrow have timestamps. */
      time_format?: string | undefined;
      /** Type of the file; without it `Accept` says, and otherwise it is `json`. `arrow` is the file format of Arrow IPC, `arrows` its stream. */
      convert?: 'json' | 'csv' | 'ndjson' | 'parquet' | 'arrow' | 'arrows' | undefined;
      /** CSV: begins with a byte order mark, by which Excel knows that it is UTF-8 (default `false`). */
      bom?: boolean | undefined;
    };
  };
  /** Delete the messages of a thing */
  deleteMessagesOfThing_json: {
    path: {
      /** Id of the thing whose messages they are: a UUID. */
      publisher: string;
    };
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
      /** Taken because clients send it along. Everything that matches is deleted. */
      offset?: 0 | undefined;
      /** Taken with `offset` because clients send both along, refused alone. Everything that matches is deleted. */
      limit?: number | undefined;
      /** Taken because clients send it along. A deletion knows no aggregates. */
      agg_value?: 1 | undefined;
    };
  };
  /** Messages as they come, as server-sent events; goes on after a `Last-Event-ID` */
  followMessages_senml: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
    };
  };
  /** Messages as they come, as server-sent events; goes on after a `Last-Event-ID` */
  followMessages_json: {
    query?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string | undefined;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string | undefined;
      /** Protocol by which the messages came: `http`. */
      protocol?: string | undefined;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string | undefined;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number | undefined;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge' | undefined;
      /** SenML: string value, whole. */
      vs?: string | undefined;
      /** SenML: boolean value. */
      vb?: boolean | undefined;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string | undefined;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string | undefined;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string | undefined;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string | undefined;
    };
  };
  /** All messages of both formats as one file */
  backupMessages: Record<string, never>;
  /** The state of the service and its neighbours */
  viewHealth: Record<string, never>;
  /** The state of the service and its neighbours */
  viewHealth_ready: Record<string, never>;
  /** The state of the service and its neighbours */
  viewHealth_live: Record<string, never>;
  /** Metrics for Prometheus, for private networks or with `METRICS_TOKEN` */
  viewMetrics: Record<string, never>;
  /** The state of the service and its neighbours */
  viewHealth_reader: Record<string, never>;
  /** How the installation is and was: its processes, figures and quarantine */
  viewOperations: {
    query?: {
      /** How far back the history goes. Absent: no history, only what is now. */
      range?: '1h' | '6h' | '24h' | '7d' | undefined;
    };
  };
  /** Read messages by one query or by many, each answered in its place */
  searchMessages_senml: {
    body?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    }[] | {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    };
  };
  /** Read messages by one query or by many, each answered in its place */
  searchMessages_json: {
    body?: {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    }[] | {
      /** Id of the thing that sent the messages. Without it: all things in reach. */
      publisher?: string;
      /** Subtopic, whole, its parts joined by dots: `room.one`. */
      subtopic?: string;
      /** Protocol by which the messages came: `http`. */
      protocol?: string;
      /** Name, whole. SenML: of the record, with its base name. JSON: the text in the member “name” of a payload. */
      name?: string;
      /** SenML: a number to compare the value with (see `comparator`). */
      v?: number;
      /** SenML: how a value compares with `v`: equal (`eq`, the default), less (`lt`), less or equal (`le`), greater (`gt`), greater or equal (`ge`). */
      comparator?: 'eq' | 'lt' | 'le' | 'gt' | 'ge';
      /** SenML: string value, whole. */
      vs?: string;
      /** SenML: boolean value. */
      vb?: boolean;
      /** SenML: data value, in base64 as it was sent. */
      vd?: string;
      /** JSON: a dotted path that must be there in the payload: `motor.rpm`. */
      filter?: string;
      /** Earliest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. */
      from?: number | string;
      /** Latest time, inclusive. Integer nanoseconds since 1970 (UTC); ISO 8601 with a zone, `2026-11-21T10:00:00.5Z`; a date, `2026-11-21`, for the begin of that day in `tz`, or in UTC; or relative: `now`, `-24h`, `-1h30m`, `-7d`. A number of seconds or milliseconds is refused. A date is its begin here too: for a whole day, give the date after it. */
      to?: number | string;
      /** Aggregate of each interval, instead of the messages; with `agg_interval`. */
      agg_type?: 'min' | 'max' | 'avg' | 'sum' | 'count' | 'first' | 'last';
      /** Unit of the intervals. Weeks begin on Monday. */
      agg_interval?: 'microsecond' | 'millisecond' | 'second' | 'minute' | 'hour' | 'day' | 'week' | 'month' | 'year';
      /** Units in an interval (default 1). */
      agg_value?: number;
      /** What is aggregated, or drawn by `points`. JSON: dotted path of the number in the payload; aggregates may be of several. SenML: name of the records, as `name`; without it, or with `value`, all of them. */
      agg_field?: string | string[];
      /** What stands in an interval without messages, from `from` or the first message to `to` or the last one: no row (`none`, the default), null, 0, the value before, or one on the line between its neighbours. */
      agg_fill?: 'none' | 'null' | 'zero' | 'previous' | 'linear';
      /** IANA time zone in which days, weeks, months and years begin: `Europe/Berlin` (default UTC). */
      tz?: string;
      /** As many messages as this that draw the same line as all of them, instead of a page. JSON: of one `agg_field`. */
      points?: number;
      /** The newest message of each series instead of a page, up to `limit`: SenML by thing and name, JSON by thing and subtopic. They come in the order of these. */
      latest?: boolean;
      /** Messages, or intervals, in a page at most. */
      limit?: number;
      /** Messages, or intervals, left out before the page. */
      offset?: number;
      /** Order of time: `desc` is newest first. */
      dir?: 'asc' | 'desc';
      /** `next` of the page before: what follows it. */
      cursor?: string;
      /** The same as `agg_field`. */
      agg_fields?: string | string[];
    };
  };
  /** Add what is missing of a backup, or of a file of the platform’s older kind */
  restoreMessages: {
    body: {
      /** JSON messages. */
      json_messages: (Record<string, unknown>)[];
      /** SenML messages. */
      senml_messages: (Record<string, unknown>)[];
    };
  };
  /** The figures of every run of the benchmarks */
  viewBenchResults: Record<string, never>;
};

/** The JSON that each operation answers. */
export type Answers = {
  sendMessages: undefined;
  sendMessagesOfSubtopic: undefined;
  viewDocs: Record<string, unknown>;
  issueToken: {
    /** Token for `Authorization: Bearer`: a JWT that ends after 10 hours, unless the operator set something else. */
    token: string;
  };
  createUser: undefined;
  listUsers: Users;
  updateOwnMetadata: undefined;
  viewUser: User;
  viewOwnUser: User;
  searchUsers: Users;
  changeOwnPassword: undefined;
  createOrg: undefined;
  listOrgs: Orgs;
  viewOrg: Org;
  updateOrg: undefined;
  deleteOrg: undefined;
  searchOrgs: Orgs;
  addOrgMembers: undefined;
  changeOrgRoles: undefined;
  removeOrgMembers: undefined;
  listOrgMembers: OrgMemberships;
  viewOrgMember: OrgMembership;
  listOrgAudit: AuditEntries;
  listAudit: AuditEntries;
  exportOrgAudit: undefined;
  exportAudit: undefined;
  setOrgQuota: undefined;
  viewOrgUsage: Usage;
  createGroups: {
    /** Groups that were made, in the order they were given. */
    groups: Group[];
  };
  listOrgGroups: Groups;
  viewGroup: Group;
  updateGroup: undefined;
  deleteGroup: undefined;
  listGroups: Groups;
  deleteGroups: undefined;
  createTreeGroup: undefined;
  searchGroups: Groups;
  searchOrgGroups: Groups;
  viewThingGroup: Group;
  viewProfileGroup: Group;
  addGroupMembers: Record<string, unknown>;
  changeGroupRoles: undefined;
  removeGroupMembers: undefined;
  listGroupMembers: GroupMemberships;
  createProfiles: {
    /** Profiles that were made, in the order they were given. */
    profiles: Profile[];
  };
  listGroupProfiles: Profiles;
  viewProfile: Profile;
  updateProfile: undefined;
  deleteProfile: undefined;
  viewThingProfile: Profile;
  listProfiles: Profiles;
  deleteProfiles: undefined;
  searchProfiles: Profiles;
  searchGroupProfiles: Profiles;
  listOrgProfiles: Profiles;
  searchOrgProfiles: Profiles;
  createThings: {
    /** Things that were made, in the order they were given. */
    things: Thing[];
  };
  listProfileThings: Things;
  viewThing: Thing;
  updateThing: undefined;
  moveThing: undefined;
  deleteThing: undefined;
  listThings: Things;
  updateThingsMetadata: undefined;
  deleteThings: undefined;
  searchThings: Things;
  listOrgThings: Things;
  searchOrgThings: Things;
  listGroupThings: Things;
  searchGroupThings: Things;
  searchProfileThings: Things;
  setExternalKey: undefined;
  removeExternalKey: undefined;
  viewOwnMetadata: {
    /** Metadata of the thing. */
    metadata: Record<string, unknown>;
  };
  identifyThing: {
    /** Id of the thing that has the key. */
    id: string;
  };
  issueCertificate: IssuedCertificate;
  viewCertificate: Certificate;
  renewCertificate: IssuedCertificate;
  revokeCertificate: Revocation;
  listSerials: Serials;
  viewRevocationList: undefined;
  createWebhooks: Webhook[] | {
    /** Webhooks that were made. */
    webhooks: Webhook[];
  };
  listThingWebhooks: Webhooks;
  createGroupWebhooks: Webhook[] | {
    /** Webhooks that were made. */
    webhooks: Webhook[];
  };
  listGroupWebhooks: Webhooks;
  createOrgWebhooks: Webhook[] | {
    /** Webhooks that were made. */
    webhooks: Webhook[];
  };
  listOrgWebhooks: Webhooks;
  viewWebhook: Webhook;
  updateWebhook: undefined;
  deleteWebhooks_delete: undefined;
  deleteWebhooks_patch: undefined;
  pingWebhook: {
    /** Id of the message that is sent. */
    message_id: string;
  };
  listWebhookDeliveries: WebhookDeliveries;
  replayWebhook: {
    /** Deliveries that are made again. */
    queued: number;
  };
  viewTreeGroup: TreeGroup;
  updateTreeGroup: undefined;
  deleteTreeGroup: undefined;
  listTreeParents: TreeGroups;
  listTreeChildren: TreeGroups;
  addTreeMembers: undefined;
  removeTreeMembers: undefined;
  listTreeMembers: TreeMembers;
  listTreeUsers: TreeUsers;
  listTreeThings: TreeThings;
  listTreeGroupsOfMember: TreeGroups;
  issueKey: IssuedApiKey;
  listKeys: ApiKeys;
  viewKey: ApiKey;
  revokeKey: undefined;
  listSessions: Sessions;
  endAllSessions: undefined;
  endSession: undefined;
  createOrgInvite: undefined;
  listOrgInvites: OrgInvites;
  createPlatformInvite: undefined;
  listPlatformInvites: PlatformInvites;
  registerByInvite: undefined;
  viewInvite: Invite;
  revokeInvite: undefined;
  acceptInvite: undefined;
  declineInvite: undefined;
  listReceivedInvites: InvitesOfUser;
  listSentInvites: InvitesOfUser;
  readMessages_senml: {
    /** Messages left out before the page, as asked. */
    offset: number;
    /** Messages in a page at most, as asked. */
    limit: number;
    /** Format of the messages. */
    format: 'senml';
    /** Messages, or intervals, in all, whatever the page shows of them. */
    total: number;
    /** Messages of the page, the newest first unless `dir` says otherwise. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Name of the record, with its base name. */
      name?: string;
      /** Unit of the value. Absent: none was sent. */
      unit?: string;
      /** Time: seconds since 1970 (UTC), with their fraction. */
      time: number;
      /** Number, or the aggregate that was asked for: `null` in a filled interval. */
      value?: number | null;
      /** Text, where the value is one. */
      string_value?: string;
      /** Truth value, where the value is one. */
      bool_value?: boolean;
      /** Bytes in base64, where the value is some. */
      data_value?: string;
      /** Sum of the value over time. */
      sum?: number;
      /** Seconds until the thing sends again at the latest, as it said. */
      update_time?: number;
    }[];
    /** `cursor` of what follows. Absent: nothing does. `Link` has it as well. */
    next?: string;
  };
  deleteMessages_senml: undefined;
  exportMessages_senml: {
    /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
    publisher?: string;
    /** Protocol by which it came. */
    protocol?: string;
    /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
    subtopic?: string;
    /** Name of the record, with its base name. */
    name?: string;
    /** Unit of the value. Absent: none was sent. */
    unit?: string;
    /** Time: seconds since 1970 (UTC), with their fraction. */
    time: number;
    /** Number, or the aggregate that was asked for: `null` in a filled interval. */
    value?: number | null;
    /** Text, where the value is one. */
    string_value?: string;
    /** Truth value, where the value is one. */
    bool_value?: boolean;
    /** Bytes in base64, where the value is some. */
    data_value?: string;
    /** Sum of the value over time. */
    sum?: number;
    /** Seconds until the thing sends again at the latest, as it said. */
    update_time?: number;
  }[];
  deleteMessagesOfThing_senml: undefined;
  readMessages_json: {
    /** Messages left out before the page, as asked. */
    offset: number;
    /** Messages in a page at most, as asked. */
    limit: number;
    /** Format of the messages. */
    format: 'json';
    /** Messages, or intervals, in all, whatever the page shows of them. */
    total: number;
    /** Messages of the page, the newest first unless `dir` says otherwise. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Time: integer nanoseconds since 1970 (UTC). They are beyond the 53 bits that a number of JavaScript’s holds. */
      created: number;
      /** What was sent, after the profile’s transformer. */
      payload: unknown;
    }[];
    /** `cursor` of what follows. Absent: nothing does. `Link` has it as well. */
    next?: string;
  };
  deleteMessages_json: undefined;
  exportMessages_json: {
    /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
    publisher?: string;
    /** Protocol by which it came. */
    protocol?: string;
    /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
    subtopic?: string;
    /** Time: integer nanoseconds since 1970 (UTC). They are beyond the 53 bits that a number of JavaScript’s holds. */
    created: number;
    /** What was sent, after the profile’s transformer. */
    payload: unknown;
  }[];
  deleteMessagesOfThing_json: undefined;
  followMessages_senml: undefined;
  followMessages_json: undefined;
  backupMessages: undefined;
  viewHealth: {
    /** `pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done. */
    status: 'pass' | 'warn' | 'fail';
    /** State of each part, by its name. */
    checks: Record<string, {
      /** State of this part: `pass`, `warn` or `fail`. */
      status: string;
      /** What is wrong with it. Absent: nothing. */
      output?: string;
    }[]>;
    /** Version of Millrace. */
    version: string;
    /** Commit it was built from; `unknown` where nobody told. */
    commit: string;
    /** What the process is. */
    description: string;
    /** Of when that commit is; `unknown` where nobody told. */
    build_time: string;
  };
  viewHealth_ready: {
    /** `pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done. */
    status: 'pass' | 'warn' | 'fail';
    /** State of each part, by its name. */
    checks: Record<string, {
      /** State of this part: `pass`, `warn` or `fail`. */
      status: string;
      /** What is wrong with it. Absent: nothing. */
      output?: string;
    }[]>;
    /** Version of Millrace. */
    version: string;
    /** Commit it was built from; `unknown` where nobody told. */
    commit: string;
    /** What the process is. */
    description: string;
    /** Of when that commit is; `unknown` where nobody told. */
    build_time: string;
  };
  viewHealth_live: {
    /** `pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done. */
    status: 'pass' | 'warn' | 'fail';
    /** State of each part, by its name. */
    checks: Record<string, {
      /** State of this part: `pass`, `warn` or `fail`. */
      status: string;
      /** What is wrong with it. Absent: nothing. */
      output?: string;
    }[]>;
    /** Version of Millrace. */
    version: string;
    /** Commit it was built from; `unknown` where nobody told. */
    commit: string;
    /** What the process is. */
    description: string;
    /** Of when that commit is; `unknown` where nobody told. */
    build_time: string;
  };
  viewMetrics: undefined;
  viewHealth_reader: {
    /** `pass`: all is well. `warn`: the job is done, and something it stands on is away. `fail`: the job can not be done. */
    status: 'pass' | 'warn' | 'fail';
    /** State of each part, by its name. */
    checks: Record<string, {
      /** State of this part: `pass`, `warn` or `fail`. */
      status: string;
      /** What is wrong with it. Absent: nothing. */
      output?: string;
    }[]>;
    /** Version of Millrace. */
    version: string;
    /** Commit it was built from; `unknown` where nobody told. */
    commit: string;
    /** What the process is. */
    description: string;
    /** Of when that commit is; `unknown` where nobody told. */
    build_time: string;
  };
  viewOperations: Operations;
  searchMessages_senml: {
    /** Messages left out before the page, as asked. */
    offset: number;
    /** Messages in a page at most, as asked. */
    limit: number;
    /** Format of the messages. */
    format: 'senml';
    /** Messages, or intervals, in all, whatever the page shows of them. */
    total: number;
    /** Messages of the page, the newest first unless `dir` says otherwise. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Name of the record, with its base name. */
      name?: string;
      /** Unit of the value. Absent: none was sent. */
      unit?: string;
      /** Time: seconds since 1970 (UTC), with their fraction. */
      time: number;
      /** Number, or the aggregate that was asked for: `null` in a filled interval. */
      value?: number | null;
      /** Text, where the value is one. */
      string_value?: string;
      /** Truth value, where the value is one. */
      bool_value?: boolean;
      /** Bytes in base64, where the value is some. */
      data_value?: string;
      /** Sum of the value over time. */
      sum?: number;
      /** Seconds until the thing sends again at the latest, as it said. */
      update_time?: number;
    }[];
    /** `cursor` of what follows. Absent: nothing does. `Link` has it as well. */
    next?: string;
  } | {
    /** Messages, or intervals, in all. */
    total: number;
    /** Messages of the page. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Name of the record, with its base name. */
      name?: string;
      /** Unit of the value. Absent: none was sent. */
      unit?: string;
      /** Time: seconds since 1970 (UTC), with their fraction. */
      time: number;
      /** Number, or the aggregate that was asked for: `null` in a filled interval. */
      value?: number | null;
      /** Text, where the value is one. */
      string_value?: string;
      /** Truth value, where the value is one. */
      bool_value?: boolean;
      /** Bytes in base64, where the value is some. */
      data_value?: string;
      /** Sum of the value over time. */
      sum?: number;
      /** Seconds until the thing sends again at the latest, as it said. */
      update_time?: number;
    }[];
    /** What is wrong with the search. Absent: nothing. */
    error?: string;
  }[];
  searchMessages_json: {
    /** Messages left out before the page, as asked. */
    offset: number;
    /** Messages in a page at most, as asked. */
    limit: number;
    /** Format of the messages. */
    format: 'json';
    /** Messages, or intervals, in all, whatever the page shows of them. */
    total: number;
    /** Messages of the page, the newest first unless `dir` says otherwise. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Time: integer nanoseconds since 1970 (UTC). They are beyond the 53 bits that a number of JavaScript’s holds. */
      created: number;
      /** What was sent, after the profile’s transformer. */
      payload: unknown;
    }[];
    /** `cursor` of what follows. Absent: nothing does. `Link` has it as well. */
    next?: string;
  } | {
    /** Messages, or intervals, in all. */
    total: number;
    /** Messages of the page. */
    messages: {
      /** Id of the thing that sent it. An aggregate has this and the other names only where they hold for all its messages. */
      publisher?: string;
      /** Protocol by which it came. */
      protocol?: string;
      /** Subtopic that it was sent under, its parts joined by dots. Absent: none. */
      subtopic?: string;
      /** Time: integer nanoseconds since 1970 (UTC). They are beyond the 53 bits that a number of JavaScript’s holds. */
      created: number;
      /** What was sent, after the profile’s transformer. */
      payload: unknown;
    }[];
    /** What is wrong with the search. Absent: nothing. */
    error?: string;
  }[];
  restoreMessages: undefined;
  viewBenchResults: {
    /** Runs, the oldest first. */
    runs: {
      /** When it ran. */
      at: string;
      /** Commit that ran. */
      commit: string;
      /** Machine that it ran on. */
      machine: string;
      /** Version of Node. */
      node: string;
      /** Version of ClickHouse. */
      clickhouse: string;
      /** How fast the machine was just then: JSON parsed, in MB a second. */
      jsonParseMBs: number;
      /** Figures, by scenario. */
      results: Record<string, {
        /** What was measured. */
        name: string;
        /** Value. `null`: there was nothing to measure. */
        value: number | null;
        /** Unit of the value. */
        unit: string;
        /** Goal. Empty: none was set. */
        goal: string;
        /** Whether the goal was reached. */
        reached: boolean;
        /** What a system promises when it answers. */
        note?: string;
        /** Lowest and highest of the rounds whose median the value is. */
        spread?: number[];
      }[]>;
    }[];
  };
};

export type OperationName = keyof Requests;

/** Where an operation is, and a member that its answer has: all of a list, the first of anything else. */
export type Place = { method: Method; path: string; tag: Tag; has?: string };
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Tag = 'messages' | 'service' | 'users' | 'orgs' | 'groups' | 'hierarchical groups' | 'profiles' | 'things' | 'certificates' | 'webhooks' | 'keys' | 'sessions' | 'invites';

export const places: Readonly<Record<OperationName, Place>> = {
  sendMessages: { method: 'POST', path: '/http/messages', tag: 'messages' },
  sendMessagesOfSubtopic: { method: 'POST', path: '/http/messages/{subtopic}', tag: 'messages' },
  viewDocs: { method: 'GET', path: '/docs/json', tag: 'service' },
  issueToken: { method: 'POST', path: '/tokens', tag: 'users', has: 'token' },
  createUser: { method: 'POST', path: '/users', tag: 'users' },
  listUsers: { method: 'GET', path: '/users', tag: 'users', has: 'Users' },
  updateOwnMetadata: { method: 'PUT', path: '/users', tag: 'users' },
  viewUser: { method: 'GET', path: '/users/{id}', tag: 'users', has: 'id' },
  viewOwnUser: { method: 'GET', path: '/users/profile', tag: 'users', has: 'id' },
  searchUsers: { method: 'POST', path: '/users/search', tag: 'users', has: 'Users' },
  changeOwnPassword: { method: 'PATCH', path: '/password', tag: 'users' },
  createOrg: { method: 'POST', path: '/orgs', tag: 'orgs' },
  listOrgs: { method: 'GET', path: '/orgs', tag: 'orgs', has: 'orgs' },
  viewOrg: { method: 'GET', path: '/orgs/{id}', tag: 'orgs', has: 'id' },
  updateOrg: { method: 'PUT', path: '/orgs/{id}', tag: 'orgs' },
  deleteOrg: { method: 'DELETE', path: '/orgs/{id}', tag: 'orgs' },
  searchOrgs: { method: 'POST', path: '/orgs/search', tag: 'orgs', has: 'orgs' },
  addOrgMembers: { method: 'POST', path: '/orgs/{id}/memberships', tag: 'orgs' },
  changeOrgRoles: { method: 'PUT', path: '/orgs/{id}/memberships', tag: 'orgs' },
  removeOrgMembers: { method: 'PATCH', path: '/orgs/{id}/memberships', tag: 'orgs' },
  listOrgMembers: { method: 'GET', path: '/orgs/{id}/memberships', tag: 'orgs', has: 'org_memberships' },
  viewOrgMember: { method: 'GET', path: '/orgs/{id}/members/{memberId}', tag: 'orgs', has: 'member_id' },
  listOrgAudit: { method: 'GET', path: '/orgs/{id}/audit', tag: 'orgs', has: 'entries' },
  listAudit: { method: 'GET', path: '/audit', tag: 'orgs', has: 'entries' },
  exportOrgAudit: { method: 'GET', path: '/orgs/{id}/audit/export', tag: 'orgs' },
  exportAudit: { method: 'GET', path: '/audit/export', tag: 'orgs' },
  setOrgQuota: { method: 'PUT', path: '/orgs/{id}/quota', tag: 'orgs' },
  viewOrgUsage: { method: 'GET', path: '/orgs/{id}/usage', tag: 'orgs', has: 'org_id' },
  createGroups: { method: 'POST', path: '/orgs/{id}/groups', tag: 'groups', has: 'groups' },
  listOrgGroups: { method: 'GET', path: '/orgs/{id}/groups', tag: 'groups', has: 'groups' },
  viewGroup: { method: 'GET', path: '/groups/{id}', tag: 'groups', has: 'id' },
  updateGroup: { method: 'PUT', path: '/groups/{id}', tag: 'groups' },
  deleteGroup: { method: 'DELETE', path: '/groups/{id}', tag: 'groups' },
  listGroups: { method: 'GET', path: '/groups', tag: 'groups', has: 'groups' },
  deleteGroups: { method: 'PATCH', path: '/groups', tag: 'groups' },
  createTreeGroup: { method: 'POST', path: '/groups', tag: 'hierarchical groups' },
  searchGroups: { method: 'POST', path: '/groups/search', tag: 'groups', has: 'groups' },
  searchOrgGroups: { method: 'POST', path: '/orgs/{id}/groups/search', tag: 'groups', has: 'groups' },
  viewThingGroup: { method: 'GET', path: '/things/{id}/groups', tag: 'groups', has: 'id' },
  viewProfileGroup: { method: 'GET', path: '/profiles/{id}/groups', tag: 'groups', has: 'id' },
  addGroupMembers: { method: 'POST', path: '/groups/{id}/memberships', tag: 'groups' },
  changeGroupRoles: { method: 'PUT', path: '/groups/{id}/memberships', tag: 'groups' },
  removeGroupMembers: { method: 'PATCH', path: '/groups/{id}/memberships', tag: 'groups' },
  listGroupMembers: { method: 'GET', path: '/groups/{id}/memberships', tag: 'groups', has: 'group_memberships' },
  createProfiles: { method: 'POST', path: '/groups/{id}/profiles', tag: 'profiles', has: 'profiles' },
  listGroupProfiles: { method: 'GET', path: '/groups/{id}/profiles', tag: 'profiles', has: 'profiles' },
  viewProfile: { method: 'GET', path: '/profiles/{id}', tag: 'profiles', has: 'id' },
  updateProfile: { method: 'PUT', path: '/profiles/{id}', tag: 'profiles' },
  deleteProfile: { method: 'DELETE', path: '/profiles/{id}', tag: 'profiles' },
  viewThingProfile: { method: 'GET', path: '/things/{id}/profiles', tag: 'profiles', has: 'id' },
  listProfiles: { method: 'GET', path: '/profiles', tag: 'profiles', has: 'profiles' },
  deleteProfiles: { method: 'PATCH', path: '/profiles', tag: 'profiles' },
  searchProfiles: { method: 'POST', path: '/profiles/search', tag: 'profiles', has: 'profiles' },
  searchGroupProfiles: { method: 'POST', path: '/groups/{id}/profiles/search', tag: 'profiles', has: 'profiles' },
  listOrgProfiles: { method: 'GET', path: '/orgs/{id}/profiles', tag: 'profiles', has: 'profiles' },
  searchOrgProfiles: { method: 'POST', path: '/orgs/{id}/profiles/search', tag: 'profiles', has: 'profiles' },
  createThings: { method: 'POST', path: '/profiles/{id}/things', tag: 'things', has: 'things' },
  listProfileThings: { method: 'GET', path: '/profiles/{id}/things', tag: 'things', has: 'things' },
  viewThing: { method: 'GET', path: '/things/{id}', tag: 'things', has: 'id' },
  updateThing: { method: 'PUT', path: '/things/{id}', tag: 'things' },
  moveThing: { method: 'PATCH', path: '/things/{id}', tag: 'things' },
  deleteThing: { method: 'DELETE', path: '/things/{id}', tag: 'things' },
  listThings: { method: 'GET', path: '/things', tag: 'things', has: 'things' },
  updateThingsMetadata: { method: 'PUT', path: '/things', tag: 'things' },
  deleteThings: { method: 'PATCH', path: '/things', tag: 'things' },
  searchThings: { method: 'POST', path: '/things/search', tag: 'things', has: 'things' },
  listOrgThings: { method: 'GET', path: '/orgs/{id}/things', tag: 'things', has: 'things' },
  searchOrgThings: { method: 'POST', path: '/orgs/{id}/things/search', tag: 'things', has: 'things' },
  listGroupThings: { method: 'GET', path: '/groups/{id}/things', tag: 'things', has: 'things' },
  searchGroupThings: { method: 'POST', path: '/groups/{id}/things/search', tag: 'things', has: 'things' },
  searchProfileThings: { method: 'POST', path: '/profiles/{id}/things/search', tag: 'things', has: 'things' },
  setExternalKey: { method: 'PATCH', path: '/things/{id}/external-key', tag: 'things' },
  removeExternalKey: { method: 'DELETE', path: '/things/{id}/external-key', tag: 'things' },
  viewOwnMetadata: { method: 'GET', path: '/metadata', tag: 'things', has: 'metadata' },
  identifyThing: { method: 'POST', path: '/identify', tag: 'things', has: 'id' },
  issueCertificate: { method: 'POST', path: '/certs', tag: 'certificates', has: 'ca_chain' },
  viewCertificate: { method: 'GET', path: '/certs/{serial}', tag: 'certificates', has: 'ca_chain' },
  renewCertificate: { method: 'PUT', path: '/certs/{serial}', tag: 'certificates', has: 'ca_chain' },
  revokeCertificate: { method: 'DELETE', path: '/certs/{serial}', tag: 'certificates', has: 'revocation_time' },
  listSerials: { method: 'GET', path: '/things/{id}/serials', tag: 'certificates', has: 'certs' },
  viewRevocationList: { method: 'GET', path: '/crl', tag: 'certificates' },
  createWebhooks: { method: 'POST', path: '/things/{id}/webhooks', tag: 'webhooks' },
  listThingWebhooks: { method: 'GET', path: '/things/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  createGroupWebhooks: { method: 'POST', path: '/groups/{id}/webhooks', tag: 'webhooks' },
  listGroupWebhooks: { method: 'GET', path: '/groups/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  createOrgWebhooks: { method: 'POST', path: '/orgs/{id}/webhooks', tag: 'webhooks' },
  listOrgWebhooks: { method: 'GET', path: '/orgs/{id}/webhooks', tag: 'webhooks', has: 'webhooks' },
  viewWebhook: { method: 'GET', path: '/webhooks/{id}', tag: 'webhooks', has: 'id' },
  updateWebhook: { method: 'PUT', path: '/webhooks/{id}', tag: 'webhooks' },
  deleteWebhooks_delete: { method: 'DELETE', path: '/webhooks', tag: 'webhooks' },
  deleteWebhooks_patch: { method: 'PATCH', path: '/webhooks', tag: 'webhooks' },
  pingWebhook: { method: 'POST', path: '/webhooks/{id}/ping', tag: 'webhooks', has: 'message_id' },
  listWebhookDeliveries: { method: 'GET', path: '/webhooks/{id}/deliveries', tag: 'webhooks', has: 'deliveries' },
  replayWebhook: { method: 'POST', path: '/webhooks/{id}/replay', tag: 'webhooks', has: 'queued' },
  viewTreeGroup: { method: 'GET', path: '/svcauth/groups/{id}', tag: 'hierarchical groups', has: 'id' },
  updateTreeGroup: { method: 'PUT', path: '/svcauth/groups/{id}', tag: 'hierarchical groups' },
  deleteTreeGroup: { method: 'DELETE', path: '/svcauth/groups/{id}', tag: 'hierarchical groups' },
  listTreeParents: { method: 'GET', path: '/groups/{id}/parents', tag: 'hierarchical groups', has: 'groups' },
  listTreeChildren: { method: 'GET', path: '/groups/{id}/children', tag: 'hierarchical groups', has: 'groups' },
  addTreeMembers: { method: 'POST', path: '/groups/{id}/members', tag: 'hierarchical groups' },
  removeTreeMembers: { method: 'DELETE', path: '/groups/{id}/members', tag: 'hierarchical groups' },
  listTreeMembers: { method: 'GET', path: '/groups/{id}/members', tag: 'hierarchical groups', has: 'Members' },
  listTreeUsers: { method: 'GET', path: '/groups/users/{id}', tag: 'hierarchical groups', has: 'users' },
  listTreeThings: { method: 'GET', path: '/groups/things/{id}', tag: 'hierarchical groups', has: 'things' },
  listTreeGroupsOfMember: { method: 'GET', path: '/members/{id}/groups', tag: 'hierarchical groups', has: 'groups' },
  issueKey: { method: 'POST', path: '/keys', tag: 'keys', has: 'id' },
  listKeys: { method: 'GET', path: '/keys', tag: 'keys', has: 'keys' },
  viewKey: { method: 'GET', path: '/keys/{id}', tag: 'keys', has: 'id' },
  revokeKey: { method: 'DELETE', path: '/keys/{id}', tag: 'keys' },
  listSessions: { method: 'GET', path: '/sessions', tag: 'sessions', has: 'sessions' },
  endAllSessions: { method: 'DELETE', path: '/sessions', tag: 'sessions' },
  endSession: { method: 'DELETE', path: '/sessions/{id}', tag: 'sessions' },
  createOrgInvite: { method: 'POST', path: '/orgs/{id}/invites', tag: 'invites' },
  listOrgInvites: { method: 'GET', path: '/orgs/{id}/invites', tag: 'invites', has: 'invites' },
  createPlatformInvite: { method: 'POST', path: '/invites', tag: 'invites' },
  listPlatformInvites: { method: 'GET', path: '/invites', tag: 'invites', has: 'invites' },
  registerByInvite: { method: 'POST', path: '/register/invite/{id}', tag: 'invites' },
  viewInvite: { method: 'GET', path: '/invites/{id}', tag: 'invites', has: 'id' },
  revokeInvite: { method: 'DELETE', path: '/invites/{id}', tag: 'invites' },
  acceptInvite: { method: 'POST', path: '/invites/{id}/accept', tag: 'invites' },
  declineInvite: { method: 'POST', path: '/invites/{id}/decline', tag: 'invites' },
  listReceivedInvites: { method: 'GET', path: '/users/{id}/invites/received', tag: 'invites', has: 'invites' },
  listSentInvites: { method: 'GET', path: '/users/{id}/invites/sent', tag: 'invites', has: 'invites' },
  readMessages_senml: { method: 'GET', path: '/reader/senml', tag: 'messages', has: 'messages' },
  deleteMessages_senml: { method: 'DELETE', path: '/reader/senml', tag: 'messages' },
  exportMessages_senml: { method: 'GET', path: '/reader/senml/export', tag: 'messages' },
  deleteMessagesOfThing_senml: { method: 'DELETE', path: '/reader/senml/{publisher}', tag: 'messages' },
  readMessages_json: { method: 'GET', path: '/reader/json', tag: 'messages', has: 'messages' },
  deleteMessages_json: { method: 'DELETE', path: '/reader/json', tag: 'messages' },
  exportMessages_json: { method: 'GET', path: '/reader/json/export', tag: 'messages' },
  deleteMessagesOfThing_json: { method: 'DELETE', path: '/reader/json/{publisher}', tag: 'messages' },
  followMessages_senml: { method: 'GET', path: '/reader/senml/live', tag: 'messages' },
  followMessages_json: { method: 'GET', path: '/reader/json/live', tag: 'messages' },
  backupMessages: { method: 'GET', path: '/reader/backup', tag: 'messages' },
  viewHealth: { method: 'GET', path: '/health', tag: 'service', has: 'status' },
  viewHealth_ready: { method: 'GET', path: '/health/ready', tag: 'service', has: 'status' },
  viewHealth_live: { method: 'GET', path: '/health/live', tag: 'service', has: 'status' },
  viewMetrics: { method: 'GET', path: '/metrics', tag: 'service' },
  viewHealth_reader: { method: 'GET', path: '/reader/health', tag: 'service', has: 'status' },
  viewOperations: { method: 'GET', path: '/operations', tag: 'service', has: 'problems' },
  searchMessages_senml: { method: 'POST', path: '/reader/senml/search', tag: 'messages' },
  searchMessages_json: { method: 'POST', path: '/reader/json/search', tag: 'messages' },
  restoreMessages: { method: 'POST', path: '/reader/restore', tag: 'messages' },
  viewBenchResults: { method: 'GET', path: '/bench/results', tag: 'service', has: 'runs' },
};
