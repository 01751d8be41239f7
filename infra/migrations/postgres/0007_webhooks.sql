-- Webhooks, the messages that are forwarded to them, the jobs that wait, and the attempts that were made.

-- A webhook is of a thing, or of all things of a group or an org, now and later.
CREATE TABLE webhooks
(
    id            uuid PRIMARY KEY,
    thing_id      uuid REFERENCES things (id) ON DELETE CASCADE,
    group_id      uuid REFERENCES groups (id) ON DELETE CASCADE,
    org_id        uuid REFERENCES orgs (id) ON DELETE CASCADE,
    name          text        NOT NULL CONSTRAINT webhooks_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    url           text        NOT NULL CONSTRAINT webhooks_url_length CHECK (char_length(url) BETWEEN 8 AND 2048),
    metadata      jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT webhooks_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    -- Its own headers, which may hold a credential, and its secret are sealed under SECRET_KEY. The secret before it
    -- signs too until its time is over, so that a receiver can change over without missing a message.
    headers_sealed         bytea,
    secret_sealed          bytea,
    previous_secret_sealed bytea,
    previous_secret_until  timestamptz,
    -- since when every attempt has failed; NULL: the last one did not
    failing_since timestamptz,
    -- set when the receiver says it is gone (410), or has failed for five days; an update clears it
    disabled_at   timestamptz,
    disabled_why  text,
    -- deliveries that were dropped because the org kept too many bytes, or that waited for too long
    missed_copies bigint      NOT NULL DEFAULT 0,
    missed_from   timestamptz,
    missed_to     timestamptz,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT webhooks_place CHECK (num_nonnulls(thing_id, group_id, org_id) = 1)
);

CREATE INDEX webhooks_thing ON webhooks (thing_id, id);
CREATE INDEX webhooks_group ON webhooks (group_id, id) WHERE group_id IS NOT NULL;
CREATE INDEX webhooks_org ON webhooks (org_id, id) WHERE org_id IS NOT NULL;
-- The operations page and the metrics ask for these few every few seconds.
CREATE INDEX webhooks_failing ON webhooks (id)
    WHERE failing_since IS NOT NULL OR disabled_why IN ('gone', 'failing');

-- Bundles: messages that stood together in the log of an edge. Workers send them from here, and they are kept for a
-- while so that they can be delivered again. A row for each message cost PostgreSQL more than all the rest of
-- forwarding.
CREATE TABLE webhook_packs
(
    log_id       text        NOT NULL,
    segment      integer     NOT NULL,
    -- where the first and the last frame of the bundle stand in the segment
    first_offset integer     NOT NULL,
    last_offset  integer     NOT NULL,
    -- of each message: where its frame stands in the segment, its thing, and when it came
    offsets      integer[]   NOT NULL,
    thing_ids    uuid[]      NOT NULL,
    received_ms  bigint[]    NOT NULL,
    -- when the first one came
    received_at  timestamptz NOT NULL,
    -- their frames, compressed (infra/runtime/webhooks/bundles.ts), and how many bytes they were
    frames       bytea       NOT NULL,
    bytes        integer     NOT NULL,
    -- of each org in it: the deliveries that went to the queue at once, and the bytes that are kept
    org_ids      uuid[]      NOT NULL DEFAULT '{}',
    org_copies   integer[]   NOT NULL DEFAULT '{}',
    org_bytes    integer[]   NOT NULL DEFAULT '{}',
    -- when each of those deliveries had its first attempt
    tried_at     timestamptz,
    -- when the last delivery was over, with all its attempts: until then the bundle is still needed
    settled_at   timestamptz,
    PRIMARY KEY (log_id, segment, first_offset, last_offset)
    -- Room for `tried_at` and `settled_at` on the same page.
) WITH (fillfactor = 90);

-- These are compressed already, or random: PostgreSQL doesn't try to compress them.
ALTER TABLE webhook_packs
    ALTER offsets SET STORAGE EXTERNAL,
    ALTER thing_ids SET STORAGE EXTERNAL,
    ALTER received_ms SET STORAGE EXTERNAL,
    ALTER frames SET STORAGE EXTERNAL;

CREATE INDEX webhook_packs_things ON webhook_packs USING gin (thing_ids);
CREATE INDEX webhook_packs_received ON webhook_packs (received_at);

-- Each org has a share of the deliveries in the queue (infra/runtime/webhooks). This is what an org has in bundles:
-- deliveries before their first attempt, and bytes that some delivery still needs.
CREATE TABLE webhook_orgs
(
    org_id uuid PRIMARY KEY,
    fresh  bigint NOT NULL,
    bytes  bigint NOT NULL
) WITH (fillfactor = 50);

CREATE FUNCTION add_to_webhook_orgs(ids uuid[], fresh_more bigint[], bytes_more bigint[]) RETURNS void
    LANGUAGE sql AS
