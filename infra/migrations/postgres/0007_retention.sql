-- How many days messages are kept: a group's own value, or else its org's; without either, for good.

ALTER TABLE orgs
    ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 36500);

ALTER TABLE groups
    ADD COLUMN retention_days integer CHECK (retention_days BETWEEN 1 AND 36500);

-- Where there is none, finding that out reads nothing.
CREATE INDEX orgs_retention ON orgs (id) WHERE retention_days IS NOT NULL;
CREATE INDEX groups_retention ON groups (id) WHERE retention_days IS NOT NULL;

-- When the store was last told to let go of what is too old: one row.
CREATE TABLE retention_sweeps
(
    single   boolean PRIMARY KEY DEFAULT true CHECK (single),
    swept_at timestamptz NOT NULL
);
