import { randomUUID } from 'node:crypto';
import { type ApiKey, type apiKeyOrders, apiKeyType } from '../../../schemas/resources/api-key.ts';
import type { Database } from '../../stores/database.ts';
import { present } from '../../http/errors.ts';
import type { ListQuery } from '../../http/query/list-query.ts';
import { Conditions } from '../../stores/conditions.ts';
import { findPage, type ListPage } from '../../stores/page.ts';

type LifetimeRow = { id: string; issued_at: Date; expires_at: Date | null };
type KeyRow = LifetimeRow & { issuer_id: string; subject: string };

/** Stores a key's hash; with a duration of 0 seconds it never expires. */
export async function insertKey(
  db: Database,
  issuerId: string,
  valueHash: Buffer,
  seconds: number,
): Promise<Pick<ApiKey, 'id' | 'issued_at' | 'expires_at'>> {
  const rows = await db.change<LifetimeRow>(
    `INSERT INTO api_keys (id, issuer_id, value_hash, expires_at)
     VALUES ($1, $2, $3, now() + make_interval(secs => nullif($4::float8, 0)))
     RETURNING id, issued_at, expires_at`,
    [randomUUID(), issuerId, valueHash, seconds],
  );
  const row = present(rows[0], 'API key');
  return { id: row.id, ...lifetimeOf(row) };
}

const columns = `api_keys.id, api_keys.issuer_id, users.email AS subject, api_keys.issued_at,
  api_keys.expires_at`;
const from = 'api_keys JOIN users ON users.id = api_keys.issuer_id';

/** Uses the primary key. */
export async function findKey(
  db: Database,
  issuerId: string,
  id: string,
): Promise<ApiKey | undefined> {
  const [row] = await db.rows<KeyRow>(
    `SELECT ${columns} FROM ${from} WHERE api_keys.id = $1 AND api_keys.issuer_id = $2`,
    [id, issuerId],
  );
  return row && toKey(row);
}

const orders: Readonly<Record<(typeof apiKeyOrders)[number], string>> = {
  id: 'api_keys.id',
  issued_at: 'api_keys.issued_at',
  expires_at: 'api_keys.expires_at',
};

/** The keys of an issuer. Uses `api_keys_issuer`. */
export async function findKeys(
  db: Database,
  issuerId: string,
  query: ListQuery,
): Promise<ListPage<ApiKey>> {
  const conditions = new Conditions();
  conditions.equals('api_keys.issuer_id', issuerId);
  const list = { columns, from, conditions, orders, id: 'api_keys.id' };
  const { total, rows } = await findPage<KeyRow>(db, list, query);
  return { total, rows: rows.map(toKey) };
}

/** Deletes a key. Returns whether there was one. Uses the primary key. */
export async function deleteKey(db: Database, issuerId: string, id: string): Promise<boolean> {
  const rows = await db.change(
    'DELETE FROM api_keys WHERE id = $1 AND issuer_id = $2 RETURNING id',
    [id, issuerId],
  );
  return rows.length > 0;
}

function toKey(row: KeyRow): ApiKey {
  return {
    id: row.id,
    issuer_id: row.issuer_id,
    subject: row.subject,
    type: apiKeyType,
    ...lifetimeOf(row),
  };
}

function lifetimeOf({ issued_at, expires_at }: LifetimeRow) {
  return {
    issued_at: issued_at.toISOString(),
    ...(expires_at === null ? {} : { expires_at: expires_at.toISOString() }),
  };
}