$$
    -- In one order, so that two who count at the same moment do not wait for each other.
INSERT INTO webhook_orgs AS org (org_id, fresh, bytes)
SELECT id, sum(fresh), sum(bytes)
FROM unnest(ids, fresh_more, bytes_more) AS more (id, fresh, bytes)
GROUP BY id
HAVING sum(fresh) <> 0 OR sum(bytes) <> 0
ORDER BY id
ON CONFLICT (org_id) DO UPDATE SET fresh = org.fresh + excluded.fresh, bytes = org.bytes + excluded.bytes
$$;

CREATE FUNCTION count_new_packs() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(copies), array_agg(kept))
    FROM (SELECT share.org, share.copies::bigint AS copies, share.kept::bigint AS kept
          FROM added CROSS JOIN LATERAL unnest(org_ids, org_copies, org_bytes) AS share (org, copies, kept)) AS shares;
    RETURN NULL;
END
$$;

CREATE FUNCTION count_changed_packs() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(copies), array_agg(kept))
    FROM (SELECT share.org,
                 CASE WHEN was.tried_at IS NULL AND became.tried_at IS NOT NULL THEN -share.copies ELSE 0 END::bigint AS copies,
                 CASE WHEN was.settled_at IS NULL AND became.settled_at IS NOT NULL THEN -share.kept ELSE 0 END::bigint AS kept
          FROM was JOIN became USING (log_id, segment, first_offset, last_offset)
                   CROSS JOIN LATERAL unnest(was.org_ids, was.org_copies, was.org_bytes) AS share (org, copies, kept)) AS shares;
    RETURN NULL;
END
$$;

CREATE FUNCTION count_gone_packs() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(copies), array_agg(kept))
    FROM (SELECT share.org,
                 CASE WHEN tried_at IS NULL THEN -share.copies ELSE 0 END::bigint AS copies,
                 CASE WHEN settled_at IS NULL THEN -share.kept ELSE 0 END::bigint AS kept
          FROM gone CROSS JOIN LATERAL unnest(org_ids, org_copies, org_bytes) AS share (org, copies, kept)) AS shares;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_new
    AFTER INSERT ON webhook_packs
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_new_packs();

CREATE TRIGGER count_changed
    AFTER UPDATE ON webhook_packs
    REFERENCING OLD TABLE AS was NEW TABLE AS became
    FOR EACH STATEMENT EXECUTE FUNCTION count_changed_packs();

CREATE TRIGGER count_gone
    AFTER DELETE ON webhook_packs
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_gone_packs();

-- Deliveries of messages of one bundle to one webhook that are not over after their first attempt, or have none yet
-- because they are over their org's share. One row is one job, which is in the queue or waits to be put there.
CREATE TABLE webhook_jobs
(
    -- the job's
    id           text PRIMARY KEY,
    org_id       uuid        NOT NULL,
    webhook_id   uuid        NOT NULL,
    log_id       text        NOT NULL,
    segment      integer     NOT NULL,
    first_offset integer     NOT NULL,
    last_offset  integer     NOT NULL,
    offsets      integer[]   NOT NULL,
    bytes        integer     NOT NULL,
    -- attempts that each of them had before
    tries        integer     NOT NULL,
    -- tells a repeat from the first delivery; empty: it is none
    replay       text        NOT NULL,
    due_at       timestamptz NOT NULL,
    since        timestamptz NOT NULL DEFAULT now(),
    -- NULL: it waits here
    queued_at    timestamptz
);

CREATE INDEX webhook_jobs_pack ON webhook_jobs (log_id, segment, first_offset);
CREATE INDEX webhook_jobs_waiting ON webhook_jobs (webhook_id, due_at) WHERE queued_at IS NULL;
CREATE INDEX webhook_jobs_queued ON webhook_jobs (org_id, id) WHERE queued_at IS NOT NULL;
CREATE INDEX webhook_jobs_since ON webhook_jobs (since);

-- One row for each attempt. There is no foreign key to the webhook, because its look-up made an attempt cost PostgreSQL
-- twice as much: who writes an attempt holds the webhook's row already (workers/webhooks/record/sql.ts). Attempts go with
-- their webhook all the same.
CREATE TABLE webhook_deliveries
(
    id          bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    webhook_id  uuid        NOT NULL,
    message_id  text        NOT NULL,
    -- the request that brought the message
    request_id  text,
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
-- Attempts stand in the order of their times, so that the ranges of their pages are enough to find them.
CREATE INDEX webhook_deliveries_tried ON webhook_deliveries USING brin (tried_at) WITH (autosummarize);

CREATE FUNCTION forget_deliveries() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    DELETE FROM webhook_deliveries WHERE webhook_id IN (SELECT id FROM gone);
    RETURN NULL;
END
$$;

CREATE TRIGGER forget_deliveries
    AFTER DELETE ON webhooks
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION forget_deliveries();
