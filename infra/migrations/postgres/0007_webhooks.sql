-- Webhooks, the messages that are forwarded to them, the deliveries that are due, and the attempts that were made.

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
    missed_deliveries bigint  NOT NULL DEFAULT 0,
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
CREATE TABLE webhook_bundles
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
    -- of each org in it: the bytes that are kept
    org_ids      uuid[]      NOT NULL DEFAULT '{}',
    org_bytes    integer[]   NOT NULL DEFAULT '{}',
    -- when the last delivery was done: until then the bundle is still needed
    settled_at   timestamptz,
    PRIMARY KEY (log_id, segment, first_offset, last_offset)
    -- Room for `settled_at` on the same page.
) WITH (fillfactor = 90);

-- These are compressed already, or random: PostgreSQL doesn't try to compress them.
ALTER TABLE webhook_bundles
    ALTER offsets SET STORAGE EXTERNAL,
    ALTER thing_ids SET STORAGE EXTERNAL,
    ALTER received_ms SET STORAGE EXTERNAL,
    ALTER frames SET STORAGE EXTERNAL;

CREATE INDEX webhook_bundles_things ON webhook_bundles USING gin (thing_ids);
CREATE INDEX webhook_bundles_received ON webhook_bundles (received_at);

-- How far the log of each edge is: the messages for webhooks before that are in bundles. It moves in the transaction
-- that inserts these.
CREATE TABLE webhook_logs
(
    log_id   text PRIMARY KEY,
    segment  integer NOT NULL,
    "offset" integer NOT NULL
) WITH (fillfactor = 50);

-- Each org has a share of the deliveries in the queue (infra/runtime/webhooks/jobs.ts). This is what an org has:
-- deliveries in the queue before their first attempt, and bytes that some delivery still needs.
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

CREATE FUNCTION count_new_bundles() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(0::bigint), array_agg(kept))
    FROM (SELECT share.org, share.kept::bigint AS kept
          FROM added CROSS JOIN LATERAL unnest(org_ids, org_bytes) AS share (org, kept)) AS shares;
    RETURN NULL;
END
$$;

CREATE FUNCTION count_settled_bundles() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(0::bigint), array_agg(-kept))
    FROM (SELECT share.org, share.kept::bigint AS kept
          FROM was JOIN became USING (log_id, segment, first_offset, last_offset)
                   CROSS JOIN LATERAL unnest(was.org_ids, was.org_bytes) AS share (org, kept)
          WHERE was.settled_at IS NULL AND became.settled_at IS NOT NULL) AS shares;
    RETURN NULL;
END
$$;

CREATE FUNCTION count_gone_bundles() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(0::bigint), array_agg(-kept))
    FROM (SELECT share.org, share.kept::bigint AS kept
          FROM gone CROSS JOIN LATERAL unnest(org_ids, org_bytes) AS share (org, kept)
          WHERE settled_at IS NULL) AS shares;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_new
    AFTER INSERT ON webhook_bundles
    REFERENCING NEW TABLE AS added
    FOR EACH STATEMENT EXECUTE FUNCTION count_new_bundles();

CREATE TRIGGER count_settled
    AFTER UPDATE ON webhook_bundles
    REFERENCING OLD TABLE AS was NEW TABLE AS became
    FOR EACH STATEMENT EXECUTE FUNCTION count_settled_bundles();

CREATE TRIGGER count_gone
    AFTER DELETE ON webhook_bundles
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_gone_bundles();

