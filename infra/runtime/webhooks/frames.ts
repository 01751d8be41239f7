import { constants, zstdCompressSync, zstdDecompressSync } from 'node:zlib';
import {
  codeOfProtocol,
  noProtocol,
  type Protocol,
  protocolOfCode,
} from '../../../schemas/messages/protocols.ts';
import { BytesDamaged } from '../network/failure.ts';

/*
 * Messages for webhooks as bytes: frames side by side, in the log and, compressed with Zstandard, in the rows of
 * bundles. A frame:
 *
 * | offset | type     | what                                              |
 * |--------|----------|---------------------------------------------------|
 * | 0      | u32      | bytes of the payload                              |
 * | 4      | u8       | its type: 0 JSON, 1 SenML in JSON, 2 SenML in CBOR; plus 128 if it has a subtopic, |
 * |        |          | plus 64 if it has the id of its request           |
 * | 5      | u8       | its protocol (schemas/messages/protocols.ts)      |
 * | 6      | f64      | time of receipt, milliseconds                     |
 * | 14     | 16 bytes | the thing, as in RowBinary; zeros: none           |
 * | 30     | u16      | if it has a subtopic: bytes of that               |
 * |        |          | the subtopic                                      |
 * |        | u8       | if it has the id of its request: bytes of that    |
 * |        |          | the id, in ASCII                                  |
 * |        |          | the payload                                       |
 */

export const frameLayout = {
  type: 4,
  protocol: 5,
  receivedMs: 6,
  thing: 14,
  end: 30,
  subtopic: 32,
} as const;
export const hasSubtopic = 128;
export const hasRequestId = 64;
const contentTypes = ['application/json', 'application/senml+json', 'application/senml+cbor'];

/** Stands for the thing of a message that no thing sent. */
export const noThing = '00000000-0000-0000-0000-000000000000';

/** A message of a bundle. */
export type BundledMessage = {
  contentType: string;
  /** Undefined: no thing sent it. */
  protocol: Protocol | undefined;
  receivedMs: number;
  /** Empty: none. */
  subtopic: string;
  /** Of the request that brought it. Empty: none. */
  requestId: string;
  thingId: string;
  payload: Buffer;
};

/** One frame: where it stands in its source, and `start` and `bytes` of its payload there. */
export type BundleFrame = Omit<BundledMessage, 'thingId' | 'payload'> & {
  at: number;
  start: number;
  bytes: number;
};

/** @throws BytesDamaged */
export function readFrames(source: Buffer): BundleFrame[] {
  try {
    return framesIn(source);
  } catch (error) {
    throw error instanceof RangeError ? damaged(error) : error;
  }
}

const damaged = (cause?: Error) => new BytesDamaged('the frames end before they should', { cause });

function framesIn(source: Buffer): BundleFrame[] {
  const frames: BundleFrame[] = [];
  let at = 0;
  while (at < source.length) {
    const bytes = source.readUInt32LE(at);
    const type = source[at + frameLayout.type] ?? 0;
    const contentType = contentTypes[type % hasRequestId] ?? '';
    const protocol = protocolOfCode(source[at + frameLayout.protocol] ?? noProtocol);
    const receivedMs = source.readDoubleLE(at + frameLayout.receivedMs);
    let start = at + frameLayout.end;
    let subtopic = '';
    if ((type & hasSubtopic) !== 0) {
      const from = at + frameLayout.subtopic;
      start = from + source.readUInt16LE(at + frameLayout.end);
      subtopic = source.toString('utf8', from, start);
    }
    let requestId = '';
    if ((type & hasRequestId) !== 0) {
      const from = start + 1;
      start = from + source.readUInt8(start);
      requestId = source.toString('latin1', from, start);
    }
    frames.push({ at, contentType, protocol, receivedMs, subtopic, requestId, start, bytes });
    at = start + bytes;
  }
  if (at !== source.length) throw damaged();
  return frames;
}

/** The frame of a message without a subtopic. */
export function frameOf(message: Omit<BundledMessage, 'subtopic'>): Buffer {
  const { contentType, protocol, receivedMs, requestId, thingId, payload } = message;
  const head = Buffer.alloc(frameLayout.end);
  head.writeUInt32LE(payload.length);
  const type = Math.max(0, contentTypes.indexOf(contentType));
  head[frameLayout.type] = requestId === '' ? type : type + hasRequestId;
  head[frameLayout.protocol] = protocol === undefined ? noProtocol : codeOfProtocol(protocol);
  head.writeDoubleLE(receivedMs, frameLayout.receivedMs);
  // RowBinary has the halves of a UUID with their least byte first.
  const id = Buffer.from(thingId.replaceAll('-', ''), 'hex');
  head.set(id.subarray(0, 8).toReversed(), frameLayout.thing);
  head.set(id.subarray(8).toReversed(), frameLayout.thing + 8);
  if (requestId === '') return Buffer.concat([head, payload]);
  return Buffer.concat([head, Buffer.of(requestId.length), Buffer.from(requestId), payload]);
}

/** The lowest level: higher ones find little more in so few bytes, and block the thread for longer. */
const compression = { params: { [constants.ZSTD_c_compressionLevel]: 1 } };

export const compressFrames = (frames: Buffer): Buffer => zstdCompressSync(frames, compression);
export const decompressFrames = (compressed: Buffer): Buffer => zstdDecompressSync(compressed);
