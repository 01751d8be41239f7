/** How many connections each pool of each process opens to Postgres at most. */
export const postgresConnections = {
  // `access`: authentication and permissions, which must not wait for searches.
  api: { all: 12, access: 4, searches: 8 },
  workers: { all: 6 },
  // `seen`: when things last sent a message. `commands`: what things are told to do, which messages never wait for.
  ingest: { keys: 4, journal: 1, webhooks: 1, alarms: 1, seen: 1, commands: 2 },
} as const;

/** For the migration, and for others: an operator, a backup, a probe. */
const spare = 10;

/** How many connections one API, one process of workers and so many edges may take. */
export function connectionsNeeded(ingestProcesses: number): number {
  const { api, workers, ingest } = postgresConnections;
  return sum(api) + sum(workers) + ingestProcesses * sum(ingest) + spare;
}

function sum(pools: Readonly<Record<string, number>>): number {
  return Object.values(pools).reduce((total, connections) => total + connections, 0);
}
