import { codeOfProtocol, type Protocol } from '../../../schemas/messages/protocols.ts';
import { type Bytes, lengthBytes, readLength, writeLength } from '../columns.ts';
import type { LineBatch } from './batch.ts';
import { none } from './series-cache.ts';

/** Publisher and protocol. */
const fixedBytes = 17;
/** Sums and update times, of which lines have none: two empty arrays. */
const emptyBytes = 2;

/** Who sent the rows, and how. */
type LineEnvelope = {
  publisher: Uint8Array;
  protocol: Protocol;
};

/** The bytes of one row (codecs/row-binary.ts). */
function lineRowBytes({ rows, series: { subtopics, units } }: LineBatch, row: number): number {
  const series = rows.series[row] ?? 0;
  const records = rows.records[row] ?? 0;
  const lengths = lengthBytes(records);
  const unitBytes = (units.starts[series + 1] ?? 0) - (units.starts[series] ?? 0);
  const texts = rows.texts[row] ?? 0;
  return (
    fixedBytes +
    (subtopics.starts[series + 1] ?? 0) -
    (subtopics.starts[series] ?? 0) +
    lengths +
    (rows.nameBytes[row] ?? 0) +
    (unitBytes > 1 ? lengths + records * unitBytes : 1) +
    lengths +
    records * 8 +
    (rows.otherKinds[row] === 1 ? lengths + records : 1) +
    (rows.numbers[row] === 1 ? lengths + records * 8 : 1) +
    (texts > 0 ? lengths + (rows.textBytes[row] ?? 0) + records - texts : 1) +
    emptyBytes
  );
}

/** The bytes of all rows. */
export function lineRowsBytes(batch: LineBatch): number {
  let bytes = 0;
  for (let row = 0; row < batch.rows.count; row++) bytes += lineRowBytes(batch, row);
  return bytes;
}

/** Writes a row. `target` must have room for `lineRowBytes` from `offset` on. Returns the offset after the row. */
export function writeLineRow(
  batch: LineBatch,
  row: number,
  { publisher, protocol }: LineEnvelope,
  target: Bytes,
  offset: number,
): number {
  const { rows } = batch;
  const { bytes, view } = target;
  const { subtopics } = batch.series;
  const series = rows.series[row] ?? 0;
  const records = rows.records[row] ?? 0;
  for (let at = 0; at < fixedBytes - 1; at++) bytes[offset + at] = publisher[at] ?? 0;
  let to = offset + fixedBytes;
  bytes[to - 1] = codeOfProtocol(protocol);
  to = copy(
    subtopics.bytes,
    subtopics.starts[series] ?? 0,
    subtopics.starts[series + 1] ?? 0,
    bytes,
    to,
  );
  to = writeLength(bytes, to, records);
  to = writeNames(batch, row, bytes, to);
  to = writeUnits(batch, row, bytes, to);
  to = writeLength(bytes, to, records);
  const { halves } = batch.times;
  for (
    let record = rows.firsts[row] ?? none;
    record !== none;
    record = rows.nexts[record] ?? none
  ) {
    view.setInt32(to, halves[record * 2] ?? 0, true);
    view.setInt32(to + 4, halves[record * 2 + 1] ?? 0, true);
    to += 8;
  }
  to = writeKinds(batch, row, bytes, to);
  to = writeValues(batch, row, target, to);
  to = writeTexts(batch, row, bytes, to);
  for (let at = 0; at < emptyBytes; at++) bytes[to++] = 0;
  return to;
}

function writeNames(
  { rows, series, nameAts, names }: LineBatch,
  row: number,
  bytes: Buffer,
  offset: number,
): number {
  const of = rows.series[row] ?? 0;
  const start = series.names.starts[of] ?? 0;
  const end = series.names.starts[of + 1] ?? 0;
  let to = offset;
  for (
    let record = rows.firsts[row] ?? none;
    record !== none;
    record = rows.nexts[record] ?? none
  ) {
    const name = nameAts[record] ?? none;
    to =
      name === none
        ? copy(series.names.bytes, start, end, bytes, to)
        : copyText(names.bytes, name, bytes, to);
  }
  return to;
}

/** All records of a series have the same. */
function writeUnits(
  { rows, series: { units } }: LineBatch,
  row: number,
  bytes: Buffer,
  offset: number,
): number {
  const series = rows.series[row] ?? 0;
  const records = rows.records[row] ?? 0;
  const start = units.starts[series] ?? 0;
  const end = units.starts[series + 1] ?? 0;
  if (end - start <= 1) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, records);
  for (let record = 0; record < records; record++) to = copy(units.bytes, start, end, bytes, to);
  return to;
}

function writeKinds(
  { rows, kinds }: LineBatch,
  row: number,
  bytes: Buffer,
  offset: number,
): number {
  if (rows.otherKinds[row] === 0) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, rows.records[row] ?? 0);
  for (
    let record = rows.firsts[row] ?? none;
    record !== none;
    record = rows.nexts[record] ?? none
  ) {
    bytes[to++] = kinds[record] ?? 0;
  }
  return to;
}

function writeValues(
  { rows, values }: LineBatch,
  row: number,
  { bytes, view }: Bytes,
  offset: number,
): number {
  if (rows.numbers[row] === 0) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, rows.records[row] ?? 0);
  for (
    let record = rows.firsts[row] ?? none;
    record !== none;
    record = rows.nexts[record] ?? none
  ) {
    view.setFloat64(to, values[record] ?? 0, true);
    to += 8;
  }
  return to;
}

function writeTexts(
  { rows, textAts, texts }: LineBatch,
  row: number,
  bytes: Buffer,
  offset: number,
): number {
  if (rows.texts[row] === 0) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, rows.records[row] ?? 0);
  for (
    let record = rows.firsts[row] ?? none;
    record !== none;
    record = rows.nexts[record] ?? none
  ) {
    const text = textAts[record] ?? none;
    if (text === none) bytes[to++] = 0;
    else to = copyText(texts.bytes, text, bytes, to);
  }
  return to;
}

/** From here on the call into native code beats a loop. */
const nativeBytesMin = 64;

function copy(source: Buffer, start: number, end: number, target: Buffer, offset: number): number {
  if (end - start >= nativeBytesMin) return offset + source.copy(target, offset, start, end);
  let to = offset;
  for (let at = start; at < end; at++) target[to++] = source[at] ?? 0;
  return to;
}

/** A text with its length. */
function copyText(source: Buffer, start: number, target: Buffer, offset: number): number {
  const length = readLength(source, start);
  return copy(source, start, start + lengthBytes(length) + length, target, offset);
}
