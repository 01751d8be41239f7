-- Certificates of things, by which the edge knows them as it knows them by their keys. No private key is stored.

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
    serial       text PRIMARY KEY CONSTRAINT certificates_serial_form CHECK (serial ~ '^01[0-9a-f]{32}$'),
    authority_id bytea       NOT NULL REFERENCES certificate_authorities (id),
    -- NULL: the thing is gone; its certificate is revoked, and stays for the revocation list
    thing_id     uuid REFERENCES things (id) ON DELETE SET NULL,
    -- SHA-256 of the whole certificate: the edge looks it up by this
    fingerprint  bytea       NOT NULL,
    -- PEM
    certificate  text        NOT NULL,
    key_type     text        NOT NULL CONSTRAINT certificates_key_type_known CHECK (key_type IN ('rsa', 'ecdsa')),
    key_bits     integer     NOT NULL,
    issued_at    timestamptz NOT NULL,
    expires_at   timestamptz NOT NULL,
    revoked_at   timestamptz,
    -- whether a revocation list that was signed has it
    listed       boolean     NOT NULL DEFAULT false,
    CONSTRAINT certificates_of_no_thing_revoked CHECK (thing_id IS NOT NULL OR revoked_at IS NOT NULL)
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
