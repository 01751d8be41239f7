/**
 * # The log
 *
 * Messages that the edge acknowledged and the sinks have not yet delivered. One directory per edge process:
 *
 * | file                  | written by       | what it is                                             |
 * |-----------------------|------------------|--------------------------------------------------------|
 * | `log.id`              | the first start  | a UUID, which every row in the store has; under it     |
 * |                       |                  | those the log had before (store/reverted.ts)           |
 * | `log.marks`           | the first start  | what marks its frames, secret, and from which segments |
 * |                       |                  | on (marks.ts)                                          |
 * | `<number>.segment`    | the edge         | frames, then zeros or frames of the segment that the   |
 * |                       |                  | file was before (cut off once the segment is done)     |
 * | `<number>.preparing`  | the edge         | a segment being filled with zeros, or one that was     |
 * |                       |                  | passed and will be written again; never read           |
 * | `<sink>.cursor`       | that sink        | up to where the sink has delivered, and what it sends  |
 * | `quarantine.ndjson`   | the sinks        | frames the store refused for good, with the reason     |
 * | `damaged.ndjson`      | the sinks        | where frames could not be read back, and how many      |
 * | `mqtt.sessions`       | the edge         | the sessions of MQTT, as the frames before a position  |
 * |                       |                  | of the log left them (doors/mqtt/kept/snapshot.ts)     |
 *
 * Invariants:
 * 1. A frame is acknowledged only after the write that carries it has reached the disk (O_DSYNC).
 * 2. Frames are appended in order, one write at a time; a group of frames is one write.
 * 3. A segment that failed a write is never written again; the next frames go to a new segment.
 *    So does every start: nothing is ever written after what a former process left in a segment.
 * 4. A segment is deleted whole, or becomes a later one, by the edge, once every cursor has passed it, and the position of
 *    `mqtt.sessions` too. Nothing else is deleted.
 * 5. A sink reads no further than the edge has committed.
 *
 * Frame (24 bytes, then the payload, then zeros up to a multiple of 8), little-endian:
 *
 * | offset | type | what                                                        |
 * |--------|------|-------------------------------------------------------------|
 * | 0      | u32  | CRC-32 of everything after it, header and payload, which    |
 * |        |      | begins at the segment's own seed                            |
 * | 4      | u16  | the log's own magic                                         |
 * | 6      | u8   | format: 1 SenML, 2 JSON, 3 webhook, 4 session, 5 alarm      |
 * | 7      | u8   | bytes of the head that the payload begins with, or 0        |
 * | 8      | u32  | length of the payload in bytes                              |
 * | 12     | u32  | records in it                                               |
 * | 16     | u64  | sequence: frames appended before it since the edge started  |
 *
 * SenML and JSON are what the store gets: rows, one after the other (codecs/row-binary.ts). There is one row for each
 * message, but for line protocol, where one message is a row for each of its series. Webhook is what webhooks get of the
 * same message, of line protocol a frame for each row (codecs/webhook-frame.ts). Where the thing has a rule, the rows have a
 * head for the sink of alarms (codecs/alarm-head.ts): the store gets what comes after it. If the store gets nothing of the
 * message, head and rows are a frame of format alarm. Session is what became of a session of MQTT (doors/mqtt/kept/session-frame.ts): that packet
 * ids were received or released, that it began, changed or ended. No sink delivers it; the edge reads it at its start. It
 * has no records. The frames of a message are next to each other in one group, in this order: session, webhook,
 * the store's or the alarms'. All are acknowledged, or none.
 *
 * A torn write may leave the first of them and not the last. So a frame of a session begins with the number of frames of
 * its message that follow (u8), and counts only if all of them can be read. Then the id of a message with QoS 2 is
 * received if and only if the store gets the message.
 *
 * Magic and seed are the log's own, so that no client can send a message that contains a valid frame: after damage, or
 * in a torn tail, it would be read as one. A client that guesses has one chance in 2^48 with each message. The seed turns
 * with the segment: a frame is valid in the segment it was written for, and in no other that its file becomes.
 *
 * (CRC-32 and not CRC-32C: Node carries a native one, and both find every error burst up to 32 bits.)
 *
 * A reader meets in a segment:
 * - zeros to the end: the clean end.
 * - an invalid frame with no valid one after it: what the file held before, or a torn tail, the write of a group that
 *   was never acknowledged. It is the end.
 * - an invalid frame with a valid one after it: damage to acknowledged frames. The reader goes on at
 *   the valid one; the gap in the sequence gives how many are lost; that is counted, logged and
 *   noted in `damaged.ndjson`.
 * - an invalid frame at the end of a segment that was finished (its zeros are cut off, so it is shorter
 *   than a segment is made): damage too.
 * A cursor ahead of every segment means that segments were taken away: new ones are numbered above it,
 * so that no deduplication token is ever used twice.
 */
import { crc32 } from 'node:zlib';

/** The formats that the store takes. */
export type Format = 'senml' | 'json';

