-- Certificates of things, by which the edge knows them as it knows them by their keys. A private key is
-- never here.

CREATE TABLE certificate_authorities
(
    -- SHA-256 of its certificate
    id               bytea PRIMARY KEY,
    -- PEM: its own certificate, then those above it
    chain            text[]  NOT NULL,
    -- its revocation list as it was signed last
    crl_number       integer NOT NULL DEFAULT 0,
    crl              bytea,
    crl_next_update  timestamptz
);

CREATE TABLE certificates
(
    -- lower-case hex, as OpenSSL prints it but for the case
    serial       text PRIMARY KEY CHECK (serial ~ '^01[0-9a-f]{32}$'),
    authority_id bytea       NOT NULL REFERENCES certificate_authorities (id),
    -- NULL: the thing is gone; what it had is revoked, and stays for the revocation list
    thing_id     uuid REFERENCES things (id) ON DELETE SET NULL,
    -- SHA-256 of the whole certificate: what the edge looks it up by
    fingerprint  bytea       NOT NULL,
    -- PEM
    certificate  text        NOT NULL,
    key_type     text        NOT NULL CHECK (key_type IN ('rsa', 'ecdsa')),
    key_bits     integer     NOT NULL,
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    -- whether a revocation list that was signed has it
    listed       boolean     NOT NULL DEFAULT false,
    CHECK (thing_id IS NOT NULL OR revoked_at IS NOT NULL)
);

CREATE UNIQUE INDEX certificates_fingerprint ON certificates (fingerprint);
CREATE INDEX certificates_thing ON certificates (thing_id, serial);
CREATE INDEX certificates_revoked ON certificates (authority_id, serial) WHERE revoked_at IS NOT NULL;
CREATE INDEX certificates_unlisted ON certificates (authority_id) WHERE revoked_at IS NOT NULL AND NOT listed;

-- The deletion of a thing sets `thing_id` to NULL, and so revokes.
CREATE FUNCTION revoke_certificate_of_gone_thing() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    NEW.revoked_at = coalesce(NEW.revoked_at, now());
    RETURN NEW;
END
$$;

CREATE TRIGGER revoke_gone
    BEFORE UPDATE OF thing_id ON certificates
    FOR EACH ROW
    WHEN (NEW.thing_id IS NULL)
EXECUTE FUNCTION revoke_certificate_of_gone_thing();

-- The journal the edges read has fingerprints beside the lookups of keys.
CREATE FUNCTION journal_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
DECLARE
    profile uuid;
BEGIN
    -- A thing or a profile that is changed at the same moment waits, and then sees this certificate; or
    -- we wait for it.
    SELECT profile_id INTO profile FROM things WHERE id = NEW.thing_id FOR SHARE;
    PERFORM 1 FROM profiles WHERE id = profile FOR SHARE;
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_issued
    AFTER INSERT ON certificates
    FOR EACH ROW EXECUTE FUNCTION journal_certificate();

CREATE FUNCTION journal_revoked_certificate() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) VALUES (NEW.fingerprint);
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_revoked
    AFTER UPDATE ON certificates
    FOR EACH ROW
    WHEN (OLD.revoked_at IS DISTINCT FROM NEW.revoked_at)
EXECUTE FUNCTION journal_revoked_certificate();

-- What a thing's certificates mean changes with its profile: another one, or the same one changed.
CREATE FUNCTION journal_certificates_of_thing() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) SELECT fingerprint FROM certificates WHERE thing_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_certificates
    AFTER UPDATE ON things
    FOR EACH ROW
    WHEN ((OLD.group_id, OLD.profile_id) IS DISTINCT FROM (NEW.group_id, NEW.profile_id))
EXECUTE FUNCTION journal_certificates_of_thing();

CREATE FUNCTION journal_certificates_of_profile() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup)
    SELECT certificates.fingerprint
    FROM things JOIN certificates ON certificates.thing_id = things.id
    WHERE things.profile_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_certificates
    AFTER UPDATE OF config ON profiles
    FOR EACH ROW
    WHEN (OLD.config IS DISTINCT FROM NEW.config)
EXECUTE FUNCTION journal_certificates_of_profile();
