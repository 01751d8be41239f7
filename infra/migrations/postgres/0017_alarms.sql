-- Rules, the states of things under them, alarms, silences, and the notices that are due.

-- The time so many microseconds after 1970.
CREATE FUNCTION at_us(us bigint) RETURNS timestamptz
    LANGUAGE sql IMMUTABLE STRICT PARALLEL SAFE
    RETURN timestamptz '1970-01-01Z' + us * interval '1 microsecond';

-- A rule is of a group, and about all its things, those of a profile, or those of a list.
CREATE TABLE rules
(
    id           uuid PRIMARY KEY,
    group_id     uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    name         text        NOT NULL CONSTRAINT rules_name_length CHECK (char_length(name) BETWEEN 1 AND 254),
    enabled      boolean     NOT NULL DEFAULT true,
    -- NULL: of whatever profile
    profile_id   uuid REFERENCES profiles (id) ON DELETE CASCADE,
    -- NULL: all things. Ids of things that are gone may stay.
    thing_ids    uuid[] CONSTRAINT rules_thing_ids_count CHECK (cardinality(thing_ids) BETWEEN 1 AND 1000),
    -- any or all of the conditions
    match        text        NOT NULL CONSTRAINT rules_match_known CHECK (match IN ('any', 'all')),
    -- As schemas/resources/rule.ts has them. One about silence stands alone, and edges have nothing to do with it.
    conditions   jsonb       NOT NULL
        CONSTRAINT rules_conditions_count CHECK (jsonb_array_length(conditions) BETWEEN 1 AND 5),
    for_s        integer     NOT NULL CONSTRAINT rules_for_range CHECK (for_s BETWEEN 0 AND 2592000),
    clear_for_s  integer     NOT NULL CONSTRAINT rules_clear_for_range CHECK (clear_for_s BETWEEN 0 AND 2592000),
    -- NULL: the larger of `for_s` and three times the usual interval
    gap_s        integer CONSTRAINT rules_gap_range CHECK (gap_s BETWEEN 1 AND 2592000),
    severity     text        NOT NULL
        CONSTRAINT rules_severity_known CHECK (severity IN ('info', 'warning', 'critical')),
    -- NULL: never
    repeat_s     integer CONSTRAINT rules_repeat_range CHECK (repeat_s BETWEEN 60 AND 2592000),
    -- Who hears of its alarms, {webhook_ids, mails}. NULL: those of its group, else of its org.
    receivers    jsonb,
    metadata     jsonb       NOT NULL DEFAULT '{}'
        CONSTRAINT rules_metadata_size CHECK (octet_length(metadata::text) <= 73728),
    created_at   timestamptz NOT NULL DEFAULT now(),
    updated_at   timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX rules_group ON rules (group_id, id);
CREATE INDEX rules_profile ON rules (profile_id) WHERE profile_id IS NOT NULL;
-- Workers look at these, and edges at the others.
CREATE INDEX rules_silent ON rules (id) WHERE conditions -> 0 ->> 'when' = 'silent';

-- Who hears of alarms whose rule names nobody: of a group, or of an org.
CREATE TABLE alarm_receivers
(
    -- that of the group or the org
    id        uuid PRIMARY KEY,
    group_id  uuid REFERENCES groups (id) ON DELETE CASCADE,
    org_id    uuid REFERENCES orgs (id) ON DELETE CASCADE,
    receivers jsonb NOT NULL,
    CONSTRAINT alarm_receivers_place CHECK (num_nonnulls(group_id, org_id) = 1 AND id = coalesce(group_id, org_id))
);

-- Edges and workers remember rules. This grows with each change of a rule, in its transaction: they read it to see whether
-- they must read the rules anew.
CREATE TABLE rules_version
(
    -- there is one row
    is_only boolean PRIMARY KEY DEFAULT true CONSTRAINT rules_version_is_only CHECK (is_only),
    version bigint  NOT NULL
) WITH (fillfactor = 50);

INSERT INTO rules_version (version) VALUES (1);

CREATE FUNCTION note_changed_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    UPDATE rules_version SET version = version + 1;
    RETURN NULL;
END
$$;

CREATE TRIGGER note_change
    AFTER INSERT OR UPDATE OR DELETE ON rules
    FOR EACH STATEMENT EXECUTE FUNCTION note_changed_rules();

CREATE TRIGGER note_change
    AFTER INSERT OR UPDATE OR DELETE ON alarm_receivers
    FOR EACH STATEMENT EXECUTE FUNCTION note_changed_rules();

-- Edges also remember of each key whether its thing has a rule: the journal tells them under the group's id.
CREATE FUNCTION journal_rules() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO key_changes (lookup) SELECT DISTINCT uuid_send(group_id) FROM changed;
    RETURN NULL;
END
$$;

CREATE TRIGGER journal_new_rules
    AFTER INSERT ON rules
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_rules();

CREATE TRIGGER journal_gone_rules
    AFTER DELETE ON rules
    REFERENCING OLD TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_rules();

CREATE TRIGGER journal_changed_rules
    AFTER UPDATE ON rules
    REFERENCING NEW TABLE AS changed
    FOR EACH STATEMENT EXECUTE FUNCTION journal_rules();

-- Who follows alarms reads by numbers what changed: each change takes the next one. It is given before its transaction
-- commits, so a smaller one may become visible later: api/devices/alarms/live/changes.ts knows when none can.
CREATE SEQUENCE alarm_changes;

CREATE FUNCTION number_alarm_change() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    NEW.change := nextval('alarm_changes');
    RETURN NEW;
END
$$;

-- Alarms: each is an episode of one thing under one rule. It stays when its rule is gone, and goes with its thing.
CREATE TABLE alarms
(
    -- a UUID of version 7: in the order in which they were noted
    id              uuid PRIMARY KEY,
    rule_id         uuid        NOT NULL,
    thing_id        uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    -- The group that the thing was in.
    group_id        uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    -- of this rule and thing, from 1
    episode         integer     NOT NULL,
    -- as the rule had them then
    rule_name       text        NOT NULL,
    severity        text        NOT NULL,
    -- Times are those of the records (`record`), or those at which the edge heard of the thing (`receipt`).
    clock           text        NOT NULL CONSTRAINT alarms_clock_known CHECK (clock IN ('record', 'receipt')),
    -- when the breach began, when it had lasted for long enough, and when it ended; NULL: it goes on
    began_at        timestamptz NOT NULL,
    fired_at        timestamptz NOT NULL,
    ended_at        timestamptz,
    -- The newest values of the rule's series then, [{name, value}].
    began_values    jsonb       NOT NULL DEFAULT '[]',
    ended_values    jsonb,
    ended_why       text CONSTRAINT alarms_ended_why_known
        CHECK (ended_why IN ('cleared', 'rule_changed', 'rule_disabled', 'rule_deleted', 'thing_moved')),
    -- It was found in records that came late: nobody was told of it.
    history         boolean     NOT NULL DEFAULT false,
    acknowledged_at timestamptz,
    acknowledged_by uuid,
    acknowledged_by_email text,
    note            text CONSTRAINT alarms_note_length CHECK (char_length(note) <= 1024),
    noted_at        timestamptz NOT NULL DEFAULT now(),
    -- the number of its last change, which a trigger gives
    change          bigint      NOT NULL,
    CONSTRAINT alarms_episode UNIQUE (rule_id, thing_id, episode),
    CONSTRAINT alarms_ended_whole CHECK ((ended_at IS NULL) = (ended_why IS NULL))
);

CREATE INDEX alarms_thing ON alarms (thing_id, fired_at, id);
CREATE INDEX alarms_group ON alarms (group_id, fired_at, id);
CREATE INDEX alarms_open ON alarms (group_id, id) WHERE ended_at IS NULL;
CREATE INDEX alarms_fired ON alarms (fired_at);
CREATE INDEX alarms_change ON alarms (change, group_id);

CREATE TRIGGER number_new
    BEFORE INSERT ON alarms
    FOR EACH ROW EXECUTE FUNCTION number_alarm_change();

CREATE TRIGGER number_changed
    BEFORE UPDATE ON alarms
    FOR EACH ROW WHEN (OLD.* IS DISTINCT FROM NEW.*) EXECUTE FUNCTION number_alarm_change();

-- Each change of a state has a number of its own: of two, the later one has the larger.
CREATE SEQUENCE alarm_state_changes;

-- The things that are not ok under a rule. `sequence` is the number of a row's last change, so that who changes one sees that
-- another did so before.
CREATE TABLE alarm_states
(
    -- One that is gone has its alarms ended, in steps: see `rule_endings`.
    rule_id    uuid        NOT NULL,
    thing_id   uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    state      text        NOT NULL CONSTRAINT alarm_states_state_known CHECK (state IN ('pending', 'firing', 'clearing')),
    -- microseconds since 1970, by the records: since when it is pending or clearing; of firing when it fired
    since_us   bigint      NOT NULL,
    -- of pending and clearing: a longer hole between records begins it anew
    gap_us     bigint      NOT NULL,
    -- of firing and clearing
    alarm_id   uuid REFERENCES alarms (id) ON DELETE CASCADE,
    episode    integer,
    -- Of each condition the newest record: infra/runtime/alarms/states.ts.
    newest     jsonb       NOT NULL,
    sequence   bigint      NOT NULL DEFAULT nextval('alarm_state_changes'),
    -- the log whose edge changed it last; NULL: another process
    log_id     text,
    updated_at timestamptz NOT NULL DEFAULT now(),
    -- Of firing: when its next notice of `repeat_every` is due.
    repeat_at  timestamptz,
    -- the number of the last step between firing and clearing, which a trigger gives: a change of the alarm as well
    change     bigint,
    PRIMARY KEY (rule_id, thing_id),
    CONSTRAINT alarm_states_alarm CHECK ((state = 'pending') = (alarm_id IS NULL) AND (alarm_id IS NULL) = (episode IS NULL))
) WITH (fillfactor = 70);

CREATE INDEX alarm_states_thing ON alarm_states (thing_id);
CREATE INDEX alarm_states_alarm_id ON alarm_states (alarm_id) WHERE alarm_id IS NOT NULL;
CREATE INDEX alarm_states_updated ON alarm_states (updated_at);
CREATE INDEX alarm_states_repeat ON alarm_states (repeat_at) WHERE repeat_at IS NOT NULL;
CREATE INDEX alarm_states_change ON alarm_states (change) WHERE change IS NOT NULL;

CREATE TRIGGER number_step
    BEFORE UPDATE ON alarm_states
    FOR EACH ROW WHEN (OLD.alarm_id = NEW.alarm_id AND OLD.state <> NEW.state) EXECUTE FUNCTION number_alarm_change();

-- What became of a rule, as long as there are states from before: those whose `sequence` is smaller are none of the rule as it
-- is now. Workers review them.
CREATE TABLE rule_endings
(
    id             bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    rule_id        uuid        NOT NULL,
    until_sequence bigint      NOT NULL DEFAULT nextval('alarm_state_changes'),
    why            text        NOT NULL
        CONSTRAINT rule_endings_why_known CHECK (why IN ('rule_changed', 'rule_disabled', 'rule_deleted')),
    -- those that the states were held against, and who hears of their end
    conditions     jsonb       NOT NULL,
    told           jsonb       NOT NULL,
    made_at        timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX rule_endings_rule ON rule_endings (rule_id, until_sequence);

-- Rows of `alarm_states` that went, for a while: edges remember who is not ok. `newest` as it was then; NULL: it says nothing.
CREATE TABLE alarm_states_gone
(
    rule_id  uuid        NOT NULL,
    thing_id uuid        NOT NULL,
    newest   jsonb,
    sequence bigint      NOT NULL DEFAULT nextval('alarm_state_changes'),
    log_id   text,
    gone_at  timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX alarm_states_gone_pair ON alarm_states_gone (rule_id, thing_id);
CREATE INDEX alarm_states_gone_at ON alarm_states_gone (gone_at);

-- How far the log of each edge was looked at: what it made of the records before that is in the tables here. It moves in
-- the transaction that writes these.
CREATE TABLE alarm_logs
(
    log_id   text PRIMARY KEY,
    segment  integer NOT NULL,
    "offset" integer NOT NULL
) WITH (fillfactor = 50);

-- The notices that are due: one for each transition. Workers put those of a rule together and send them.
CREATE TABLE alarm_notices
(
    -- a hash of rule, thing, episode and transition
    id         text PRIMARY KEY,
    alarm_id   uuid        NOT NULL REFERENCES alarms (id) ON DELETE CASCADE,
    rule_id    uuid        NOT NULL,
    -- Orgs take turns. The trigger fills it in.
    org_id     uuid        NOT NULL,
    transition text        NOT NULL
        CONSTRAINT alarm_notices_transition_known CHECK (transition IN ('fired', 'ended', 'repeated')),
    -- of the record that made it
    at         timestamptz NOT NULL,
    -- Who hears of it, {webhook_ids, mails}: as the rule had them at the transition.
    receivers  jsonb       NOT NULL,
    made_at    timestamptz NOT NULL DEFAULT now(),
    due_at     timestamptz NOT NULL DEFAULT now(),
    -- NULL: it waits
    sent_at    timestamptz,
    -- why nobody was told: silenced, held back by another alarm, or nobody is to hear of it
    held_why   text CONSTRAINT alarm_notices_held_known CHECK (held_why IN ('silenced', 'inhibited', 'nobody'))
) WITH (fillfactor = 70);

CREATE INDEX alarm_notices_waiting ON alarm_notices (org_id, due_at, rule_id) WHERE sent_at IS NULL;
CREATE INDEX alarm_notices_rule ON alarm_notices (rule_id, due_at) WHERE sent_at IS NULL;
CREATE INDEX alarm_notices_alarm ON alarm_notices (alarm_id);
CREATE INDEX alarm_notices_sent ON alarm_notices (sent_at) WHERE sent_at IS NOT NULL;

-- Rules whose receivers were just told: what becomes due before that time is told together then.
CREATE TABLE alarm_rules_told
(
    rule_id uuid PRIMARY KEY,
    until   timestamptz NOT NULL
) WITH (fillfactor = 70);

CREATE FUNCTION place_alarm_notice() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    NEW.org_id := (SELECT groups.org_id FROM alarms JOIN groups ON groups.id = alarms.group_id WHERE alarms.id = NEW.alarm_id);
    NEW.due_at := greatest(NEW.due_at, (SELECT until FROM alarm_rules_told WHERE rule_id = NEW.rule_id));
    RETURN NEW;
END
$$;

CREATE TRIGGER place_notice
    BEFORE INSERT ON alarm_notices
    FOR EACH ROW EXECUTE FUNCTION place_alarm_notice();

-- Silences: until their end, nobody is told of the alarms of a rule, of a thing, or of the group.
CREATE TABLE silences
(
    id         uuid PRIMARY KEY,
    group_id   uuid        NOT NULL REFERENCES groups (id) ON DELETE CASCADE,
    rule_id    uuid REFERENCES rules (id) ON DELETE CASCADE,
    thing_id   uuid REFERENCES things (id) ON DELETE CASCADE,
    reason     text        NOT NULL CONSTRAINT silences_reason_length CHECK (char_length(reason) BETWEEN 1 AND 1024),
    until      timestamptz NOT NULL,
    made_by    uuid,
    made_by_email text,
    created_at timestamptz NOT NULL DEFAULT now()
);

CREATE INDEX silences_group ON silences (group_id, id);
CREATE INDEX silences_until ON silences (until);

-- Where records came late, the history of a rule and a thing is looked at again, in the store.
CREATE TABLE alarm_corrections
(
    rule_id  uuid        NOT NULL REFERENCES rules (id) ON DELETE CASCADE,
    thing_id uuid        NOT NULL REFERENCES things (id) ON DELETE CASCADE,
    from_us  bigint      NOT NULL,
    to_us    bigint      NOT NULL,
    due_at   timestamptz NOT NULL,
    -- Since then it was not looked at: where records always come late, it is due all the same.
    noted_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (rule_id, thing_id)
) WITH (fillfactor = 70);

CREATE INDEX alarm_corrections_due ON alarm_corrections (due_at);

-- What each edge that runs could hear: all that it heard between these times is in `things_seen`. An edge that was told to
-- stop has no row.
CREATE TABLE edges_hearing
(
    log_id   text PRIMARY KEY,
    -- by the clock of the edge
    from_at  timestamptz NOT NULL,
    to_at    timestamptz NOT NULL,
    noted_at timestamptz NOT NULL DEFAULT now()
) WITH (fillfactor = 50);

-- The process of workers that looks for silence, until then.
CREATE TABLE silence_watch
(
    -- there is one row
    is_only boolean PRIMARY KEY DEFAULT true CONSTRAINT silence_watch_is_only CHECK (is_only),
    worker  uuid        NOT NULL,
    until   timestamptz NOT NULL
) WITH (fillfactor = 50);

-- When the platform could hear things: silence does not count while it could not. `to_at` of the last row grows while it
-- can.
CREATE TABLE alarm_hearing
(
    from_at timestamptz PRIMARY KEY,
    to_at   timestamptz NOT NULL
) WITH (fillfactor = 50);

-- Who hears of the alarms of a rule: its own receivers, else those of its group, else those of its org.
CREATE FUNCTION receivers_of_rule(of_rule uuid) RETURNS jsonb
    LANGUAGE sql STABLE
    RETURN (
        SELECT coalesce(rules.receivers, of_group.receivers, of_org.receivers, '{}')
        FROM rules
        JOIN groups ON groups.id = rules.group_id
        LEFT JOIN alarm_receivers AS of_group ON of_group.id = groups.id
        LEFT JOIN alarm_receivers AS of_org ON of_org.id = groups.org_id
        WHERE rules.id = of_rule
    );

-- A rule that goes leaves states that are to end. Uses the primary key, and `rule_endings_rule`.
CREATE FUNCTION leave_alarm_states() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    INSERT INTO rule_endings (rule_id, why, conditions, told)
    SELECT OLD.id, 'rule_deleted', OLD.conditions, coalesce(receivers_of_rule(OLD.id), '{}')
    WHERE EXISTS (SELECT FROM alarm_states WHERE rule_id = OLD.id)
      AND NOT EXISTS (SELECT FROM rule_endings WHERE rule_id = OLD.id AND why = 'rule_deleted');
    RETURN OLD;
END
$$;

CREATE TRIGGER leave_states
    BEFORE DELETE ON rules
    FOR EACH ROW EXECUTE FUNCTION leave_alarm_states();

-- Ends what fires for things (NULL: all) under a rule, now, and forgets their states: for another reason than that the
-- conditions are over. `of_conditions` are those that the states were held against, `told` are who hears of it. Gives
-- how many alarms ended. Uses primary keys.
CREATE FUNCTION end_alarms(of_rule uuid, of_things uuid[], why text, of_conditions jsonb, told jsonb) RETURNS bigint
    LANGUAGE sql
BEGIN ATOMIC
    -- An edge may be about to write one: the next statement sees the alarm that it raised.
    SELECT count(*)
    FROM (
        SELECT FROM alarm_states
        WHERE rule_id = of_rule AND (of_things IS NULL OR thing_id = ANY (of_things))
        ORDER BY thing_id FOR UPDATE
    ) AS held;

    WITH held AS MATERIALIZED (
        SELECT thing_id, alarm_id, newest
        FROM alarm_states
        WHERE rule_id = of_rule AND (of_things IS NULL OR thing_id = ANY (of_things))
        ORDER BY thing_id FOR UPDATE
    ),
    ended AS (
        UPDATE alarms
        SET ended_at = greatest(now(), fired_at),
            ended_why = why,
            ended_values = (
                SELECT coalesce(
                    jsonb_agg(
                        jsonb_build_object(
                            'name', coalesce(condition.one ->> 'name', condition.one ->> 'path', ''),
                            'value', newest.one -> 'value'
                        )
                        ORDER BY at
                    ), '[]')
                FROM jsonb_array_elements(of_conditions) WITH ORDINALITY AS condition (one, at)
                JOIN jsonb_array_elements(held.newest) WITH ORDINALITY AS newest (one, at) USING (at)
                WHERE newest.one -> 'value' IS NOT NULL
            )
        FROM held
        WHERE alarms.id = held.alarm_id AND ended_at IS NULL
        RETURNING alarms.id, alarms.rule_id, alarms.thing_id, alarms.episode, alarms.ended_at
    ),
    due AS (
        -- The id is as infra/runtime/alarms/writes.ts makes it.
        INSERT INTO alarm_notices (id, alarm_id, rule_id, transition, at, receivers)
        SELECT left(encode(sha256(convert_to(concat_ws('/', rule_id, thing_id, episode, 'ended', ''), 'UTF8')), 'hex'), 32),
               id, rule_id, 'ended', ended_at, told
        FROM ended
        ON CONFLICT (id) DO NOTHING
    ),
    gone AS (
        DELETE FROM alarm_states USING held
        WHERE alarm_states.rule_id = of_rule AND alarm_states.thing_id = held.thing_id
        RETURNING alarm_states.rule_id, alarm_states.thing_id
    ),
    noted AS (
        INSERT INTO alarm_states_gone (rule_id, thing_id) SELECT rule_id, thing_id FROM gone
    )
    SELECT count(*) FROM ended;
END;

-- Who ends the alarm of a thing holds its state before: so does whoever deletes the thing, or its group. Uses
-- `alarm_states_thing`.
CREATE FUNCTION hold_alarm_states() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM FROM alarm_states WHERE thing_id = OLD.id ORDER BY rule_id FOR UPDATE;
    RETURN OLD;
END
$$;

CREATE TRIGGER hold_alarm_states
    BEFORE DELETE ON things
    FOR EACH ROW EXECUTE FUNCTION hold_alarm_states();

-- A thing that gets into another group, or another profile, leaves the rules of the one before.
CREATE FUNCTION end_alarms_of_moved() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM end_alarms(id, ARRAY [NEW.id], 'thing_moved', conditions, receivers_of_rule(id))
    FROM (
        SELECT rules.id, conditions
        FROM alarm_states JOIN rules ON rules.id = rule_id
        WHERE thing_id = NEW.id AND (group_id <> NEW.group_id OR rules.profile_id <> NEW.profile_id)
        ORDER BY rules.id
    ) AS before;
    RETURN NULL;
END
$$;

CREATE TRIGGER end_alarms
    AFTER UPDATE OF group_id, profile_id ON things
    FOR EACH ROW
    WHEN (OLD.group_id IS DISTINCT FROM NEW.group_id OR OLD.profile_id IS DISTINCT FROM NEW.profile_id)
EXECUTE FUNCTION end_alarms_of_moved();

INSERT INTO audit_columns (column_name, name, tells)
VALUES
    ('enabled', 'enabled', 'always'),
    ('thing_ids', 'thing_ids', 'change'),
    ('match', 'match', 'change'),
    ('conditions', 'conditions', 'change'),
    ('for_s', 'for', 'change'),
    ('clear_for_s', 'clear_for', 'change'),
    ('gap_s', 'gap', 'change'),
    ('severity', 'severity', 'always'),
    ('repeat_s', 'repeat_every', 'change'),
    ('receivers', 'receivers', 'change'),
    ('rule_id', 'rule_id', 'always'),
    ('reason', 'reason', 'always'),
    ('until', 'until', 'always'),
    ('made_by', 'made_by', 'never'),
    ('made_by_email', 'made_by_email', 'never');

CALL audit_table('rules', 'rule');
-- Silences that ended go by themselves, some time later.
CALL audit_table('silences', 'silence', deletions => false);
CALL audit_table('alarm_receivers', 'alarm_receivers');

-- A webhook gets copies of messages, or only what its rules tell of.
ALTER TABLE webhooks
    ADD messages boolean NOT NULL DEFAULT true;

INSERT INTO audit_columns (column_name, name, tells) VALUES ('messages', 'messages', 'change');

CREATE TRIGGER journal_webhook_without_messages
    AFTER UPDATE OF messages ON webhooks
    FOR EACH ROW
    WHEN (OLD.messages IS DISTINCT FROM NEW.messages)
EXECUTE FUNCTION journal_webhook();

-- Quotas: so many rules may the groups of an org have.
ALTER TABLE org_quotas
    ADD rules integer CONSTRAINT org_quotas_rules_range CHECK (rules BETWEEN 0 AND 1000000000);

INSERT INTO audit_columns (column_name, name, tells) VALUES ('rules', 'rules', 'always');

CREATE FUNCTION count_rules(of_org uuid) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (SELECT count(*) FROM rules WHERE group_id IN (SELECT id FROM groups WHERE org_id = of_org));

CREATE FUNCTION mind_rule_quota() RETURNS trigger
    LANGUAGE plpgsql AS
$$
DECLARE
    quota record;
BEGIN
    FOR quota IN
        SELECT org_id, rules FROM org_quotas
        WHERE rules IS NOT NULL
          AND org_id IN (SELECT org_id FROM groups WHERE id IN (SELECT group_id FROM made))
        ORDER BY org_id FOR UPDATE
    LOOP
        IF count_rules(quota.org_id) > quota.rules THEN
            RAISE EXCEPTION 'the quota of rules' USING ERRCODE = 'MQ001', CONSTRAINT = 'org_quotas_rules';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER mind_quota
    AFTER INSERT ON rules
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION mind_rule_quota();
