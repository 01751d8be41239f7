-- Orgs take turns where history is looked at again: what one of them sends late must not hold up the others.
ALTER TABLE alarm_corrections ADD org_id uuid REFERENCES orgs (id) ON DELETE CASCADE;

UPDATE alarm_corrections SET org_id = groups.org_id
FROM rules JOIN groups ON groups.id = rules.group_id
WHERE rules.id = rule_id;

ALTER TABLE alarm_corrections ALTER org_id SET NOT NULL;

DROP INDEX alarm_corrections_due;
CREATE INDEX alarm_corrections_due ON alarm_corrections (org_id, due_at);
