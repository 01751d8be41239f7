import type { KnownThing } from '../auth/known/known-things.ts';
import { alarmFrameLayout, writeAlarmHead } from '../codecs/alarm-frame.ts';
import type { LineBatch } from '../codecs/line/batch.ts';
import { lineRowsBytes, writeLineRow } from '../codecs/line/row-binary.ts';
import { frameBytes } from '../log/format.ts';
import type { Group } from '../log/group.ts';
import type { LineAlarms, LineMessages } from './line-messages.ts';

/** The rows of a body that rules may be about; `things`: of each row, if not all are of `thing`. */
export function lineAlarms(
  batch: LineBatch,
  { ruled, publisher }: KnownThing,
  atMs: number,
  things: LineMessages['things'],
): LineAlarms | undefined {
  if (things !== undefined) {
    return things.some((one) => one?.ruled !== undefined) ? { batch, atMs, things } : undefined;
  }
  if (ruled === undefined) return undefined;
  const one = { ruled, publisher };
  return { batch, atMs, things: Array.from({ length: batch.rows.count }, () => one) };
}

/** The most bytes that `writeLineAlarms` writes. */
export const lineAlarmsBytes = ({ batch }: LineAlarms): number =>
  frameBytes(lineRowsBytes(batch)) + frameBytes(alarmFrameLayout.row) * batch.rows.count;

/** A frame for each row that a rule may be about. */
export function writeLineAlarms(group: Group, { batch, atMs, things }: LineAlarms): void {
  const target = { bytes: group.buffer, view: group.view };
  for (const [row, thing] of things.entries()) {
    if (thing?.ruled === undefined) continue;
    const rowAt = writeAlarmHead(thing.ruled, atMs, 'senml', group.buffer, group.payloadAt);
    const envelope = { publisher: thing.publisher, protocol: 'line' } as const;
    group.frame('alarm', 0, writeLineRow(batch, row, envelope, target, rowAt));
  }
}
