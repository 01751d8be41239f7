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

/** A message that a rule may be about. `place`: the ids of the thing's group and profile, by which the sink knows its rules. */
export type AlarmMessage = { place: Uint8Array; batch: ColumnBatch; atMs: number };

const formats = { senml: 1, json: 2 } as const;

/** The bytes that `writeAlarmFrame` writes. */
export const alarmFrameBytes = ({ batch }: AlarmMessage, subtopic: string): number =>
  alarmFrameLayout.row + rowBytes(batch, subtopic);

/** `target` must have room for `alarmFrameBytes` from `offset` on. Returns the offset after the frame. */
export function writeAlarmFrame(
  { place, batch, atMs }: AlarmMessage,
  envelope: Envelope,
  target: Buffer,
  offset: number,
): number {
  const rowAt = writeAlarmHead(place, atMs, batch.format, target, offset);
  return writeRow(batch, envelope, target, rowAt);
}

/** Writes all of a frame that comes before its row. Returns the offset of that. */
export function writeAlarmHead(
  place: Uint8Array,
  atMs: number,
  format: keyof typeof formats,
  target: Buffer,
  offset: number,
): number {
  target.writeDoubleLE(atMs, offset);
  target.set(place, offset + alarmFrameLayout.group);
  target[offset + alarmFrameLayout.format] = formats[format];
  return offset + alarmFrameLayout.row;
}
