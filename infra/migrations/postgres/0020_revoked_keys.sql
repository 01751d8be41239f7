-- API keys that were revoked not long ago: their holders are told so, instead of that nobody knows them.
CREATE TABLE revoked_api_keys
(
    value_hash bytea PRIMARY KEY,
    revoked_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX revoked_api_keys_age ON revoked_api_keys (revoked_at);

CREATE FUNCTION remember_revoked_key() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO revoked_api_keys (value_hash) VALUES (OLD.value_hash) ON CONFLICT DO NOTHING;
    -- Two that clean at once don't wait for one another.
    DELETE FROM revoked_api_keys
    WHERE value_hash IN (
        SELECT value_hash FROM revoked_api_keys WHERE revoked_at < now() - interval '90 days'
        LIMIT 100 FOR UPDATE SKIP LOCKED
    );
    RETURN NULL;
END
$$;

CREATE TRIGGER remember_revoked
    AFTER DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION remember_revoked_key();
