-- The audit log also tells of what changes nothing, but is asked after first: backups, exports of messages, replays of
-- deliveries, and logins that failed.

-- All rows there are fit the narrower check before it.
ALTER TABLE audit_entries
    DROP CONSTRAINT audit_entries_action_check,
    ADD CONSTRAINT audit_entries_action_check
        CHECK (action IN ('create', 'update', 'delete', 'restore', 'backup', 'export', 'replay', 'failed_login')) NOT VALID;

-- The entry of an account whose failed logins are counted; '' is that of all e-mails without an account.
CREATE INDEX audit_entries_failed_logins ON audit_entries (coalesce(entity_id, ''), at) WHERE action = 'failed_login';

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

-- Counts a failed login in the entry of its account, which begins a new one after an hour: a flood is one entry. What
-- names no account is one entry for all, so that a stranger can neither fill the log nor write into it. The same is
-- done for both: the time that a login takes does not tell whether there is an account.
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
