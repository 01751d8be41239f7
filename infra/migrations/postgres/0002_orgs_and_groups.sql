-- Orgs, their groups, and who is a member of which. How many days messages are kept is a group's own value, or else
-- its org's; without either they are kept for good.

CREATE TABLE orgs
(
    id             uuid PRIMARY KEY,
    owner_id       uuid        NOT NULL REFERENCES users (id),
    name           text        NOT NULL CONSTRAINT orgs_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    description    text        NOT NULL DEFAULT '',
    retention_days integer CONSTRAINT orgs_retention_days_range CHECK (retention_days BETWEEN 1 AND 36500),
    metadata       jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT orgs_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX orgs_owner ON orgs (owner_id);
CREATE INDEX orgs_metadata ON orgs USING gin (metadata jsonb_path_ops);
-- Where no org keeps its messages for a time only, this index is empty, and finding that out reads nothing.
CREATE INDEX orgs_retention ON orgs (id) WHERE retention_days IS NOT NULL;

CREATE TABLE org_memberships
(
    org_id     uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    member_id  uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL
        CONSTRAINT org_memberships_role_known CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (org_id, member_id)
);

-- Each request is counted for the org that its user joined first, so that org is looked up with each request.
CREATE INDEX org_memberships_first ON org_memberships (member_id, created_at, org_id);

CREATE TABLE groups
(
    id             uuid PRIMARY KEY,
    org_id         uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    name           text        NOT NULL CONSTRAINT groups_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    description    text        NOT NULL DEFAULT '',
    retention_days integer CONSTRAINT groups_retention_days_range CHECK (retention_days BETWEEN 1 AND 36500),
    metadata       jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT groups_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX groups_name ON groups (org_id, name);
CREATE INDEX groups_metadata ON groups USING gin (metadata jsonb_path_ops);
CREATE INDEX groups_retention ON groups (id) WHERE retention_days IS NOT NULL;

CREATE TABLE group_memberships
(
    group_id   uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    member_id  uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL
        CONSTRAINT group_memberships_role_known CHECK (role IN ('owner', 'admin', 'editor', 'viewer')),
    created_at timestamptz NOT NULL DEFAULT now(),
    updated_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (group_id, member_id)
);

CREATE INDEX group_memberships_member ON group_memberships (member_id);
