import { mkdir, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Calls } from '../infra/runtime/observability/calls.ts';
import { openClickHouse } from '../infra/runtime/stores/clickhouse.ts';
import type { HealthCheck } from '../infra/runtime/observability/health.ts';
import type { Lifecycle } from '../infra/runtime/process/lifecycle.ts';
import type { Logger } from '../infra/runtime/process/logger.ts';
import { createMetrics } from '../infra/runtime/observability/metrics.ts';
import { postgresConnections } from '../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../infra/runtime/stores/postgres.ts';
import { openRedis } from '../infra/runtime/stores/redis.ts';
import { createKeyVault } from '../infra/runtime/process/secrets.ts';
import { startTracing } from '../infra/runtime/observability/tracing.ts';
import {
  startWatchServer,
  type Watched,
  watchAnswers,
} from '../infra/runtime/observability/operator-server.ts';
import { keyChangesChannel } from '../schemas/internal/key-changes.ts';
import { heardBytes } from './auth/heard-things.ts';
import { Guesses } from './auth/guesses.ts';
import { KeyJournal } from './auth/key-journal.ts';
import { createAccessLog } from './http/access-log.ts';
import { ThingKeys } from './auth/thing-keys.ts';
import { ThingRates } from './auth/thing-rates.ts';
import { loadKeyChanges, loadThings } from './auth/things-sql.ts';
import { Codec } from './codecs/codec.ts';
import type { IngestConfig } from './config.ts';
import { limits } from './limits.ts';
import type { Disk } from './log/disk.ts';
import { readIdentity } from './log/directory/identity.ts';
import { lockDirectory } from './log/directory/lock.ts';
import { before, type Position } from './log/format.ts';
import { Log, type LogStats } from './log/log.ts';
import { createPositions } from './log/positions.ts';
import { registerMetrics } from './metrics.ts';
import { Answered } from './http/answered.ts';
import type { Exchange } from './http/exchange.ts';
import { answerAll, Receiver } from './http/receive.ts';
import { type Server, serve } from './http/server.ts';
import { TracedMessage } from './http/traced-message.ts';
import { watchBarriers } from './sinks/barriers.ts';
import type { Heard } from './last-seen/last-seen.ts';
import { isReverted, renewReverted } from './sinks/store/reverted.ts';
import { createStore } from './sinks/store/send.ts';
import {
  type LogOfThread,
  type Sinks,
  startStoreThread,
  startWebhookThread,
} from './sinks/thread.ts';
import type { WebhookSinkStats } from './sinks/webhooks/sink.ts';
import type { WebhookThreadData } from './sinks/webhooks/worker.ts';

const housekeepingMs = 1_000;

