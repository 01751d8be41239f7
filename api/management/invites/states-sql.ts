import type { Database, Statements } from '../../stores/database.ts';

/** Only an open invite changes its state. */
const stillOpen = `state = 'pending' AND expires_at > now()`;

/**
 * Makes the invitee a member of the org and of the groups named, in one statement; false unless the
 * invite is theirs and open, and its inviter may still invite: a role that was taken away grants nothing.
 * An invitee who has become a member meanwhile keeps their role. Uses the primary keys.
 */
export async function acceptInvite(db: Database, id: string, inviteeId: string): Promise<boolean> {
  const rows = await db.change(
    `WITH accepted AS (
       UPDATE org_invites SET state = 'accepted'
       WHERE id = $1 AND invitee_id = $2 AND ${stillOpen}
         AND EXISTS (
           SELECT FROM users AS inviter
           LEFT JOIN org_memberships AS held
             ON held.member_id = inviter.id AND held.org_id = org_invites.org_id
           WHERE inviter.id = inviter_id
             AND (inviter.platform_admin OR held.role IN ('admin', 'owner')))
       RETURNING id, org_id, invitee_id, inviter_id, role
     ),
     joined AS (
       INSERT INTO org_memberships (org_id, member_id, role)
       SELECT org_id, invitee_id, role FROM accepted
       ON CONFLICT (org_id, member_id) DO NOTHING
     ),
     joined_groups AS (
       INSERT INTO group_memberships (group_id, member_id, role)
       SELECT named.group_id, accepted.invitee_id, named.role
       FROM accepted
       JOIN org_invite_groups AS named ON named.invite_id = accepted.id
       JOIN users AS inviter ON inviter.id = accepted.inviter_id
       LEFT JOIN group_memberships AS held
         ON held.member_id = inviter.id AND held.group_id = named.group_id
       WHERE inviter.platform_admin OR held.role IN ('admin', 'owner')
       ON CONFLICT (group_id, member_id) DO NOTHING
     )
     SELECT id FROM accepted`,
    [id, inviteeId],
  );
  return rows.length > 0;
}

/** False unless the invite is the invitee's and open. Uses the primary key. */
export async function declineInvite(db: Database, id: string, inviteeId: string): Promise<boolean> {
  const rows = await db.change(
    `UPDATE org_invites SET state = 'declined'
     WHERE id = $1 AND invitee_id = $2 AND ${stillOpen}
     RETURNING id`,
    [id, inviteeId],
  );
  return rows.length > 0;
}

/** Revokes an invite of either kind; false unless it is the inviter's and open. Uses the primary keys. */
export async function revokeInvite(db: Database, id: string, inviterId: string): Promise<boolean> {
  const rows = await db.change(
    `WITH org AS (
       UPDATE org_invites SET state = 'revoked'
       WHERE id = $1 AND inviter_id = $2 AND ${stillOpen}
       RETURNING id
     ),
     platform AS (
       UPDATE platform_invites SET state = 'revoked'
       WHERE id = $1 AND inviter_id = $2 AND ${stillOpen}
       RETURNING id
     )
     SELECT id FROM org UNION ALL SELECT id FROM platform`,
    [id, inviterId],
  );
  return rows.length > 0;
}

type TakenInvite = {
  inviter_id: string;
  inviter_email: string;
  org_id: string | null;
  org_name: string | null;
  role: string | null;
};

/** Marks a platform invite accepted; `undefined` unless it is open. Uses the primary key. */
export async function takePlatformInvite(
  db: Statements,
  id: string,
): Promise<TakenInvite | undefined> {
  const [row] = await db.rows<TakenInvite>(
    `WITH taken AS (
       UPDATE platform_invites SET state = 'accepted' WHERE id = $1 AND ${stillOpen}
       RETURNING inviter_id, org_id, role
     )
     SELECT taken.inviter_id, inviter.email AS inviter_email, taken.org_id, orgs.name AS org_name,
       taken.role
     FROM taken
     JOIN users AS inviter ON inviter.id = taken.inviter_id
     LEFT JOIN orgs ON orgs.id = taken.org_id`,
    [id],
  );
  return row;
}
