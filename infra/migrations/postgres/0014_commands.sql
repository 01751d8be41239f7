-- Commands to things: each is kept until its thing has it, or until it expires. A command to a group is one row for each
-- of its things, so that each has a state and an id of its own.
CREATE TABLE commands
(
    -- a UUID of version 7: in the order in which they were made
    id              uuid PRIMARY KEY,
    thing_id        uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    -- The group that the thing was in. A thing that is moved gets nothing that people of its former group sent.
    group_id        uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    -- of a command to the group: what all its rows share
    batch_id        uuid,
    subtopic        text        NOT NULL,
    command         text        NOT NULL CONSTRAINT commands_command_length CHECK (char_length(command) BETWEEN 1 AND 1024),
    -- As they were sent: json keeps the text.
    params          json,
    metadata        json,
    sender_type     text        NOT NULL CONSTRAINT commands_sender_type_known CHECK (sender_type IN ('user', 'thing')),
    sender_id       uuid        NOT NULL,
    created_at      timestamptz NOT NULL DEFAULT now(),
    expires_at      timestamptz NOT NULL,
    -- When an edge hands it out next: from its making on, and again a while after an edge handed it out. NULL: it is
    -- acknowledged, or has expired.
    due_at          timestamptz DEFAULT now(),
    delivered_at    timestamptz,
    -- the protocol by which it was handed out first, and how often it was
    delivered_by    text,
    deliveries      integer     NOT NULL DEFAULT 0,
    acknowledged_at timestamptz
-- A row changes twice within a short time.
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.05);

CREATE INDEX commands_thing ON commands (thing_id, id);
CREATE INDEX commands_group ON commands (group_id, id);
CREATE INDEX commands_created ON commands (created_at);
CREATE INDEX commands_open ON commands (thing_id, id) WHERE due_at IS NOT NULL;
CREATE INDEX commands_due ON commands (due_at) WHERE due_at IS NOT NULL;
CREATE INDEX commands_expiry ON commands (expires_at) WHERE due_at IS NOT NULL;

-- A UUID of version 7 (RFC 9562), with microseconds after its milliseconds.
CREATE FUNCTION uuid_v7() RETURNS uuid
    LANGUAGE sql VOLATILE PARALLEL SAFE
AS
$$
SELECT (lpad(to_hex(us / 1000), 12, '0') || '7' || lpad(to_hex(us % 1000 * 4096 / 1000), 3, '0')
        || right(replace(gen_random_uuid()::text, '-', ''), 16))::uuid
FROM (SELECT (extract(epoch FROM clock_timestamp()) * 1000000)::bigint AS us) AS clock
$$;

-- Whether a thing of one type may command one of another, of its group. A sensor and an actuator command nothing.
CREATE FUNCTION may_command(sender text, receiver text) RETURNS boolean
    LANGUAGE sql IMMUTABLE PARALLEL SAFE
    RETURN (sender IN ('controller', 'gateway') AND receiver IN ('sensor', 'actuator', 'device'))
        OR (sender = 'device' AND receiver = 'device');

-- Makes a command, for the API and for edges alike. Of a thing (`to_thing`), or of all things of a group (`to_group`) but
-- the sender. A sender that is a thing may do it by its type and its group; what a user may, the API has checked. Says
-- what came of it: `made`; `absent`: there is no such thing or group; `otherGroup`, `type`: the sender may not; `full`: as many
-- commands as may wait for the thing do; `large`: the group has more than `things_max` things. Of a group, things for
-- which too many wait are left out and counted. The audit log tells of it once.
CREATE FUNCTION make_commands(
    to_thing uuid, to_group uuid, sender uuid, sender_kind text, given jsonb, given_params json, given_metadata json,
    expires_in integer, waiting_max integer, things_max integer,
    OUT outcome text, OUT made_id uuid, OUT made_expires_at timestamptz, OUT made_things uuid[], OUT left_out integer,
    OUT sender_is text, OUT receiver_is text
)
    LANGUAGE plpgsql AS
$$
DECLARE
    place  uuid;
    called text;
    author record;
