import type { ClickHouseClients } from '../../../stores/clickhouse.ts';
import { randomBytes, randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import { DomainError } from '../../../../schemas/http/errors.ts';
import type { Database, Statements } from '../../../stores/database.ts';
import {
  type MessageFormat,
  messageFormats,
  messageTables,
} from '../../../../schemas/messages/tables.ts';
import { leaveOutGone } from './gone.ts';
import { loadFile } from './load.ts';
import { withLock } from '../lock.ts';
import { findMissing } from './missing.ts';
import type { Received } from '../spool.ts';
import { findRestores, forgetRestore, noteRestore } from '../sql.ts';
import { dropTables, execute, select, tablesOf } from '../statements.ts';

export type RestoreParts = { db: Database; clickhouse: ClickHouseClients };

/** One restore at a time, so that none misses what another one adds. */
const lockName = 'restore';
const lockMsMax = 5_000;
const lockRetrySeconds = 10;

const prefix = 'restore_';

/** A restore's tables: what its file holds, which stays as it is until the end. */
function loadedTable(id: string, format: MessageFormat): string {
  return `${prefix}${id}_${format}`;
}

/**
 * Adds to the store what it lacks of a file, and gives how many messages it left out because the things that
 * sent them are gone: whoever might read them is not who they were sent to. The file goes into tables of its own, and what is missing into
 * others; until then nothing has changed. Then the restore is noted, and the partitions of what is missing
 * are moved into the store. Interrupted before the note, it is cleared away; after it, whoever comes next
 * finds what is still missing, as before, and moves that.
 *
 * @throws DomainError `malformed` for a file that is not what it says, `unavailable` while another one runs.
 */
export async function restore(parts: RestoreParts, file: Received): Promise<number> {
  const held = messageFormats.filter((format) => file.counts[format] > 0);
  if (held.length === 0) return 0;
  const { db, clickhouse } = parts;
  const done = await withLock(db, lockName, lockMsMax, async (mustBeHeld) => {
    await settleRestores(parts, mustBeHeld);
    const id = randomUUID().replaceAll('-', '');
    let missing;
    let leftOut = 0;
    try {
      await loadFile(clickhouse.long, file, held, (format) => loadedTable(id, format));
      missing = await findAllMissing(clickhouse.long, id, held);
      leftOut = await leaveOutAllGone(db, clickhouse.long, missing);
      await mustBeHeld();
    } catch (error) {
      // What can't be dropped now is left for whoever comes next.
      await dropTables(clickhouse.long, prefix + id).catch(() => undefined);
      throw error;
    }
    await noteRestore(db, id, held);
    return leftOut + (await publish(parts, id, missing));
  });
  if (done === 'taken') {
    throw new DomainError('unavailable', 'another restore is under way', lockRetrySeconds);
  }
  return done;
}

/** Carries to its end what others left, if nobody is at it. */
export async function recoverRestores(parts: RestoreParts): Promise<void> {
  const { db, clickhouse } = parts;
  const left = (await findRestores(db)).length + (await tablesOf(clickhouse.long, prefix)).length;
  if (left === 0) return;
  await withLock(db, lockName, 0, (mustBeHeld) => settleRestores(parts, mustBeHeld));
}

async function settleRestores(parts: RestoreParts, mustBeHeld: () => Promise<void>): Promise<void> {
  const { db, clickhouse } = parts;
  for (const { id, formats: held } of await findRestores(db)) {
    // Whoever was at it may be slow and not gone: without its tables it can add nothing. A drop waits for
    // what runs on them.
    for (const format of held) await dropTables(clickhouse.long, missingTable(id, format, ''));
    const tables = await tablesOf(clickhouse.long, prefix + id);
    const isWhole = held.every((format) => tables.includes(loadedTable(id, format)));
    const missing = isWhole ? await findAllMissing(clickhouse.long, id, held) : [];
    await mustBeHeld();
    await publish(parts, id, missing);
  }
  await dropTables(clickhouse.long, prefix);
}

type Missing = { format: MessageFormat; table: string };

/** Another attempt has tables of its own. */
function missingTable(id: string, format: MessageFormat, attempt: string): string {
  return `${loadedTable(id, format)}_missing_${attempt}`;
}

async function findAllMissing(
  clickhouse: ClickHouseClient,
  id: string,
  held: readonly MessageFormat[],
): Promise<Missing[]> {
  const attempt = randomBytes(4).toString('hex');
  const all: Missing[] = [];
  for (const format of held) {
    const table = missingTable(id, format, attempt);
    await findMissing(clickhouse, format, loadedTable(id, format), table);
    all.push({ format, table });
  }
  return all;
}

async function leaveOutAllGone(
  db: Statements,
  clickhouse: ClickHouseClient,
  missing: Missing[],
): Promise<number> {
  let leftOut = 0;
  for (const { table } of missing) leftOut += await leaveOutGone(db, clickhouse, table);
  return leftOut;
}

/**
 * Shows what is missing, but for what was sent by things that are gone by now; gives how many messages those are.
 * A thing that is to be deleted meanwhile waits, so that what was restored of it is erased with the rest.
 */
async function publish(parts: RestoreParts, id: string, missing: Missing[]): Promise<number> {
  const { db, clickhouse } = parts;
  const leftOut = await db.transaction(async (locked) => {
    const left = await leaveOutAllGone(locked, clickhouse.long, missing);
    await move(clickhouse.long, missing);
    return left;
  });
  await forgetRestore(db, id);
  await dropTables(clickhouse.long, prefix + id).catch(() => undefined);
  return leftOut;
}

/** Each partition is moved at once, and keeps its files: that takes no time. */
async function move(clickhouse: ClickHouseClient, missing: Missing[]): Promise<void> {
  for (const { format, table } of missing) {
    const partitions = await select<{ id: string }>(
      clickhouse,
      'SELECT DISTINCT _partition_id AS id FROM {table:Identifier}',
      { table },
    );
    for (const partition of partitions) {
      await execute(
        clickhouse,
        `ALTER TABLE ${table} MOVE PARTITION ID '${partition.id}' TO TABLE ${messageTables[format].name}`,
      );
    }
  }
}
