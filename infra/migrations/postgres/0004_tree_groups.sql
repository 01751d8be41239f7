-- The older, hierarchical groups: trees of groups whose members are any ids. Ids are ULIDs.

CREATE TABLE tree_groups
(
    id          text PRIMARY KEY CONSTRAINT tree_groups_id_length CHECK (char_length(id) = 26),
    parent_id   text REFERENCES tree_groups (id) ON DELETE CASCADE,
    owner_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    name        text        NOT NULL CONSTRAINT tree_groups_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    description text        NOT NULL DEFAULT ''
        CONSTRAINT tree_groups_description_length CHECK (char_length(description) <= 1024),
    metadata    jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT tree_groups_metadata_size CHECK (octet_length(metadata::text) <= 73728),
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
    member_id  text        NOT NULL
        CONSTRAINT tree_members_member_id_length CHECK (char_length(member_id) BETWEEN 1 AND 254),
    type       text        NOT NULL CONSTRAINT tree_members_type_known CHECK (type IN ('users', 'things')),
    created_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, member_id)
);

CREATE INDEX tree_members_member ON tree_members (member_id);
