-- What people are given (API keys, invitations, mail), the older hierarchical groups, and what lists and
-- searches lean on.

-- Lists bounded by a group, in their usual order, and searches by what the metadata contains.
CREATE INDEX profiles_group ON profiles (group_id, id);
CREATE INDEX things_group ON things (group_id, id);
CREATE INDEX users_metadata ON users USING gin (metadata jsonb_path_ops);
CREATE INDEX orgs_metadata ON orgs USING gin (metadata jsonb_path_ops);
CREATE INDEX groups_metadata ON groups USING gin (metadata jsonb_path_ops);
CREATE INDEX profiles_metadata ON profiles USING gin (metadata jsonb_path_ops);
CREATE INDEX things_metadata ON things USING gin (metadata jsonb_path_ops);

CREATE TABLE api_keys
(
    id         uuid PRIMARY KEY,
    issuer_id  uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    -- SHA-256 of a value with 256 random bits: nothing slower is needed
    value_hash bytea       NOT NULL,
    issued_at  timestamptz NOT NULL DEFAULT now(),
    -- NULL: never
    expires_at timestamptz
);

CREATE UNIQUE INDEX api_keys_value ON api_keys (value_hash);
CREATE INDEX api_keys_issuer ON api_keys (issuer_id, id);

-- An invitation of a registered user to an org. `expired` is no stored state: a pending one whose time is
-- over is shown as that, and a new one may take its place.
CREATE TABLE org_invites
(
    id         uuid PRIMARY KEY,
    org_id     uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    inviter_id uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    invitee_id uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
    state      text        NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'accepted', 'declined', 'revoked', 'expired')),
    created_at timestamptz NOT NULL DEFAULT now(),
    expires_at timestamptz NOT NULL
);

CREATE UNIQUE INDEX org_invites_pending ON org_invites (org_id, invitee_id) WHERE state = 'pending';
CREATE INDEX org_invites_org ON org_invites (org_id, id);
CREATE INDEX org_invites_invitee ON org_invites (invitee_id, id);
CREATE INDEX org_invites_inviter ON org_invites (inviter_id, id);

-- The groups that are joined with the org.
CREATE TABLE org_invite_groups
(
    invite_id uuid NOT NULL REFERENCES org_invites (id) ON DELETE CASCADE,
    group_id  uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role      text NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
    PRIMARY KEY (invite_id, group_id)
);

CREATE INDEX org_invite_groups_group ON org_invite_groups (group_id);

-- An invitation to the platform of someone who is no user yet; with an org, an org invite waits for it.
CREATE TABLE platform_invites
(
    id            uuid PRIMARY KEY,
    inviter_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    invitee_email text        NOT NULL CHECK (char_length(invitee_email) BETWEEN 3 AND 254),
    org_id        uuid REFERENCES orgs (id) ON DELETE CASCADE,
    role          text CHECK (role IN ('admin', 'editor', 'viewer')),
    state         text        NOT NULL DEFAULT 'pending'
        CHECK (state IN ('pending', 'accepted', 'revoked', 'expired')),
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    CHECK ((org_id IS NULL) = (role IS NULL))
);

CREATE UNIQUE INDEX platform_invites_pending ON platform_invites (lower(invitee_email)) WHERE state = 'pending';
CREATE INDEX platform_invites_org ON platform_invites (org_id);

CREATE TABLE platform_invite_groups
(
    invite_id uuid NOT NULL REFERENCES platform_invites (id) ON DELETE CASCADE,
    group_id  uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role      text NOT NULL CHECK (role IN ('admin', 'editor', 'viewer')),
    PRIMARY KEY (invite_id, group_id)
);

CREATE INDEX platform_invite_groups_group ON platform_invite_groups (group_id);

-- Mail is written down in the transaction that causes it, and goes from here into the mail queue.
CREATE TABLE mail_outbox
(
    id         uuid PRIMARY KEY,
    message    jsonb       NOT NULL,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX mail_outbox_created ON mail_outbox (created_at);

-- Things that are gone and whose messages may still be in ClickHouse, or in the log of an edge. A worker
-- erases them and takes the row (see workers/erase).
CREATE TABLE erased_things
(
    thing_id  uuid PRIMARY KEY,
    erased_at timestamptz NOT NULL DEFAULT now(),
    -- when it is to be done: now, or once a worker that took it had its time
    due_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX erased_things_due ON erased_things (due_at);

CREATE FUNCTION remember_erased_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO erased_things (thing_id) SELECT id FROM gone
    ON CONFLICT (thing_id) DO UPDATE SET erased_at = DEFAULT, due_at = DEFAULT;
    RETURN NULL;
END
$$;

CREATE TRIGGER remember_erased
    AFTER DELETE ON things
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION remember_erased_things();

-- A new thing under the id of one that is gone would show its messages, and lose its own to the erasing.
CREATE FUNCTION refuse_erased_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF EXISTS (SELECT FROM made JOIN erased_things ON erased_things.thing_id = made.id) THEN
        RAISE unique_violation USING CONSTRAINT = 'erased_things_pkey';
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER refuse_erased
    AFTER INSERT ON things
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION refuse_erased_things();

-- The older grouping: trees of groups whose members are any ids. Ids are ULIDs.
CREATE TABLE tree_groups
(
    id          text PRIMARY KEY CHECK (char_length(id) = 26),
    parent_id   text REFERENCES tree_groups (id) ON DELETE CASCADE,
    owner_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 254),
    description text        NOT NULL DEFAULT '' CHECK (char_length(description) <= 1024),
    metadata    jsonb       NOT NULL DEFAULT '{}',
    -- the ids from the root to this one; a group never moves
    path        text[]      NOT NULL,
    created_at  timestamptz NOT NULL DEFAULT now(),
    updated_at  timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX tree_groups_name ON tree_groups (parent_id, name) NULLS NOT DISTINCT;
CREATE INDEX tree_groups_path ON tree_groups USING gin (path);

CREATE TABLE tree_members
(
    -- a group is deleted only once it, and all under it, are empty
    group_id   text        NOT NULL REFERENCES tree_groups (id) ON DELETE RESTRICT,
    member_id  text        NOT NULL CHECK (char_length(member_id) BETWEEN 1 AND 254),
    type       text        NOT NULL CHECK (type IN ('users', 'things')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, member_id)
);

CREATE INDEX tree_members_member ON tree_members (member_id);

-- A page holds many of them, and a merge adds to what is there: so the size is bounded here.
ALTER TABLE users ADD CONSTRAINT users_metadata_size CHECK (octet_length(metadata::text) <= 2097152);
ALTER TABLE orgs ADD CONSTRAINT orgs_metadata_size CHECK (octet_length(metadata::text) <= 2097152);
ALTER TABLE groups ADD CONSTRAINT groups_metadata_size CHECK (octet_length(metadata::text) <= 2097152);
ALTER TABLE profiles
    ADD CONSTRAINT profiles_metadata_size CHECK (octet_length(metadata::text) <= 2097152),
    ADD CONSTRAINT profiles_config_size CHECK (octet_length(config::text) <= 2097152);
ALTER TABLE things ADD CONSTRAINT things_metadata_size CHECK (octet_length(metadata::text) <= 2097152);
ALTER TABLE tree_groups ADD CONSTRAINT tree_groups_metadata_size CHECK (octet_length(metadata::text) <= 2097152);
