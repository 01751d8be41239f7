import type { Database } from '../../stores/database.ts';
import type { ClickHouseClients } from '../../stores/clickhouse.ts';
import { createHash, randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { messageFormats } from '../../../schemas/messages/tables.ts';
import { settleLogs } from '../deletes.ts';
import { type Header, type Piece, writeEnd, writeHead, writePieceHead } from './format.ts';
import { withLock } from './lock.ts';
import { mustBeUnchanged, readSnapshot, type Snapshot, takeSnapshot } from './snapshot.ts';
import { dropTables, storedColumns } from './statements.ts';

export type BackupParts = {
  db: Database;
  clickhouse: ClickHouseClients;
  announceKeyChanges: () => void;
};

export const snapshotPrefix = 'backup_';

/** Held as long as the snapshots of a backup are wanted. */
export function lockOfBackup(id: string): string {
  return `backup ${id}`;
}

/**
 * Everything that was acknowledged before, as a file. Whoever destroys it drops its snapshots; it fails
 * where a query fails, and has no end then.
 *
 * @throws DomainError `unavailable` while earlier messages are on their way to the store.
 */
export async function startBackup(parts: BackupParts): Promise<Readable> {
  const { db, clickhouse } = parts;
  await settleLogs(parts);
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
      const file = Readable.from(writeFile(parts, snapshots), { objectMode: false });
      const closed = new Promise((resolve) => file.once('close', resolve));
      started.resolve(file);
      await closed;
    } finally {
      await dropTables(clickhouse.long, `${snapshotPrefix}${id}`);
    }
    // Later it is the file that fails; a snapshot that could not be dropped is dropped by whoever comes next.
  }).catch(started.reject);
  return started.promise;
}

async function* writeFile(
  { clickhouse }: BackupParts,
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

/** The next one is read while this one is sent. */
async function* ahead(pieces: AsyncGenerator<Piece>): AsyncGenerator<Piece> {
  let next = pieces.next();
  try {
    for (;;) {
      const { done, value } = await next;
      if (done === true) return;
      next = pieces.next();
      // Whoever leaves meanwhile does not wait for it.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await pieces.return(undefined);
  }
}
