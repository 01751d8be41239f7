import { codeOfProtocol, type Protocol } from '../../../schemas/messages/protocols.ts';
import { type Bytes, lengthBytes, readLength, writeLength } from '../columns.ts';
import type { LineBatch } from './batch.ts';
import { none } from './series-cache.ts';

const publisherBytes = 16;
/** Publisher and protocol. */
const fixedBytes = 17;
/** Sums and update times, of which lines have none: two empty arrays. */
const emptyBytes = 2;

/** Who sent the rows, and how. */
type LineEnvelope = { publisher: Uint8Array; protocol: Protocol };

/** The bytes of all rows, each as codecs/row-binary.ts says. */
export function lineRowsBytes(batch: LineBatch): number {
  let bytes = 0;
  for (let row = 0; row < batch.rows.count; row++) bytes += rowBytes(batch, row);
  return bytes;
}

function rowBytes(batch: LineBatch, row: number): number {
  const {
    rows,
    series: { subtopics, units, heads },
  } = batch;
  const series = rows.series[row] ?? 0;
  if (isPlain(batch, row)) {
    const head = (heads.starts[series + 1] ?? 0) - (heads.starts[series] ?? 0);
    return fixedBytes + head + (rows.numbers[row] === 1 ? plainBytes : plainBytes - 8);
  }
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

/** After the head of a row of one number: its time, no kinds, the number, no texts. */
const plainBytes = 8 + 1 + 9 + 1 + emptyBytes;

/** Whether all of a row up to its time is the head of its series: it has one number, with the series' own name. */
const isPlain = ({ rows, nameAts }: LineBatch, row: number): boolean =>
  rows.records[row] === 1 && rows.otherKinds[row] === 0 && nameAts[rows.firsts[row] ?? 0] === none;

/** Writes all rows. `target` must have room for `lineRowsBytes` from `offset` on. Returns the offset after them. */
export function writeLineRows(
  batch: LineBatch,
  { publisher, protocol }: LineEnvelope,
  target: Bytes,
  offset: number,
): number {
  const code = codeOfProtocol(protocol);
  const id = new DataView(publisher.buffer, publisher.byteOffset, publisherBytes);
  let to = offset;
  for (let row = 0; row < batch.rows.count; row++) {
    for (let at = 0; at < publisherBytes; at += 4) {
      target.view.setInt32(to + at, id.getInt32(at));
    }
    target.bytes[to + publisherBytes] = code;
    to = writeRow(batch, row, target, to + fixedBytes);
  }
  return to;
}

/** Writes one of the rows. Returns the offset after it. */
export function writeLineRow(
  batch: LineBatch,
  row: number,
  { publisher, protocol }: LineEnvelope,
  target: Bytes,
  offset: number,
): number {
  target.bytes.set(publisher, offset);
  target.bytes[offset + publisherBytes] = codeOfProtocol(protocol);
  return writeRow(batch, row, target, offset + fixedBytes);
}

/** All of a row that comes after its publisher and protocol. */
function writeRow(batch: LineBatch, row: number, target: Bytes, offset: number): number {
  if (isPlain(batch, row)) return writePlain(batch, row, target, offset);
  const { rows, series, times } = batch;
  const { bytes, view } = target;
  const { subtopics } = series;
  const of = rows.series[row] ?? 0;
  const records = rows.records[row] ?? 0;
  let to = copy(
    subtopics,
    subtopics.starts[of] ?? 0,
    subtopics.starts[of + 1] ?? 0,
    target,
    offset,
  );
  to = writeLength(bytes, to, records);
  to = writeNames(batch, row, target, to);
  to = writeUnits(batch, row, target, to);
  to = writeLength(bytes, to, records);
  const { halves } = times;
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none, to += 8) {
    view.setInt32(to, halves[at * 2] ?? 0, true);
    view.setInt32(to + 4, halves[at * 2 + 1] ?? 0, true);
  }
  to = writeKinds(batch, row, target, to);
  to = writeValues(batch, row, target, to);
  to = writeTexts(batch, row, target, to);
  for (let at = 0; at < emptyBytes; at++) bytes[to++] = 0;
  return to;
}

