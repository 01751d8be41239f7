-- The two formats of messages. One row is one record that was acknowledged. README.md has the measurements.
--
-- Sorted by day, then by series: a range of one series is a short read for each of its days; the newest of everything
-- and a range over everything read only their days.
--
-- Times are nanoseconds since 1970. Device clocks lie. An insert makes a part of each partition that it touches, and each
-- costs about 4.5 ms: so a year has a partition where the times of devices usually are, and all else shares one. That
-- is 21 at most (100 ms an insert; one partition: 13 ms; two cores, ClickHouse 26.7.2, median of eight). Retention goes
-- by partition, so years stay apart; reads go by the day that the tables are sorted by.
--
-- The window of deduplication tokens catches batches that are sent twice within moments. Whether an older batch is stored
-- is asked by its number (ingest/sinks/store/sink.ts).
--
-- A part stays compact (one file) up to 64 MiB: an insert of 400,000 rows with its fsyncs took 170 ms so, and 265 ms with
-- a file for each column (two cores, ClickHouse 26.7.2, median of six). A full batch of usual records is half as large.
-- A merge to more than that goes column by column, for a fifth less CPU a row.
--
-- A merge rewrites every row, for about as much CPU as its insert took: ten or more parts at once halve how often that
-- happens (2.0 times a row with 5 parts, 1.0 with 16, over 100 parts of 100,000 rows). Parts below some mebibytes are
-- alike to ClickHouse, however many records they hold: with a base of 5 it merged a large one again with every few small
-- ones. With 10 a record is written anew 1.8 times in its first minute where it was 3.2 times, and readers find as many
-- parts.
--
-- Texts of few kinds are plain `String`: a merge of many small parts changes from part to part every few rows, and each
-- time every LowCardinality column looks its texts up in a dictionary anew. That was two fifths of the cost of merging.
-- Plain texts take as few bytes. `name` has a dictionary: sorting a new block by it costs less so; `log` has one because
-- a projection has it. Statistics of columns help only queries with joins, and cost a tenth of each merge.
--
-- A live stream asks each second: `logs` gives the newest batch of every log (14 ms, and 1,700 ms without it), `batches`
-- skips the batches before it (20 ms, and 1,500 ms where it can skip nothing; 40 million rows of two logs, the best of
-- nine on a busy machine, where SELECT 1 took 9 ms). It can skip only because the batches of all logs are numbered by the
-- clock.

CREATE TABLE IF NOT EXISTS senml
(
    publisher   UUID,
    subtopic    String,
    protocol    String,
    name        LowCardinality(String),
    unit        String,
    time        Int64 CODEC(GCD, Delta, ZSTD(1)),
    -- which of the value fields of RFC 8428 the record has; a bool is 0 or 1 in value, the others stand in text
    kind        Enum8('value' = 0, 'string' = 1, 'bool' = 2, 'data' = 3, 'none' = 4),
    -- The number as it was given. It is kept as mantissa / 10^scale where that gives back the same bits
    -- (scale -1: it is kept as it is): 1.9 bytes where the double took 2.7.
    given       Float64 EPHEMERAL,
    scale       Int8 DEFAULT multiIf(
        given = 0 AND 1 / given < 0, -1,
        abs(given) < 9e18 AND round(given) = given, 0,
        abs(given) >= 9e9, -1,
        round(given * 10) / 10 = given, 1,
        round(given * 100) / 100 = given, 2,
        round(given * 1e3) / 1e3 = given, 3,
        round(given * 1e4) / 1e4 = given, 4,
        round(given * 1e5) / 1e5 = given, 5,
        round(given * 1e6) / 1e6 = given, 6,
        round(given * 1e7) / 1e7 = given, 7,
        round(given * 1e8) / 1e8 = given, 8,
        round(given * 1e9) / 1e9 = given, 9,
        -1) CODEC(ZSTD(1)),
    mantissa    Int64 DEFAULT if(scale < 0, 0, toInt64(round(given * intExp10(greatest(scale, 0))))) CODEC(T64, ZSTD(1)),
    exact       Float64 DEFAULT if(scale < 0, given, 0) CODEC(ZSTD(1)),
    value       Float64 ALIAS if(scale < 0, exact, mantissa / intExp10(greatest(scale, 0))),
    text        String CODEC(ZSTD(1)),
    sum         Nullable(Float64) CODEC(ZSTD(1)),
    update_time Nullable(Float64) CODEC(ZSTD(1)),
    -- where it was acknowledged: the log, and the number of the batch that left it
    log         LowCardinality(String),
    batch       UInt32 CODEC(Delta, ZSTD(1)),

    INDEX batches batch TYPE minmax GRANULARITY 1,
    PROJECTION totals (SELECT publisher, count(), min(time), max(time) GROUP BY publisher),
    PROJECTION logs (SELECT log, max(batch), count() GROUP BY log)
)
ENGINE = MergeTree
PARTITION BY if(time >= 1577836800000000000 AND time < 2208988800000000000, toYear(fromUnixTimestamp64Nano(time)), 0)
ORDER BY (intDiv(time, 86400000000000), publisher, name, time)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_bytes_for_wide_part = 67108864,
    min_parts_to_merge_at_once = 10,
    merge_selector_base = 10,
    -- a deletion leaves the totals right
    lightweight_mutation_projection_mode = 'rebuild',
    auto_statistics_types = '';

CREATE TABLE IF NOT EXISTS json
(
    publisher UUID,
    subtopic  String,
    protocol  String,
    created   Int64 CODEC(GCD, Delta, ZSTD(1)),
    payload   String CODEC(ZSTD(1)),
    log       LowCardinality(String),
    batch     UInt32 CODEC(Delta, ZSTD(1)),

    INDEX batches batch TYPE minmax GRANULARITY 1,
    PROJECTION totals (SELECT publisher, count(), min(created), max(created) GROUP BY publisher),
    PROJECTION logs (SELECT log, max(batch), count() GROUP BY log)
)
ENGINE = MergeTree
PARTITION BY if(created >= 1577836800000000000 AND created < 2208988800000000000, toYear(fromUnixTimestamp64Nano(created)), 0)
ORDER BY (intDiv(created, 86400000000000), publisher, created)
SETTINGS
    non_replicated_deduplication_window = 10000,
    fsync_after_insert = 1,
    fsync_part_directory = 1,
    min_bytes_for_wide_part = 67108864,
    min_parts_to_merge_at_once = 10,
    merge_selector_base = 10,
    lightweight_mutation_projection_mode = 'rebuild',
    auto_statistics_types = '';
