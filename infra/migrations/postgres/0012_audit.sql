-- The audit log: who changed what, when and from where. Only the triggers and functions below write it, in the
-- transaction of the change: an entry without its change, or a change without its entry, can't be. It also tells of
-- backups, exports of messages, replays of deliveries and failed logins, which change nothing.
--
-- An API process tells the transaction who asks for the change, in the setting `millrace.author`; without it the change
-- is the system's own. There are no foreign keys: an entry stays when the row that it tells of is gone.
CREATE TABLE audit_entries
(
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    at          timestamptz NOT NULL DEFAULT now(),
    -- null: of the platform
    org_id      uuid,
    group_id    uuid,
    actor_type  text        NOT NULL
        CONSTRAINT audit_entries_actor_type_known CHECK (actor_type IN ('user', 'thing', 'guest', 'system')),
    actor_id    uuid,
    actor_email text,
    api_key_id  uuid,
    address     text,
    request_id  text,
    -- by its name in the OpenAPI document; null: of the system
    operation   text,
    action      text        NOT NULL CONSTRAINT audit_entries_action_known
        CHECK (action IN ('create', 'update', 'delete', 'restore', 'backup', 'export', 'replay', 'failed_login')),
    kind        text        NOT NULL,
    entity_id   text,
    entity_name text,
    changes     jsonb       NOT NULL
);

CREATE INDEX audit_entries_org ON audit_entries (org_id, id);
CREATE INDEX audit_entries_entity ON audit_entries (entity_id, id);
CREATE INDEX audit_entries_at ON audit_entries (at);
-- The entry of an account whose failed logins are counted; '' is that of all e-mails without an account.
CREATE INDEX audit_entries_failed_logins ON audit_entries (coalesce(entity_id, ''), at) WHERE action = 'failed_login';

-- What the audit log tells of each column of a table that it watches, under the name that the API gives it: `always` its
-- value before and after, `change` that too, but only of a row that was there and stays; `name` that it changed, and no
-- value, which may be a secret, hold one, or be long; `never` nothing. A test fails for a column that is not here.
CREATE TABLE audit_columns
(
    column_name text PRIMARY KEY,
    name        text NOT NULL,
    tells       text NOT NULL CONSTRAINT audit_columns_tells_known CHECK (tells IN ('always', 'change', 'name', 'never'))
);

INSERT INTO audit_columns (column_name, name, tells)
VALUES
    ('role', 'role', 'always'),
    ('state', 'state', 'always'),
    ('type', 'type', 'always'),
    ('thing_id', 'thing_id', 'always'),
    ('profile_id', 'profile_id', 'always'),
    ('parent_id', 'parent_id', 'always'),
    ('expires_at', 'expires_at', 'always'),
    ('retention_days', 'retention_days', 'always'),
    ('things', 'things', 'always'),
    ('webhooks', 'webhooks', 'always'),
    ('messages_per_month', 'messages_per_month', 'always'),
    ('records_per_second', 'records_per_second', 'always'),
    ('storage_days', 'storage_days', 'always'),
    ('platform_admin', 'platform_admin', 'always'),
    ('disabled_at', 'disabled_at', 'always'),
    ('disabled_why', 'disabled_why', 'always'),
    ('revoked_at', 'revoked_at', 'always'),
    ('name', 'name', 'change'),
    ('description', 'description', 'change'),
    ('group_id', 'group_id', 'change'),
    ('config', 'config', 'name'),
    ('metadata', 'metadata', 'name'),
    ('url', 'url', 'name'),
    ('headers_sealed', 'headers', 'name'),
    ('secret_sealed', 'secret', 'name'),
    ('key_lookup', 'key', 'name'),
    ('external_key_lookup', 'external_key', 'name'),
    ('password_hash', 'password', 'name'),
    -- The entry itself has them: the row's id and place, and who is meant.
    ('id', 'id', 'never'),
    ('serial', 'serial', 'never'),
    ('org_id', 'org_id', 'never'),
    ('member_id', 'member_id', 'never'),
    ('email', 'email', 'never'),
    ('invitee_id', 'invitee_id', 'never'),
    ('invitee_email', 'invitee_email', 'never'),
    -- Its author, who made the row.
    ('owner_id', 'owner_id', 'never'),
    ('issuer_id', 'issuer_id', 'never'),
    ('inviter_id', 'inviter_id', 'never'),
    -- Its time.
    ('created_at', 'created_at', 'never'),
    ('updated_at', 'updated_at', 'never'),
    ('issued_at', 'issued_at', 'never'),
    -- They change with a column that is told.
    ('key_sealed', 'key', 'never'),
    ('external_key_sealed', 'external_key', 'never'),
    ('token_generation', 'token_generation', 'never'),
    ('previous_secret_sealed', 'previous_secret', 'never'),
    ('previous_secret_until', 'previous_secret_until', 'never'),
    ('path', 'path', 'never'),
    -- They never change: the row is made with them, and gone with them.
    ('value_hash', 'value', 'never'),
    ('authority_id', 'authority_id', 'never'),
    ('fingerprint', 'fingerprint', 'never'),
    ('certificate', 'certificate', 'never'),
    ('key_type', 'key_type', 'never'),
    ('key_bits', 'key_bits', 'never'),
    -- The system's own notes, which no request changes.
    ('listed', 'listed', 'never'),
    ('failing_since', 'failing_since', 'never'),
    ('missed_deliveries', 'missed_deliveries', 'never'),
    ('missed_from', 'missed_from', 'never'),
    ('missed_to', 'missed_to', 'never');

