/**
 * SQL of a recursive `orgs`: those that have rows of a table, found one after the other by an index that begins with `org_id`. So
 * an org of a million rows costs one look.
 */
export const orgsWith = (table: string, condition: string): string => `
  orgs AS (
    (SELECT org_id FROM ${table} WHERE ${condition} ORDER BY org_id LIMIT 1)
    UNION ALL
    SELECT (
      SELECT org_id FROM ${table} WHERE ${condition} AND org_id > orgs.org_id ORDER BY org_id LIMIT 1
    )
    FROM orgs WHERE org_id IS NOT NULL
  )`;
