import { randomBytes, randomUUID } from 'node:crypto';
import type { ClickHouseClient } from '../../../../infra/runtime/stores/clickhouse.ts';
import { onShards, storedTable } from '../../../../infra/runtime/stores/cluster.ts';
import { DomainError } from '../../../../schemas/http/errors.ts';
import {
  type MessageFormat,
  messageFormats,
  messageTables,
} from '../../../../schemas/messages/tables.ts';
import type { ClickHouseClients } from '../../../stores/clickhouse.ts';
import type { Database, Statements } from '../../../stores/database.ts';
import { withLock } from '../lock.ts';
import type { SpooledUpload } from '../spool.ts';
import { findRestores, forgetRestore, noteRestore } from '../sql.ts';
import { dropTables, execute, select, tablesOf } from '../statements.ts';
import { leaveOutDeleted } from './deleted-things.ts';
import { loadFile } from './load.ts';
import { findMissing } from './missing.ts';
import {
  isDroppedOnFailure,
  type MissingTable,
  type Restore,
  type RestoreEvent,
  resumed,
  transition,
} from './states.ts';

export type RestoreDependencies = { db: Database; clickhouse: ClickHouseClients };

/** One restore at a time: two at once would both add what is missing. */
const lockName = 'restore';
const lockMsMax = 5_000;
const lockRetrySeconds = 10;

const tablePrefix = 'restore_';

/**
 * Adds to the store the messages of a file that it lacks. Messages of deleted things are left out: the people who could
 * read them now are not those they were sent to. Returns how many. See `Restore` for its states.
 *
 * @throws DomainError `malformed` for a damaged file, `unavailable` while another one runs.
 */
export async function restore(
  dependencies: RestoreDependencies,
  file: SpooledUpload,
): Promise<number> {
  const formats = messageFormats.filter((format) => file.counts[format] > 0);
  if (formats.length === 0) return 0;
  const leftOut = await withLock(dependencies.db, lockName, lockMsMax, async (mustBeHeld) => {
    await completeNoted(dependencies, mustBeHeld);
    const id = randomUUID().replaceAll('-', '');
    return complete({ ...dependencies, id, formats, mustBeHeld }, { kind: 'loading', file });
  });
  if (leftOut === 'taken') {
    throw new DomainError('unavailable', 'another restore is under way', lockRetrySeconds);
  }
  return leftOut;
}

/**
 * Completes the restores that other processes left, unless one of them is still running. Tables of restores that are
 * not noted are only looked for if `areLeftoversDue`.
 */
export async function recoverRestores(
  dependencies: RestoreDependencies,
  areLeftoversDue: boolean,
): Promise<void> {
  const { db, clickhouse } = dependencies;
  const noted = await findRestores(db);
  const tables = areLeftoversDue ? await tablesOf(clickhouse.long, tablePrefix) : [];
  if (noted.length + tables.length === 0) return;
  await withLock(db, lockName, 0, (mustBeHeld) => completeNoted(dependencies, mustBeHeld));
}

/** Completes those that are noted, and drops the tables of those that are not. */
async function completeNoted(
  dependencies: RestoreDependencies,
  mustBeHeld: () => Promise<void>,
): Promise<void> {
  const { db, clickhouse } = dependencies;
  for (const { id, formats } of await findRestores(db)) {
    // The process that began it may be slow and not dead. Without these tables it can add nothing more; the drop
    // waits for statements that use them.
    for (const format of formats) await dropTables(clickhouse.long, missingTable(id, format, ''));
    const loaded = formats.map((format) => loadedTable(id, format));
    const existing = await tablesOf(clickhouse.long, tablePrefix + id);
    await complete({ ...dependencies, id, formats, mustBeHeld }, resumed(loaded, existing));
  }
  await dropTables(clickhouse.long, tablePrefix);
}

/** The work of every state needs these. */
type Work = RestoreDependencies & {
  id: string;
  /** The formats of the file's messages. */
  formats: readonly MessageFormat[];
  /** @throws if another process may hold the lock by now. */
  mustBeHeld: () => Promise<void>;
};

