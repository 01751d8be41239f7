-- Users, what they own, and who may do what. Constraints stand here, so that a race has one winner.

-- A name of 1,024 characters may be 4 KiB: more than a row of a b-tree holds, so uniqueness is held
-- over its hash.
CREATE FUNCTION name_hash(name text) RETURNS bytea
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN sha256(convert_to(name, 'UTF8'));

CREATE TABLE users
(
    id             uuid PRIMARY KEY,
    email          text        NOT NULL CHECK (char_length(email) BETWEEN 3 AND 254),
    -- argon2id, in PHC format
    password_hash  text        NOT NULL,
    platform_admin boolean     NOT NULL DEFAULT false,
    metadata       jsonb       NOT NULL DEFAULT '{}',
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_email ON users (lower(email));

CREATE TABLE orgs
(
    id          uuid PRIMARY KEY,
    owner_id    uuid        NOT NULL REFERENCES users (id),
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 254),
    description text        NOT NULL DEFAULT '',
    metadata    jsonb       NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX orgs_owner ON orgs (owner_id);

CREATE TABLE org_memberships
(
    org_id     uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    member_id  uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, member_id)
);

CREATE INDEX org_memberships_member ON org_memberships (member_id);

CREATE TABLE groups
(
    id          uuid PRIMARY KEY,
    org_id      uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 254),
    description text        NOT NULL DEFAULT '',
    metadata    jsonb       NOT NULL DEFAULT '{}',
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX groups_name ON groups (org_id, name);

CREATE TABLE group_memberships
(
    group_id   uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    member_id  uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, member_id)
);

CREATE INDEX group_memberships_member ON group_memberships (member_id);

CREATE TABLE profiles
(
    id         uuid PRIMARY KEY,
    group_id   uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    name       text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 1024),
    config     jsonb       NOT NULL DEFAULT '{}',
    metadata   jsonb       NOT NULL DEFAULT '{}',
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- what the foreign key of things leans on
    UNIQUE (id, group_id)
);

CREATE UNIQUE INDEX profiles_name ON profiles (group_id, name_hash(name));

CREATE TABLE things
(
    id                  uuid PRIMARY KEY,
    group_id            uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    profile_id          uuid        NOT NULL,
    name                text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 1024),
    type                text        NOT NULL CHECK (type IN ('device', 'sensor', 'actuator', 'controller', 'gateway')),
    key_lookup          bytea       NOT NULL,
    key_sealed          bytea       NOT NULL,
    external_key_lookup bytea,
    external_key_sealed bytea,
    metadata            jsonb       NOT NULL DEFAULT '{}',
    created_at          timestamptz NOT NULL DEFAULT now(),
    updated_at          timestamptz NOT NULL DEFAULT now(),
    -- A thing's profile belongs to the thing's group. Checked at the end of the statement, so that
    -- deleting a group may delete both.
    FOREIGN KEY (profile_id, group_id) REFERENCES profiles (id, group_id),
    CHECK ((external_key_lookup IS NULL) = (external_key_sealed IS NULL))
);

CREATE UNIQUE INDEX things_name ON things (group_id, name_hash(name));
CREATE UNIQUE INDEX things_key ON things (key_lookup);
CREATE UNIQUE INDEX things_external_key ON things (external_key_lookup);
CREATE INDEX things_profile ON things (profile_id);

-- The journal the edges read: which keys may now mean something else. Only the triggers below write it,
-- so no change of a thing or a profile can miss it. A reader asks from the oldest transaction that was
-- in progress when it last asked; repeats are harmless.
CREATE TABLE key_changes
(
    position   xid8        NOT NULL DEFAULT pg_current_xact_id(),
    lookup     bytea       NOT NULL,
    changed_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX key_changes_position ON key_changes (position);

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
        -- A profile that is changed at the same moment waits, and then sees this thing; or we wait for it.
        PERFORM 1 FROM profiles WHERE id = NEW.profile_id FOR SHARE;
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

CREATE FUNCTION journal_profile_keys() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM things
             CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE profile_id = NEW.id AND lookup IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_profile
    AFTER UPDATE OF config ON profiles
    FOR EACH ROW
    WHEN (OLD.config IS DISTINCT FROM NEW.config)
EXECUTE FUNCTION journal_profile_keys();
