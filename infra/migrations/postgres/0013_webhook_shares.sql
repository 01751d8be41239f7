-- Each org has a share of what is on its way to webhooks. What is over it waits here; see
-- infra/webhook-jobs.ts.

ALTER TABLE webhook_packs
    -- of each org in it: the copies that went to the queue at once, and the bytes that are kept
    ADD COLUMN org_ids    uuid[]    NOT NULL DEFAULT '{}',
    ADD COLUMN org_copies integer[] NOT NULL DEFAULT '{}',
    ADD COLUMN org_bytes  integer[] NOT NULL DEFAULT '{}',
    -- when each of those copies had its first try. `settled_at` is when the last copy was over, with all its tries.
    ADD COLUMN tried_at   timestamptz;

-- What an org has in packs: copies before their first try, and bytes that some copy still needs.
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

-- Copies of messages of one pack for one webhook that are not over after their first try, or have none yet
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
    -- that each of them had before
    tries        integer     NOT NULL,
    -- what tells a repeat from the first delivery; empty: it is none
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

-- Copies that are not delivered because the org kept too many bytes, or that waited for too long.
ALTER TABLE webhooks
    ADD COLUMN missed_copies bigint NOT NULL DEFAULT 0,
    ADD COLUMN missed_from   timestamptz,
    ADD COLUMN missed_to     timestamptz;
