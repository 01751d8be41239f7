import { alarmHeadBytes, writeAlarmHead } from '../codecs/alarm-head.ts';
import type { LineBatch } from '../codecs/line/batch.ts';
import { lineRowsBytes, writeLineRow, writeLineRows } from '../codecs/line/row-binary.ts';
import { frameBytes } from '../log/format.ts';
import type { Group } from '../log/group.ts';
import type { LineMessages, RowThing } from './line-messages.ts';

/** The most bytes that `writeLineFrames` writes. */
export function lineFramesBytes({ batch, things }: LineMessages): number {
  if (batch === undefined) return 0;
  // A frame for each row of a gateway, and what fills it up.
  const frames = things === undefined ? 1 : batch.rows.count;
  return lineRowsBytes(batch) + frames * frameBytes(alarmHeadBytes + 7);
}

/** Writes the rows of a body, all of them in one frame, or of a gateway's devices each in its own. */
export function writeLineFrames(group: Group, read: LineMessages): void {
  const { batch, things } = read;
  if (batch === undefined) return;
  if (things !== undefined) {
    for (const [row, thing] of things.entries()) {
      if (thing !== undefined) writeRow(group, batch, row, thing, read.atMs);
    }
    return;
  }
  if (!read.isStored && read.ruled === undefined) return;
  const rowsAt = writeHead(group, read.ruled, read.atMs);
  const target = { bytes: group.buffer, view: group.view };
  endFrame(group, read.isStored, batch.count, rowsAt, writeLineRows(batch, read, target, rowsAt));
}

function writeRow(
  group: Group,
  batch: LineBatch,
  row: number,
  { publisher, isStored, ruled }: RowThing,
  atMs: number,
): void {
  if (!isStored && ruled === undefined) return;
  const rowAt = writeHead(group, ruled, atMs);
  const target = { bytes: group.buffer, view: group.view };
  const end = writeLineRow(batch, row, { publisher, protocol: 'line' }, target, rowAt);
  endFrame(group, isStored, batch.rows.records[row] ?? 0, rowAt, end);
}

/** Returns the offset after the head; where no rule is about the thing, there is none. */
function writeHead({ buffer, payloadAt }: Group, ruled: RowThing['ruled'], atMs: number): number {
  if (ruled === undefined) return payloadAt;
  return writeAlarmHead({ place: ruled, atMs }, 'senml', buffer, payloadAt);
}

function endFrame(
  group: Group,
  isStored: boolean,
  records: number,
  rowsAt: number,
  end: number,
): void {
  if (isStored) group.frame('senml', records, end, rowsAt - group.payloadAt);
  else group.frame('alarm', 0, end);
}
