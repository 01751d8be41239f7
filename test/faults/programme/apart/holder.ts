/** Locks something in PostgreSQL, says so, and keeps the transaction open. */
import { createLog } from '../../../../infra/runtime/process/logger.ts';
import { openPostgres, transaction } from '../../../../infra/runtime/stores/postgres.ts';

const [url = '', lock = ''] = process.argv.slice(2);
const pool = openPostgres(url, 1, 10_000, createLog('holder', 'warn'));
await transaction(pool, async (client) => {
  await client.query('SELECT pg_advisory_xact_lock($1)', [lock]);
  process.stdout.write('held\n');
  await new Promise((resolve) => setTimeout(resolve, 2 ** 31 - 1));
});
