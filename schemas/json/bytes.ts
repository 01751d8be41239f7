/** The bytes of JSON in UTF-8 (RFC 8259, RFC 3629). */

export const quote = 0x22;
export const comma = 0x2c;
export const minus = 0x2d;
export const plus = 0x2b;
export const point = 0x2e;
export const slash = 0x2f;
export const zero = 0x30;
export const colon = 0x3a;
export const openList = 0x5b;
export const backslash = 0x5c;
export const closeList = 0x5d;
export const letterU = 0x75;
export const openObject = 0x7b;
export const closeObject = 0x7d;
export const apostrophe = 0x27;
export const hash = 0x23;

/** The bytes that may follow a backslash, beside `u` and four digits. */
export const escaped: ReadonlySet<number> = new Set(new TextEncoder().encode(String.raw`"\/bfnrt`));
export const typographic: ReadonlySet<string> = new Set('“”„‟«»‘’‚');

export const isDigit = (byte = 0): boolean => byte >= 0x30 && byte <= 0x39;
export const isLetter = (byte = 0): boolean => {
  const letter = byte | 0x20;
  return (letter >= 0x61 && letter <= 0x7a) || byte === 0x5f || byte === 0x24;
};
export const isHexDigit = (byte: number): boolean =>
  isDigit(byte) || ((byte | 0x20) >= 0x61 && (byte | 0x20) <= 0x66);
export const isExponent = (byte = 0): boolean => (byte | 0x20) === 0x65;
export const isWordPart = (byte = 0): boolean =>
  isLetter(byte) || isDigit(byte) || byte === minus || byte === point;

export const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');

/** RFC 3629 §4: of a character that begins with `first`. */
export function secondBytes(first: number): [number, number] {
  switch (first) {
    case 0xe0:
      return [0xa0, 0xbf];
    case 0xed:
      return [0x80, 0x9f];
    case 0xf0:
      return [0x90, 0xbf];
    case 0xf4:
      return [0x80, 0x8f];
    default:
      return [0x80, 0xbf];
  }
}
