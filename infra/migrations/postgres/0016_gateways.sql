-- Gateways: things of that type speak for others of their group. Edges remember who is one.

CREATE TRIGGER journal_changed_type
    AFTER UPDATE OF type ON things
    FOR EACH ROW
    WHEN (OLD.type IS DISTINCT FROM NEW.type)
EXECUTE FUNCTION journal_thing_keys();

CREATE TRIGGER journal_certificates_of_changed_type
    AFTER UPDATE OF type ON things
    FOR EACH ROW
    WHEN (OLD.type IS DISTINCT FROM NEW.type)
EXECUTE FUNCTION journal_certificates_of_thing();

-- Makes a thing for a device that a gateway names and that is not there: in the gateway's group, with its profile. Says
-- what came of it: `made`; `there`: another has the external key, such as another edge has just made it; `named`: a thing of the
-- group has the name; `forbidden`: the gateway may not, or no longer. Over the quota of things it fails as the API does.
CREATE FUNCTION make_device(
    of_gateway uuid, called text, lookup bytea, sealed bytea, external_lookup bytea, external_sealed bytea
) RETURNS text
    LANGUAGE plpgsql AS
$$
DECLARE
    gateway record;
BEGIN
    -- Held, so that it stays what it is until the device is there.
    SELECT things.group_id, things.profile_id INTO gateway
    FROM things JOIN profiles ON profiles.id = things.profile_id
    WHERE things.id = of_gateway AND things.type = 'gateway' AND profiles.config #> '{gateway,create_things}' = 'true'
    FOR SHARE OF things;
    IF NOT FOUND THEN
        RETURN 'forbidden';
    END IF;
    INSERT INTO things (id, group_id, profile_id, name, type, key_lookup, key_sealed,
                        external_key_lookup, external_key_sealed)
    VALUES (gen_random_uuid(), gateway.group_id, gateway.profile_id, called, 'device', lookup, sealed,
            external_lookup, external_sealed)
    ON CONFLICT DO NOTHING;
    IF FOUND THEN
        RETURN 'made';
    END IF;
    RETURN CASE WHEN EXISTS (SELECT FROM things WHERE external_key_lookup = external_lookup) THEN 'there' ELSE 'named' END;
END
$$;
