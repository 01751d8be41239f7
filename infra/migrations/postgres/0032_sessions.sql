-- Who is signed in to the console, in which browser. Only a hash of the cookie's value is stored.
--
-- A session ends when it is revoked, when its time is over, and with its generation: a change of password and a
-- sign-out everywhere begin a new one for the user. It stays for a day after its time, so that its browser is told why.
CREATE TABLE sessions
(
    id               uuid PRIMARY KEY,
    user_id          uuid        NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    value_hash       bytea       NOT NULL,
    token_generation integer     NOT NULL,
    created_at       timestamptz NOT NULL DEFAULT now(),
    expires_at       timestamptz NOT NULL,
    revoked_at       timestamptz,
    -- Of the request that used it last, to the minute.
    last_used_at     timestamptz NOT NULL DEFAULT now(),
    address          text        NOT NULL,
    user_agent       text        NOT NULL
);

CREATE UNIQUE INDEX sessions_value ON sessions (value_hash);
CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_end ON sessions (expires_at);

-- Audit entry of sessions that a user has ended: one of them by its id, or all by the user's.
CREATE FUNCTION audit_session_end(ended uuid, of_user text) RETURNS void
    LANGUAGE sql
BEGIN ATOMIC
    SELECT audit_rows('session', 'delete',
                      ARRAY [jsonb_build_object('id', ended, 'email', of_user)], ARRAY [NULL::jsonb]);
END;