BEGIN
    made_things := '{}';
    left_out := 0;
    IF to_thing IS NOT NULL THEN
        -- Locked, so that commands that are made at the same moment are counted.
        SELECT group_id, name, type INTO place, called, receiver_is FROM things WHERE id = to_thing FOR NO KEY UPDATE;
    ELSE
        SELECT id, name INTO place, called FROM groups WHERE id = to_group;
    END IF;
    IF place IS NULL THEN
        outcome := 'absent';
        RETURN;
    END IF;
    IF sender_kind = 'thing' THEN
        SELECT group_id, type INTO author FROM things WHERE id = sender;
        sender_is := author.type;
        IF author.group_id IS DISTINCT FROM place THEN
            outcome := 'otherGroup';
            RETURN;
        END IF;
        IF (to_thing IS NULL AND sender_is IN ('sensor', 'actuator'))
            OR (to_thing IS NOT NULL AND NOT may_command(sender_is, receiver_is)) THEN
            outcome := 'type';
            RETURN;
        END IF;
    END IF;

    IF to_thing IS NOT NULL THEN
        made_things := ARRAY [to_thing];
    ELSE
        SELECT coalesce(array_agg(id), '{}') INTO made_things
        FROM (SELECT id FROM things WHERE group_id = to_group AND id IS DISTINCT FROM sender LIMIT things_max + 1) AS all_things;
        IF cardinality(made_things) > things_max THEN
            outcome := 'large';
            RETURN;
        END IF;
    END IF;

    made_id := uuid_v7();
    made_expires_at := now() + make_interval(secs => expires_in);
    WITH made AS (
        INSERT INTO commands (id, thing_id, group_id, batch_id, subtopic, command, params, metadata,
                              sender_type, sender_id, expires_at)
        SELECT CASE WHEN to_thing IS NULL THEN uuid_v7() ELSE made_id END, thing, place,
               CASE WHEN to_thing IS NULL THEN made_id END, given ->> 'subtopic', given ->> 'command',
               given_params, given_metadata, sender_kind, sender, made_expires_at
        FROM unnest(made_things) AS thing
        WHERE (SELECT count(*) FROM (
            SELECT FROM commands AS waiting
            WHERE waiting.thing_id = thing AND due_at IS NOT NULL AND waiting.expires_at > now()
            LIMIT waiting_max
        ) AS few) < waiting_max
        RETURNING thing_id
    )
    SELECT coalesce(array_agg(thing_id), '{}'), cardinality(made_things) - count(*) INTO made_things, left_out FROM made;
    IF to_thing IS NOT NULL AND left_out > 0 THEN
        outcome := 'full';
        RETURN;
    END IF;
    outcome := 'made';
    PERFORM audit_done('command', 'create', jsonb_build_object('id', made_id, 'group_id', place, 'name', called),
                       jsonb_strip_nulls(jsonb_build_object(
                           'command', jsonb_build_object('to', given ->> 'command'),
                           'thing_id', CASE WHEN to_thing IS NOT NULL THEN jsonb_build_object('to', to_thing) END,
                           'things', CASE WHEN to_thing IS NULL
                                          THEN jsonb_build_object('to', cardinality(made_things)::text) END,
                           'subtopic', CASE WHEN given ->> 'subtopic' <> ''
                                            THEN jsonb_build_object('to', given ->> 'subtopic') END)));
END
$$;

-- Takes back a command that no edge has handed out; false: one has, or it expired. The audit log tells of it.
CREATE FUNCTION withdraw_command(of_command uuid) RETURNS boolean
    LANGUAGE plpgsql AS
$$
DECLARE
    gone commands;
BEGIN
    DELETE FROM commands
    WHERE id = of_command AND due_at IS NOT NULL AND delivered_at IS NULL AND expires_at > now()
    RETURNING * INTO gone;
    IF gone.id IS NULL THEN
        RETURN false;
    END IF;
    PERFORM audit_done('command', 'delete', jsonb_build_object(
                           'id', gone.id, 'group_id', gone.group_id,
                           'name', (SELECT name FROM things WHERE id = gone.thing_id)),
                       jsonb_build_object('command', jsonb_build_object('from', gone.command),
                                          'thing_id', jsonb_build_object('from', gone.thing_id)));
    RETURN true;
END
$$;
