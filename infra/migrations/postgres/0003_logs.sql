-- The logs of the edges, and how a deletion waits for them: a barrier is a number drawn after whatever
-- must be stored first; a log has settled it once all that it had acknowledged by then is in the store.

CREATE SEQUENCE log_barriers;

CREATE TABLE logs
(
    id         uuid PRIMARY KEY,
    -- the last barrier that is settled
    settled    bigint      NOT NULL DEFAULT 0,
    -- the last sign of life of its edge; a log that was empty when its edge stopped has no row
    seen_at    timestamptz NOT NULL DEFAULT now()
);
