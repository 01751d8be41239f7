import type { ClickHouseClients } from '../stores/clickhouse.ts';
import type { CommandLimits } from '../../infra/runtime/commands/settings.ts';
import type { About } from '../../infra/runtime/process/about.ts';
import type { AddressesAllowed } from '../../infra/runtime/network/addresses-allowed.ts';
import type { Budgets } from '../budgets/budgets.ts';
import type { ClientAddress, ClientScheme } from '../../infra/runtime/network/client-address.ts';
import type { Connections } from '../../infra/runtime/network/connections.ts';
import type { Cors } from '../../infra/runtime/network/cors.ts';
import type { HealthCheck } from '../../infra/runtime/observability/health.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Registry } from '../../infra/runtime/observability/metrics.ts';
import type { MetricsAccess } from '../../infra/runtime/observability/metrics-access.ts';
import type { KeyVault } from '../../infra/runtime/process/secrets.ts';
import type { Tracing } from '../../infra/runtime/observability/tracing.ts';
import type { CredentialProblem } from '../../schemas/http/errors.ts';
import type { Caller } from '../access/caller.ts';
import type { KnownCredentials } from '../access/credentials/known.ts';
import type { SharedAnswers } from '../access/credentials/shared-answers.ts';
import type { Throttle } from '../access/throttle.ts';
import type { ConsoleFiles } from '../console/build.ts';
import type { Authority } from '../devices/certs/authority.ts';
import type { NextMessages } from '../devices/things/next-messages.ts';
import type { InviteConfig } from '../management/invites/invite.ts';
import type { Database, Statements } from '../stores/database.ts';
import type { Publishers } from '../messages/reach/publishers.ts';
import type { Queues } from '../operations/queues/open.ts';
import type { Tokens } from '../access/tokens/jwt.ts';

/** The parts that routes are built from. Each takes those that it needs. */
export type Dependencies = {
  db: Database;
  /** Of connections of its own, for nothing but who someone is and what they may. */
  accessDb: Statements;
  clickhouse: ClickHouseClients;
  /** Which group each publisher is in, as ClickHouse knows it. */
  publishers: Publishers;
  vault: KeyVault;
  tokens: Tokens;
  /** How long a session lasts. */
  sessionSeconds: number;
  /** The files of the console. */
  consoleFiles: ConsoleFiles;
  throttle: Throttle;
  /** Credentials that were right not long ago. */
  known: KnownCredentials;
  /** Whose credentials they are, for all requests that ask at the same time. */
  callers: SharedAnswers<Caller | CredentialProblem>;
  /** The version and commit of this process. */
  about: About;
  /** Undefined where nothing is traced. */
  tracing: Tracing | undefined;
  metrics: Registry;
  metricsAccess: MetricsAccess;
  logger: Logger;
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
  /** The scheme that it came there by. */
  clientScheme: ClientScheme;
  /** Decides who may open a connection. */
  connections: Connections;
  /** Whose pages may ask, of other origins. */
  cors: Cors | undefined;
  /** Of how many of the requests there is a line in the log. */
  accessLogShare: number;
  /** The shares of callers and orgs of this process. */
  budgets: Budgets;
  nextMessages: NextMessages;
  commandLimits: CommandLimits;
  /** Tells the edges for which things there are commands. */
  announceCommands: (things: readonly string[]) => void;
  /** Tells the edges to look at the journal of keys. */
  announceKeyChanges: () => void;
  /** The state of each neighbour. */
  checkHealth: () => Promise<Record<string, HealthCheck>>;
};
