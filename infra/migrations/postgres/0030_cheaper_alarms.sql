-- PostgreSQL has the function itself since 18: a hundred thousand ids take it 0.14 s, and took ours 0.76 s.
DO
$$
BEGIN
    IF current_setting('server_version_num')::int >= 180000 THEN
        CREATE OR REPLACE FUNCTION uuid_v7() RETURNS uuid
            LANGUAGE sql VOLATILE PARALLEL SAFE
        AS 'SELECT uuidv7()';
    END IF;
END
$$;

-- Sinks know the org of a notice, and place those of a batch at once: row by row that was two fifths of what a notice took.
DROP TRIGGER place_notice ON alarm_notices;
CREATE TRIGGER place_notice
    BEFORE INSERT ON alarm_notices
    FOR EACH ROW
    WHEN (NEW.org_id IS NULL)
EXECUTE FUNCTION place_alarm_notice();
