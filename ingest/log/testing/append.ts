import { type FrameFormat, frameBytes } from '../format.ts';
import type { Waiter } from '../group.ts';
import type { Log, NoRoom } from '../log.ts';

/** `headBytes`: how many of the first bytes only the sink of alarms gets. */
export type Payload = { format: FrameFormat; records: number; bytes: Buffer; headBytes?: number };

/** A payload of one record, or of a message for webhooks, whose records are not counted. */
export function payloadOf(text: string, format: FrameFormat = 'senml'): Payload {
  return { format, records: format === 'webhook' ? 0 : 1, bytes: Buffer.from(`${text};`) };
}

/** Appends a message of these payloads. */
export function appendTo(
  log: Log,
  waiter: Waiter,
  ...payloads: Payload[]
): 'appended' | NoRoom['kind'] {
  const group = log.begin(payloads.reduce((sum, { bytes }) => sum + frameBytes(bytes.length), 0));
  if (group.kind !== 'group') return group.kind;
  for (const { format, records, bytes, headBytes } of payloads) {
    const { payloadAt } = group;
    group.frame(format, records, payloadAt + bytes.copy(group.buffer, payloadAt), headBytes);
  }
  log.append(group, waiter);
  return 'appended';
}
