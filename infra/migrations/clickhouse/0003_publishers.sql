-- Which group each publisher is in, as PostgreSQL has it (0009_publishers.sql there): a reader's query is bounded by
-- their groups, here. Of the rows of a publisher in a group the newest version holds, so queries say FINAL.

CREATE TABLE IF NOT EXISTS publishers
(
    group_id  UUID,
    publisher UUID,
    version   UInt64,
    -- it is not in this group any more
    gone      UInt8
)
ENGINE = ReplacingMergeTree(version, gone)
ORDER BY (group_id, publisher)
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1;
