import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  type Header,
  type Piece,
  readBackup,
  Source,
  writeEnd,
  writeHead,
  writePieceHead,
} from './format.ts';

const header: Header = {
  created: '2026-11-22T10:00:00.000Z',
  counts: { senml: 3, json: 1 },
  columns: { senml: { name: 'String' }, json: { payload: 'String' } },
};
const pieces: Piece[] = [
  { format: 'senml', rows: 3, rawBytes: 9, data: Buffer.from('abc') },
  { format: 'json', rows: 1, rawBytes: 2, data: Buffer.from('d') },
];

function fileOf(written: Piece[] = pieces): Buffer {
  const parts = written.flatMap((piece) => [writePieceHead(piece), piece.data]);
  const body = Buffer.concat([writeHead(header), ...parts, writeEnd()]);
  return Buffer.concat([body, createHash('sha256').update(body).digest()]);
}

async function read(file: Buffer, chunkBytes = 5) {
  const chunks = (async function* () {
    for (let at = 0; at < file.length; at += chunkBytes) yield file.subarray(at, at + chunkBytes);
  })();
  const backup = await readBackup(new Source(chunks));
  const found: Piece[] = [];
  for await (const piece of backup.pieces) found.push(piece);
  return { header: backup.header, pieces: found };
}

describe('a backup', () => {
  it.each([1, 5, 10_000])('reads back as it was written, in chunks of %i bytes', async (bytes) => {
    expect(await read(fileOf(), bytes)).toEqual({ header, pieces });
  });

  it('that was cut, changed or goes on is refused', async () => {
    const file = fileOf();
    const changed = Buffer.from(file);
    changed.write('x', changed.indexOf('abc'));
    await expect(read(file.subarray(0, -1))).rejects.toThrow('cut off');
    await expect(read(changed)).rejects.toThrow('the file');
    await expect(read(Buffer.concat([file, Buffer.from('x')]))).rejects.toThrow('goes on');
  });

  it('that holds more or fewer messages than it says is refused', async () => {
    await expect(read(fileOf([...pieces, ...pieces]))).rejects.toThrow('more senml messages');
    await expect(read(fileOf(pieces.slice(0, 1)))).rejects.toThrow('holds 0 json messages, not 1');
  });

  it('of another kind or version is refused', async () => {
    await expect(read(Buffer.from('{"a":1}\n'))).rejects.toThrow('it is no backup');
    await expect(read(Buffer.from('millrace-backup 9\n{}\n'))).rejects.toThrow('version');
  });
});
