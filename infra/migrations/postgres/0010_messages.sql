-- Messages are in ClickHouse and in the logs of edges. PostgreSQL has what processes tell one another of them.

-- How a deletion waits for the logs: a barrier is a number that is drawn after all that must be stored first. A log has
-- settled it once all that it had acknowledged by then is in the store.
CREATE SEQUENCE log_barriers;

CREATE TABLE logs
(
    id      uuid PRIMARY KEY,
    -- the last barrier that is settled
    settled bigint      NOT NULL DEFAULT 0,
    -- the last sign of life of its edge; a log that was empty when its edge stopped has no row
    seen_at timestamptz NOT NULL DEFAULT now()
);

-- Restores of messages whose file is loaded and checked. Each is carried to its end, whichever process does it
-- (api/messages/backup/restore/restore.ts).
CREATE TABLE restores
(
    -- as in the names of its tables in ClickHouse
    id       text PRIMARY KEY CONSTRAINT restores_id_form CHECK (id ~ '^[0-9a-f]{32}$'),
    formats  text[]      NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
);

-- When ClickHouse was last told to delete messages that are too old (workers/retention): one row.
CREATE TABLE retention_sweeps
(
    single   boolean PRIMARY KEY DEFAULT true CONSTRAINT retention_sweeps_single CHECK (single),
    swept_at timestamptz NOT NULL
);
