-- Webhooks: where the messages of a thing are forwarded to, and what became of each try.

CREATE TABLE webhooks
(
    id            uuid PRIMARY KEY,
    thing_id      uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    name          text        NOT NULL CHECK (char_length(name) BETWEEN 1 AND 254),
    url           text        NOT NULL CHECK (char_length(url) BETWEEN 8 AND 2048),
    headers       jsonb       NOT NULL DEFAULT '{}',
    metadata      jsonb       NOT NULL DEFAULT '{}',
    -- sealed under SECRET_KEY. The one before it signs too until its time is over, so that a receiver can
    -- change over without missing one.
    secret_sealed          bytea,
    previous_secret_sealed bytea,
    previous_secret_until  timestamptz,
    -- since when every try has failed; NULL: the last one did not
    failing_since timestamptz,
    -- set when the receiver says it is gone (410), or has failed for five days; an update clears it
    disabled_at   timestamptz,
    disabled_why  text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT webhooks_metadata_size CHECK (octet_length(metadata::text) <= 2097152)
);

CREATE INDEX webhooks_thing ON webhooks (thing_id, id);

-- A message that was forwarded, kept for a while so that it can be delivered again.
CREATE TABLE webhook_messages
(
    -- `webhook-id` without the webhook's part: one message, however many webhooks it went to
    message_id   text PRIMARY KEY,
    thing_id     uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    content_type text        NOT NULL,
    payload      bytea       NOT NULL,
    received_at  timestamptz NOT NULL
);

CREATE INDEX webhook_messages_thing ON webhook_messages (thing_id, received_at);
CREATE INDEX webhook_messages_received ON webhook_messages (received_at);

-- One row for each try.
CREATE TABLE webhook_deliveries
(
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id  uuid        NOT NULL REFERENCES webhooks (id) ON DELETE CASCADE,
    message_id  text        NOT NULL,
    attempt     integer     NOT NULL,
    tried_at    timestamptz NOT NULL,
    duration_ms integer     NOT NULL,
    -- NULL: no answer, and `error` says why
    status      integer,
    error       text,
    -- the first 4 KiB of the answer
    answer      bytea       NOT NULL DEFAULT ''
);

CREATE INDEX webhook_deliveries_webhook ON webhook_deliveries (webhook_id, id);
CREATE INDEX webhook_deliveries_tried ON webhook_deliveries (tried_at);

-- Whether a thing has webhooks that are on is part of what an edge remembers of its keys. It is journaled
-- whenever one comes, goes, or is turned on or off, not only for the first and the last: of two that go at
-- the same moment neither sees that it is the last.
CREATE FUNCTION journal_webhooks() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    -- A key that is changed at the same moment waits, and then journals itself; or we wait, and see the new one.
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM (SELECT key_lookup, external_key_lookup
          FROM things
          WHERE id IN (SELECT thing_id FROM changed)
          ORDER BY id
          FOR KEY SHARE) AS thing
             CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE lookup IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_new_webhooks
    AFTER INSERT ON webhooks
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_webhooks();

CREATE TRIGGER journal_gone_webhooks
    AFTER DELETE ON webhooks
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_webhooks();

CREATE FUNCTION journal_webhook() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup)
    SELECT lookup
    FROM (SELECT key_lookup, external_key_lookup FROM things WHERE id = NEW.thing_id FOR KEY SHARE) AS thing
             CROSS JOIN LATERAL unnest(ARRAY [key_lookup, external_key_lookup]) AS lookup
    WHERE lookup IS NOT NULL;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_turned_webhook
    AFTER UPDATE OF disabled_at ON webhooks
    FOR EACH ROW
    WHEN ((OLD.disabled_at IS NULL) IS DISTINCT FROM (NEW.disabled_at IS NULL))
EXECUTE FUNCTION journal_webhook();
