-- What a fleet of a million things is asked for at once: how many are in which state, and who was heard last.

-- When a thing was heard stands beside the group that it is in, so that lists and counts of a place read these narrow rows
-- alone. The group changes only when a thing moves: what PostgreSQL rewrites in place stays so. There is still no index on
-- the time: a page by it reads all of a place, which of a million takes a tenth of a second.
ALTER TABLE things_seen ADD in_group uuid;
UPDATE things_seen SET in_group = things.group_id FROM things WHERE things.id = thing_id;
DELETE FROM things_seen WHERE in_group IS NULL;
ALTER TABLE things_seen ALTER in_group SET NOT NULL;
CREATE INDEX things_seen_group ON things_seen (in_group);

-- Things that were never heard: all others are in `things_seen`.
CREATE TABLE things_unheard
(
    thing_id uuid PRIMARY KEY,
    in_group uuid NOT NULL
);

INSERT INTO things_unheard (thing_id, in_group)
SELECT id, group_id FROM things
WHERE NOT EXISTS (SELECT FROM things_seen WHERE thing_id = things.id);

CREATE INDEX things_unheard_group ON things_unheard (in_group, thing_id);

-- Edges give the group. An edge of the version before does not.
CREATE FUNCTION place_seen_thing() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    NEW.in_group := (SELECT group_id FROM things WHERE id = NEW.thing_id);
    RETURN NEW;
END
$$;

CREATE TRIGGER place_seen
    BEFORE INSERT ON things_seen
    FOR EACH ROW WHEN (NEW.in_group IS NULL) EXECUTE FUNCTION place_seen_thing();

CREATE FUNCTION note_heard_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM things_unheard USING heard WHERE things_unheard.thing_id = heard.thing_id;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_heard
    AFTER INSERT ON things_seen
    REFERENCING NEW TABLE AS heard
    FOR EACH STATEMENT EXECUTE FUNCTION note_heard_things();

CREATE FUNCTION note_unheard_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO things_unheard (thing_id, in_group) SELECT id, group_id FROM made;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_unheard
    AFTER INSERT ON things
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION note_unheard_things();

CREATE OR REPLACE FUNCTION forget_seen_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM things_seen WHERE thing_id IN (SELECT id FROM gone);
    DELETE FROM things_unheard WHERE thing_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

-- An edge that hears a thing for the first time holds it meanwhile (ingest/last-seen/sql.ts), so it can't miss a move.
CREATE FUNCTION place_moved_thing() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE things_seen SET in_group = NEW.group_id WHERE thing_id = NEW.id;
    UPDATE things_unheard SET in_group = NEW.group_id WHERE thing_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER place_moved
    AFTER UPDATE OF group_id, profile_id ON things
    FOR EACH ROW WHEN (OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION place_moved_thing();

-- The characters of a name and its pairs of these, in lower case. A text of one or two characters has no trigram, and is
-- found by these: a search for it looked at each name. It costs more than comparing the name does.
CREATE FUNCTION short_parts(name text) RETURNS text[]
    LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE COST 500 AS
$$
DECLARE
    low   text   := lower(name);
    parts text[] := '{}';
BEGIN
    FOR place IN 1..char_length(low) LOOP
        parts := parts || substr(low, place, 1) || substr(low, place, 2);
    END LOOP;
    RETURN parts;
END
$$;

CREATE INDEX things_short_parts ON things USING gin (short_parts(name));
