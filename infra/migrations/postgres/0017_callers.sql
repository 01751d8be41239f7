-- Who a user spends for is looked up with every request: the org that they joined first.
CREATE INDEX org_memberships_first ON org_memberships (member_id, created_at, org_id);
DROP INDEX org_memberships_member;
