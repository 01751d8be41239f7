import type { ClickHouseClient } from '../../../infra/runtime/stores/clickhouse.ts';
import { limits } from '../../limits.ts';
import { named } from '../store/errors.ts';
import type { Where } from '../query/conditions.ts';
import { type MessageFormat, messageTables } from '../../../schemas/messages/tables.ts';
import { messageText } from '../query/messages.ts';
import { placeColumns } from '../query/order.ts';
import { querySettings } from '../query/settings.ts';
import { isSamePlace, type Place, type RowPlace } from './place.ts';

/** A message as JSON text, whose it is, and where it stands in its log. */
export type PlacedRow = RowPlace & { publisher: string; text: string };

/**
 * What a log brought behind a place, up to a batch: the first of it, and whether there may be more. Leans on
 * the index `batches`. What is added to `where` stays.
 */
export async function readBehind(
  clickhouse: ClickHouseClient,
  format: MessageFormat,
  where: Where,
  place: Place,
  upTo: { log: string; batch: number },
): Promise<{ rows: PlacedRow[]; more: boolean }> {
  const [time = '', ...rest] = placeColumns(format);
  const tie = `sipHash64(${rest.join(', ')})`;
  const batch = where.bind('UInt32', place.batch);
  const begun = where.bind('String', place.last?.partition ?? '');
  where.add(`log = ${where.bind('String', upTo.log)}`);
  where.add(`batch BETWEEN ${batch} AND ${where.bind('UInt32', upTo.batch)}`);
  if (place.done.length > 0) {
    const done = where.bind('Array(String)', place.done);
    where.add(`NOT (batch = ${batch} AND _partition_id IN ${done})`);
  }
  if (place.last !== undefined) {
    const [lastTime, lastTie] = [
      where.bind('Int64', place.last.time),
      where.bind('UInt64', place.last.tie),
    ];
    where.add(
      `NOT (batch = ${batch} AND _partition_id = ${begun} AND
            (${time} < ${lastTime} OR ${time} = ${lastTime} AND ${tie} < ${lastTie}))`,
    );
  }
  // Those equal to the last one given come once more.
  const given = place.last?.given ?? 0;
  try {
    const result = await clickhouse.query({
      query: `
        SELECT batch, _partition_id, ${time}, ${tie}, publisher, ${messageText[format]}
        FROM ${messageTables[format].name}
        WHERE ${where.text}
        ORDER BY batch, batch = ${batch} AND _partition_id = ${begun} DESC, _partition_id, ${time}, ${tie}
        LIMIT ${limits.streamRowsMax + given}`,
      query_params: where.bound,
      use_multipart_params_auto: true,
      clickhouse_settings: querySettings,
      format: 'TabSeparatedRaw',
    });
    return await take(result.stream(), place);
  } catch (error) {
    throw named(error);
  }
}

/** Takes rows up to what is held at once; leaving the loop ends the query. */
async function take(
  stream: AsyncIterable<{ text: string }[]>,
  { last }: Place,
): Promise<{ rows: PlacedRow[]; more: boolean }> {
  const rows: PlacedRow[] = [];
  let known = last?.given ?? 0;
  let chars = 0;
  for await (const some of stream) {
    for (const { text } of some) {
      const row = placed(text);
      if (known > 0 && isSamePlace(last, row)) {
        known -= 1;
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
