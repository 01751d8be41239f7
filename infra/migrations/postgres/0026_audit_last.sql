-- Lists that show the entries of one request as one show the last of them. Which that is stands in the entries: looking for
-- a later one for each of a million, after an import, took longer than a page may.
ALTER TABLE audit_entries ADD is_last boolean NOT NULL DEFAULT false;

CREATE FUNCTION mark_last_entries() RETURNS trigger
    LANGUAGE plpgsql AS
$$
BEGIN
    -- Those that an earlier statement of the request wrote. One request is one transaction, and so one moment.
    UPDATE audit_entries AS earlier SET is_last = false
    FROM (
        SELECT at, org_id, request_id, action, kind, min(id) AS first FROM made
        WHERE request_id IS NOT NULL GROUP BY at, org_id, request_id, action, kind
    ) AS later
    WHERE earlier.is_last AND earlier.at = later.at AND earlier.id < later.first
      AND earlier.request_id = later.request_id AND earlier.action = later.action AND earlier.kind = later.kind
      AND earlier.org_id IS NOT DISTINCT FROM later.org_id;
    -- Each of those that no request made stands for itself.
    UPDATE audit_entries SET is_last = true
    WHERE id IN (
        SELECT max(id) FROM made GROUP BY at, org_id, action, kind, coalesce(request_id, 'entry ' || id)
    );
    RETURN NULL;
END
$$;

CREATE TRIGGER mark_last AFTER INSERT ON audit_entries REFERENCING NEW TABLE AS made
    FOR EACH STATEMENT EXECUTE FUNCTION mark_last_entries();

UPDATE audit_entries SET is_last = true
WHERE id IN (
    SELECT max(id) FROM audit_entries GROUP BY at, org_id, action, kind, coalesce(request_id, 'entry ' || id)
);

CREATE INDEX audit_entries_last ON audit_entries (id) WHERE is_last;
CREATE INDEX audit_entries_org_last ON audit_entries (org_id, id) WHERE is_last;
