-- Messages of a thing that an edge refused, and that the thing was not told of: MQTT 3.1.1 has no words for it. One run of
-- them ends with a day without any.
CREATE TABLE things_refused
(
    thing_id uuid        PRIMARY KEY,
    messages bigint      NOT NULL,
    since    timestamptz NOT NULL,
    last_at  timestamptz NOT NULL,
    -- of the last one
    reason   text        NOT NULL
) WITH (fillfactor = 70);

-- Not by a foreign key: that looks for each thing by itself.
CREATE FUNCTION forget_refused_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM things_refused WHERE thing_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_refused_things
    AFTER DELETE ON things
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_refused_things();
