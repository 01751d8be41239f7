-- ClickHouse knows which group each thing is in (its table `publishers`), so that the query itself decides what a reader
-- may see. A change stands here until it is there. Only the triggers below write it, in the transaction of the change, so
-- no change of a thing can miss it. `version` grows with each change of a thing: ClickHouse keeps the newest, so bringing
-- a row twice, or an older one after it, changes nothing.
CREATE TABLE publisher_changes
(
    version  bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    group_id uuid    NOT NULL,
    thing_id uuid    NOT NULL,
    -- the thing is not in this group any more
    gone     boolean NOT NULL
);

CREATE INDEX publisher_changes_group ON publisher_changes (group_id, version);

CREATE FUNCTION journal_new_publishers() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO publisher_changes (group_id, thing_id, gone) SELECT group_id, id, false FROM made;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_new_publishers
    AFTER INSERT ON things
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION journal_new_publishers();

CREATE FUNCTION journal_gone_publishers() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO publisher_changes (group_id, thing_id, gone) SELECT group_id, id, true FROM gone;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_gone_publishers
    AFTER DELETE ON things
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION journal_gone_publishers();

CREATE FUNCTION journal_moved_publisher() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO publisher_changes (group_id, thing_id, gone)
    VALUES (OLD.group_id, OLD.id, true), (NEW.group_id, NEW.id, false);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_moved_publisher
    AFTER UPDATE ON things
    FOR EACH ROW
    WHEN ((OLD.group_id, OLD.id) IS DISTINCT FROM (NEW.group_id, NEW.id))
EXECUTE FUNCTION journal_moved_publisher();
