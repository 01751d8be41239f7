-- Annotations: what people know of a moment or a time, of a group or of one of its things.

CREATE TABLE annotations
(
    id            uuid PRIMARY KEY,
    group_id      uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    -- NULL: of the whole group
    thing_id      uuid REFERENCES things (id) ON DELETE CASCADE,
    text          text        NOT NULL CONSTRAINT annotations_text_length CHECK (char_length(text) BETWEEN 1 AND 1024),
    from_at       timestamptz NOT NULL,
    -- NULL: of a moment
    to_at         timestamptz,
    made_by_email text,
    created_at    timestamptz NOT NULL DEFAULT now(),
    updated_at    timestamptz NOT NULL DEFAULT now(),
    CONSTRAINT annotations_order CHECK (to_at >= from_at)
);

CREATE INDEX annotations_group ON annotations (group_id, from_at, id);
CREATE INDEX annotations_thing ON annotations (thing_id, from_at, id) WHERE thing_id IS NOT NULL;

-- As its messages do, the annotations of a thing go with it into another group.
CREATE FUNCTION move_annotations() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE annotations SET group_id = NEW.group_id WHERE thing_id = NEW.id;
    RETURN NULL;
END
$$;

CREATE TRIGGER move_annotations
    AFTER UPDATE OF group_id ON things
    FOR EACH ROW
    WHEN (OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION move_annotations();

INSERT INTO audit_columns (column_name, name, tells)
VALUES
    ('text', 'text', 'change'),
    ('from_at', 'from', 'change'),
    ('to_at', 'to', 'change'),
    ('made_by_email', 'made_by_email', 'never')
ON CONFLICT (column_name) DO NOTHING;

CALL audit_table('annotations', 'annotation');
