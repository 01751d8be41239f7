-- A merge of many small parts changes from part to part every few rows, and each time every LowCardinality column
-- looks its texts up in a dictionary anew. That was two fifths of what merging cost. Plain texts of few kinds take as
-- few bytes. `name` stays: sorting a new block by it costs less so; `log` stays, because a projection has it.
-- Statistics of columns help only queries with joins, and cost a tenth of each merge.
-- What is stored is rewritten, these columns alone.

ALTER TABLE senml
    MODIFY COLUMN subtopic String,
    MODIFY COLUMN protocol String,
    MODIFY COLUMN unit String;

ALTER TABLE senml MODIFY SETTING auto_statistics_types = '';

ALTER TABLE json
    MODIFY COLUMN subtopic String,
    MODIFY COLUMN protocol String;

ALTER TABLE json MODIFY SETTING auto_statistics_types = '';
