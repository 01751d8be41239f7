import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import { LogReader } from '../log/reader.ts';
import { type Heard, SeenThings } from './last-seen.ts';

/** Writes when things were last heard. `run` returns after `stopping`. */
type LastSeenWriter = { add: (heard: Heard) => void; run: () => Promise<void> };

/** Opens the writer, in the thread of a sink: a thread of its own would take 40 MiB. */
export function openLastSeenWriter({
  log,
  databaseUrl,
  calls,
  logger,
  stopping,
}: {
  log: { directory: string; segmentBytes: number; positions: SharedPositions };
  databaseUrl: string;
  calls: Calls;
  logger: Logger;
  stopping: AbortSignal;
}): LastSeenWriter {
  const { committed } = log.positions;
  const pool = openPostgres(
    databaseUrl,
    postgresConnections.ingest.seen,
    limits.seenQueryMsMax,
    logger,
    calls,
  );
  const seen = new SeenThings({
    directory: log.directory,
    pool,
    openReader: (format) =>
      new LogReader({
        directory: log.directory,
        formats: [format],
        segmentBytes: log.segmentBytes,
        committed,
        // The sinks report damage.
        onDamage: async () => undefined,
        windowBytes: limits.webhooks.windowBytes,
      }),
    committed,
    limits: {
      thingsAtOnceMax: limits.heardAtOnceMax,
      retryMs: limits.seenRetryMs,
      replayBytesMax: limits.webhooks.limits.batchBytesMax,
      foldBytes: limits.seenFoldBytes,
    },
    logger,
    stopping,
  });
  return {
    add: (heard) => seen.add(heard),
    async run() {
      await seen.run();
      await pool.end();
    },
  };
}
