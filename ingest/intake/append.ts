import { alarmHeadBytes, writeAlarmHead } from '../codecs/alarm-head.ts';
import { tooLarge } from '../codecs/rejected.ts';
import { rowBytes, writeRow } from '../codecs/row-binary.ts';
import { webhookFrameBytesMax, writeWebhookFrame } from '../codecs/webhook-frame.ts';
import { frameBytes } from '../log/format.ts';
import type { Group, Waiter } from '../log/group.ts';
import type { Log, NoRoom } from '../log/log.ts';
import { waiterOf } from './awaited-messages.ts';
import { lineFramesBytes, writeLineFrames } from './line-frames.ts';
import type { LineMessages } from './line-messages.ts';
import type { ReadMessages } from './read-messages.ts';
import { logHasNoRoom, type Refusal } from './refusal.ts';

/**
 * Writes messages that were read into the log's next commit: their row for the store, what webhooks get of them, and
 * what becomes of their session by them (the payload of a frame). Undefined: they are there, and the waiter is told of
 * the commit.
 */
export function appendMessages(
  log: Log,
  read: ReadMessages,
  waiter: Waiter,
  session?: Uint8Array,
): Refusal | undefined {
  const { batch, forWebhooks, forAlarms, messages } = read;
  const rows = batch ?? forAlarms?.batch;
  let bytesMax = session === undefined ? 0 : frameBytes(session.length);
  if (forWebhooks !== undefined) bytesMax += frameBytes(webhookFrameBytesMax(forWebhooks));
  if (rows !== undefined) bytesMax += frameBytes(alarmHeadBytes + rowBytes(rows, read.subtopic));
  const group = log.begin(bytesMax);
  if (group.kind !== 'group') return findsNoPlace(read, messages, group);
  const { buffer } = group;
  if (session !== undefined) writeSessionFrame(group, session, read);
  if (forWebhooks !== undefined) {
    // Its records are counted in the frame for the store.
    group.frame('webhook', 0, writeWebhookFrame(forWebhooks, buffer, group.payloadAt));
  }
  const { payloadAt } = group;
  let rowAt = payloadAt;
  if (forAlarms !== undefined) {
    rowAt = writeAlarmHead(forAlarms, forAlarms.batch.format, buffer, payloadAt);
  }
  if (batch !== undefined) {
    const end = writeRow(batch, read, buffer, rowAt);
    group.frame(batch.format, batch.count, end, rowAt - payloadAt);
  } else if (forAlarms !== undefined) {
    group.frame('alarm', 0, writeRow(forAlarms.batch, read, buffer, rowAt));
  }
  log.append(group, waiterOf(read, waiter), messages);
  return undefined;
}

/** Writes the rows of a body that was read into the log's next commit. As `appendMessages`. */
export function appendLines(log: Log, read: LineMessages, waiter: Waiter): Refusal | undefined {
  const { forWebhooks } = read;
  let bytesMax = lineFramesBytes(read);
  for (const message of forWebhooks) bytesMax += frameBytes(webhookFrameBytesMax(message));
  const group = log.begin(bytesMax);
  if (group.kind !== 'group') return findsNoPlace(read, 1, group);
  for (const message of forWebhooks) {
    group.frame('webhook', 0, writeWebhookFrame(message, group.buffer, group.payloadAt));
  }
  writeLineFrames(group, read);
  log.append(group, waiterOf(read, waiter));
  return undefined;
}

/** Gives back what messages took that the next commit has no place for. */
function findsNoPlace(
  { meter, records, onOutcome }: ReadMessages | LineMessages,
  messages: number,
  { kind }: NoRoom,
): Refusal {
  meter?.takeBack(messages, records);
  const refusal = kind === 'full' ? logHasNoRoom : tooLarge('the resolved message');
  onOutcome?.(refusal);
  return refusal;
}

/** It begins with how many frames of the messages follow (log/format.ts). */
function writeSessionFrame(
  group: Group,
  session: Uint8Array,
  { batch, forWebhooks, forAlarms }: ReadMessages,
): void {
  const { buffer, payloadAt } = group;
  buffer.set(session, payloadAt);
  const frames = [batch ?? forAlarms, forWebhooks].filter((one) => one !== undefined);
  buffer[payloadAt] = frames.length;
  group.frame('session', 0, payloadAt + session.length);
}
