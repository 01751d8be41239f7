import { type Envelope, rowBytes, writeRow, type ColumnBatch } from './row-binary.ts';

/**
 * The sink of alarms gets this of a message, or of a series of line protocol:
 *
 * | offset | type     | what                                     |
 * |--------|----------|------------------------------------------|
 * | 0      | f64      | time of receipt, milliseconds            |
 * | 8      | 16 bytes | group of the thing, as a UUID is written |
 * | 24     | 16 bytes | its profile                              |
 * | 40     | u8       | 1 SenML, 2 JSON                          |
 * | 41     |          | the row, as the store gets it            |
 */
export const alarmFrameLayout = {
  receivedMs: 0,
  group: 8,
  profile: 24,
  format: 40,
  row: 41,
} as const;

/** Where a thing is, by ids in hex: so the sink knows its rules. */
export type AlarmPlace = { group: string; profile: string };

/** A message that a rule may be about. */
export type AlarmMessage = AlarmPlace & { batch: ColumnBatch; atMs: number };

const formats = { senml: 1, json: 2 } as const;

/** The bytes that `writeAlarmFrame` writes. */
export const alarmFrameBytes = ({ batch }: AlarmMessage, subtopic: string): number =>
  alarmFrameLayout.row + rowBytes(batch, subtopic);

/** `target` must have room for `alarmFrameBytes` from `offset` on. Returns the offset after the frame. */
export function writeAlarmFrame(
  message: AlarmMessage,
  envelope: Envelope,
  target: Buffer,
  offset: number,
): number {
  const { batch, atMs } = message;
  return writeRow(
    batch,
    envelope,
    target,
    writeAlarmHead(message, atMs, batch.format, target, offset),
  );
}

/** Writes all of a frame that comes before its row. Returns the offset of that. */
export function writeAlarmHead(
  { group, profile }: AlarmPlace,
  atMs: number,
  format: keyof typeof formats,
  target: Buffer,
  offset: number,
): number {
  target.writeDoubleLE(atMs, offset);
  target.write(group, offset + alarmFrameLayout.group, 'hex');
  target.write(profile, offset + alarmFrameLayout.profile, 'hex');
  target[offset + alarmFrameLayout.format] = formats[format];
  return offset + alarmFrameLayout.row;
}