-- Deliveries of messages of one bundle that are not done. One row is one job, which waits here or is in the queue.
CREATE TABLE webhook_jobs
(
    -- the job's in the queue
    id             text PRIMARY KEY,
    -- bundle: the first attempts of a bundle, as its edge wrote them. group: deliveries to one webhook that wait for
    -- room in their org's share. single: one delivery, from its first failure on
    kind           text        NOT NULL CHECK (kind IN ('bundle', 'group', 'single')),
    log_id         text        NOT NULL,
    segment        integer     NOT NULL,
    first_offset   integer     NOT NULL,
    last_offset    integer     NOT NULL,
    bytes          integer     NOT NULL,
    -- how many deliveries it has
    deliveries     integer     NOT NULL,
    since          timestamptz NOT NULL DEFAULT now(),
    due_at         timestamptz NOT NULL,
    -- NULL: it waits here
    queued_at      timestamptz,

    -- Of a group and a single job.
    org_id         uuid,
    webhook_id     uuid,
    offsets        integer[],
    -- that each of them had before
    attempts       integer     NOT NULL DEFAULT 0,
    -- what tells a repeat from the first delivery; empty: it is none
    replay         text        NOT NULL DEFAULT '',

    -- Of a bundle: of each org the messages and their webhooks, [{org_id, messages: [{offset, webhook_ids}]}]; and
    -- while it is in the queue, how many deliveries of each org are.
    orgs           json,
    org_ids        uuid[]      NOT NULL DEFAULT '{}',
    org_deliveries integer[]   NOT NULL DEFAULT '{}',
    CONSTRAINT webhook_jobs_kind CHECK (
        kind = 'bundle' AND orgs IS NOT NULL AND num_nulls(org_id, webhook_id, offsets) = 3
        OR kind <> 'bundle' AND orgs IS NULL AND num_nulls(org_id, webhook_id, offsets) = 0
    )
-- A row lives for seconds: dead ones are cleaned away before there are many.
) WITH (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000);

-- It is there for a moment: compressing it costs more than its bytes.
ALTER TABLE webhook_jobs ALTER orgs SET STORAGE EXTERNAL;

CREATE INDEX webhook_jobs_bundle ON webhook_jobs (log_id, segment, first_offset);
CREATE INDEX webhook_jobs_new ON webhook_jobs (since) WHERE kind = 'bundle' AND queued_at IS NULL;
CREATE INDEX webhook_jobs_waiting ON webhook_jobs (webhook_id, due_at) WHERE kind <> 'bundle' AND queued_at IS NULL;
CREATE INDEX webhook_jobs_late ON webhook_jobs (since) WHERE kind <> 'bundle' AND queued_at IS NULL;
CREATE INDEX webhook_jobs_queued ON webhook_jobs (queued_at, id) WHERE queued_at IS NOT NULL;
CREATE INDEX webhook_jobs_of_org ON webhook_jobs (org_id, kind) WHERE kind <> 'bundle' AND queued_at IS NOT NULL;

-- A job of another kind has no `org_deliveries`, and neither has a bundle that waits.
CREATE FUNCTION count_queued_deliveries() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(more), array_agg(0::bigint))
    FROM (SELECT share.org, -share.deliveries::bigint AS more
          FROM was CROSS JOIN LATERAL unnest(org_ids, org_deliveries) AS share (org, deliveries)
          UNION ALL
          SELECT share.org, share.deliveries::bigint
          FROM became CROSS JOIN LATERAL unnest(org_ids, org_deliveries) AS share (org, deliveries)) AS shares;
    RETURN NULL;
END
$$;

CREATE FUNCTION count_ended_deliveries() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM add_to_webhook_orgs(array_agg(org), array_agg(-fresh), array_agg(0::bigint))
    FROM (SELECT share.org, share.deliveries::bigint AS fresh
          FROM gone CROSS JOIN LATERAL unnest(org_ids, org_deliveries) AS share (org, deliveries)) AS shares;
    RETURN NULL;
END
$$;

CREATE TRIGGER count_queued
    AFTER UPDATE ON webhook_jobs
    REFERENCING OLD TABLE AS was NEW TABLE AS became
    FOR EACH STATEMENT EXECUTE FUNCTION count_queued_deliveries();

CREATE TRIGGER count_ended
    AFTER DELETE ON webhook_jobs
    REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION count_ended_deliveries();

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
