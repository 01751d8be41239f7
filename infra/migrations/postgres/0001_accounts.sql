-- Accounts: users, and what they sign in with.

-- An e-mail as accounts are told apart by it, however it is spelled. Whatever compares e-mails uses this.
CREATE FUNCTION email_name(email text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(email);

CREATE TABLE users
(
    id               uuid PRIMARY KEY,
    email            text        NOT NULL CONSTRAINT users_email_length CHECK (char_length(email) BETWEEN 3 AND 254),
    -- argon2id, in PHC format
    password_hash    text        NOT NULL,
    platform_admin   boolean     NOT NULL DEFAULT false,
    -- Tokens and sessions are of a generation. A change of password begins a new one.
    token_generation integer     NOT NULL DEFAULT 0,
    -- Bounded so that a page of it is. The API takes 64 KiB as a client writes them; jsonb's own text has a space after
    -- each `:` and `,`, and writes 1e300 out. The same bound stands for the metadata of all other resources.
    metadata         jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT users_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at       timestamptz NOT NULL DEFAULT now(),
    updated_at       timestamptz NOT NULL DEFAULT now()
);

CREATE UNIQUE INDEX users_email ON users (email_name(email));
CREATE INDEX users_metadata ON users USING gin (metadata jsonb_path_ops);

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

-- API keys that were revoked not long ago. Who still uses one is told that it was revoked, not that it is unknown.
CREATE TABLE revoked_api_keys
(
    value_hash bytea PRIMARY KEY,
    revoked_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX revoked_api_keys_age ON revoked_api_keys (revoked_at);

CREATE FUNCTION remember_revoked_key() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO revoked_api_keys (value_hash) VALUES (OLD.value_hash) ON CONFLICT DO NOTHING;
    -- Two that clean at once don't wait for one another.
    DELETE FROM revoked_api_keys
    WHERE value_hash IN (
        SELECT value_hash FROM revoked_api_keys WHERE revoked_at < now() - interval '90 days'
        LIMIT 100 FOR UPDATE SKIP LOCKED
    );
    RETURN NULL;
END
$$;

CREATE TRIGGER remember_revoked
    AFTER DELETE ON api_keys
    FOR EACH ROW EXECUTE FUNCTION remember_revoked_key();

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
    -- of the request that used it last, to the minute
    last_used_at     timestamptz NOT NULL DEFAULT now(),
    address          text        NOT NULL,
    user_agent       text        NOT NULL
);

CREATE UNIQUE INDEX sessions_value ON sessions (value_hash);
CREATE INDEX sessions_user ON sessions (user_id, created_at);
CREATE INDEX sessions_end ON sessions (expires_at);
