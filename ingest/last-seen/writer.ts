import { BroadcastChannel } from 'node:worker_threads';
import type { Calls } from '../../infra/runtime/observability/calls.ts';
import type { Logger } from '../../infra/runtime/process/logger.ts';
import { postgresConnections } from '../../infra/runtime/stores/postgres-connections.ts';
import { openPostgres } from '../../infra/runtime/stores/postgres.ts';
import { limits } from '../limits.ts';
import type { SharedPositions } from '../log/positions.ts';
import { LogReader } from '../log/reader.ts';
import { type Heard, lastSeenChannel, SeenThings } from './last-seen.ts';

/**
 * Writes when things were last heard, until `stopping`. It runs in the thread of a sink, as one of its own would take
 * 40 MiB; what it is to write comes over a channel, so that the sink knows nothing of it.
 */
export async function runLastSeenWriter({
  log,
  databaseUrl,
  calls,
  logger,
  stopping,
}: {
  log: { id: string; directory: string; segmentBytes: number; positions: SharedPositions };
  databaseUrl: string;
  calls: Calls;
  logger: Logger;
  stopping: AbortSignal;
}): Promise<void> {
  const { committed } = log.positions;
  const pool = openPostgres(
    databaseUrl,
    postgresConnections.ingest.seen,
    limits.seenQueryMsMax,
    logger,
    calls,
  );
  const seen = new SeenThings({
    logId: log.id,
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
      hearingEveryMs: limits.hearingEveryMs,
    },
    logger,
    stopping,
  });
  const channel = new BroadcastChannel(lastSeenChannel);
  channel.addEventListener('message', (event) => {
    if (!(event instanceof MessageEvent)) return;
    const heard: Heard = event.data;
    seen.add(heard);
  });
  await seen.run();
  channel.close();
  await pool.end();
}
