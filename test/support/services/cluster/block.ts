import type { Bytes } from './bytes.ts';

/** What stands before each block of a packet: no overflow rows, no bucket. */
export const blockInfo = Buffer.from([1, 0, 2, 255, 255, 255, 255, 0]);

const widths: Readonly<Record<string, number>> = {
  UInt8: 1,
  Int8: 1,
  UInt16: 2,
  UInt32: 4,
  UInt64: 8,
  Int64: 8,
  Float64: 8,
  UUID: 16,
};

/** Reads a block. Its bytes are those of ClickHouse's format Native. */
export async function readBlock(bytes: Bytes): Promise<{ rows: number; native: Buffer }> {
  await bytes.take(blockInfo.length);
  bytes.mark();
  const columns = await bytes.number();
  const rows = await bytes.number();
  for (let column = 0; column < columns; column++) {
    await bytes.text();
    const type = await bytes.text();
    if (rows > 0) await passColumn(bytes, type, rows);
  }
  return { rows, native: bytes.taken() };
}

async function passColumn(bytes: Bytes, type: string, rows: number): Promise<void> {
  const inner = /^(Nullable|LowCardinality)\((.*)\)$/.exec(type);
  if (inner?.[1] === 'Nullable') {
    await bytes.take(rows);
    await passColumn(bytes, inner[2] ?? '', rows);
  } else if (inner?.[1] === 'LowCardinality') await passDictionary(bytes, inner[2] ?? '');
  else if (type === 'String') await bytes.passTexts(rows);
  else await bytes.take(rows * widthOf(type));
}

/** A version, then the values that occur, then for each row which one it has. */
async function passDictionary(bytes: Bytes, type: string): Promise<void> {
  await bytes.take(8);
  const flags = (await bytes.take(8)).readBigUInt64LE();
  const values = Number((await bytes.take(8)).readBigUInt64LE());
  await passColumn(bytes, type, values);
  const rows = Number((await bytes.take(8)).readBigUInt64LE());
  await bytes.take(rows * 2 ** Number(flags & 255n));
}

function widthOf(type: string): number {
  const width = widths[type.startsWith('Enum8(') ? 'Int8' : type];
  if (width === undefined) throw new Error(`no width is known of ${type}`);
  return width;
}
