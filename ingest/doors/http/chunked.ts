/** The last chunk, with an extension and trailers or without. */
const lastChunk = /\r\n0+[ \t]*(?:;[^\r\n]*)?\r\n(?:[^\r\n]+\r\n)*\r\n$/;
const tailBytesMax = 1_024;
const lineFeed = 0x0a;

/**
 * Whether content ends like a chunked body. The repacked server takes a chunk's extension for a part of its size, so
 * that the rest of the request becomes content of the chunk. JSON can't end so; CBOR may, by a rare chance.
 */
export function holdsLastChunk(content: Buffer): boolean {
  const tail = content.subarray(Math.max(0, content.length - tailBytesMax));
  return tail.at(-1) === lineFeed && lastChunk.test(tail.toString('latin1'));
}
