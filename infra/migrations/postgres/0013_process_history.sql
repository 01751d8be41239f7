-- The processes of this installation, as each last reported itself.
CREATE TABLE processes
(
    id         text             PRIMARY KEY,
    -- edge, api or workers
    kind       text             NOT NULL,
    name       text             NOT NULL,
    version    text             NOT NULL,
    started_at timestamptz      NOT NULL,
    seen_at    timestamptz      NOT NULL,
    -- it said so: one that was killed has none
    stopped_at timestamptz,
    checks     jsonb            NOT NULL,
    -- the newest of what its sinks quarantined; only edges have some
    quarantine jsonb            NOT NULL,
    -- of the last interval
    seconds    double precision NOT NULL,
    figures    jsonb            NOT NULL
) WITH (fillfactor = 50);

-- The figures that each process measured in intervals that end at `at` and last `span` seconds. A row is a few hundred
-- bytes, and of each span 480 rows of a process are kept.
CREATE TABLE process_history
(
    span       integer          NOT NULL,
    at         timestamptz      NOT NULL,
    process_id text             NOT NULL,
    kind       text             NOT NULL,
    -- less than the span where the process started in between
    seconds    double precision NOT NULL,
    figures    jsonb            NOT NULL,
    PRIMARY KEY (span, at, process_id)
);
