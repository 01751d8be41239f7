import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { messageFormats } from '../../../schemas/messages/tables.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { type BarrierDependencies, waitForEarlierMessages } from '../store/barrier.ts';
import { type Header, type Piece, writeEnd, writeHead, writePieceHead } from './format.ts';
import { withLock } from './lock.ts';
import { mustBeUnchanged, readSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { dropTables, storedColumns } from './statements.ts';

export type BackupDependencies = BarrierDependencies & { clickhouse: ClickHouseClients };

export const snapshotPrefix = 'backup_';

/** The lock that a backup holds while it needs its snapshots. */
export function lockOfBackup(id: string): string {
  return `backup ${id}`;
}

/**
 * A file of everything that was acknowledged before. Its snapshots are dropped when the file is closed. If a query
 * fails, the file fails, without its end.
 *
 * @throws DomainError `unavailable` while earlier messages are not stored yet.
 */
export async function startBackup(dependencies: BackupDependencies): Promise<Readable> {
  const { db, clickhouse } = dependencies;
  await waitForEarlierMessages(dependencies);
  const id = randomUUID().replaceAll('-', '');
  const started = Promise.withResolvers<Readable>();
  void withLock(db, lockOfBackup(id), 0, async () => {
    try {
      const snapshots: Snapshot[] = [];
      for (const format of messageFormats) {
        const columns = await storedColumns(clickhouse.long, format);
        const table = `${snapshotPrefix}${id}_${format}`;
        snapshots.push(await takeSnapshot(clickhouse.long, format, table, columns));
      }
      const file = Readable.from(writeFile(dependencies, snapshots), { objectMode: false });
      const closed = new Promise((resolve) => file.once('close', resolve));
      started.resolve(file);
      await closed;
    } finally {
      await dropTables(clickhouse.long, `${snapshotPrefix}${id}`);
    }
    // Once started, the file itself fails. Snapshots that can't be dropped now are dropped by the next recovery.
  }).catch(started.reject);
  return started.promise;
}

async function* writeFile(
  { clickhouse }: BackupDependencies,
  snapshots: Snapshot[],
): AsyncGenerator<Buffer> {
  const hash = createHash('sha256');
  const hashed = (bytes: Buffer) => {
    hash.update(bytes);
    return bytes;
  };
  yield hashed(writeHead(headerOf(snapshots)));
  for (const snapshot of snapshots) {
    for await (const piece of ahead(readSnapshot(clickhouse.long, snapshot))) {
      yield hashed(writePieceHead(piece));
      yield hashed(piece.data);
    }
    await mustBeUnchanged(clickhouse.long, snapshot);
  }
  yield hashed(writeEnd());
  yield hash.digest();
}

function headerOf(snapshots: Snapshot[]): Header {
  const of = (format: string) => snapshots.find((snapshot) => snapshot.format === format);
  return {
    created: new Date().toISOString(),
    counts: { senml: of('senml')?.rows ?? 0, json: of('json')?.rows ?? 0 },
    columns: { senml: of('senml')?.columns ?? {}, json: of('json')?.columns ?? {} },
  };
}

/** Reads the next piece while this one is sent. */
async function* ahead(pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  let next = pieces.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = pieces.next();
      // If the reader leaves, nothing awaits it.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}
