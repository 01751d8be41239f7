/** The part of DER that a revocation list needs (X.690). */

/** A value of any type, with its length before it. */
export function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const length = parts.reduce((sum, part) => sum + part.length, 0);
  return Buffer.concat([Buffer.from([tag, ...lengthBytes(length)]), ...parts]);
}

function lengthBytes(length: number): number[] {
  if (length < 0x80) return [length];
  const bytes: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 256)) bytes.unshift(left % 256);
  return [0x80 | bytes.length, ...bytes];
}

export const sequence = (...parts: Uint8Array[]) => der(0x30, ...parts);

export const octets = (content: Uint8Array) => der(0x04, content);

export const bits = (content: Uint8Array) => der(0x03, Buffer.from([0]), content);

/** A number that is not negative, in hex. */
export function integer(hex: string): Buffer {
  const bytes = Buffer.from(hex.length % 2 === 0 ? hex : `0${hex}`, 'hex');
  const isHigh = (bytes[0] ?? 0) > 0x7f;
  return der(0x02, ...(isHigh ? [Buffer.from([0])] : []), bytes);
}

/** In seconds; up to 2049 with two digits for the year (RFC 5280 §4.1.2.5). */
export function time(date: Date): Buffer {
  const text = `${date.toISOString().replace(/[-:T]|\..*/g, '')}Z`;
  return date.getUTCFullYear() < 2050
    ? der(0x17, Buffer.from(text.slice(2)))
    : der(0x18, Buffer.from(text));
}
