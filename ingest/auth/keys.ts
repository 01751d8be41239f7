import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Lifecycle } from '../../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import type { Secret } from '../../infra/runtime/process/config.ts';
import { createKeyVault } from '../../infra/runtime/process/secrets.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres, type Pool } from '../../infra/runtime/stores/postgres.ts';
import { openRedis, type Redis } from '../../infra/runtime/stores/redis.ts';
import { keyChangesChannel } from '../../schemas/internal/key-changes.ts';
import { limits } from '../limits.ts';
import { type Notices, openNotices } from '../notices.ts';
import { Guesses } from './guesses.ts';
import { KeyJournal } from './journal/key-journal.ts';
import { OrgMeters } from '../rates/org-meters.ts';
import { ThingKeys } from './thing-keys.ts';
import { loadKeyChanges } from './journal/sql.ts';
import { loadThings } from './things-sql.ts';

/** Where keys are looked up, and where notices of their changes come from. */
export type KeyStores = {
  pool: Pool;
  /** A pool of its own: many keys that are looked up at once must not delay the journal. */
  journalPool: Pool;
  redis: Redis;
  notices: Notices;
};

type KeysConfig = {
  secretKey: Secret;
  unknownKeysPerMinuteMax: number;
  knownKeysBytesMax: number;
};

export type Keys = { things: ThingKeys; guesses: Guesses; journal: KeyJournal; meters: OrgMeters };

export function openKeyStores(
  { databaseUrl, redisUrl }: { databaseUrl: string; redisUrl: string },
  calls: Calls,
  logger: Logger,
  lifecycle: Lifecycle,
): KeyStores {
  const connections = postgresConnections.ingest;
  const { keyQueryMsMax, cacheTimeoutMs } = limits;
  const pool = openPostgres(databaseUrl, connections.keys, keyQueryMsMax, logger, calls);
  lifecycle.closing('postgres', () => pool.end());
  const journalPool = openPostgres(databaseUrl, connections.journal, keyQueryMsMax, logger, calls);
  lifecycle.closing('journal connection', () => journalPool.end());
  const redis = openRedis(redisUrl, logger, cacheTimeoutMs, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const asked = {
    redisUrl,
    channel: keyChangesChannel,
    name: 'notices',
    withoutThem: 'no notices of key changes; the journal is polled',
  };
  const notices = openNotices(asked, logger, lifecycle);
  return { pool, journalPool, redis, notices };
}

/** The keys of things, and the journal that says when a remembered key is out of date. */
export function createKeys(config: KeysConfig, stores: KeyStores, logger: Logger): Keys {
  const { pool, journalPool, redis, notices } = stores;
  const journal: KeyJournal = new KeyJournal({
    load: (since, after) => loadKeyChanges(journalPool, since, after),
    times: {
      pollMs: limits.journalPollMs,
      restAfterMs: limits.journalRestAfterMs,
      restMs: limits.journalRestMs,
      freshMsMax: limits.journalFreshMsMax,
      gapMsMax: limits.journalGapMsMax,
      rememberMs: limits.journalRememberMs,
    },
    logger,
    onChange: (lookup) => things.forget(lookup),
    onGap: () => things.forgetAll(),
  });
  const guesses = new Guesses({
    perMinuteMax: config.unknownKeysPerMinuteMax,
    networksMax: limits.networksMax,
  });
  const deviceGuesses = new Guesses({
    perMinuteMax: limits.unknownDevicesPerMinuteMax,
    networksMax: limits.gatewaysMax,
  });
  const configLimits = {
    storedBytesMax: limits.configStoredBytesMax,
    bytesMax: limits.configBytesMax,
  };
  const meters = new OrgMeters();
  const things = new ThingKeys({
    lookup: createKeyVault(config.secretKey).lookup,
    load: (lookups) => loadThings(pool, lookups, configLimits),
    redis,
    journal,
    guesses,
    deviceGuesses,
    meters,
    limits: {
      knownMax: limits.knownKeysMax,
      knownBytesMax: config.knownKeysBytesMax,
      cachedBytesMax: limits.cachedThingBytesMax,
      unknownMax: limits.unknownKeysMax,
      unknownIdMs: limits.unknownIdMs,
      waitingMax: limits.waitingKeysMax,
      perLoadMax: limits.keysPerLoadMax,
    },
    logger,
  });
  notices.onNotice(() => void journal.poll());
  return { things, guesses, journal, meters };
}
