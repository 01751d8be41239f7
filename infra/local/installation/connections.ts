import { Client } from 'pg';
import { ConfigError } from '../../runtime/process/config.ts';
import { connectionsNeeded } from '../../runtime/stores/postgres-connections.ts';

const answerMsMax = 5_000;
/** The embedded one has room for at least as many. */
const embeddedMin = 100;
/** What PostgreSQL keeps for superusers, of all it has. */
const keptForSuperusers = 3;

/** `max_connections` for the embedded PostgreSQL. */
export function embeddedConnections(ingestProcesses: number): number {
  return Math.max(embeddedMin, connectionsNeeded(ingestProcesses) + keptForSuperusers);
}

/**
 * Asks a PostgreSQL of one's own whether it has room for all that is going to be started. One that can't be
 * asked now is told of by whoever needs it first.
 *
 * @throws ConfigError where it has not.
 */
export async function mustHaveRoom(databaseUrl: string, ingestProcesses: number): Promise<void> {
  const allowed = await allowedConnections(databaseUrl).catch(() => undefined);
  const needed = connectionsNeeded(ingestProcesses);
  if (allowed === undefined || allowed >= needed) return;
  throw new ConfigError(
    `INGEST_PROCESSES: with ${ingestProcesses} of them up to ${needed} connections to PostgreSQL are needed, and DATABASE_URL allows ${allowed}; raise its max_connections, or start fewer`,
  );
}

async function allowedConnections(databaseUrl: string): Promise<number> {
  const client = new Client({
    connectionString: databaseUrl,
    connectionTimeoutMillis: answerMsMax,
    query_timeout: answerMsMax,
  });
  client.on('error', () => undefined);
  await client.connect();
  try {
    const { rows } = await client.query<{ allowed: number }>(
      `SELECT current_setting('max_connections')::integer
            - current_setting('superuser_reserved_connections')::integer
            - coalesce(current_setting('reserved_connections', true), '0')::integer AS allowed`,
    );
    return Number(rows[0]?.allowed);
  } finally {
    await client.end();
  }
}
