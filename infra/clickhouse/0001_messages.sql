-- The two formats of messages. One row is one record that was acknowledged.
--
-- Sorted by series: the newest N of a thing and a range of one series are both a short read.
-- Times are nanoseconds since 1970. Device clocks lie: what is outside 2000 to 2100 shares one
-- partition, so no device can make an insert touch more than 101 of them.
-- The window of deduplication tokens is longer than any backlog a sink replays: a sink has one batch
-- in flight.
-- A part stays compact (one file) up to 256 MiB: an insert of 400,000 rows with its fsyncs took 170 ms
-- so, and 265 ms with a file for each column (two cores, ClickHouse 26.7.2, median of six).
-- A merge rewrites every row, for about as much CPU as its insert took: ten or more parts at once halve
-- how often that happens (2.0 times a row with 5 parts, 1.0 with 16, over 100 parts of 100,000 rows).

CREATE TABLE IF NOT EXISTS senml
(
    publisher   UUID,
    subtopic    LowCardinality(String),
    protocol    LowCardinality(String),
    name        LowCardinality(String),
    unit        LowCardinality(String),
    time        Int64 CODEC(GCD, DoubleDelta, ZSTD(1)),
    -- which of the value fields of RFC 8428 the record has; a bool is 0 or 1 in value, the others stand in text
    kind        Enum8('value' = 0, 'string' = 1, 'bool' = 2, 'data' = 3, 'none' = 4),
    value       Float64 CODEC(ZSTD(1)),
    text        String CODEC(ZSTD(1)),
    sum         Nullable(Float64) CODEC(ZSTD(1)),
    update_time Nullable(Float64) CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY if(time >= 946684800000000000 AND time < 4102444800000000000, toYear(fromUnixTimestamp64Nano(time)), 0)
ORDER BY (publisher, time, name)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_parts_to_merge_at_once = 10;

CREATE TABLE IF NOT EXISTS json
(
    publisher UUID,
    subtopic  LowCardinality(String),
    protocol  LowCardinality(String),
    created   Int64 CODEC(GCD, DoubleDelta, ZSTD(1)),
    payload   String CODEC(ZSTD(1))
)
ENGINE = MergeTree
PARTITION BY if(created >= 946684800000000000 AND created < 4102444800000000000, toYear(fromUnixTimestamp64Nano(created)), 0)
ORDER BY (publisher, created)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_bytes_for_wide_part = 268435456,
    min_parts_to_merge_at_once = 10;
