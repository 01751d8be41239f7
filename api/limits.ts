import assert from 'node:assert/strict';

/** Every bound of the API that is not a setting, with its unit. How they relate is asserted below. */
export const limits = {
  // Bodies of requests.
  /** Of a management request. */
  bodyBytesMax: 1024 * 1024,
  /** Of a request that creates several things, profiles or groups at once. */
  batchBodyBytesMax: 8 * 1024 * 1024,
  /** Of a request that anyone may send. */
  openBodyBytesMax: 16 * 1024,
  /** Values in a body: an array or an object is one, and each value in it another. */
  bodyValuesMax: 100_000,
  batchValuesMax: 250_000,
  /** In a body of a hundred searches of messages. */
  searchValuesMax: 10_000,
  /** Of one series, compared for a page of its changes: some six seconds of a core. */
  comparedMessagesMax: 5_000_000,
  /** Named by `columns`. */
  chosenColumnsMax: 200,
  /** Of an export with a column for each series. */
  wideColumnsMax: 1_000,
  /** Whose names stand in an export. */
  namedThingsMax: 20_000,
  /** Arrays and objects within each other in a body; the outermost is 1. */
  bodyDepthMax: 32,
  /** Entities in one batch. */
  batchItemsMax: 50_000,
  /** A filter on metadata: Postgres compares each array in it with each array that is stored. */
  metadataFilterCharsMax: 4_096,
  metadataFilterItemsMax: 64,

  // Connections.
  /** Descriptors kept for databases, spooled uploads and the like. Some 80 are used. */
  descriptorsReserved: 256,
  /** A message that is passed on needs a connection to the edge as well. */
  descriptorsPerConnection: 2,
  connectionsMin: 64,
  connectionsMax: 50_000,
  /** One network may have this part of all connections. */
  connectionsPerNetworkPart: 1 / 4,
  connectionRetrySeconds: 5,
  /** The time that the head of a request may take, from the opening of a connection or from its first byte. */
  headMsMax: 20_000,
  headLookMs: 5_000,
  /** The time for which a connection is kept open without a further request. Clients are told. */
  connectionIdleMsMax: 75_000,

  // Arrival of requests.
  requestTimeoutMs: 60_000,
  /** An upload without a time limit ends after a silence this long. */
  uploadIdleMsMax: 60_000,
  /** If a body took longer to arrive, it is checked again whether its sender still may. */
  readmittedAfterMs: 1_000,
  /** After a larger body nothing is read from its connection for a while: a millisecond for so many bytes. */
  bodyFreeBytes: 256 * 1024,
  bodyBytesPerMs: 8 * 1024,
  /**
   * Refusals of one network in a second. After each one more, nothing is read from its connection for a while,
   * and the connections of one network are read again one after the other.
   */
  refusalsFreePerSecond: 20,
  refusalRestMs: 2_000,
  refusalApartMs: 20,
  refusalRestMsMax: 30_000,
  /** Credentials that were valid a short time ago. */
  knownCredentialsMax: 10_000,
  /** Browsers that one user is signed in with at once: one more ends the first of them. */
  sessionsOfUserMax: 100,

  // Lists.
  pageLimitDefault: 10,
  /** From here on a page may be large: one of a caller at a time. */
  pageLargeFrom: 50,
  /** A larger page keeps its caller's turn for longer: a millisecond for so many bytes. */
  pageFreeBytes: 256 * 1024,
  pageBytesPerMs: 32 * 1024,
  /** Levels of a tree of groups. */
  treeLevelsMax: 1_000,
  /** Groups shown of one branch of a tree. */
  treeLimitMax: 1_000,

  // Postgres, ClickHouse and Redis.
  /** How long a client should wait before it tries again, where one of them is not available. */
  awayRetrySeconds: 2,
  /** Every request fails while one of them is not available: one line in the log in this time is enough. */
  unavailableLoggedEveryMs: 1_000,
  postgresQueryMsMax: 10_000,
  /** A list or a search in Postgres. */
  searchMsMax: 2_000,
  /** One that took longer keeps its caller's turn for as long again. */
  searchFreeMs: 50,
  /** How long ClickHouse may be silent: before a page, and within an export or a deletion. */
  clickhouseTimeoutMs: 35_000,
  clickhouseLongTimeoutMs: 3_600_000,
  redisCommandMsMax: 1_000,
  /** Longer than one that is busy takes to answer: after a probe that fails the process may be killed. */
  healthProbeMsMax: 5_000,
  /** How long the size of the store is remembered. */
  storeSizeMs: 55_000,
  /** So many failing webhooks are told one by one. */
  failingWebhooksToldMax: 20,

  // Answers that take long.
  /** The part of an answer that is written at once. */
  pieceBytes: 64 * 1024,
  /** A client must take so much of a page or an export within this time, while there is something for it. */
  takenBytesMin: 64 * 1024,
  takenWithinMs: 30_000,
  /** The part of a spooled upload that is read at once. */
  readChunkBytes: 1024 * 1024,
  /** How often a live stream looks for messages, and whether its caller still may. */
  streamPollMs: 1_000,
  streamHeartbeatMs: 15_000,
  /** How long a client may take nothing of a stream that has something for it. */
  streamStallMsMax: 30_000,
  /** How long the end of a stream may take to be sent at a stop. */
  streamStopMsMax: 500,
  /** The part of a stream that is held at once. */
  streamRowsMax: 1_000,
  streamCharsMax: 1024 * 1024,

  // Keys and certificates.
  /** How long changes of keys stay in the journal: far longer than an edge goes without reading it. */
  keyJournalSeconds: 3_600,
  keyJournalCleanMs: 300_000,
  /** Key pairs of certificates that are generated at once, and requests that may wait for theirs. */
  certificatesAtOnce: 2,
  certificatesWaitingMax: 64,
  certificateSecondsDefault: 8_760 * 3_600,
  /** Certificates are valid from so long ago: the clocks of some devices are late. */
  certificateBackdatedMs: 5 * 60_000,
  /** How long a revocation list is valid. */
  crlSeconds: 7 * 86_400,

  // Webhooks.
  /** Of one thing, one group or one org. */
  webhooksPerPlaceMax: 50,
  /** The headers of one webhook. */
  webhookHeaderBytesMax: 8 * 1024,
  /** As Standard Webhooks asks. */
  webhookSecretBytesMin: 24,
  /** How long a secret signs beside the one that replaced it. */
  previousSecretSeconds: 86_400,
  /** Messages that one replay delivers again, and jobs of it that are written at once. */
  replayMessagesMax: 100_000,
  replayJobsAtOnce: 1_000,
  /** Bytes of a message that are shown as a webhook gets it. */
  shownMessageBytesMax: 64 * 1024,
  /** Jobs that are counted at most to tell how many deliveries wait for a webhook. */
  waitingJobsCountedMax: 100_000,

  /** Keys that the filters of a previewed profile may look up in all records: this many take about 50 ms. */
  previewLookupsMax: 500_000,
  /** Records of it that are shown. */
  previewedRecordsMax: 50,

  // Rules.
  rulesPerGroupMax: 100,
  /** A shorter silence is one between two messages. */
  silenceSecondsMin: 10,
  previewDaysDefault: 30,
  /** Things that a rule is tried on, and the records of all of them: those of one thing at a second's interval for 11 days. */
  previewThingsMax: 50,
  previewRecordsMax: 1_000_000,
  /** The records of one of them, as the store answers them. */
  previewBytesMax: 256 * 1024 * 1024,
  /** Records that are looked at before others are served. */
  previewRecordsAtOnce: 10_000,
  /** Alarms of each that are shown. */
  previewAlarmsMax: 1_000,
  /** Things that are looked at together when a rule is changed. */
  statesAtOnce: 1_000,

  /** Entries of the audit log that an export reads, or a cleaning deletes, at once. */
  auditRowsAtOnce: 1_000,
  auditCleanMs: 3_600_000,

  // Commands.
  subtopicCharsMax: 254,
  /** Commands that are closed or deleted at once. */
  commandsAtOnce: 1_000,
  commandsCloseMs: 5_000,
  commandsDeleteMs: 3_600_000,
  /** Who finds too many waiting asks again after so long. */
  commandRetrySeconds: 30,

  // Alarms.
  /** Alarms that an export reads at once. */
  alarmRowsAtOnce: 1_000,
  /** How often it is looked whether alarms changed, while somebody follows them. */
  alarmPollMs: 500,
  /** So often, and so far apart, it is looked whether the transactions that change some have ended. */
  alarmWriterLooksMax: 10,
  /** When somebody begins to follow them. */
  alarmStartLooksMax: 100,
  alarmWriterLookMs: 20,
  /** The part of a stream that is read at once. */
  alarmStreamRowsMax: 200,
  /** Of one group, that have not ended. */
  silencesPerGroupMax: 1_000,
  silenceMsMax: 366 * 86_400_000,

  // Dashboards.
  /** Of one org, or of one group. */
  dashboardsPerPlaceMax: 200,
  /** Former versions that are kept of one. */
  dashboardVersionsMax: 50,
  sharesPerDashboardMax: 50,
  shareMsMax: 366 * 86_400_000,
  /** How far a range that moves on may have moved since the page was told it. */
  sharedSlackMs: 300_000,
  /** Requests by one share, and those by shares from one network: one dashboard of 40 panels, read every five seconds. */
  sharedPerTokenPerMinuteMax: 1_200,
  sharedPerNetworkPerMinuteMax: 600,

  // Annotations.
  annotationsPerGroupMax: 10_000,

  // InfluxQL.
  influxQueryCharsMax: 64 * 1024,
  influxStatementsMax: 100,
  influxRegexCharsMax: 4_096,
  /** Parentheses and calls within each other. */
  influxDepthMax: 64,
  /** In all statements of one query. */
  influxOperatorsMax: 2_000,
  /** Rows in the answer of a statement. */
  influxRowsMax: 100_000,
  /** How long all answers together are worked on before others are served, and rows between two looks at that. */
  influxWorkMsMax: 0.25,
  influxRowsAtOnce: 25,
  /** Rows of one series that are held until it is known that there are enough. */
  influxHeldRowsMax: 1_000,
  /** Points of a statement that are looked at for whether they were stored again: some 300 MB while it runs. */
  influxCheckedPointsMax: 5_000_000,
  /** Intervals of `GROUP BY time` in the range of a statement. */
  influxIntervalsMax: 100_000,
  /** Time zones whose offsets are kept. */
  zonesKeptMax: 100,
  influxMeasurementsMax: 100,
  influxColumnsMax: 500,
  /** A form of statements and their parameters. */
  influxBodyBytesMax: 256 * 1024,
  /** Rows in each part of an answer that comes in parts. */
  chunkRowsDefault: 10_000,
  chunkRowsMax: 1_000_000,
  /** Things of a database that its queries name. */
  scopeThingsMax: 32,
  /** Things whose names a statement looks up, or that it names. */
  statementThingsMax: 10_000,
  /** Databases that are listed. */
  databasesShownMax: 1_000,
  /** Records that are looked at for the names of measurements, fields and tags: those of the last days. */
  namesLookedAtMax: 20_000_000,
  /** Messages that are looked at for the names of their members. */
  payloadsLookedAtMax: 10_000,
  /** Names, values of tags, or series, that a statement finds. */
  namesShownMax: 10_000,

  /** How long a stop may take. */
  stopMsMax: 10_000,
} as const;

assert(limits.streamStopMsMax < limits.stopMsMax, 'a stream must end before the stop does');
assert(limits.bodyBytesMax < limits.batchBodyBytesMax, 'a batch must have more room than a body');
assert(limits.bodyValuesMax < limits.batchValuesMax, 'a batch must have more room than a body');
assert(limits.pageLimitDefault < limits.pageLargeFrom, 'a page of the default size must be small');
assert(limits.searchMsMax < limits.postgresQueryMsMax, 'a search must end before other queries');
assert(limits.searchFreeMs < limits.searchMsMax, 'a search must be free for less than it may take');
assert(limits.refusalRestMs <= limits.refusalRestMsMax, 'one rest must not exceed the longest');
