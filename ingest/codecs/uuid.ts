const uuidPattern = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;

/**
 * The 16 bytes ClickHouse takes for a UUID: two UInt64 halves, each little-endian.
 *
 * @throws TypeError when the text is not a UUID.
 */
export function uuidToRowBinary(uuid: string): Uint8Array {
  if (!uuidPattern.test(uuid)) throw new TypeError('not a UUID');
  const bytes = Buffer.from(uuid.replaceAll('-', ''), 'hex');
  // A copy, not a view: an edge keeps one for each thing, and a buffer with views lives outside of the heap.
  const row = new Uint8Array(16);
  for (let at = 0; at < 8; at++) {
    row[at] = bytes[7 - at] ?? 0;
    row[8 + at] = bytes[15 - at] ?? 0;
  }
  return row;
}

/** The UUID whose `uuidToRowBinary` stands at `offset`. */
export function uuidFromRowBinary(source: Buffer, offset: number): string {
  const high = source.readBigUInt64LE(offset).toString(16).padStart(16, '0');
  const low = source
    .readBigUInt64LE(offset + 8)
    .toString(16)
    .padStart(16, '0');
  const lastParts = `${low.slice(0, 4)}-${low.slice(4)}`;
  return `${high.slice(0, 8)}-${high.slice(8, 12)}-${high.slice(12)}-${lastParts}`;
}

/** The UUID that is written in hex without hyphens. */
export function uuidFromHex(hex: string): string {
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    hex.slice(12, 16),
    hex.slice(16, 20),
    hex.slice(20),
  ];
  return parts.join('-');
}
