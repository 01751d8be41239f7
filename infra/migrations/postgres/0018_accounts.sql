-- What an account is called, however its e-mail is spelled: one place says it, and all that compares e-mails
-- goes by it.
CREATE FUNCTION email_name(email text) RETURNS text
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN lower(email);

CREATE UNIQUE INDEX users_email_name ON users (email_name(email));
DROP INDEX users_email;
ALTER INDEX users_email_name RENAME TO users_email;

CREATE UNIQUE INDEX platform_invites_pending_name ON platform_invites (email_name(invitee_email))
    WHERE state = 'pending';
DROP INDEX platform_invites_pending;
ALTER INDEX platform_invites_pending_name RENAME TO platform_invites_pending;

-- Tokens are of a generation; a change of password begins a new one.
ALTER TABLE users ADD COLUMN token_generation integer NOT NULL DEFAULT 0;

-- Metadata is bounded so that a page of it is. The API takes 64 KiB, and 4 KiB of a profile's config, as a
-- client writes them; jsonb's own text has a space after each `:` and `,`, and writes 1e300 out. Rows that
-- are larger may stay as they are.
ALTER TABLE users DROP CONSTRAINT users_metadata_size,
    ADD CONSTRAINT users_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE orgs DROP CONSTRAINT orgs_metadata_size,
    ADD CONSTRAINT orgs_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE groups DROP CONSTRAINT groups_metadata_size,
    ADD CONSTRAINT groups_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE profiles DROP CONSTRAINT profiles_metadata_size,
    ADD CONSTRAINT profiles_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE things DROP CONSTRAINT things_metadata_size,
    ADD CONSTRAINT things_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE webhooks DROP CONSTRAINT webhooks_metadata_size,
    ADD CONSTRAINT webhooks_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE tree_groups DROP CONSTRAINT tree_groups_metadata_size,
    ADD CONSTRAINT tree_groups_metadata_size CHECK (octet_length(metadata::text) <= 73728) NOT VALID;
ALTER TABLE profiles DROP CONSTRAINT profiles_config_size,
    ADD CONSTRAINT profiles_config_size CHECK (octet_length(config::text) <= 5120) NOT VALID;