-- The changes that an entry tells of the members of a row: `from` and `to`, where they differ.
CREATE FUNCTION audit_changes(old_row jsonb, new_row jsonb) RETURNS jsonb
    LANGUAGE sql STABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(jsonb_object_agg(member.name, CASE
            WHEN member.tells = 'name' THEN '{}'
            ELSE jsonb_strip_nulls(jsonb_build_object('from', left(was, 1024), 'to', left(is_now, 1024)))
        END), '{}')
        FROM audit_columns AS member
        CROSS JOIN LATERAL (
            SELECT old_row ->> member.column_name AS was, new_row ->> member.column_name AS is_now
        ) AS held
        WHERE was IS DISTINCT FROM is_now
          AND (member.tells = 'always'
               OR (member.tells <> 'never' AND old_row IS NOT NULL AND new_row IS NOT NULL))
    );

-- The org and the group that a row of a kind is in, its id, and how it is called.
CREATE FUNCTION audit_place(kind text, of_row jsonb)
    RETURNS TABLE (org_id uuid, group_id uuid, entity_id text, entity_name text)
    LANGUAGE sql STABLE
BEGIN ATOMIC
    SELECT coalesce(
               CASE WHEN kind = 'org' THEN (of_row ->> 'id')::uuid ELSE (of_row ->> 'org_id')::uuid END,
               (SELECT groups.org_id FROM groups WHERE groups.id = held.group_id)
           ),
           held.group_id,
           coalesce(of_row ->> 'id', of_row ->> 'serial', of_row ->> 'member_id', of_row ->> 'org_id'),
           coalesce(
               of_row ->> 'name',
               of_row ->> 'email',
               of_row ->> 'invitee_email',
               (SELECT email FROM users WHERE kind = 'invite' AND users.id = (of_row ->> 'invitee_id')::uuid),
               (SELECT email FROM users
                WHERE kind IN ('org_member', 'group_member') AND users.id = (of_row ->> 'member_id')::uuid),
               (SELECT name FROM orgs WHERE kind = 'quota' AND orgs.id = (of_row ->> 'org_id')::uuid),
               CASE kind WHEN 'annotation' THEN of_row ->> 'text' WHEN 'silence' THEN of_row ->> 'reason' END,
               (SELECT name FROM groups WHERE kind = 'alarm_receivers' AND groups.id = (of_row ->> 'group_id')::uuid),
               (SELECT name FROM orgs WHERE kind = 'alarm_receivers' AND orgs.id = (of_row ->> 'org_id')::uuid),
               thing.name
           )
    FROM (VALUES (1)) AS one
    LEFT JOIN things AS thing
        ON kind IN ('webhook', 'certificate') AND thing.id = (of_row ->> 'thing_id')::uuid
    CROSS JOIN LATERAL (
        SELECT CASE kind
            WHEN 'group' THEN (of_row ->> 'id')::uuid
            WHEN 'tree_member' THEN NULL
            ELSE coalesce((of_row ->> 'group_id')::uuid, thing.group_id)
        END AS group_id
    ) AS held;
END;

