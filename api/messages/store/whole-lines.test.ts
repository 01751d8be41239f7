import { Readable } from 'node:stream';
import { ClickHouseError } from '@clickhouse/client';
import { describe, expect, it } from 'vitest';
import { jsonRowsOf, wholeLines } from './whole-lines.ts';

const tag = 'abcdefabcdef';

async function read(pieces: readonly string[]): Promise<unknown[]> {
  const rows: unknown[] = [];
  const chunks = pieces.map((piece) => Buffer.from(piece, 'latin1'));
  for await (const some of jsonRowsOf(wholeLines(Readable.from(chunks), tag))) rows.push(...some);
  return rows;
}

describe('rows of JSON', () => {
  it('are whole wherever the result is cut', async () => {
    const text = Buffer.from('["é\\n", 1]\n[[2, null], "a"]\n[]\n').toString('latin1');
    for (let at = 0; at <= text.length; at++) {
      const rows = await read([text.slice(0, at), text.slice(at)].filter((piece) => piece !== ''));
      expect(rows).toEqual([['é\n', 1], [[2, null], 'a'], []]);
    }
  });

  it('end with the error of a query that fails after some', async () => {
    const message = 'Code: 241. DB::Exception: memory limit exceeded. (MEMORY_LIMIT_EXCEEDED)\n';
    const block = `\r\n__exception__\r\n${tag}\r\n${message}${message.length} ${tag}\r\n__exception__\r\n`;
    for (const cut of [1, 20, 60, block.length - 1]) {
      const failed = read(['[1]\n[2]', `\n${block.slice(0, cut)}`, block.slice(cut)]);
      await expect(failed).rejects.toThrow('memory limit exceeded');
      await expect(failed).rejects.toBeInstanceOf(ClickHouseError);
    }
  });
});
