import { pipeline, type Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

export type Encoding = 'gzip' | 'zstd';

/** What a client asks for by name; nothing for one that would take anything. */
export function encodingOf(acceptEncoding: string | string[] | undefined): Encoding | undefined {
  const asked = String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
    .map(([name]) => name);
  if (asked.includes('zstd')) return 'zstd';
  return asked.includes('gzip') ? 'gzip' : undefined;
}

/** A file that fails half way fails compressed as well, and one that is given up ends its source. */
export function compress(file: Readable, encoding: Encoding | undefined): Readable {
  if (encoding === undefined) return file;
  const compressor = encoding === 'gzip' ? createGzip({ level: 1 }) : createZstdCompress();
  return pipeline(file, compressor, () => undefined);
}
