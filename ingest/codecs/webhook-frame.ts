import { codeOfProtocol } from '../../schemas/messages/protocols.ts';
import {
  frameLayout,
  hasRequestId,
  hasSubtopic,
  type BundleFrame,
  readFrames,
} from '../../infra/runtime/webhooks/frames.ts';
import type { PayloadType, WebhookPayload } from './codec.ts';
import type { Envelope } from './row-binary.ts';
import { uuidFromRowBinary } from './uuid.ts';

const typeCodes: Record<PayloadType, number> = { json: 0, 'senml+json': 1, 'senml+cbor': 2 };

/** A received message, as webhooks need it. */
export type WebhookMessage = Envelope & {
  payload: WebhookPayload;
  /** Up to 128 characters of ASCII. Empty: none. */
  requestId: string;
  atMs: number;
};

/** The most bytes that `writeWebhookFrame` writes. */
export function webhookFrameBytesMax({ payload, subtopic, requestId }: WebhookMessage): number {
  const payloadBytes = payload.kind === 'body' ? payload.body.length : payload.batch.textBytesMax;
  return headBytes(subtopic, requestId) + payloadBytes;
}

/**
 * Writes what webhooks get of a message, as the log keeps it; infra/runtime/webhooks/frames.ts has the layout.
 * `target` must have room for `webhookFrameBytesMax` from `offset` on. Returns the offset after it.
 */
export function writeWebhookFrame(message: WebhookMessage, target: Buffer, offset: number): number {
  const { payload, subtopic, requestId } = message;
  const payloadAt = offset + headBytes(subtopic, requestId);
  const end = writePayload(payload, target, payloadAt);
  target.writeUInt32LE(end - payloadAt, offset);
  target[offset + frameLayout.protocol] = codeOfProtocol(message.protocol);
  target.writeDoubleLE(message.atMs, offset + frameLayout.receivedMs);
  target.set(message.publisher, offset + frameLayout.thing);
  let type = typeCodes[payload.type];
  let requestIdAt = offset + frameLayout.end;
  if (subtopic !== '') {
    type += hasSubtopic;
    const bytes = target.write(subtopic, offset + frameLayout.subtopic);
    target.writeUInt16LE(bytes, offset + frameLayout.end);
    requestIdAt = offset + frameLayout.subtopic + bytes;
  }
  if (requestId !== '') {
    type += hasRequestId;
    target[requestIdAt] = requestId.length;
    target.write(requestId, requestIdAt + 1, 'latin1');
  }
  target[offset + frameLayout.type] = type;
  return end;
}

/** The bytes before the payload. */
function headBytes(subtopic: string, requestId: string): number {
  const subtopicEnd =
    subtopic === '' ? frameLayout.end : frameLayout.subtopic + Buffer.byteLength(subtopic);
  return requestId === '' ? subtopicEnd : subtopicEnd + 1 + requestId.length;
}

function writePayload(payload: WebhookPayload, target: Buffer, offset: number): number {
  if (payload.kind === 'batch') return payload.batch.writeText(payload.isList, target, offset);
  target.set(payload.body, offset);
  return offset + payload.body.length;
}

/** One message, read back. */
export type ForwardedMessage = BundleFrame & { thingId: string };

/** Reads frames that follow each other. */
export function readWebhookFrames(source: Buffer): ForwardedMessage[] {
  return readFrames(source).map((frame) => ({
    ...frame,
    thingId: uuidFromRowBinary(source, frame.at + frameLayout.thing),
  }));
}
