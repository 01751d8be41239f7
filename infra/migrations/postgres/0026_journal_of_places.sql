-- What an edge remembers of a key or a certificate is also made of the thing's profile, group and org: the profile's
-- configuration, and whether any of their webhooks is on. A change of one of these is one row with its id in
-- the journal, however many things are in it; an edge knows of each key which three it was made of.
--
-- Nothing is held for it: a key that comes at the same moment names the same ids, and what an edge read of it without
-- seeing the change is taken for stale by that row.

CREATE OR REPLACE FUNCTION journal_profile_keys() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) VALUES (uuid_send(NEW.id));
    RETURN NULL;
END
$$;

DROP TRIGGER journal_certificates ON profiles;
DROP FUNCTION journal_certificates_of_profile();

-- Those of a thing still journal its keys and live certificates, and hold the thing so that one that comes at the same
-- moment waits, and then journals itself; or we wait, and see it.
CREATE OR REPLACE FUNCTION journal_webhooks_of(of_things uuid[], of_groups uuid[], of_orgs uuid[]) RETURNS void
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM things WHERE id = ANY (of_things) ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM things CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE id = ANY (of_things) AND lookup IS NOT NULL
    UNION ALL
    SELECT fingerprint FROM certificates WHERE thing_id = ANY (of_things) AND revoked_at IS NULL
    UNION ALL
    SELECT DISTINCT uuid_send(id) FROM unnest(of_groups || of_orgs) AS id WHERE id IS NOT NULL;
END
$$;

CREATE OR REPLACE FUNCTION journal_thing_keys() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF TG_OP <> 'INSERT' THEN
        INSERT INTO key_changes (lookup)
        SELECT lookup FROM unnest(ARRAY [OLD.key_lookup, OLD.external_key_lookup]) AS lookup
        WHERE lookup IS NOT NULL;
    END IF;
    IF TG_OP <> 'DELETE' THEN
        INSERT INTO key_changes (lookup)
        SELECT lookup FROM unnest(ARRAY [NEW.key_lookup, NEW.external_key_lookup]) AS lookup
        WHERE lookup IS NOT NULL;
    END IF;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION journal_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    -- A thing that is changed at the same moment waits, and then sees this certificate; or we wait for it.
    PERFORM FROM things WHERE id = NEW.thing_id FOR SHARE;
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;
