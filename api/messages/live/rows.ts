import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { partitionOf } from '../../../infra/runtime/stores/cluster.ts';
import { limits } from '../../limits.ts';
import { withStoreErrors } from '../store/errors.ts';
import type { Where } from '../query/where.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageText } from '../query/message-text.ts';
import { placeColumns, tieOf } from '../query/order.ts';
import { querySettings } from '../store/settings.ts';
import { isSamePlace, type LogPlace, type RowPlace } from './position.ts';

/** A message as JSON text, its publisher, and its place in its log. */
export type PlacedRow = RowPlace & { publisher: string; text: string };

/** The rows to read of a log: those after `place`, in batches up to `batch`. */
export type LogRange = { log: string; place: LogPlace; batch: number };

/**
 * The first rows of a log after a place, and whether there may be more. Uses the index `batches`. Narrows
 * `where`.
 */
export async function readAfter(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
  range: LogRange,
): Promise<{ rows: PlacedRow[]; more: boolean }> {
  return withStoreErrors(async () => {
    const result = await clickhouse.query({
      query: statementAfter(format, partitionOf(clickhouse.cluster), where, range),
      query_params: where.bound,
      use_multipart_params_auto: true,
      clickhouse_settings: querySettings,
      format: 'TabSeparatedRaw',
    });
    return take(result.stream(), range.place);
  });
}

/** In the order of batches; in the batch of the place, first the partition that was begun. */
function statementAfter(
  format: MessageFormat,
  partition: string,
  where: Where,
  { log, place, batch: lastBatch }: LogRange,
): string {
  const { done, last } = place;
  const [time = '', ...rest] = placeColumns(format);
  const tie = `sipHash64(${rest.join(', ')}) AS hashed`;
  const batch = where.bind('UInt32', place.batch);
  const begun = where.bind('String', last?.partition ?? '');
  where.add(`log = ${where.bind('String', log)}`);
  where.add(`batch BETWEEN ${batch} AND ${where.bind('UInt32', lastBatch)}`);
  if (done.length > 0) {
    const partitions = where.bind('Array(String)', done);
    where.add(`NOT (batch = ${batch} AND ${partition} IN ${partitions})`);
  }
  if (last !== undefined) {
    const lastTime = where.bind('Int64', last.time);
    const lastTie = where.bind('UInt64', last.tie);
    where.add(
      `NOT (batch = ${batch} AND ${partition} = ${begun} AND
            (${time} < ${lastTime} OR ${time} = ${lastTime} AND hashed < ${lastTie}))`,
    );
  }
  // Rows at the same place as the last one are read again and skipped.
  const limit = limits.streamRowsMax + (last?.given ?? 0);
  return `
    WITH ${tieOf[format]}, ${tie}
    SELECT batch, ${partition}, ${time}, hashed, publisher, ${messageText[format]}
    FROM ${messageTables[format].name}
    WHERE ${where.text}
    ORDER BY batch, batch = ${batch} AND ${partition} = ${begun} DESC, ${partition}, ${time}, hashed
    LIMIT ${limit}`;
}

/** Takes as many rows as may be held at once; leaving the loop ends the query. */
async function take(
  stream: AsyncIterable<{ text: string }[]>,
  { last }: LogPlace,
): Promise<{ rows: PlacedRow[]; more: boolean }> {
  const rows: PlacedRow[] = [];
  let given = last?.given ?? 0;
  let chars = 0;
  for await (const some of stream) {
    for (const { text } of some) {
      const row = placed(text);
      if (given > 0 && isSamePlace(last, row)) {
        given -= 1;
        continue;
      }
      rows.push(row);
      chars += text.length;
      if (rows.length === limits.streamRowsMax || chars >= limits.streamCharsMax)
        return { rows, more: true };
    }
  }
  return { rows, more: false };
}

function placed(line: string): PlacedRow {
  const fields = line.split('\t', 5);
  const [batch, partition = '', time = '', tie = '', publisher = ''] = fields;
  const text = line.slice(fields.join('\t').length + 1);
  return { batch: Number(batch), partition, time, tie, publisher, text };
}