-- Writes an entry for each pair of a row before and after a statement. Of what one request changes, its operation names
-- the kind that is told: an org comes with a membership of its owner, and that is one change. Where a row moves from
-- one org to another, both are told.
CREATE FUNCTION audit_rows(of_kind text, of_action text, old_rows jsonb[], new_rows jsonb[]) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO audit_entries (org_id, group_id, actor_type, actor_id, actor_email, api_key_id, address, request_id,
                               operation, action, kind, entity_id, entity_name, changes)
    SELECT place.org_id, place.group_id, coalesce(author.told ->> 'actor_type', 'system'),
           (author.told ->> 'actor_id')::uuid, author.told ->> 'actor_email', (author.told ->> 'api_key_id')::uuid,
           author.told ->> 'address', author.told ->> 'request_id', author.told ->> 'operation',
           of_action, of_kind, place.entity_id, place.entity_name, changed.changes
    FROM (SELECT nullif(current_setting('millrace.author', true), '')::jsonb AS told) AS author
    CROSS JOIN unnest(old_rows, new_rows) WITH ORDINALITY AS pair (old_row, new_row, at)
    CROSS JOIN LATERAL (SELECT audit_changes(pair.old_row, pair.new_row) AS changes) AS changed
    CROSS JOIN LATERAL (
        SELECT * FROM audit_place(of_kind, coalesce(pair.new_row, pair.old_row))
        UNION ALL
        SELECT was.*
        FROM audit_place(of_kind, pair.old_row) AS was, audit_place(of_kind, pair.new_row) AS is_now
        WHERE pair.old_row ->> 'group_id' <> pair.new_row ->> 'group_id' AND was.org_id <> is_now.org_id
    ) AS place
    WHERE coalesce(author.told ->> 'kind', of_kind) = of_kind
      AND (of_action <> 'update' OR changed.changes <> '{}')
      -- Who makes an invite notes that one before it has expired.
      AND coalesce(pair.new_row ->> 'state', '') <> 'expired'
    ORDER BY pair.at, place.org_id;
END;

