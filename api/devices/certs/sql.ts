import type {
  CertKeyType,
  Certificate,
  ListedSerial,
  serialOrders,
} from '../../../schemas/resources/certificate.ts';
import type { Database } from '../../stores/database.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';
import type { Authority } from './authority.ts';
import type { KeySpec } from './key-pair.ts';

/** Stores the authority, which its certificates refer to. Uses the primary key. */
export async function rememberAuthority(db: Database, { id, chain }: Authority): Promise<void> {
  await db.rows(
    `INSERT INTO certificate_authorities (id, chain) VALUES ($1, $2)
     ON CONFLICT (id) DO UPDATE SET chain = excluded.chain`,
    [id, chain],
  );
}

type CertificateToInsert = {
  serial: string;
  authorityId: Buffer;
  thingId: string;
  fingerprint: Buffer;
  certificate: string;
  spec: KeySpec;
  issuedAt: Date;
  expiresAt: Date;
};

/** Fails if the thing was deleted meanwhile. */
export async function insertCertificate(db: Database, made: CertificateToInsert): Promise<void> {
  await db.change(
    `INSERT INTO certificates (serial, authority_id, thing_id, fingerprint, certificate, key_type,
                               key_bits, issued_at, expires_at)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      made.serial,
      made.authorityId,
      made.thingId,
      made.fingerprint,
      made.certificate,
      made.spec.type,
      made.spec.bits,
      made.issuedAt,
      made.expiresAt,
    ],
  );
}

type CertificateRow = {
  serial: string;
  thing_id: string;
  certificate: string;
  chain: string[];
  key_type: CertKeyType;
  key_bits: number;
  issued_at: Date;
  expires_at: Date;
  revoked_at: Date | null;
};

/** A certificate whose thing still exists. Uses two primary keys. */
export async function findCertificate(
  db: Database,
  serial: string,
): Promise<Certificate | undefined> {
  const [row] = await db.rows<CertificateRow>(
    `SELECT serial, thing_id, certificate, authority.chain, key_type, key_bits, issued_at, expires_at,
            revoked_at
     FROM certificates JOIN certificate_authorities AS authority ON authority.id = authority_id
     WHERE serial = $1 AND thing_id IS NOT NULL`,
    [serial.toLowerCase()],
  );
  return (
    row && {
      certificate: row.certificate,
      issuing_ca: row.chain[0] ?? '',
      ca_chain: row.chain,
      serial: row.serial,
      thing_id: row.thing_id,
      key_type: row.key_type,
      key_bits: row.key_bits,
      issued_at: row.issued_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
      ...(row.revoked_at === null ? {} : { revocation_time: row.revoked_at.toISOString() }),
    }
  );
}

const orders: Readonly<Record<(typeof serialOrders)[number], string>> = {
  id: 'serial',
  issued_at: 'issued_at',
  expires_at: 'expires_at',
};

/** The certificates of a thing that are not revoked. Uses `certificates_thing`. */
export async function findSerials(
  db: Database,
  thingId: string,
  query: ListQuery,
): Promise<ListPage<ListedSerial>> {
  const conditions = new Conditions();
  conditions.equals('thing_id', thingId);
  conditions.add('revoked_at IS NULL');
  const columns = 'serial, thing_id, issued_at, expires_at';
  const list = { columns, from: 'certificates', conditions, orders, id: 'serial' };
  const { total, rows } = await findPage<
    Pick<CertificateRow, 'serial' | 'thing_id' | 'issued_at' | 'expires_at'>
  >(db, list, query);
  return {
    total,
    rows: rows.map((row) => ({
      thing_id: row.thing_id,
      cert_serial: row.serial,
      issued_at: row.issued_at.toISOString(),
      expires_at: row.expires_at.toISOString(),
    })),
  };
}

/** Revokes a certificate; returns when it was revoked: now, or before. Uses the primary key. */
export async function revokeCertificate(db: Database, serial: string): Promise<Date | undefined> {
  const [row] = await db.change<{ revoked_at: Date }>(
    `UPDATE certificates SET revoked_at = coalesce(revoked_at, now())
     WHERE serial = $1 AND thing_id IS NOT NULL
     RETURNING revoked_at`,
    [serial.toLowerCase()],
  );
  return row?.revoked_at;
}
