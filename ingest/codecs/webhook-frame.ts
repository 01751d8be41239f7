import { isUtf8 } from 'node:buffer';
import type { ProfileConfig } from '../../schemas/profile-config.ts';
import type { FrameSource } from '../log/log.ts';
import type { MessageCodec, PayloadType } from './codec.ts';
import { uuidFromRowBinary } from './row-binary.ts';

/*
 * What webhooks get of one message, as the log keeps it: one per message of a thing that has any.
 *
 * | offset | type     | what                                              |
 * |--------|----------|---------------------------------------------------|
 * | 0      | u32      | bytes of the payload                              |
 * | 4      | u8       | its type: 0 JSON, 1 SenML in JSON, 2 SenML in CBOR |
 * | 5      | f64      | time of receipt, milliseconds                     |
 * | 13     | 16 bytes | the thing, as in RowBinary                        |
 * | 29     |          | the payload                                       |
 */

const headBytes = 29;
const typeCodes: Record<PayloadType, number> = { json: 0, 'senml+json': 1, 'senml+cbor': 2 };
const contentTypes = ['application/json', 'application/senml+json', 'application/senml+cbor'];

/** A message that was received, for webhooks. */
export type Received = {
  publisher: Uint8Array;
  profile: ProfileConfig;
  contentType: string;
  body: Uint8Array;
  atMs: number;
};

/** The frame of the message that `codec` has read last. One object for all messages. */
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
    const payloadAt = offset + headBytes;
    if (message === undefined || payloadAt > target.length) return -1;
    const { body, profile } = message;
    const end = this.#codec.encodePayload(body, profile, target, payloadAt);
    if (end === -1) return -1;
    target.writeUInt32LE(end - payloadAt, offset);
    target[offset + 4] = typeCodes[this.#codec.payloadType(message.contentType, profile)];
    target.writeDoubleLE(message.atMs, offset + 5);
    target.set(message.publisher, offset + 13);
    return end;
  }
}

/** One message, read back. `start` and `bytes` are where its payload stands in the source. */
export type ForwardedMessage = {
  thingId: string;
  receivedMs: number;
  contentType: string;
  start: number;
  bytes: number;
};

/** Reads frames that stand side by side. */
export function readWebhookFrames(source: Buffer): ForwardedMessage[] {
  const messages: ForwardedMessage[] = [];
  for (let at = 0; at < source.length; ) {
    const bytes = source.readUInt32LE(at);
    messages.push({
      thingId: uuidFromRowBinary(source, at + 13),
      receivedMs: source.readDoubleLE(at + 5),
      contentType: contentTypes[source[at + 4] ?? 0] ?? '',
      start: at + headBytes,
      bytes,
    });
    at += headBytes + bytes;
  }
  return messages;
}

/** The payload as a job carries it. */
export function payloadText(payload: Buffer): { payload: string; encoding: 'utf8' | 'base64' } {
  const encoding = isUtf8(payload) ? 'utf8' : 'base64';
  return { payload: payload.toString(encoding), encoding };
}
