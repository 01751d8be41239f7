import { pipeline, type Readable } from 'node:stream';
import { createGzip, createZstdCompress } from 'node:zlib';

type Encoding = 'gzip' | 'zstd';

/** The compression that an `Accept-Encoding` names; none for one that takes anything. */
export function encodingOf(acceptEncoding: string | string[] | undefined): Encoding | undefined {
  const named = String(acceptEncoding ?? '')
    .toLowerCase()
    .split(',')
    .map((part) => part.split(';').map((piece) => piece.trim()))
    .filter(([, quality]) => quality === undefined || !/^q=0(\.0*)?$/.test(quality))
    .map(([name]) => name);
  if (named.includes('zstd')) return 'zstd';
  return named.includes('gzip') ? 'gzip' : undefined;
}

/** A failure of the file destroys the compressed stream, and vice versa. */
export function compress(file: Readable, encoding: Encoding | undefined): Readable {
  if (encoding === undefined) return file;
  const compressor = encoding === 'gzip' ? createGzip({ level: 1 }) : createZstdCompress();
  return pipeline(file, compressor, () => undefined);
}
