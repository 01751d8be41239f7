-- When each thing was heard last: edges bring it in batches, some seconds after (ingest/sinks/seen.ts). A narrow table
-- of its own without an index on the time, so that a row that changes every few seconds is rewritten in place, and
-- the things themselves are left alone. A thing that was never heard has no row.
CREATE TABLE things_seen
(
    thing_id uuid PRIMARY KEY,
    seen_at  timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Not by a foreign key: that looks for each thing by itself.
CREATE FUNCTION forget_seen_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM things_seen WHERE thing_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_seen_things
    AFTER DELETE ON things
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_seen_things();
