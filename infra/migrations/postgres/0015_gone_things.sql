-- The ids of things that are gone, kept for good: under one of them again a new thing would be given what the
-- former one sent, out of a backup.
CREATE TABLE gone_things
(
    thing_id uuid PRIMARY KEY,
    gone_at  timestamptz NOT NULL DEFAULT now()
);

INSERT INTO gone_things (thing_id, gone_at) SELECT thing_id, erased_at FROM erased_things;

CREATE OR REPLACE FUNCTION remember_erased_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO gone_things (thing_id) SELECT id FROM gone ON CONFLICT DO NOTHING;
    INSERT INTO erased_things (thing_id) SELECT id FROM gone
    ON CONFLICT (thing_id) DO UPDATE SET erased_at = DEFAULT, due_at = DEFAULT;
    RETURN NULL;
END
$$;

CREATE OR REPLACE FUNCTION refuse_erased_things() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF EXISTS (SELECT FROM made JOIN gone_things ON gone_things.thing_id = made.id) THEN
        RAISE unique_violation USING CONSTRAINT = 'gone_things_pkey';
    END IF;
    RETURN NULL;
END
$$;
