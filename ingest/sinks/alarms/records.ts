import { alarmHeadBytes, alarmHeadLayout } from '../../codecs/alarm-head.ts';
import { lengthBytes, readLength } from '../../codecs/columns.ts';
import { kinds } from '../../codecs/senml/column-batch.ts';
import type { Value } from '../../../infra/runtime/alarms/conditions.ts';
import { BytesDamaged } from '../../../infra/runtime/network/failure.ts';
import { codeOfProtocol } from '../../../schemas/messages/protocols.ts';

/** The head of a frame. */
type AlarmHead = {
  receivedMs: number;
  /** Where the ids of the thing's group and profile are: 32 bytes. */
  placeAt: number;
  format: 'senml' | 'json';
  /** Where its first row begins. */
  rowsAt: number;
};

/** A row, with the head of its frame. */
export type AlarmRow = AlarmHead & {
  /** Where the thing's id is, as in RowBinary. */
  thingAt: number;
  subtopic: string;
  /** Where its columns begin. */
  columnsAt: number;
};

const publisherBytes = 16;
const formats = new Map<number, AlarmHead['format']>([
  [1, 'senml'],
  [2, 'json'],
]);

/** Reads the head of the frame whose payload begins at `start`. @throws BytesDamaged */
export function readHead(body: Buffer, start: number): AlarmHead {
  const format = formats.get(body[start + alarmHeadLayout.format] ?? 0);
  if (format === undefined) throw new BytesDamaged('a frame of alarms has no format');
  return {
    receivedMs: body.readDoubleLE(start + alarmHeadLayout.receivedMs),
    placeAt: start + alarmHeadLayout.group,
    format,
    rowsAt: start + alarmHeadBytes,
  };
}

/** Reads all of a row but its columns. */
export function readRow(
  body: Buffer,
  { receivedMs, placeAt, format, rowsAt }: AlarmHead,
  thingAt: number,
): AlarmRow {
  const subtopicAt = thingAt + publisherBytes + 1;
  const bytes = readLength(body, subtopicAt);
  const textAt = subtopicAt + lengthBytes(bytes);
  const subtopic = bytes === 0 ? '' : body.toString('utf8', textAt, textAt + bytes);
  const columnsAt = textAt + bytes;
  return { receivedMs, placeAt, format, rowsAt, thingAt, subtopic, columnsAt };
}

/** Where the row after it begins, in a frame that ends there. Only a body of line protocol is several rows. */
export function nextRowAt(
  body: Buffer,
  { thingAt, columnsAt }: AlarmRow,
  frameEnd: number,
): number {
  if (body[thingAt + publisherBytes] !== lineCode) return frameEnd;
  let at = columnsAt;
  for (const entryBytes of lineColumns) {
    const entries = readLength(body, at);
    at += lengthBytes(entries);
    at = entryBytes === undefined ? skipTexts(body, at, entries) : at + entries * entryBytes;
  }
  return at;
}

const lineCode = codeOfProtocol('line');
/** Names, units, times, kinds, values, texts, and the sums and update times that lines don't have; undefined: texts. */
const lineColumns = [undefined, undefined, 8, 1, 8, undefined, 0, 0];

/** Where the columns of a SenML row are; -1: it has none of them. */
type SenmlColumns = {
  count: number;
  namesAt: number;
  timesAt: number;
  kindsAt: number;
  valuesAt: number;
  textsAt: number;
};

/** Finds the columns of a row that codecs/row-binary.ts wrote. */
export function senmlColumns(body: Buffer, start: number): SenmlColumns {
  const count = readLength(body, start);
  const namesAt = start + lengthBytes(count);
  let at = skipTexts(body, namesAt, count);
  const units = readLength(body, at);
  at = skipTexts(body, at + lengthBytes(units), units);
  const times = readLength(body, at);
  const timesAt = at + lengthBytes(times);
  at = timesAt + times * 8;
  const withKinds = readLength(body, at);
  const kindsAt = at + lengthBytes(withKinds);
  at = kindsAt + withKinds;
  const withValues = readLength(body, at);
  const valuesAt = at + lengthBytes(withValues);
  at = valuesAt + withValues * 8;
  const withTexts = readLength(body, at);
  return {
    count,
    namesAt,
    timesAt,
    kindsAt: withKinds === 0 ? -1 : kindsAt,
    valuesAt: withValues === 0 ? -1 : valuesAt,
    textsAt: withTexts === 0 ? -1 : at + lengthBytes(withTexts),
  };
}

/** The value of a record; undefined: it has none that a rule compares. */
export function senmlValue(
  body: Buffer,
  { kindsAt, valuesAt, textsAt }: SenmlColumns,
  record: number,
): Value | undefined {
  const kind = kindsAt === -1 ? kinds.value : body[kindsAt + record];
  if (kind === kinds.value) return valuesAt === -1 ? 0 : body.readDoubleLE(valuesAt + record * 8);
  if (kind === kinds.bool) return valuesAt !== -1 && body.readDoubleLE(valuesAt + record * 8) === 1;
  if (kind !== kinds.string) return undefined;
  if (textsAt === -1) return '';
  const at = skipTexts(body, textsAt, record);
  return textAt(body, at);
}

/** The unit of a record of a row; undefined: it has none. */
export function unitOf(
  body: Buffer,
  { format, columnsAt }: AlarmRow,
  record: number,
): string | undefined {
  if (format === 'json') return undefined;
  const count = readLength(body, columnsAt);
  const at = skipTexts(body, columnsAt + lengthBytes(count), count);
  const units = readLength(body, at);
  if (units === 0) return undefined;
  const unit = textAt(body, skipTexts(body, at + lengthBytes(units), record));
  return unit === '' ? undefined : unit;
}

/** A text with its length. */
const textAt = (body: Buffer, at: number): string => {
  const bytes = readLength(body, at);
  const start = at + lengthBytes(bytes);
  return body.toString('utf8', start, start + bytes);
};

/** The offset after so many texts. */
export function skipTexts(body: Buffer, start: number, count: number): number {
  let at = start;
  for (let text = 0; text < count; text++) {
    const bytes = readLength(body, at);
    at += lengthBytes(bytes) + bytes;
  }
  return at;
}

/** The microseconds of a time in nanoseconds (Int64), rounded down: 2 ** 32 is 4,294,967 thousands and 296. */
export function microseconds(body: Buffer, at: number): number {
  const high = body.readInt32LE(at + 4);
  return high * 4_294_967 + Math.floor((high * 296 + body.readUInt32LE(at)) / 1_000);
}

/** The times and payloads of a JSON row. */
export function jsonRecords(body: Buffer, start: number): { timeUs: number; payload: string }[] {
  const count = readLength(body, start);
  const timesAt = start + lengthBytes(count);
  let at = timesAt + count * 8;
  at += lengthBytes(readLength(body, at));
  return Array.from({ length: count }, (_, record) => {
    const payload = textAt(body, at);
    at = skipTexts(body, at, 1);
    return { timeUs: microseconds(body, timesAt + record * 8), payload };
  });
}
