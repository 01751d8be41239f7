import type { ClickHouseClients } from './clickhouse.ts';
import type { About } from '../infra/about.ts';
import type { AddressesAllowed } from '../infra/addresses-allowed.ts';
import type { Budgets } from '../infra/budgets.ts';
import type { ClientAddress } from '../infra/client-address.ts';
import type { Cors } from '../infra/cors.ts';
import type { HealthCheck } from '../infra/health.ts';
import type { Logger } from '../infra/log.ts';
import type { Registry } from '../infra/metrics.ts';
import type { KeyVault } from '../infra/secrets.ts';
import type { Tracing } from '../infra/tracing.ts';
import type { CredentialProblem } from '../schemas/errors.ts';
import type { Caller } from './access/caller.ts';
import type { KnownCredentials } from './access/known.ts';
import type { SharedAnswers } from './access/shared-answers.ts';
import type { Throttle } from './access/throttle.ts';
import type { Authority } from './certs/authority.ts';
import type { InviteConfig } from './config.ts';
import type { Database, Statements } from './database.ts';
import type { Publishers } from './reader/publishers.ts';
import type { Queues } from './queues/open.ts';
import type { Tokens } from './tokens/jwt.ts';

/** What the routes are built from. Each takes what it needs. */
export type Parts = {
  db: Database;
  /** Of connections of its own, for nothing but who someone is and what they may. */
  accessDb: Statements;
  clickhouse: ClickHouseClients;
  /** Which group each publisher is in, as ClickHouse knows it. */
  publishers: Publishers;
  vault: KeyVault;
  tokens: Tokens;
  /** Of the queues' dashboard, which open nothing else. */
  queueTokens: Tokens;
  throttle: Throttle;
  /** Credentials that were right not long ago. */
  known: KnownCredentials;
  /** Whose credentials they are, for all requests that ask at the same time. */
  callers: SharedAnswers<Caller | CredentialProblem>;
  /** What this process says of itself. */
  about: About;
  /** Undefined where nothing is traced. */
  tracing: Tracing | undefined;
  metrics: Registry;
  log: Logger;
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
  /** Where a request is from, by the proxies that are trusted. */
  clientAddress: ClientAddress;
  /** Whose pages may ask, of other origins. */
  cors: Cors | undefined;
  /** Of how many of the requests there is a line in the log. */
  accessLogShare: number;
  /** What each caller may spend of this process. */
  budgets: Budgets;
  /** Tells the edges to look at the journal of keys. */
  announceKeyChanges: () => void;
  /** The state of each neighbour. */
  checkHealth: () => Promise<Record<string, HealthCheck>>;
};
