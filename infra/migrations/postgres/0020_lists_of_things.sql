-- Lists of things of a large fleet: the first page in any order is read from an index. Names may be 4 KiB, more than a row
-- of a b-tree holds, so they are sorted by their first 255 characters, and then by id.
CREATE INDEX things_by_name ON things (left(name, 255), id);
CREATE INDEX things_by_name_in_group ON things (group_id, left(name, 255), id);
CREATE INDEX things_by_creation ON things (created_at, id);

-- A part of a name is found by its trigrams, where PostgreSQL has them and lets us: its packages do, and so do most
-- services. Without them such a search looks at each name.
DO
$$
BEGIN
    CREATE EXTENSION IF NOT EXISTS pg_trgm;
    CREATE INDEX things_name_parts ON things USING gin (name gin_trgm_ops);
EXCEPTION
    WHEN insufficient_privilege OR undefined_file OR feature_not_supported OR undefined_object THEN
        RAISE NOTICE 'without pg_trgm: a search for a part of a name looks at each thing';
END
$$;
