import { join } from 'node:path';
import { openClickHouse } from '../../../infra/runtime/stores/clickhouse.ts';
import type { Logger } from '../../../infra/runtime/process/logger.ts';
import { type Cursor, readCursor } from '../../log/cursor.ts';
import type { Format } from '../../log/format.ts';
import { readIdentity, renewReverted } from '../../log/directory/identity.ts';
import { ClickHouseStore, type Store } from './send.ts';

/*
 * A log directory may be an older state of itself (a restored snapshot), or a copy that runs beside the original. Then
 * the store has batches of this log's identity that the log does not know, with other messages. So the log takes
 * another identity and keeps its cursors: messages that it acknowledged after them are sent, at worst a second time,
 * and no message counts as stored that is not.
 */

/** The newest batch that the store may have, as far as the log knows. */
export function newestKnown(cursor: Cursor | undefined): number {
  if (cursor === undefined) return 0;
  return cursor.sendingTo === undefined ? cursor.batch - 1 : cursor.batch;
}

/** Whether the store has newer batches of this log. @throws while it is away. */
export async function isReverted(
  directory: string,
  stores: Readonly<Record<Format, Store>>,
): Promise<boolean> {
  const cursorOf = (format: Format) => readCursor(join(directory, `${format}.cursor`));
  const isAhead = async (format: Format) =>
    (await stores[format].newest()) > newestKnown(await cursorOf(format));
  return (await isAhead('senml')) || (await isAhead('json'));
}

/**
 * Called at a start, before any message is taken. If the store is away then, its sink does it before it sends anything.
 */
export async function renewIfReverted(
  directory: string,
  clickhouseUrl: string,
  queryMsMax: number,
  logger: Logger,
): Promise<void> {
  const client = openClickHouse(clickhouseUrl, 'millrace-ingest', queryMsMax);
  try {
    const { id } = await readIdentity(directory);
    const stores = {
      senml: new ClickHouseStore(client, 'senml', id),
      json: new ClickHouseStore(client, 'json', id),
    };
    if (await isReverted(directory, stores)) await renewReverted(directory, logger);
  } catch (error) {
    logger.debug({ error }, 'the store can not be asked for the batches of this log');
  } finally {
    await client.close();
  }
}
