-- A webhook is of a thing, or of all things of a group or an org, now and later.
ALTER TABLE webhooks
    ALTER thing_id DROP NOT NULL,
    ADD COLUMN group_id uuid REFERENCES groups (id) ON DELETE CASCADE,
    ADD COLUMN org_id   uuid REFERENCES orgs (id) ON DELETE CASCADE,
    ADD CONSTRAINT webhooks_place CHECK (num_nonnulls(thing_id, group_id, org_id) = 1);

CREATE INDEX webhooks_group ON webhooks (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX webhooks_org ON webhooks (org_id, id) WHERE org_id IS NOT NULL;

-- Whether a thing has webhooks is part of what an edge remembers of its keys: where those of its group or org come,
-- go, or are turned on or off, the keys of all their things are journaled.
--
-- The place is held so that what is put in there at the same moment waits: a group of the org, a thing or a
-- key of the group. It then journals itself, and edges that look it up see the webhook. Or we wait, and see it. Where
-- the place goes with its webhooks, there is nothing to journal here.
CREATE FUNCTION journal_webhooks_of(of_things uuid[], of_groups uuid[], of_orgs uuid[]) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    all_groups uuid[];
BEGIN
    PERFORM FROM orgs WHERE id = ANY (of_orgs) ORDER BY id FOR UPDATE;
    all_groups = ARRAY(SELECT id FROM groups WHERE id = ANY (of_groups) OR org_id = ANY (of_orgs) ORDER BY id FOR UPDATE);
    PERFORM FROM things WHERE id = ANY (of_things) ORDER BY id FOR NO KEY UPDATE;
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM things CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE (id = ANY (of_things) OR group_id = ANY (all_groups)) AND lookup IS NOT NULL
    UNION ALL
    SELECT fingerprint
    FROM things JOIN certificates ON certificates.thing_id = things.id
    WHERE (things.id = ANY (of_things) OR group_id = ANY (all_groups)) AND revoked_at IS NULL;
END
$$;

CREATE OR REPLACE FUNCTION journal_webhooks() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM journal_webhooks_of(array_agg(thing_id), array_agg(group_id), array_agg(org_id)) FROM changed;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION journal_webhook() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM journal_webhooks_of(ARRAY [NEW.thing_id], ARRAY [NEW.group_id], ARRAY [NEW.org_id]);
    RETURN NULL;
END
$$;

-- As before, and holding the group: a webhook of it that comes at the same moment waits, and then sees this key.
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
        -- For a new thing the foreign key does it.
        IF TG_OP = 'UPDATE' THEN
            PERFORM 1 FROM groups WHERE id = NEW.group_id FOR KEY SHARE;
        END IF;
        -- A profile that is changed at the same moment waits, and then sees this thing; or we wait for it.
        PERFORM 1 FROM profiles WHERE id = NEW.profile_id FOR SHARE;
        INSERT INTO key_changes (lookup)
        SELECT lookup FROM unnest(ARRAY [NEW.key_lookup, NEW.external_key_lookup]) AS lookup
        WHERE lookup IS NOT NULL;
    END IF;
    RETURN NULL;
END
$$;

-- As before, and holding the group.
CREATE OR REPLACE FUNCTION journal_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
DECLARE
    profile uuid;
    in_group uuid;
BEGIN
    -- A thing or a profile that is changed at the same moment waits, and then sees this certificate; or
    -- we wait for it.
    SELECT profile_id, group_id INTO profile, in_group FROM things WHERE id = NEW.thing_id FOR SHARE;
    PERFORM 1 FROM groups WHERE id = in_group FOR KEY SHARE;
    PERFORM 1 FROM profiles WHERE id = profile FOR SHARE;
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;
