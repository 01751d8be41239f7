-- Messages that were forwarded are kept by the pack they were sent in: a row for each of them cost Postgres
-- more than all the rest of forwarding.
DROP TABLE webhook_messages;

-- Messages that stood together in the log of an edge. Workers send them from here, and they are kept for a
-- while so that they can be delivered again.
CREATE TABLE webhook_packs
(
    log_id       text        NOT NULL,
    segment      integer     NOT NULL,
    -- where the first and the last frame of the pack stand in the segment
    first_offset integer     NOT NULL,
    last_offset  integer     NOT NULL,
    -- of each message: where its frame stands in the segment, its thing, and when it came
    offsets      integer[]   NOT NULL,
    thing_ids    uuid[]      NOT NULL,
    received_ms  bigint[]    NOT NULL,
    -- when the first one came
    received_at  timestamptz NOT NULL,
    -- their frames, compressed (see infra/webhook-packs.ts), and how many bytes they were
    frames       bytea       NOT NULL,
    bytes        integer     NOT NULL,
    -- when each copy was delivered or had become a job of its own: until then the pack is still needed
    settled_at   timestamptz,
    PRIMARY KEY (log_id, segment, first_offset, last_offset)
    -- Room for `settled_at` on the same page.
) WITH (fillfactor = 90);

-- What is compressed already, or is random, is not compressed again.
ALTER TABLE webhook_packs
    ALTER offsets SET STORAGE EXTERNAL,
    ALTER thing_ids SET STORAGE EXTERNAL,
    ALTER received_ms SET STORAGE EXTERNAL,
    ALTER frames SET STORAGE EXTERNAL;

CREATE INDEX webhook_packs_things ON webhook_packs USING gin (thing_ids);
CREATE INDEX webhook_packs_received ON webhook_packs (received_at);

-- A sink may know a deleted thing for a moment still: its packs are looked through after that.
ALTER TABLE erased_things ALTER due_at SET DEFAULT now() + interval '2 seconds';
