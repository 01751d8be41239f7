import { lengthBytes, readLength } from '../columns.ts';
import { kinds } from '../senml/column-batch.ts';
import type { LineBatch } from './batch.ts';
import { none } from './series-cache.ts';

/** A row's subtopic. */
export function subtopicOfRow({ rows, series: { subtopics } }: LineBatch, row: number): string {
  return textAt(subtopics.bytes, subtopics.starts[rows.series[row] ?? 0] ?? 0);
}

/** A row as a SenML pack in JSON, as webhooks get it. */
export function senmlOfRow(batch: LineBatch, row: number): Buffer {
  const { rows, series } = batch;
  const own = rows.series[row] ?? 0;
  const measurement = textAt(series.names.bytes, series.names.starts[own] ?? 0);
  const unit = textAt(series.units.bytes, series.units.starts[own] ?? 0);
  const u = unit === '' ? '' : `,"u":${JSON.stringify(unit)}`;
  const records: string[] = [];
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none) {
    const nameAt = batch.nameAts[at] ?? none;
    const name = nameAt === none ? measurement : textAt(batch.names.bytes, nameAt);
    records.push(
      `{"n":${JSON.stringify(name)}${u},"t":${secondsOf(batch, at)},${valueOf(batch, at)}}`,
    );
  }
  return Buffer.from(`[${records.join(',')}]`);
}

function valueOf({ kinds: all, values, texts, textAts }: LineBatch, record: number): string {
  const value = values[record] ?? 0;
  const kind = all[record];
  if (kind === kinds.string) {
    return `"vs":${JSON.stringify(textAt(texts.bytes, textAts[record] ?? 0))}`;
  }
  return kind === kinds.bool ? `"vb":${value === 1}` : `"v":${JSON.stringify(value)}`;
}

/** With all digits of its nanoseconds. */
function secondsOf({ times }: LineBatch, record: number): string {
  const nanos = times.bytes.readBigInt64LE(record * 8);
  const digits = String(nanos < 0n ? -nanos : nanos).padStart(10, '0');
  const fraction = digits.slice(-9).replace(/0+$/, '');
  const seconds = `${nanos < 0n ? '-' : ''}${digits.slice(0, -9)}`;
  return fraction === '' ? seconds : `${seconds}.${fraction}`;
}

/** A text that stands after its length. */
function textAt(bytes: Buffer, at: number): string {
  const length = readLength(bytes, at);
  const start = at + lengthBytes(length);
  return bytes.toString('utf8', start, start + length);
}
