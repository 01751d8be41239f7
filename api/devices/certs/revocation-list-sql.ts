import type { Statements } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import { limits } from '../../limits.ts';

/** The list that was signed last. */
export type SignedList = { number: number; crl: Buffer };

export type Revoked = { serial: string; revokedAt: Date };

/**
 * Whether this is the last list, nothing was revoked since, and more than half of its time is left.
 * Uses the primary key and `certificates_unlisted`.
 */
export async function isListCurrent(
  db: Statements,
  authorityId: Buffer,
  number: number,
): Promise<boolean> {
  const [row] = await db.rows<{ current: boolean | null }>(
    `SELECT crl_number = $2
            AND crl_next_update > now() + make_interval(secs => $3::float8 / 2)
            AND NOT EXISTS (SELECT FROM certificates
                            WHERE authority_id = $1 AND revoked_at IS NOT NULL AND NOT listed)
            AS current
     FROM certificate_authorities WHERE id = $1`,
    [authorityId, number, limits.crlSeconds],
  );
  return row?.current === true;
}

/** Uses the primary key. */
export async function findList(db: Statements, authorityId: Buffer): Promise<SignedList> {
  const [row] = await db.rows<SignedList>(
    'SELECT crl_number AS number, crl FROM certificate_authorities WHERE id = $1',
    [authorityId],
  );
  return present(row, 'certificate authority');
}

/**
 * The number of the authority's last list, locked until this transaction ends. Certificates can be issued meanwhile.
 * Uses the primary key.
 */
export async function lockAuthority(db: Statements, authorityId: Buffer): Promise<number> {
  const [row] = await db.rows<{ crl_number: number }>(
    'SELECT crl_number FROM certificate_authorities WHERE id = $1 FOR NO KEY UPDATE',
    [authorityId],
  );
  return present(row, 'certificate authority').crl_number;
}

/** Uses `certificates_unlisted`. */
export async function markListed(db: Statements, authorityId: Buffer): Promise<void> {
  await db.rows(
    `UPDATE certificates SET listed = true
     WHERE authority_id = $1 AND revoked_at IS NOT NULL AND NOT listed`,
    [authorityId],
  );
}

/**
 * Revoked certificates that did not end before the previous list: each stands on one more list after its end. Uses
 * `certificates_revoked`.
 */
export async function findRevoked(db: Statements, authorityId: Buffer): Promise<Revoked[]> {
  const rows = await db.rows<{ serial: string; revoked_at: Date }>(
    `SELECT serial, revoked_at FROM certificates
     WHERE authority_id = $1 AND revoked_at IS NOT NULL
       AND expires_at > now() - make_interval(secs => $2)
     ORDER BY serial`,
    [authorityId, limits.crlSeconds],
  );
  return rows.map((row) => ({ serial: row.serial, revokedAt: row.revoked_at }));
}

/** Deletes certificates that no list needs any more, and whose thing is gone. Uses `certificates_thing`. */
export async function forgetGone(db: Statements, authorityId: Buffer): Promise<void> {
  await db.rows(
    `DELETE FROM certificates
     WHERE authority_id = $1 AND thing_id IS NULL AND expires_at < now() - make_interval(secs => $2)`,
    [authorityId, limits.crlSeconds],
  );
}

/** Uses the primary key. */
export async function storeList(
  db: Statements,
  authorityId: Buffer,
  { number, crl }: SignedList,
  nextUpdate: Date,
): Promise<void> {
  await db.rows(
    `UPDATE certificate_authorities SET crl_number = $2, crl = $3, crl_next_update = $4
     WHERE id = $1`,
    [authorityId, number, crl, nextUpdate],
  );
}