/** Opens everything an edge stands on, in order, and listens. Each part registers its own closing. */
export async function startEdge(
  config: IngestConfig,
  disk: Disk,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<Server> {
  const tracing = await startTracing(config.tracing);
  if (tracing !== undefined) lifecycle.closing('tracing', () => tracing.stop());
  const calls = { edge: new Calls(), store: new Calls(), webhooks: new Calls() };
  const keys = await openKeys(config, calls.edge, logger, lifecycle);
  const log = await openLog(config, disk, logger, lifecycle);
  const sinks = openSinks(config, log, calls, logger, lifecycle);
  tellWhatIsHeard(keys.things, log, sinks, lifecycle);
  await openBarriers(keys, log, sinks, logger, lifecycle);

  const receiver = new Receiver({
    keys: keys.things,
    log,
    codec: new Codec({
      recordsPerMessageMax: config.RECORDS_PER_MESSAGE_MAX,
      nestingMax: config.NESTING_MAX,
      nameCharsMax: limits.nameCharsMax,
      membersPerObjectMax: limits.membersPerObjectMax,
      containersMax: limits.containersMax,
    }),
    guesses: keys.guesses,
    rates:
      config.THING_RATE_LIMIT === 0
        ? undefined
        : new ThingRates(config.THING_RATE_LIMIT, limits.knownKeysMax),
    unknownKeysPerMinuteMax: config.UNKNOWN_KEYS_PER_MINUTE_MAX,
    subtopicCharsMax: config.SUBTOPIC_CHARS_MAX,
    logger,
  });

  const answered = new Answered();
  const metrics = createMetrics(config.about);
  registerMetrics(metrics, { log, received: receiver.stats, answered, sinks, calls });
  const checkHealth = async () => edgeHealth(log, sinks, keys.journal, keys.redisIsReady());
  const watched = { about: config.about, metrics, checkHealth };
  const watch = watchAnswers(watched);
  const health = watch.get('/health');
  // The platform's clients ask for it there.
  if (health !== undefined) watch.set('/http/health', health);

  const server = await serve(
    {
      message:
        tracing === undefined
          ? (exchange) => receiver.message(exchange)
          : (exchange) => {
              exchange.traced = TracedMessage.begin(tracing, exchange.head.traceparent);
              receiver.message(exchange);
            },
      watch,
    },
    {
      bodyBytesMax: config.BODY_BYTES_MAX,
      bufferedBytesMax: limits.bufferedBytesMax,
      chunkStallMsMax: limits.chunkStallMsMax,
      clientAddress: config.clientAddress,
      cors: config.cors,
      accessLog: createAccessLog(logger, config.INGEST_ACCESS_LOG),
      answered,
    },
    {
      host: config.INGEST_HOST,
      port: config.INGEST_PORT,
      shared: config.INGEST_PROCESSES > 1,
      certificateProxies: config.certificateProxies,
      tls: config.tls,
    },
  );
  lifecycle.closing('listener', () => server.close());
  await openWatch(config, watched, logger, lifecycle);
  return server;
}

/** Where edges share a port, nobody knows whom of them it reaches: each has one of its own for operators. */
async function openWatch(
  config: IngestConfig,
  watched: Watched,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<void> {
  if (config.watchPort === undefined) return;
  const server = await startWatchServer(
    { host: config.INGEST_HOST, port: config.watchPort, setting: 'INGEST_WATCH_PORT' },
    watched,
  );
  lifecycle.closing('watch', () => server.close());
  logger.info({ port: server.port }, 'watched');
}

async function openKeys(config: IngestConfig, calls: Calls, logger: Logger, lifecycle: Lifecycle) {
  const connections = postgresConnections.ingest;
  const pool = openPostgres(
    config.DATABASE_URL,
    connections.keys,
    limits.keyQueryMsMax,
    logger,
    calls,
  );
  lifecycle.closing('postgres', () => pool.end());
  // Of its own: a crowd of keys that are looked up must not hold the journal up.
  const journalPool = openPostgres(
    config.DATABASE_URL,
    connections.journal,
    limits.keyQueryMsMax,
    logger,
    calls,
  );
  lifecycle.closing('journal connection', () => journalPool.end());
  const redis = openRedis(config.REDIS_URL, logger, limits.cacheTimeoutMs, calls);
  lifecycle.closing('redis', () => redis.disconnect());
  const notices = openRedis(config.REDIS_URL, logger, limits.cacheTimeoutMs);
  lifecycle.closing('notices', () => notices.disconnect());

  const vault = createKeyVault(config.SECRET_KEY);
  const journal: KeyJournal = new KeyJournal({
    load: (since, after) => loadKeyChanges(journalPool, since, after),
    times: {
      pollMs: limits.journalPollMs,
      freshMsMax: limits.journalFreshMsMax,
      gapMsMax: limits.journalGapMsMax,
      rememberMs: limits.journalRememberMs,
    },
    logger,
    onChange: (lookup) => things.forget(lookup),
    onGap: () => things.forgetAll(),
  });
  const guesses = new Guesses({
    perMinuteMax: config.UNKNOWN_KEYS_PER_MINUTE_MAX,
    networksMax: limits.networksMax,
  });
  const configLimits = {
    storedBytesMax: limits.configStoredBytesMax,
    bytesMax: limits.configBytesMax,
  };
  const things = new ThingKeys({
    lookup: vault.lookup,
    load: (lookups) => loadThings(pool, lookups, configLimits),
    redis,
    journal,
    guesses,
    limits: {
      knownMax: limits.knownKeysMax,
      knownBytesMax: config.EDGE_KEYS_BYTES_MAX,
      cachedBytesMax: limits.cachedThingBytesMax,
      unknownMax: limits.unknownKeysMax,
      waitingMax: limits.waitingKeysMax,
      perLoadMax: limits.keysPerLoadMax,
    },
    logger,
  });

  notices.on('ready', () => {
    notices.subscribe(keyChangesChannel).catch((error: unknown) => {
      logger.warn({ error }, 'no notices of key changes; the journal is polled');
    });
  });
  await journal.start();
  lifecycle.closing('journal', () => journal.stop());
  return {
    things,
    guesses,
    journal,
    journalPool,
    notices,
    redisIsReady: () => redis.status === 'ready',
  };
}

async function openLog(
  config: IngestConfig,
  disk: Disk,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<Log<Exchange>> {
  const directory = join(config.DATA_DIR, 'log', String(config.INGEST_INDEX));
  await mkdir(directory, { recursive: true, mode: 0o700 });
  if (config.INGEST_INDEX === 0) await warnOfUnservedLogs(config, logger);
  const lock = lockDirectory(directory);
  lifecycle.closing('lock', lock.release);
  await renewIfReverted(config, directory, logger);
  const logLimits = {
    segmentBytes: limits.segmentBytes,
    logBytesMax: config.LOG_MAX_BYTES,
    reserveBytes: config.DISK_RESERVE_BYTES,
    groupBytesMax: limits.groupBytesMax,
    groupsMax: limits.groupsMax,
  };
  const log = await Log.open<Exchange>({
    directory,
    disk,
    limits: logLimits,
    logger,
    positions: createPositions(2),
    onCommit: answerAll,
  });
  lifecycle.closing('log', () => log.close());
  return log;
}

/** Asked before anything is taken; while the store is away its sink asks, before it sends anything. */
async function renewIfReverted(
  config: IngestConfig,
  directory: string,
  logger: Logger,
): Promise<void> {
  const client = openClickHouse(
    config.CLICKHOUSE_URL,
    'millrace-ingest',
    limits.revertedQueryMsMax,
  );
  try {
    const { id } = await readIdentity(directory);
    const stores = {
      senml: createStore(client, 'senml', id),
      json: createStore(client, 'json', id),
    };
    if (await isReverted(directory, stores)) await renewReverted(directory, logger);
  } catch (error) {
    logger.debug({ error }, 'the store can not be asked for the batches of this log');
  } finally {
    await client.close();
  }
}

function openSinks(
  config: IngestConfig,
  log: Log<Exchange>,
  calls: Record<'store' | 'webhooks', Calls>,
  logger: Logger,
  lifecycle: Lifecycle,
): Sinks {
  const ofLog: LogOfThread = {
    directory: log.directory,
    logId: log.id,
    segmentBytes: limits.segmentBytes,
    positions: log.positions.buffer,
    logLevel: config.LOG_LEVEL,
    tracing: config.tracing,
  };
  const store = startStoreThread(
    {
      ...ofLog,
      calls: calls.store.buffer,
      clickhouseUrl: config.CLICKHOUSE_URL,
      insertTimeoutMs: limits.insertTimeoutMs,
      limits: {
        batchBytesMax: limits.batchBytesMax,
        batchAgeMsMax: limits.batchAgeMsMax,
        cursorIdleMs: limits.cursorIdleMs,
        missingMs: limits.missingMs,
        pollMs: limits.sinkPollMs,
        retryMsMin: limits.sinkRetryMsMin,
        retryMsMax: limits.sinkRetryMsMax,
      },
    },
    logger,
  );
  const webhooks = startWebhookThread(
    { ...ofLog, calls: calls.webhooks.buffer, ...webhookSettings(config) },
    logger,
  );
  lifecycle.closing('sinks', () =>
    Promise.all([store.stop(), webhooks.stop()]).then(() => undefined),
  );
  let fails = false;
  async function deletePassed(): Promise<void> {
    try {
      await log.deletePassed();
      fails = false;
    } catch (error) {
      if (!fails) logger.warn({ error }, 'could not delete a log segment; it is tried again');
      fails = true;
    }
  }
  const housekeeping = setInterval(() => {
    const slowest = slowestPosition({ store, webhooks });
    if (slowest !== undefined) log.commitTimes.forgetBefore(slowest);
    void deletePassed();
  }, housekeepingMs);
  lifecycle.closing('housekeeping', () => clearInterval(housekeeping));
  return { store, webhooks };
}

/** Now and then, and at the end, which things were heard since. */
function tellWhatIsHeard(
  things: ThingKeys,
  log: Log<Exchange>,
  sinks: Sinks,
  lifecycle: Lifecycle,
): void {
  // More in one go would hold acks up.
  function tellSome(): boolean {
    const heard = things.takeHeard(limits.heardAtOnceMax);
    if (heard.length === 0) return false;
    const isLast = heard.length < limits.heardAtOnceMax * heardBytes;
    const upTo = isLast ? log.positions.committed() : undefined;
    sinks.webhooks.send({ things: heard, upTo } satisfies Heard, [heard.buffer]);
    return !isLast;
  }
  const tell = () => {
    if (tellSome()) setImmediate(tell);
  };
  const timer = setInterval(tell, limits.heardEveryMs);
  lifecycle.closing('what is heard', () => {
    clearInterval(timer);
    while (tellSome());
  });
}

/** Undefined as long as one of them has said nothing. */
function slowestPosition({ store, webhooks }: Sinks): Position | undefined {
  const [ofStore, ofWebhooks] = [store.latest(), webhooks.latest()];
  if (ofStore === undefined || ofWebhooks === undefined) return undefined;
  return [ofStore.sinks.senml.position, ofStore.sinks.json.position].reduce(
    (slowest, one) => (before(one, slowest) ? one : slowest),
    ofWebhooks.position,
  );
}

/** Deletions wait for what was acknowledged before them; a notice means that one does. */
async function openBarriers(
  keys: Awaited<ReturnType<typeof openKeys>>,
  log: Log<Exchange>,
  sinks: Sinks,
  logger: Logger,
  lifecycle: Lifecycle,
): Promise<void> {
  const barriers = await watchBarriers({
    pool: keys.journalPool,
    logId: log.id,
    readKeyChanges: () => keys.journal.poll(),
    flushed: () => log.flushed(),
    isStored: (end) => {
      log.positions.awaitSaved(end);
      const all = Object.values(sinks.store.latest()?.sinks ?? {});
      return all.length > 0 && all.every(({ saved }) => !before(saved, end));
    },
    logger,
  });
  keys.notices.on('message', () => {
    void keys.journal.poll();
    barriers.look();
  });
  lifecycle.closing('barriers', () => barriers.stop());
}

function webhookSettings(
  config: IngestConfig,
): Omit<WebhookThreadData, keyof LogOfThread | 'calls'> {
  return {
    databaseUrl: config.DATABASE_URL,
    redisUrl: config.REDIS_URL,
    queryMsMax: limits.webhookQueryMsMax,
    seen: {
      thingsAtOnceMax: limits.seenAtOnceMax,
      retryMs: limits.seenRetryMs,
      replayBytesMax: limits.webhookBatchBytesMax,
      queryMsMax: limits.seenQueryMsMax,
    },
    redisMsMax: limits.webhookRedisMsMax,
    windowBytes: limits.webhookWindowBytes,
    queueJobsMax: config.WEBHOOK_QUEUE_MAX,
    shares: {
      copiesPerOrgMax: config.WEBHOOK_COPIES_PER_ORG_MAX,
      bytesPerOrgMax: config.WEBHOOK_BYTES_PER_ORG_MAX,
    },
    limits: {
      batchBytesMax: limits.webhookBatchBytesMax,
      batchFramesMax: limits.webhookBatchFramesMax,
      batchAgeMsMax: limits.webhookBatchAgeMsMax,
      pollMs: limits.sinkPollMs,
      retryMsMin: limits.sinkRetryMsMin,
      retryMsMax: limits.webhookRetryMsMax,
      lookMs: limits.webhookLookMs,
      loseMsMax: limits.webhookLoseMsMax,
      cursorMs: limits.webhookCursorMs,
    },
  };
}

/** With fewer edges than before, the logs of the others keep what they acknowledged, and nobody sends it. */
async function warnOfUnservedLogs(config: IngestConfig, logger: Logger): Promise<void> {
  for (const name of await readdir(join(config.DATA_DIR, 'log'))) {
    if (Number(name) < config.INGEST_PROCESSES) continue;
    logger.error(
      { log: name, INGEST_PROCESSES: config.INGEST_PROCESSES },
      'a log has no edge: what it acknowledged is not brought to the store',
    );
  }
}

/** The edge does its job as long as its log takes messages; everything else away is a warning. */
function edgeHealth(
  log: Log<Exchange>,
  sinks: Sinks,
  journal: KeyJournal,
  redisIsReady: boolean,
): Record<string, HealthCheck> {
  const warnUnless = (well: boolean, output: string): HealthCheck =>
    well ? { status: 'pass' } : { status: 'warn', output };
  const states = Object.values(sinks.store.latest()?.sinks ?? {}).map(({ state }) => state);
  const stored = states.length > 0 && states.every((state) => state === 'running');
  return {
    log: logHealth(log.stats()),
    clickhouse: warnUnless(stored, 'the store takes no batches'),
    webhooks: webhooksHealth(sinks.webhooks.latest(), log.stats().bytesMax),
    postgres: warnUnless(journal.isFresh(), 'keys can not be looked up'),
    redis: warnUnless(redisIsReady, 'away'),
  };
}

function logHealth({ accepting, diskIsShort }: LogStats): HealthCheck {
  const why = 'too little of the disk is free (DISK_RESERVE_BYTES)';
  if (accepting) return diskIsShort ? { status: 'warn', output: why } : { status: 'pass' };
  return {
    status: 'fail',
    output: diskIsShort ? `takes no messages: ${why}` : 'takes no messages',
  };
}

/** What waits here takes room in the log; once that is full, no message is taken. */
function webhooksHealth(webhooks: WebhookSinkStats | undefined, logBytesMax: number): HealthCheck {
  if (webhooks === undefined || webhooks.state === 'running') return { status: 'pass' };
  const why =
    webhooks.state === 'alarmed'
      ? 'messages fail, and nobody foresaw how: see the log'
      : 'messages can not be queued';
  const mebibytes = (bytes: number) => Math.ceil(bytes / 1024 ** 2);
  const waiting = `${mebibytes(webhooks.pendingBytes)} of ${mebibytes(logBytesMax)} MiB`;
  return { status: 'warn', output: `${why}; they hold ${waiting} of the log` };
}
