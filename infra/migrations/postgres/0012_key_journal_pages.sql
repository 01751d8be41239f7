-- Edges read the journal in pages: all at once, what a transaction changed may take longer than a query is given.
ALTER TABLE key_changes ADD COLUMN id bigint GENERATED ALWAYS AS IDENTITY;
CREATE UNIQUE INDEX key_changes_in_order ON key_changes (position, id);
DROP INDEX key_changes_position;
