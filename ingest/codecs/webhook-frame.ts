import {
  frameLayout,
  hasRequestId,
  hasSubtopic,
  type BundleFrame,
  readFrames,
} from '../../infra/runtime/webhooks/frames.ts';
import type { ProfileConfig } from '../../schemas/resources/profile-config.ts';
import type { FrameSource } from '../log/log.ts';
import type { MessageCodec, PayloadType } from './codec.ts';
import { uuidFromRowBinary } from './row-binary.ts';

const typeCodes: Record<PayloadType, number> = { json: 0, 'senml+json': 1, 'senml+cbor': 2 };

/** A message that was received, for webhooks. */
export type Received = {
  publisher: Uint8Array;
  profile: ProfileConfig;
  contentType: string;
  body: Uint8Array;
  subtopic: string;
  /** Up to 128 characters of ASCII. Empty: none. */
  requestId: string;
  atMs: number;
};

/**
 * What webhooks get of the message that `codec` has read last, as the log keeps it; infra/runtime/webhooks/bundles.ts tells
 * its layout. One object for all messages.
 */
export class WebhookFrame implements FrameSource {
  readonly format = 'webhook';
  /** They are counted in the frame for the store. */
  readonly records = 0;
  readonly #codec: MessageCodec;
  #message: Received | undefined;

  constructor(codec: MessageCodec) {
    this.#codec = codec;
  }

  /** The body is borrowed until the frame is appended. */
  of(message: Received): this {
    this.#message = message;
    return this;
  }

  encode(target: Buffer, offset: number): number {
    const message = this.#message;
    if (message === undefined) return -1;
    const { body, profile, subtopic, requestId } = message;
    let requestIdAt = offset + frameLayout.end;
    let type = typeCodes[this.#codec.payloadType(message.contentType, profile)];
    if (subtopic !== '') {
      type += hasSubtopic;
      requestIdAt = offset + frameLayout.subtopic + Buffer.byteLength(subtopic);
    }
    let payloadAt = requestIdAt;
    if (requestId !== '') {
      type += hasRequestId;
      payloadAt = requestIdAt + 1 + requestId.length;
    }
    if (payloadAt > target.length) return -1;
    const end = this.#codec.encodePayload(body, profile, target, payloadAt);
    if (end === -1) return -1;
    target.writeUInt32LE(end - payloadAt, offset);
    target[offset + frameLayout.type] = type;
    if (subtopic !== '') {
      const bytes = target.write(subtopic, offset + frameLayout.subtopic);
      target.writeUInt16LE(bytes, offset + frameLayout.end);
    }
    if (requestId !== '') {
      target[requestIdAt] = requestId.length;
      target.write(requestId, requestIdAt + 1, 'latin1');
    }
    target.writeDoubleLE(message.atMs, offset + frameLayout.receivedMs);
    target.set(message.publisher, offset + frameLayout.thing);
    return end;
  }
}

/** One message, read back. */
export type ForwardedMessage = BundleFrame & { thingId: string };

/** Reads frames that stand side by side. */
export function readWebhookFrames(source: Buffer): ForwardedMessage[] {
  return readFrames(source).map((frame) => ({
    ...frame,
    thingId: uuidFromRowBinary(source, frame.at + frameLayout.thing),
  }));
}
