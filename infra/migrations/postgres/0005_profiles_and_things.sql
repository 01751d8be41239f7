-- Profiles, things, when a thing was last seen, and the ids of things that are gone.

-- A name of 1,024 characters may be 4 KiB: more than a row of a b-tree holds, so uniqueness is held over its hash.
CREATE FUNCTION name_hash(name text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN sha256(convert_to(name, 'UTF8'));

CREATE TABLE profiles
(
    id         uuid PRIMARY KEY,
    group_id   uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    name       text        NOT NULL CONSTRAINT profiles_name_length CHECK (char_length(name) BETWEEN 1 AND 1024),
    -- The API takes 4 KiB as a client writes them.
    config     jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT profiles_config_size CHECK (octet_length(config::text) <= 5120),
    metadata   jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT profiles_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- for the foreign key of things
    CONSTRAINT profiles_id_group_id_key UNIQUE (id, group_id)
);

CREATE UNIQUE INDEX profiles_name ON profiles (group_id, name_hash(name));
CREATE INDEX profiles_group ON profiles (group_id, id);
CREATE INDEX profiles_metadata ON profiles USING gin (metadata jsonb_path_ops);

CREATE TABLE things
(
    id                  uuid PRIMARY KEY,
    group_id            uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    profile_id          uuid        NOT NULL,
    name                text        NOT NULL CONSTRAINT things_name_length CHECK (char_length(name) BETWEEN 1 AND 1024),
    type                text        NOT NULL
        CONSTRAINT things_type_known CHECK (type IN ('device', 'sensor', 'actuator', 'controller', 'gateway')),
    key_lookup          bytea       NOT NULL,
    key_sealed          bytea       NOT NULL,
    external_key_lookup bytea,
    external_key_sealed bytea,
    metadata            jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT things_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    -- A thing's profile belongs to the thing's group. PostgreSQL checks it at the end of the statement, so that the
    -- deletion of a group may delete both.
    CONSTRAINT things_profile_id_group_id_fkey FOREIGN KEY (profile_id, group_id) REFERENCES profiles (id, group_id),
    CONSTRAINT things_external_key_whole CHECK ((external_key_lookup IS NULL) = (external_key_sealed IS NULL))
);

CREATE UNIQUE INDEX things_name ON things (group_id, name_hash(name));
CREATE UNIQUE INDEX things_key ON things (key_lookup);
CREATE UNIQUE INDEX things_external_key ON things (external_key_lookup);
CREATE INDEX things_group ON things (group_id, id);
CREATE INDEX things_profile ON things (profile_id);
CREATE INDEX things_metadata ON things USING gin (metadata jsonb_path_ops);

-- When each thing was heard last: edges bring it in batches, some seconds later (ingest/last-seen/last-seen.ts). A
-- narrow table of its own without an index on the time, so that PostgreSQL rewrites a row that changes every few seconds
-- in place, and the things themselves are left alone. A thing that was never heard has no row.
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

-- Things that are gone and whose messages may still be in ClickHouse, or in the log of an edge. A worker erases these
-- messages and deletes the row (workers/erase).
CREATE TABLE erased_things
(
    thing_id  uuid PRIMARY KEY,
    erased_at timestamptz NOT NULL DEFAULT now(),
    -- When it is to be done: soon, because the webhooks' sink may know a deleted thing for a moment and keep its messages
    -- in a bundle; or once a worker that took it had its time.
    due_at    timestamptz NOT NULL DEFAULT now() + interval '2 seconds'
);

CREATE INDEX erased_things_due ON erased_things (due_at);

-- The ids of things that are gone, kept for good: a new thing under one of them would show what the former one sent,
-- from the store or out of a backup, and lose its own messages to the erasure.
CREATE TABLE gone_things
(
    thing_id uuid PRIMARY KEY,
    gone_at  timestamptz NOT NULL DEFAULT now()
);

CREATE FUNCTION remember_gone_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO gone_things (thing_id) SELECT id FROM gone ON CONFLICT DO NOTHING;
    INSERT INTO erased_things (thing_id) SELECT id FROM gone
    ON CONFLICT (thing_id) DO UPDATE SET erased_at = DEFAULT, due_at = DEFAULT;
    RETURN NULL;
END
$$;

CREATE TRIGGER remember_gone
    AFTER DELETE ON things
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION remember_gone_things();

CREATE FUNCTION refuse_gone_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF EXISTS (SELECT FROM made JOIN gone_things ON gone_things.thing_id = made.id) THEN
        RAISE unique_violation USING CONSTRAINT = 'gone_things_pkey';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER refuse_gone
    AFTER INSERT ON things
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_gone_things();
