import type { ClickHouseClients } from './clickhouse.ts';
import type { AddressesAllowed } from '../infra/addresses-allowed.ts';
import type { HealthCheck } from '../infra/health.ts';
import type { Registry } from '../infra/metrics.ts';
import type { KeyVault } from '../infra/secrets.ts';
import type { Throttle } from './access/throttle.ts';
import type { Authority } from './certs/authority.ts';
import type { InviteConfig } from './config.ts';
import type { Database } from './database.ts';
import type { Queues } from './queues/open.ts';
import type { Tokens } from './tokens/jwt.ts';

/** What the routes are built from. Each takes what it needs. */
export type Parts = {
  db: Database;
  clickhouse: ClickHouseClients;
  vault: KeyVault;
  tokens: Tokens;
  /** Of the queues' dashboard, which open nothing else. */
  queueTokens: Tokens;
  throttle: Throttle;
  metrics: Registry;
  ingestUrl: string;
  invites: InviteConfig;
  /** Where uploads are kept while they are looked at. */
  spoolDir: string;
  /** Signs certificates. */
  authority: Authority;
  /** Where certificates say that the revocation list is. */
  crlUrl: string | undefined;
  /** Where the benchmarks append their figures. */
  benchResultsPath: string;
  queues: Queues;
  /** Where webhooks may lead. */
  addressesAllowed: AddressesAllowed;
  /** Tells the edges to look at the journal of keys. */
  announceKeyChanges: () => void;
  /** The state of each neighbour. */
  checkHealth: () => Promise<Record<string, HealthCheck>>;
};
