-- Dashboards of orgs and groups, their former versions, and links by which they are shown to people who have no account.

CREATE TABLE dashboards
(
    id             uuid PRIMARY KEY,
    org_id         uuid REFERENCES orgs (id) ON DELETE CASCADE,
    group_id       uuid REFERENCES groups (id) ON DELETE CASCADE,
    name           text        NOT NULL CONSTRAINT dashboards_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    description    text        NOT NULL CONSTRAINT dashboards_description_length CHECK (char_length(description) <= 1024),
    -- As schemas/dashboards/content.ts has it.
    content        jsonb       NOT NULL CONSTRAINT dashboards_content_size CHECK (octet_length(content::text) <= 131072),
    -- Grows by one with each change.
    version        integer     NOT NULL DEFAULT 1,
    saved_by_email text,
    created_at     timestamptz NOT NULL DEFAULT now(),
    updated_at     timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT dashboards_place CHECK (num_nonnulls(org_id, group_id) = 1)
);

CREATE INDEX dashboards_org ON dashboards (org_id, id) WHERE org_id IS NOT NULL;
CREATE INDEX dashboards_group ON dashboards (group_id, id) WHERE group_id IS NOT NULL;

-- Dashboards as they were before each of their last changes.
CREATE TABLE dashboard_versions
(
    dashboard_id   uuid        NOT NULL REFERENCES dashboards (id) ON DELETE CASCADE,
    version        integer     NOT NULL,
    name           text        NOT NULL,
    description    text        NOT NULL,
    content        jsonb       NOT NULL,
    saved_by_email text,
    saved_at       timestamptz NOT NULL,
    PRIMARY KEY (dashboard_id, version)
);

-- Who has the token of a share sees its dashboard, with the rights of its maker. Place and dashboard never change.
CREATE TABLE dashboard_shares
(
    id            uuid PRIMARY KEY,
    dashboard_id  uuid        NOT NULL REFERENCES dashboards (id) ON DELETE CASCADE,
    org_id        uuid REFERENCES orgs (id) ON DELETE CASCADE,
    group_id      uuid REFERENCES groups (id) ON DELETE CASCADE,
    name          text        NOT NULL CONSTRAINT dashboard_shares_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    -- of the token
    value_hash    bytea       NOT NULL CONSTRAINT dashboard_shares_value UNIQUE,
    maker_id      uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    made_by_email text        NOT NULL,
    expires_at    timestamptz NOT NULL,
    last_used_at  timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX dashboard_shares_dashboard ON dashboard_shares (dashboard_id, id);
CREATE INDEX dashboard_shares_org ON dashboard_shares (org_id) WHERE org_id IS NOT NULL;
CREATE INDEX dashboard_shares_group ON dashboard_shares (group_id) WHERE group_id IS NOT NULL;
CREATE INDEX dashboard_shares_maker ON dashboard_shares (maker_id);

INSERT INTO audit_columns (column_name, name, tells)
VALUES
    ('content', 'content', 'name'),
    ('dashboard_id', 'dashboard_id', 'always'),
    ('version', 'version', 'never'),
    ('saved_by_email', 'saved_by_email', 'never'),
    ('maker_id', 'maker_id', 'never'),
    ('last_used_at', 'last_used_at', 'never')
ON CONFLICT (column_name) DO NOTHING;

CALL audit_table('dashboards', 'dashboard');
CALL audit_table('dashboard_shares', 'dashboard_share');
