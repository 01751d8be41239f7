import { Client } from 'pg';
import { ConfigError, type Secret } from '../runtime/process/config.ts';
import type { Logger } from '../runtime/process/logger.ts';
import { createKeyVault, type KeyKind, type KeyVault } from '../runtime/process/secrets.ts';

const rowsAtOnce = 5_000;

/** The columns that are sealed under SECRET_KEY, by table; a key of a thing is also looked up by another column. */
const sealed: readonly Sealed[] = [
  {
    table: 'things',
    keys: [
      { column: 'key_sealed', lookup: { column: 'key_lookup', kind: 'internal' } },
      {
        column: 'external_key_sealed',
        lookup: { column: 'external_key_lookup', kind: 'external' },
      },
    ],
  },
  {
    table: 'webhooks',
    keys: [
      { column: 'secret_sealed' },
      { column: 'previous_secret_sealed' },
      { column: 'headers_sealed' },
    ],
  },
];

type SealedColumn = { column: string; lookup?: { column: string; kind: KeyKind } };
type Sealed = { table: string; keys: readonly SealedColumn[] };

/**
 * Seals under a new SECRET_KEY what was sealed under the one before, all in one transaction. What is under the new one
 * already stays as it is. No process may run meanwhile.
 *
 * @throws ConfigError where something is sealed under neither, and changes nothing.
 */
export async function resealKeys(
  url: string,
  before: Secret,
  now: Secret,
  logger: Logger,
): Promise<void> {
  const vaults = { before: createKeyVault(before), now: createKeyVault(now) };
  const client = new Client({ connectionString: url });
  await client.connect();
  try {
    await client.query('BEGIN');
    const counts: Record<string, number> = {};
    for (const one of sealed) counts[one.table] = await resealTable(client, one, vaults);
    await client.query('COMMIT');
    logger.info(counts, 'sealed under the new SECRET_KEY');
  } finally {
    await client.end();
  }
}

type Vaults = { before: KeyVault; now: KeyVault };

async function resealTable(
  client: Client,
  { table, keys }: Sealed,
  vaults: Vaults,
): Promise<number> {
  await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
  // It is no change of a thing or a webhook, and no edge runs that would have to hear of it.
  await client.query(`ALTER TABLE ${table} DISABLE TRIGGER USER`);
  let count = 0;
  let after = '00000000-0000-0000-0000-000000000000';
  for (;;) {
    const columns = keys.map(({ column }) => column).join(', ');
    const { rows } = await client.query<Record<string, Buffer | null> & { id: string }>(
      `SELECT id, ${columns} FROM ${table} WHERE id > $1 ORDER BY id LIMIT ${rowsAtOnce}`,
      [after],
    );
    const last = rows.at(-1);
    if (last === undefined) break;
    after = last.id;
    for (const key of keys) count += await resealColumn(client, table, key, rows, vaults);
  }
  await client.query(`ALTER TABLE ${table} ENABLE TRIGGER USER`);
  return count;
}

async function resealColumn(
  client: Client,
  table: string,
  { column, lookup }: SealedColumn,
  rows: readonly (Record<string, Buffer | null> & { id: string })[],
  vaults: Vaults,
): Promise<number> {
  const changed = rows.flatMap((row) => {
    const bytes = row[column];
    if (!(bytes instanceof Buffer)) return [];
    const text = openOld(vaults, bytes, `${table}.${column} of ${row.id}`);
    return text === undefined ? [] : [{ id: row.id, text }];
  });
  const looked = lookup === undefined ? '' : `, ${lookup.column} = made.lookup`;
  await client.query(
    `UPDATE ${table} SET ${column} = made.sealed${looked}
     FROM unnest($1::uuid[], $2::bytea[], $3::bytea[]) AS made (id, sealed, lookup)
     WHERE ${table}.id = made.id`,
    [
      changed.map(({ id }) => id),
      changed.map(({ text }) => vaults.now.seal(text)),
      changed.map(({ text }) =>
        lookup === undefined ? null : vaults.now.lookup(lookup.kind, text),
      ),
    ],
  );
  return changed.length;
}

/** Undefined for what is sealed under the new secret. */
function openOld({ before, now }: Vaults, bytes: Buffer, what: string): string | undefined {
  const text = tryOpen(before, bytes);
  if (text !== undefined) return text;
  if (tryOpen(now, bytes) !== undefined) return undefined;
  throw new ConfigError(
    `SECRET_KEY_BEFORE: ${what} is sealed under neither this nor SECRET_KEY; nothing was changed`,
  );
}

function tryOpen(vault: KeyVault, bytes: Buffer): string | undefined {
  try {
    return vault.open(bytes);
  } catch {
    return undefined;
  }
}
