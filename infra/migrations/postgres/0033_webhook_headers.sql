-- A webhook's own headers may hold a credential: they are sealed under SECRET_KEY, as its secret is. SQL can't seal: an
-- API seals what it finds in `headers` when it starts, and empties it there.
ALTER TABLE webhooks ADD COLUMN headers_sealed bytea;
ALTER TABLE webhooks ALTER COLUMN headers DROP NOT NULL, ALTER COLUMN headers DROP DEFAULT;

-- As before, but of sealed headers.
CREATE OR REPLACE FUNCTION audit_changes(old_row jsonb, new_row jsonb) RETURNS jsonb
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (
        SELECT coalesce(jsonb_object_agg(member.name, CASE
            WHEN member.tells = 'name' THEN '{}'
            ELSE jsonb_strip_nulls(jsonb_build_object('from', left(was, 1024), 'to', left(is_now, 1024)))
        END), '{}')
        FROM (VALUES
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
            ('password_hash', 'password', 'name')
        ) AS member (of_row, name, tells)
        CROSS JOIN LATERAL (SELECT old_row ->> of_row AS was, new_row ->> of_row AS is_now) AS held
        WHERE was IS DISTINCT FROM is_now
          AND (member.tells = 'always' OR (old_row IS NOT NULL AND new_row IS NOT NULL))
    );

-- These have nothing to seal. After the function: the one before would write an audit entry for each of them.
UPDATE webhooks SET headers = NULL WHERE headers = '{}' AND url !~ '^[^/]*//[^/?#]*@';

CREATE INDEX webhooks_unsealed ON webhooks (id) WHERE headers IS NOT NULL;