/** Does the work of each state until the restore is done. */
async function complete(work: Work, from: Restore): Promise<number> {
  let current = from;
  for (;;) {
    if (current.kind === 'done') return current.leftOut;
    try {
      current = transition(current, await perform(work, current));
    } catch (error) {
      // The next recovery drops those that can't be dropped now.
      if (isDroppedOnFailure(current)) await dropAll(work).catch(() => undefined);
      throw error;
    }
  }
}

function perform(work: Work, current: Exclude<Restore, { kind: 'done' }>): Promise<RestoreEvent> {
  let event: Promise<RestoreEvent>;
  switch (current.kind) {
    case 'loading':
      event = load(work, current.file);
      break;
    case 'comparing':
      event = compare(work, current.isNoted);
      break;
    case 'filtering':
      event = filter(work, current.missing);
      break;
    case 'noting':
      event = note(work);
      break;
    case 'publishing':
      event = publish(work, current.missing);
      break;
    case 'clearing':
      event = clear(work);
      break;
  }
  return event;
}

async function load({ clickhouse, id, formats }: Work, file: SpooledUpload): Promise<RestoreEvent> {
  await loadFile(clickhouse.long, file, formats, (format) => loadedTable(id, format));
  return { kind: 'loaded' };
}

async function compare(
  { clickhouse, id, formats, mustBeHeld }: Work,
  isNoted: boolean,
): Promise<RestoreEvent> {
  const attempt = randomBytes(4).toString('hex');
  const missing: MissingTable[] = [];
  for (const format of formats) {
    const table = missingTable(id, format, attempt);
    await findMissing(clickhouse.long, format, loadedTable(id, format), table);
    missing.push({ format, table });
  }
  if (isNoted) await mustBeHeld();
  return { kind: 'compared', missing };
}

async function filter(
  { db, clickhouse, mustBeHeld }: Work,
  missing: readonly MissingTable[],
): Promise<RestoreEvent> {
  const leftOut = await leaveOutAllDeleted(db, clickhouse.long, missing);
  await mustBeHeld();
  return { kind: 'filtered', leftOut };
}

async function note({ db, id, formats }: Work): Promise<RestoreEvent> {
  await noteRestore(db, id, formats);
  return { kind: 'noted' };
}

/**
 * Moves missing messages into the store, except those of things that were deleted meanwhile. A deletion of a thing
 * waits until this is done, so that its restored messages are erased as well.
 */
async function publish(
  { db, clickhouse }: Work,
  missing: readonly MissingTable[],
): Promise<RestoreEvent> {
  const leftOut = await db.transaction(async (locked) => {
    const count = await leaveOutAllDeleted(locked, clickhouse.long, missing);
    for (const one of missing) await moveAll(clickhouse.long, one);
    return count;
  });
  return { kind: 'published', leftOut };
}

async function clear(work: Work): Promise<RestoreEvent> {
  await forgetRestore(work.db, work.id);
  await dropAll(work).catch(() => undefined);
  return { kind: 'cleared' };
}

/** A table of all messages of the file. */
function loadedTable(id: string, format: MessageFormat): string {
  return `${tablePrefix}${id}_${format}`;
}

/** Another attempt has other tables. */
function missingTable(id: string, format: MessageFormat, attempt: string): string {
  return `${loadedTable(id, format)}_missing_${attempt}`;
}

function dropAll({ clickhouse, id }: Work): Promise<void> {
  return dropTables(clickhouse.long, tablePrefix + id);
}

async function leaveOutAllDeleted(
  db: Statements,
  clickhouse: ClickHouseClient,
  missing: readonly MissingTable[],
): Promise<number> {
  let leftOut = 0;
  for (const { table } of missing) leftOut += await leaveOutDeleted(db, clickhouse, table);
  return leftOut;
}

/** A partition of a shard is moved at once, with its files: that takes no time. */
async function moveAll(
  clickhouse: ClickHouseClient,
  { format, table }: MissingTable,
): Promise<void> {
  const { cluster } = clickhouse;
  const partitions = await select<{ id: string }>(
    clickhouse,
    'SELECT DISTINCT _partition_id AS id FROM {table:Identifier}',
    { table },
  );
  for (const { id } of partitions) {
    await execute(
      clickhouse,
      `ALTER TABLE ${onShards(cluster, table)}
       MOVE PARTITION ID '${id}' TO TABLE ${storedTable(cluster, messageTables[format].name)}`,
    );
  }
}
