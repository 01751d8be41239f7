-- A million things may be in twenty groups. PostgreSQL looks at a table of so few rows only once fifty have changed, takes
-- them for two till then, and searched all names again for each group.
ALTER TABLE groups SET (autovacuum_analyze_threshold = 0, autovacuum_analyze_scale_factor = 0.1);
ALTER TABLE group_memberships SET (autovacuum_analyze_threshold = 0, autovacuum_analyze_scale_factor = 0.1);
