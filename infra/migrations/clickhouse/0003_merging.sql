-- Parts below some mebibytes are alike to ClickHouse, however many records they hold: with its base of 5 it
-- merged a large one again with every few small ones. With 10 a record is written anew 1.8 times in its first
-- minute where it was 3.2 times, and readers find as many parts (README.md).
-- A merge to 64 MiB or more goes column by column, for a fifth less CPU a row. A full batch of usual
-- records is half as large, so that inserts stay one file.

ALTER TABLE senml MODIFY SETTING merge_selector_base = 10, min_bytes_for_wide_part = 67108864;

ALTER TABLE json MODIFY SETTING merge_selector_base = 10, min_bytes_for_wide_part = 67108864;