function writePlain(
  { rows, series: { heads }, times: { halves }, values }: LineBatch,
  row: number,
  target: Bytes,
  offset: number,
): number {
  const { view } = target;
  const of = rows.series[row] ?? 0;
  const record = rows.firsts[row] ?? 0;
  let to = copy(heads, heads.starts[of] ?? 0, heads.starts[of + 1] ?? 0, target, offset);
  view.setInt32(to, halves[record * 2] ?? 0, true);
  view.setInt32(to + 4, halves[record * 2 + 1] ?? 0, true);
  view.setUint8(to + 8, 0);
  to += 9;
  const hasNumber = rows.numbers[row] === 1;
  view.setUint8(to, Number(hasNumber));
  to += 1;
  if (hasNumber) {
    view.setFloat64(to, values[record] ?? 0, true);
    to += 8;
  }
  // No texts, and what is always empty.
  view.setUint8(to, 0);
  view.setUint16(to + 1, 0);
  return to + 1 + emptyBytes;
}

function writeNames(
  { rows, series, nameAts, names }: LineBatch,
  row: number,
  target: Bytes,
  offset: number,
): number {
  const of = rows.series[row] ?? 0;
  const start = series.names.starts[of] ?? 0;
  const end = series.names.starts[of + 1] ?? 0;
  let to = offset;
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none) {
    const name = nameAts[at] ?? none;
    to =
      name === none
        ? copy(series.names, start, end, target, to)
        : copyText(names, name, target, to);
  }
  return to;
}

/** All records of a series have the same. */
function writeUnits(
  { rows, series: { units } }: LineBatch,
  row: number,
  target: Bytes,
  offset: number,
): number {
  const series = rows.series[row] ?? 0;
  const records = rows.records[row] ?? 0;
  const start = units.starts[series] ?? 0;
  const end = units.starts[series + 1] ?? 0;
  if (end - start <= 1) return writeLength(target.bytes, offset, 0);
  let to = writeLength(target.bytes, offset, records);
  for (let record = 0; record < records; record++) to = copy(units, start, end, target, to);
  return to;
}

function writeKinds(
  { rows, kinds }: LineBatch,
  row: number,
  { bytes }: Bytes,
  offset: number,
): number {
  if (rows.otherKinds[row] === 0) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, rows.records[row] ?? 0);
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none) {
    bytes[to++] = kinds[at] ?? 0;
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
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none, to += 8) {
    view.setFloat64(to, values[at] ?? 0, true);
  }
  return to;
}

function writeTexts(
  { rows, textAts, texts }: LineBatch,
  row: number,
  target: Bytes,
  offset: number,
): number {
  const { bytes } = target;
  if (rows.texts[row] === 0) return writeLength(bytes, offset, 0);
  let to = writeLength(bytes, offset, rows.records[row] ?? 0);
  for (let at = rows.firsts[row] ?? none; at !== none; at = rows.nexts[at] ?? none) {
    const text = textAts[at] ?? none;
    if (text === none) bytes[to++] = 0;
    else to = copyText(texts, text, target, to);
  }
  return to;
}

/** From here on the call into native code beats a loop. */
const nativeBytesMin = 128;

/** Copies in words, and what is left in bytes: nothing is written beyond the end. */
function copy(source: Bytes, start: number, end: number, target: Bytes, offset: number): number {
  if (end - start >= nativeBytesMin) {
    return offset + source.bytes.copy(target.bytes, offset, start, end);
  }
  const from = source.view;
  const { view } = target;
  let to = offset;
  let at = start;
  for (; at + 4 <= end; at += 4, to += 4) view.setInt32(to, from.getInt32(at));
  for (; at < end; at++, to++) view.setUint8(to, from.getUint8(at));
  return to;
}

/** A text with its length. */
function copyText(source: Bytes, start: number, target: Bytes, offset: number): number {
  const length = readLength(source.bytes, start);
  return copy(source, start, start + lengthBytes(length) + length, target, offset);
}
