-- Whether a thing has webhooks is also part of what an edge remembers of its certificates.
--
-- The thing is held so that a certificate that is issued at the same moment waits, and then journals itself; or we
-- wait, and see it. A key that is changed meanwhile waits as well.

CREATE OR REPLACE FUNCTION journal_webhooks() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM things WHERE id IN (SELECT thing_id FROM changed) ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM things CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE id IN (SELECT thing_id FROM changed) AND lookup IS NOT NULL
    UNION ALL
    SELECT fingerprint FROM certificates
    WHERE thing_id IN (SELECT thing_id FROM changed) AND revoked_at IS NULL;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION journal_webhook() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM things WHERE id = NEW.thing_id FOR NO KEY UPDATE;
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM things CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE id = NEW.thing_id AND lookup IS NOT NULL
    UNION ALL
    SELECT fingerprint FROM certificates WHERE thing_id = NEW.thing_id AND revoked_at IS NULL;
    RETURN NULL;
END
$$;