-- The value that tells a row from the others of its table.
CREATE FUNCTION audit_key(of_row jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN coalesce(
        of_row -> 'id', of_row -> 'serial',
        jsonb_build_array(of_row -> 'member_id', of_row -> 'org_id', of_row -> 'group_id')
    );

CREATE FUNCTION audit_made() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM audit_rows(TG_ARGV[0], 'create', array_agg(NULL::jsonb), array_agg(to_jsonb(made))) FROM made;
    RETURN NULL;
END
$$;

CREATE FUNCTION audit_changed() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM audit_rows(TG_ARGV[0], 'update', array_agg(was.told), array_agg(is_now.told))
    FROM (SELECT to_jsonb(gone) AS told FROM gone) AS was
    JOIN (SELECT to_jsonb(made) AS told FROM made) AS is_now
      ON audit_key(was.told) = audit_key(is_now.told);
    RETURN NULL;
END
$$;

CREATE FUNCTION audit_gone() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    -- Groups of a tree go with those above them, in one statement.
    PERFORM audit_rows(TG_ARGV[0], 'delete', array_agg(told), array_agg(NULL::jsonb))
    FROM (SELECT to_jsonb(gone) AS told FROM gone) AS rows
    WHERE (told -> 'parent_id' IN (SELECT to_jsonb(gone) -> 'id' FROM gone)) IS NOT TRUE;
    RETURN NULL;
END
$$;

-- Makes the audit log tell of the rows of a table, as of this kind; `deletions` says if it tells of those that go, too.
-- A row that goes, or comes, with another has no entry of its own: a deleted org is one entry, however much was in it.
CREATE PROCEDURE audit_table(of_table regclass, kind text, deletions boolean DEFAULT true)
    LANGUAGE plpgsql AS
$$
BEGIN
    EXECUTE format(
        'CREATE TRIGGER audit_made AFTER INSERT ON %s REFERENCING NEW TABLE AS made
         FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION audit_made(%L)', of_table, kind);
    EXECUTE format(
        'CREATE TRIGGER audit_changed AFTER UPDATE ON %s REFERENCING OLD TABLE AS gone NEW TABLE AS made
         FOR EACH STATEMENT WHEN (pg_trigger_depth() = 0) EXECUTE FUNCTION audit_changed(%L)', of_table, kind);
    IF deletions THEN
        -- A group of a tree takes those under it along, which are in the same table: PostgreSQL tells of all in one.
        EXECUTE format(
            'CREATE TRIGGER audit_gone AFTER DELETE ON %s REFERENCING OLD TABLE AS gone
             FOR EACH STATEMENT %s EXECUTE FUNCTION audit_gone(%L)', of_table,
            CASE WHEN kind <> 'tree_group' THEN 'WHEN (pg_trigger_depth() = 0)' ELSE '' END, kind);
    END IF;
END
$$;

CALL audit_table('users', 'user');
CALL audit_table('api_keys', 'api_key');
CALL audit_table('orgs', 'org');
CALL audit_table('org_memberships', 'org_member');
CALL audit_table('groups', 'group');
CALL audit_table('group_memberships', 'group_member');
CALL audit_table('org_invites', 'invite');
CALL audit_table('platform_invites', 'invite');
CALL audit_table('profiles', 'profile');
CALL audit_table('things', 'thing');
CALL audit_table('webhooks', 'webhook');
CALL audit_table('tree_groups', 'tree_group');
CALL audit_table('tree_members', 'tree_member');
-- Certificates go by themselves, some time after they have expired.
CALL audit_table('certificates', 'certificate', deletions => false);
-- Quotas go with their org.
CALL audit_table('org_quotas', 'quota', deletions => false);

-- Messages are not in PostgreSQL: whoever changes them tells it here before it begins. Of one thing, of groups (an entry
-- for each of their orgs), or of all there are.
CREATE FUNCTION audit_messages(of_action text, of_things uuid[], of_groups uuid[], told_changes jsonb) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO audit_entries (org_id, group_id, actor_type, actor_id, actor_email, api_key_id, address, request_id,
                               operation, action, kind, entity_id, entity_name, changes)
    SELECT place.org_id, place.group_id, coalesce(author.told ->> 'actor_type', 'system'),
           (author.told ->> 'actor_id')::uuid, author.told ->> 'actor_email', (author.told ->> 'api_key_id')::uuid,
           author.told ->> 'address', author.told ->> 'request_id', author.told ->> 'operation',
           of_action, 'messages', place.thing_id::text, place.thing_name, told_changes
    FROM (SELECT nullif(current_setting('millrace.author', true), '')::jsonb AS told) AS author
    CROSS JOIN (
        SELECT groups.org_id, groups.id AS group_id, things.id AS thing_id, things.name AS thing_name
        FROM things JOIN groups ON groups.id = things.group_id WHERE things.id = ANY (of_things)
        UNION ALL
        SELECT DISTINCT groups.org_id, NULL::uuid, NULL::uuid, NULL FROM groups WHERE groups.id = ANY (of_groups)
        UNION ALL
        SELECT NULL, NULL, NULL, NULL WHERE of_things IS NULL AND of_groups IS NULL
    ) AS place;
END;

-- Writes an entry of something that was done with a row of a kind, and leaves it as it is.
CREATE FUNCTION audit_done(of_kind text, of_action text, of_row jsonb, told_changes jsonb) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    INSERT INTO audit_entries (org_id, group_id, actor_type, actor_id, actor_email, api_key_id, address, request_id,
                               operation, action, kind, entity_id, entity_name, changes)
    SELECT place.org_id, place.group_id, coalesce(author.told ->> 'actor_type', 'system'),
           (author.told ->> 'actor_id')::uuid, author.told ->> 'actor_email', (author.told ->> 'api_key_id')::uuid,
           author.told ->> 'address', author.told ->> 'request_id', author.told ->> 'operation',
           of_action, of_kind, place.entity_id, place.entity_name, told_changes
    FROM (SELECT nullif(current_setting('millrace.author', true), '')::jsonb AS told) AS author
    CROSS JOIN audit_place(of_kind, of_row) AS place;
END;

-- Counts a failed login in the entry of its account, which begins a new one after an hour: a flood is one entry. All
-- logins that name no account share one entry, so that a stranger can neither fill the log nor write into it. Both take
-- the same steps: the time that a login takes does not tell whether there is an account.
CREATE FUNCTION audit_failed_login(of_user uuid) RETURNS void
    LANGUAGE plpgsql
AS
$$
DECLARE
    account  text := coalesce(of_user::text, '');
    of_guest text := nullif(current_setting('millrace.author', true), '')::jsonb ->> 'address';
    entry    bigint;
BEGIN
    PERFORM pg_advisory_xact_lock(hashtextextended('failed logins of ' || account, 0));
    SELECT id INTO entry FROM audit_entries
    WHERE action = 'failed_login' AND coalesce(entity_id, '') = account AND at > now() - interval '1 hour'
    ORDER BY at DESC LIMIT 1;
    IF entry IS NULL THEN
        PERFORM audit_done('user', 'failed_login', coalesce(
            (SELECT jsonb_build_object('id', id, 'email', email) FROM users WHERE id = of_user), '{}'),
            '{"failures": {"to": "1"}}');
        RETURN;
    END IF;
    UPDATE audit_entries SET changes = jsonb_build_object(
        'failures', jsonb_build_object('to', ((changes #>> '{failures,to}')::bigint + 1)::text),
        'last_at', jsonb_build_object('to', to_char(now() AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"')),
        'last_address', jsonb_build_object('to', of_guest))
    WHERE id = entry;
END;
$$;

-- Writes the entry of sessions that a user has ended: one of them by its id, or all by the user's.
CREATE FUNCTION audit_session_end(ended uuid, of_user text) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    SELECT audit_rows('session', 'delete',
                      ARRAY [jsonb_build_object('id', ended, 'email', of_user)], ARRAY [NULL::jsonb]);
END;
