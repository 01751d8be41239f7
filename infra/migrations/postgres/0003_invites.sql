-- Invites to an org and to the platform, and the mail that they and others cause.

-- An invite of a registered user to an org. A pending one whose time is over is shown as expired. It is stored as
-- expired only when a new one takes its place.
CREATE TABLE org_invites
(
    id         uuid PRIMARY KEY,
    org_id     uuid        NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    inviter_id uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    invitee_id uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    role       text        NOT NULL CONSTRAINT org_invites_role_known CHECK (role IN ('admin', 'editor', 'viewer')),
    state      text        NOT NULL DEFAULT 'pending' CONSTRAINT org_invites_state_known
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
    role      text NOT NULL CONSTRAINT org_invite_groups_role_known CHECK (role IN ('admin', 'editor', 'viewer')),
    PRIMARY KEY (invite_id, group_id)
);

CREATE INDEX org_invite_groups_group ON org_invite_groups (group_id);

-- An invite to the platform of someone who is no user yet. With an org, an invite to that org waits for it.
CREATE TABLE platform_invites
(
    id            uuid PRIMARY KEY,
    inviter_id    uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    invitee_email text        NOT NULL
        CONSTRAINT platform_invites_invitee_email_length CHECK (char_length(invitee_email) BETWEEN 3 AND 254),
    org_id        uuid REFERENCES orgs (id) ON DELETE CASCADE,
    role          text CONSTRAINT platform_invites_role_known CHECK (role IN ('admin', 'editor', 'viewer')),
    state         text        NOT NULL DEFAULT 'pending' CONSTRAINT platform_invites_state_known
        CHECK (state IN ('pending', 'accepted', 'revoked', 'expired')),
    created_at    timestamptz NOT NULL DEFAULT now(),
    expires_at    timestamptz NOT NULL,
    CONSTRAINT platform_invites_org_with_role CHECK ((org_id IS NULL) = (role IS NULL))
);

CREATE UNIQUE INDEX platform_invites_pending ON platform_invites (email_name(invitee_email)) WHERE state = 'pending';
CREATE INDEX platform_invites_org ON platform_invites (org_id);

CREATE TABLE platform_invite_groups
(
    invite_id uuid NOT NULL REFERENCES platform_invites (id) ON DELETE CASCADE,
    group_id  uuid NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    role      text NOT NULL CONSTRAINT platform_invite_groups_role_known CHECK (role IN ('admin', 'editor', 'viewer')),
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
