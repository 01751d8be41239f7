-- Which group each publisher is in, as Postgres has it (see its `publisher_changes`): what a reader may see is
-- bounded by their groups, here. Of the rows of a publisher in a group the newest version holds, so queries
-- say FINAL.

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
