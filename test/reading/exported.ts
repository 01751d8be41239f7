import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DuckDBInstance } from '@duckdb/node-api';
import { request } from 'undici';
import { system } from '../support/system.ts';

/** The bytes of an export, as they came. */
export async function download(as: string, path: string, headers: Record<string, string> = {}) {
  const answer = await request(`${system().apiUrl}${path}`, {
    headers: { authorization: as, ...headers },
  });
  const bytes = Buffer.from(await answer.body.arrayBuffer());
  return {
    status: answer.statusCode,
    headers: answer.headers,
    bytes,
    text: bytes.toString('utf8'),
  };
}

/** What DuckDB makes of a file. */
export async function inDuckDb(bytes: Buffer, name: string, query: (file: string) => string) {
  const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  const file = join(directory, name);
  writeFileSync(file, bytes);
  const database = await DuckDBInstance.create(':memory:');
  const connection = await database.connect();
  try {
    return (await connection.runAndReadAll(query(`'${file}'`))).getRowsJson();
  } finally {
    connection.closeSync();
    database.closeSync();
    rmSync(directory, { recursive: true });
  }
}
