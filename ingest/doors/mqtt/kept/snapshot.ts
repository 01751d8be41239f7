import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import { Type } from 'typebox';
import { Value } from 'typebox/value';
import { replaceFile } from '../../../log/files.ts';
import type { Position } from '../../../log/format.ts';
import { decodeEvent, encodeEvent, type SessionEvent } from './session-frame.ts';

/*
 * `mqtt.sessions` in the log's directory: a line of JSON that says up to where in which log it holds, and then the fewest
 * events that make the same sessions as all frames before that position, each after its length (u32, little-endian).
 */

type Snapshot = { log: string; position: Position; events: readonly SessionEvent[] };

/** `damaged`: it is not as it was written. */
type Found = { kind: 'missing' } | { kind: 'damaged' } | { kind: 'read'; snapshot: Snapshot };

const Header = Type.Object({
  log: Type.String(),
  segment: Type.Integer({ minimum: 0 }),
  offset: Type.Integer({ minimum: 0 }),
  bytes: Type.Integer({ minimum: 0 }),
  crc: Type.Integer({ minimum: 0 }),
});

const lengthBytes = 4;
const lineFeed = 0x0a;

const pathIn = (directory: string): string => join(directory, 'mqtt.sessions');

/** The bytes that `writeSnapshot` puts into the file. */
export function encodeSnapshot({ log, position, events }: Snapshot): Buffer {
  const parts: Buffer[] = [];
  for (const event of events) {
    const payload = encodeEvent(event);
    const length = Buffer.alloc(lengthBytes);
    length.writeUInt32LE(payload.length);
    parts.push(length, payload);
  }
  const body = Buffer.concat(parts);
  // The checksum is of the header too.
  const { segment, offset } = position;
  const told = { log, segment, offset, bytes: body.length };
  const crc = crc32(body, crc32(JSON.stringify(told)));
  return Buffer.concat([Buffer.from(`${JSON.stringify({ ...told, crc })}\n`), body]);
}

/** It is on the disk, whole, when this resolves. */
export async function writeSnapshot(directory: string, bytes: Buffer): Promise<void> {
  await replaceFile(pathIn(directory), bytes);
}

export async function readSnapshot(directory: string): Promise<Found> {
  let bytes: Buffer;
  try {
    bytes = await readFile(pathIn(directory));
  } catch (error) {
    const isMissing = error instanceof Error && 'code' in error && error.code === 'ENOENT';
    return { kind: isMissing ? 'missing' : 'damaged' };
  }
  const snapshot = decodeSnapshot(bytes);
  return snapshot === undefined ? { kind: 'damaged' } : { kind: 'read', snapshot };
}

function decodeSnapshot(bytes: Buffer): Snapshot | undefined {
  const headerEnd = bytes.indexOf(lineFeed);
  const header = parseHeader(bytes.toString('utf8', 0, Math.max(headerEnd, 0)));
  if (header === undefined) return undefined;
  const { log, segment, offset, crc } = header;
  const body = bytes.subarray(headerEnd + 1);
  const told = { log, segment, offset, bytes: header.bytes };
  if (body.length !== header.bytes || crc32(body, crc32(JSON.stringify(told))) !== crc) {
    return undefined;
  }
  const events: SessionEvent[] = [];
  for (let at = 0; at < body.length; ) {
    const end = at + lengthBytes + body.readUInt32LE(at);
    const event = decodeEvent(body.subarray(at + lengthBytes, end));
    if (event === undefined) return undefined;
    events.push(event);
    at = end;
  }
  return { log, position: { segment, offset }, events };
}

function parseHeader(text: string) {
  try {
    return Value.Parse(Header, JSON.parse(text));
  } catch {
    return undefined;
  }
}
