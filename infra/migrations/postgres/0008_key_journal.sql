-- The journal that edges read: which of the keys and certificates that they remember may now mean something else. Only
-- the triggers below write it, in the transaction of the change, so no change can miss it. A reader asks from the oldest
-- transaction that was in progress when it last asked; repeats are harmless. See infra/decisions/key-journal.md.
--
-- An edge remembers of a key or a certificate its thing and the thing's profile, group and org: the profile's config, and
-- whether any webhook of the thing, group or org is on. A change of a thing's own key or certificate is a row with its
-- lookup. A change of a profile, or of a webhook of a group or an org, is one row with its id, however many things
-- are in it; an edge knows of each key which three it was made of. Nothing is held for that row: a key that comes at the
-- same moment names the same ids, and whatever an edge read of it without seeing the change is stale by that row.
CREATE TABLE key_changes
(
    position   xid8        NOT NULL DEFAULT pg_current_xact_id(),
    -- Edges read in pages: all that one transaction changed may take longer than a query is given.
    id         bigint GENERATED ALWAYS AS IDENTITY,
    -- the lookup of a key, the fingerprint of a certificate, or the id of a profile, group or org
    lookup     bytea       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX key_changes_in_order ON key_changes (position, id);

-- Keys of things.

CREATE FUNCTION journal_thing_keys() RETURNS trigger
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

CREATE TRIGGER journal_keys
    AFTER INSERT OR DELETE ON things
    FOR EACH ROW EXECUTE FUNCTION journal_thing_keys();

CREATE TRIGGER journal_changed_keys
    AFTER UPDATE ON things
    FOR EACH ROW
    WHEN ((OLD.key_lookup, OLD.external_key_lookup, OLD.group_id, OLD.profile_id)
        IS DISTINCT FROM (NEW.key_lookup, NEW.external_key_lookup, NEW.group_id, NEW.profile_id))
EXECUTE FUNCTION journal_thing_keys();

-- Certificates of things.

CREATE FUNCTION journal_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    -- A thing that is changed at the same moment waits, and then sees this certificate; or we wait for it.
    PERFORM FROM things WHERE id = NEW.thing_id FOR SHARE;
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_issued
    AFTER INSERT ON certificates
    FOR EACH ROW EXECUTE FUNCTION journal_certificate();

CREATE FUNCTION journal_revoked_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_revoked
    AFTER UPDATE ON certificates
    FOR EACH ROW
    WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
EXECUTE FUNCTION journal_revoked_certificate();

CREATE FUNCTION journal_certificates_of_thing() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) SELECT fingerprint FROM certificates WHERE thing_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_certificates
    AFTER UPDATE ON things
    FOR EACH ROW
    WHEN ((OLD.group_id, OLD.profile_id) IS DISTINCT FROM (NEW.group_id, NEW.profile_id))
EXECUTE FUNCTION journal_certificates_of_thing();

-- Profiles.

CREATE FUNCTION journal_profile() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) VALUES (uuid_send(NEW.id));
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_profile
    AFTER UPDATE OF config ON profiles
    FOR EACH ROW
    WHEN (OLD.config IS DISTINCT FROM NEW.config)
EXECUTE FUNCTION journal_profile();

-- Webhooks. They are journaled whenever one comes, goes, or is turned on or off, not only for the first and the last: of
-- two that go at the same moment neither sees that it is the last.

-- Those of a thing journal its keys and live certificates, and hold the thing, so that a key or a certificate that comes
-- at the same moment waits, and then journals itself; or we wait, and see it.
CREATE FUNCTION journal_webhooks_of(of_things uuid[], of_groups uuid[], of_orgs uuid[]) RETURNS void
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

CREATE FUNCTION journal_webhooks() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM journal_webhooks_of(array_agg(thing_id), array_agg(group_id), array_agg(org_id)) FROM changed;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_new_webhooks
    AFTER INSERT ON webhooks
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_webhooks();

CREATE TRIGGER journal_gone_webhooks
    AFTER DELETE ON webhooks
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_webhooks();

CREATE FUNCTION journal_webhook() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM journal_webhooks_of(ARRAY [NEW.thing_id], ARRAY [NEW.group_id], ARRAY [NEW.org_id]);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_turned_webhook
    AFTER UPDATE OF disabled_at ON webhooks
    FOR EACH ROW
    WHEN ((OLD.disabled_at IS NULL) IS DISTINCT FROM (NEW.disabled_at IS NULL))
EXECUTE FUNCTION journal_webhook();
