-- Quotas: an org may have and send as much as its row says; NULL: as much as it likes. Only platform admins set it.
CREATE TABLE org_quotas
(
    org_id             uuid PRIMARY KEY REFERENCES orgs (id) ON DELETE CASCADE,
    things             integer
        CONSTRAINT org_quotas_things_range CHECK (things BETWEEN 0 AND 1000000000),
    webhooks           integer
        CONSTRAINT org_quotas_webhooks_range CHECK (webhooks BETWEEN 0 AND 1000000000),
    messages_per_month bigint
        CONSTRAINT org_quotas_messages_per_month_range CHECK (messages_per_month BETWEEN 0 AND 1000000000000),
    records_per_second integer
        CONSTRAINT org_quotas_records_per_second_range CHECK (records_per_second BETWEEN 1 AND 1000000000),
    storage_days       integer
        CONSTRAINT org_quotas_storage_days_range CHECK (storage_days BETWEEN 1 AND 36500)
);

-- How much an org has sent in each month (UTC). Edges add to it every few seconds.
CREATE TABLE org_usage
(
    org_id   uuid   NOT NULL REFERENCES orgs (id) ON DELETE CASCADE,
    month    date   NOT NULL,
    messages bigint NOT NULL,
    records  bigint NOT NULL,
    PRIMARY KEY (org_id, month)
) WITH (fillfactor = 50);

-- Where things come into orgs that have a quota of them. The quota is held until the end of the transaction, so those
-- who come at the same moment are counted one after the other. Uses `groups_name` and `things_group`.
CREATE FUNCTION mind_thing_quota(of_groups uuid[]) RETURNS void
    LANGUAGE plpgsql AS
$$
DECLARE
    quota record;
BEGIN
    FOR quota IN
        SELECT org_id, things FROM org_quotas
        WHERE things IS NOT NULL AND org_id IN (SELECT org_id FROM groups WHERE id = ANY (of_groups))
        ORDER BY org_id FOR UPDATE
    LOOP
        IF (SELECT count(*) FROM things
            WHERE group_id IN (SELECT id FROM groups WHERE org_id = quota.org_id)) > quota.things THEN
            RAISE EXCEPTION 'the quota of things' USING ERRCODE = 'MQ001', CONSTRAINT = 'org_quotas_things';
        END IF;
    END LOOP;
END
$$;

CREATE FUNCTION mind_thing_quota_of_made() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    PERFORM mind_thing_quota(ARRAY(SELECT DISTINCT group_id FROM made));
    RETURN NULL;
END
$$;

CREATE TRIGGER mind_quota
    AFTER INSERT ON things
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION mind_thing_quota_of_made();

CREATE FUNCTION mind_thing_quota_of_moved() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    IF (SELECT count(DISTINCT org_id) FROM groups WHERE id IN (OLD.group_id, NEW.group_id)) > 1 THEN
        PERFORM mind_thing_quota(ARRAY [NEW.group_id]);
    END IF;
    RETURN NULL;
END
$$;

CREATE TRIGGER mind_quota_of_moved
    AFTER UPDATE ON things
    FOR EACH ROW
    WHEN (OLD.group_id IS DISTINCT FROM NEW.group_id)
EXECUTE FUNCTION mind_thing_quota_of_moved();

-- The webhooks of an org, of its groups and of its things. Uses `webhooks_org`, `webhooks_group`, `webhooks_thing`,
-- `groups_name` and `things_group`.
CREATE FUNCTION count_webhooks(of_org uuid) RETURNS bigint
    LANGUAGE sql STABLE
    RETURN (
        SELECT (SELECT count(*) FROM webhooks WHERE org_id = of_org)
             + (SELECT count(*) FROM webhooks WHERE group_id IN (SELECT id FROM groups WHERE org_id = of_org))
             + (SELECT count(*) FROM webhooks JOIN things ON things.id = webhooks.thing_id
                WHERE things.group_id IN (SELECT id FROM groups WHERE org_id = of_org))
    );

CREATE FUNCTION mind_webhook_quota() RETURNS trigger
    LANGUAGE plpgsql AS
$$
DECLARE
    quota record;
BEGIN
    FOR quota IN
        SELECT org_id, webhooks FROM org_quotas
        WHERE webhooks IS NOT NULL AND org_id IN (
            SELECT coalesce(made.org_id, groups.org_id)
            FROM made
            LEFT JOIN things ON things.id = made.thing_id
            LEFT JOIN groups ON groups.id = coalesce(made.group_id, things.group_id)
        )
        ORDER BY org_id FOR UPDATE
    LOOP
        IF count_webhooks(quota.org_id) > quota.webhooks THEN
            RAISE EXCEPTION 'the quota of webhooks' USING ERRCODE = 'MQ001', CONSTRAINT = 'org_quotas_webhooks';
        END IF;
    END LOOP;
    RETURN NULL;
END
$$;

CREATE TRIGGER mind_quota
    AFTER INSERT ON webhooks
    REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION mind_webhook_quota();
