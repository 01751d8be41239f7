-- For how many days the messages of a publisher are kept; one that is not here keeps them for good. The
-- tables' TTL rules read it, one rule for each number of days. It is replaced whole: filled beside itself,
-- and exchanged. An insert reads it through the rules that new rows are held against.

CREATE TABLE IF NOT EXISTS kept
(
    publisher UUID,
    days      UInt32
)
ENGINE = MergeTree
ORDER BY (days, publisher);

CREATE TABLE IF NOT EXISTS kept_next AS kept;