export const frameFormats = ['senml', 'json', 'webhook', 'session', 'alarm'] as const;
export type FrameFormat = (typeof frameFormats)[number];

/** The formats of frames that have a message. */
export type MessageFormat = Exclude<FrameFormat, 'session'>;

export const formatCodes: Record<FrameFormat, number> = {
  senml: 1,
  json: 2,
  webhook: 3,
  session: 4,
  alarm: 5,
};

export const frameHeaderBytes = 24;

/** All frames of a segment have these: a magic, and where their checksums begin. */
export type Marks = { magic: number; seed: number };

/** For segments from before a log had marks of its own. */
export const commonMarks: Marks = { magic: 0x524d, seed: 0 };

const two32 = 2 ** 32;

/** Bytes a frame takes in the log: header, payload, and zeros up to a multiple of 8. */
export function frameBytes(payloadBytes: number): number {
  return frameHeaderBytes + ((payloadBytes + 7) & ~7);
}

/**
 * Writes the header of the frame whose payload is at `offset + frameHeaderBytes` already, but for its marks, and the
 * zeros after it. `headBytes`: the first bytes of the payload, which are for the sink of alarms alone. Returns the offset after the frame.
 */
export function writeHeader(
  target: Buffer,
  offset: number,
  payloadBytes: number,
  format: FrameFormat,
  records: number,
  sequence: number,
  headBytes = 0,
): number {
  const end = offset + frameBytes(payloadBytes);
  const payloadEnd = offset + frameHeaderBytes + payloadBytes;
  for (let i = payloadEnd; i < end; i++) target[i] = 0;
  target[offset + 6] = formatCodes[format];
  target[offset + 7] = headBytes;
  target.writeUInt32LE(payloadBytes, offset + 8);
  target.writeUInt32LE(records, offset + 12);
  target.writeUInt32LE(sequence % two32, offset + 16);
  target.writeUInt32LE(Math.floor(sequence / two32), offset + 20);
  return end;
}

/** Makes frames with headers valid for the segment that has these marks: those from the start of `target` to `end`. */
export function sealFrames(target: Buffer, end: number, { magic, seed }: Marks): void {
  for (let offset = 0; offset < end; ) {
    const payloadBytes = framePayloadBytes(target, offset);
    const payloadEnd = offset + frameHeaderBytes + payloadBytes;
    target.writeUInt16LE(magic, offset + 4);
    target.writeUInt32LE(crc32(target.subarray(offset + 4, payloadEnd), seed), offset);
    offset += frameBytes(payloadBytes);
  }
}

/** Where a valid frame that starts at `offset` ends, or -1 if none does within `end`. */
export function validFrameEnd(
  source: Buffer,
  offset: number,
  end: number,
  { magic, seed }: Marks,
): number {
  if (offset + frameHeaderBytes > end) return -1;
  if (source.readUInt16LE(offset + 4) !== magic) return -1;
  const payloadBytes = source.readUInt32LE(offset + 8);
  const frameEnd = offset + frameBytes(payloadBytes);
  if (frameEnd > end) return -1;
  const payloadEnd = offset + frameHeaderBytes + payloadBytes;
  const crc = crc32(source.subarray(offset + 4, payloadEnd), seed);
  return crc === source.readUInt32LE(offset) ? frameEnd : -1;
}

/** The first valid frame at or after `offset`, or -1. Frames begin at multiples of 8. */
export function nextValidFrame(source: Buffer, offset: number, end: number, marks: Marks): number {
  for (let at = offset; at + frameHeaderBytes <= end; at += 8) {
    if (validFrameEnd(source, at, end, marks) !== -1) return at;
  }
  return -1;
}

export const frameMagic = (source: Buffer, offset: number): number =>
  source.readUInt16LE(offset + 4);

export const frameFormat = (source: Buffer, offset: number): number => source[offset + 6] ?? 0;

/** The bytes at the start of the payload that are not for the store; 0: no rule is about the message. */
export const frameHeadBytes = (source: Buffer, offset: number): number => source[offset + 7] ?? 0;

export const framePayloadBytes = (source: Buffer, offset: number): number =>
  source.readUInt32LE(offset + 8);

export const frameRecords = (source: Buffer, offset: number): number =>
  source.readUInt32LE(offset + 12);

export const frameSequence = (source: Buffer, offset: number): number =>
  source.readUInt32LE(offset + 16) + source.readUInt32LE(offset + 20) * two32;

/** A place in the log. */
export type Position = { segment: number; offset: number };

export function before(one: Position, other: Position): boolean {
  return (
    one.segment < other.segment || (one.segment === other.segment && one.offset < other.offset)
  );
}

export const segmentName = (segment: number): string =>
  `${String(segment).padStart(12, '0')}.segment`;

/** The number of the segment a file name stands for, or undefined for other files. */
export function segmentNumber(fileName: string): number | undefined {
  const match = /^(\d{12})\.segment$/.exec(fileName);
  return match?.[1] === undefined ? undefined : Number(match[1]);
}
