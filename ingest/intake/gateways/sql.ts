import { type Pool, transaction } from '../../../infra/runtime/stores/postgres.ts';

/** A key as PostgreSQL has it. */
type StoredKey = { lookup: Buffer; sealed: Buffer };

type DeviceToMake = {
  /** The id of its gateway. */
  gateway: string;
  name: string;
  key: StoredKey;
  externalKey: StoredKey;
  /** For the audit log. */
  requestId: string;
};

/** As the function `make_device` says it. */
type Made = 'made' | 'there' | 'named' | 'forbidden';

/**
 * Makes a thing for a device (infra/migrations/postgres/0016_gateways.sql). The audit log has its gateway as the author.
 *
 * @throws DatabaseError `MQ001` over the quota of the org
 */
export function makeDevice(pool: Pool, device: DeviceToMake): Promise<Made> {
  const { gateway, name, key, externalKey, requestId } = device;
  return transaction(pool, async (client) => {
    const author = {
      kind: 'thing',
      actor_type: 'thing',
      actor_id: gateway,
      request_id: requestId,
    };
    await client.query("SELECT set_config('millrace.author', $1, true)", [JSON.stringify(author)]);
    const { rows } = await client.query<{ made: Made }>(
      'SELECT make_device($1, $2, $3, $4, $5, $6) AS made',
      [gateway, name, key.lookup, key.sealed, externalKey.lookup, externalKey.sealed],
    );
    const [row] = rows;
    if (row === undefined) throw new Error('make_device gave no row');
    return row.made;
  });
}
