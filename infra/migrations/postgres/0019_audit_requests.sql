-- Entries of one request are told as one: they were written at the same moment. This finds those after an entry.

CREATE INDEX audit_entries_moment ON audit_entries (at, id);

-- The other has the same order.
DROP INDEX audit_entries_at;
