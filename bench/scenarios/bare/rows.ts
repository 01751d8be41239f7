import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { writeLength } from '../../../ingest/codecs/columns.ts';
import { uuidToRowBinary } from '../../../ingest/codecs/uuid.ts';

export const blockRows = 100_000;
export const columnNames =
  'publisher, subtopic, protocol, name, unit, time, kind, given, text, sum, update_time, log, batch';

const rowBytesMax = 200;

/** What `pack` in requests.ts writes. */
type Base = { bn: string; bt: number };
type Entry = Partial<Base> & { n: string; u: string; t?: number; v: number };

/** The first hundred thousand records of prepared SenML messages, as the rows of `senml` in RowBinary. */
export function bareBlock(requestsPath: string): Buffer {
  const block = Buffer.alloc(blockRows * rowBytesMax);
  const publishers = new Map<string, Uint8Array>();
  let at = 0;
  let rows = 0;
  const text = (value: string) => {
    at = writeLength(block, at, Buffer.byteLength(value));
    at += block.write(value, at);
  };
  for (const line of readFileSync(requestsPath, 'utf8').trimEnd().split('\n')) {
    const [credential = '', , body = '[]'] = line.split('\t');
    const publisher = publishers.get(credential) ?? uuidToRowBinary(randomUUID());
    publishers.set(credential, publisher);
    const entries: Entry[] = JSON.parse(body);
    let base: Base = { bn: '', bt: 0 };
    for (const entry of entries) {
      if (rows === blockRows) return block.subarray(0, at);
      base = { ...base, ...entry };
      block.set(publisher, at);
      at += publisher.length;
      text('');
      text('http');
      text(base.bn + entry.n);
      text(entry.u);
      const nanos = BigInt(Math.round((base.bt + (entry.t ?? 0)) * 100)) * 10_000_000n;
      at = block.writeBigInt64LE(nanos, at);
      at = block.writeInt8(0, at);
      at = block.writeDoubleLE(entry.v, at);
      text('');
      // Neither a sum nor an update time.
      at = block.writeUInt8(1, at);
      at = block.writeUInt8(1, at);
      text('bench');
      at = block.writeUInt32LE(1, at);
      rows += 1;
    }
  }
  throw new Error(`${requestsPath} holds fewer than ${blockRows} records`);
}
