-- Restores of messages whose file is loaded and checked: each is carried to its end, whoever does it (see
-- api/reader/backup/restore.ts).
CREATE TABLE restores
(
    -- as in the names of its tables in ClickHouse
    id       text PRIMARY KEY CHECK (id ~ '^[0-9a-f]{32}$'),
    formats  text[]      NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
);
