import { mkdtemp, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { type Running, startClickHouse } from '../support/services/embedded-clickhouse.ts';

/** After which of its twelve parts an insert is cut off; `npm run test:faults` has more. */
const cuts =
  process.env['LONG'] === undefined ? [0, 4, 7] : Array.from({ length: 11 }, (_, at) => at);

let dataDir: string;
let running: Running;

beforeEach(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clickhouse-test-'));
  running = await startClickHouse(dataDir);
});

afterEach(async () => {
  await running.end('SIGKILL');
  await rm(dataDir, { recursive: true });
});

async function ask(query: string, search = ''): Promise<string> {
  const answer = await fetch(`${running.url}/?${search}`, { method: 'POST', body: query });
  const text = await answer.text();
  if (!answer.ok) throw new Error(text);
  return text.trimEnd();
}

async function restart(signal: NodeJS.Signals): Promise<number | NodeJS.Signals> {
  const ended = await running.end(signal);
  running = await startClickHouse(dataDir);
  return ended;
}

const createTable = `CREATE TABLE t (part UInt8, n UInt64, text String) ENGINE = MergeTree
  PARTITION BY part ORDER BY n
  SETTINGS non_replicated_deduplication_window = 1000, fsync_after_insert = 1, fsync_part_directory = 1`;

describe('the data', () => {
  it('is complete after a stop and after kill -9', async () => {
    await ask(createTable);
    await ask("INSERT INTO t VALUES (1, 1, 'x')");
    expect(await restart('SIGTERM')).toBe(0);
    await ask("INSERT INTO t VALUES (2, 2, 'y')");
    await writeFile(join(dataDir, 'clickhouse-spool', 'request-9'), 'left behind');
    expect(await restart('SIGKILL')).toBe('SIGKILL');
    expect(await ask('SELECT * FROM t ORDER BY n')).toBe('1\t1\tx\n2\t2\ty');
    const spool = await readdir(join(dataDir, 'clickhouse-spool'));
    expect(spool.filter((name) => !name.startsWith('result-'))).toEqual([]);
  });

  it('an insert of many partitions, sent again after kill -9 in its middle, is stored once', async () => {
    await ask(createTable);
    const insert = (token: string, times: string) =>
      fetch(
        `${running.url}/?insert_deduplication_token=${token}&query=${encodeURIComponent(
          `INSERT INTO t SELECT n % 12, n, toString(n) FROM input('n UInt64') ORDER BY n FORMAT CSV`,
        )}`,
        { method: 'POST', body: times },
      );
    const table = await ask("SELECT data_paths[1] FROM system.tables WHERE name = 't'");
    await ask('SYSTEM STOP MERGES t');
    const partitions = 12;
    const rowsEach = 60_000;
    for (const [cycle, part] of cuts.entries()) {
      const from = cycle * rowsEach;
      const body = Array.from({ length: rowsEach }, (_, at) => `${from + at}\n`).join('');
      const cut = insert(`batch-${cycle}`, body).catch(() => undefined);
      const isThere = async () => (await partsOf(table)) > cycle * partitions + part;
      await eventually(isThere, 10_000, 5);
      await restart('SIGKILL');
      await cut;
      const again = await insert(`batch-${cycle}`, body);
      expect([again.status, await again.text()]).toEqual([200, '']);
    }
    expect(await ask('SELECT count(), uniqExact(n), max(n) FROM t')).toBe(
      [cuts.length * rowsEach, cuts.length * rowsEach, cuts.length * rowsEach - 1].join('\t'),
    );
  });

  async function partsOf(table: string): Promise<number> {
    const names = await readdir(table);
    return names.filter((name) => /^\d+_\d+_\d+_/.test(name)).length;
  }

  it('a part that was registered for deduplication but not completed is inserted again', async () => {
    await ask(createTable);
    const insert = () =>
      ask(
        'INSERT INTO t SELECT 1, number, toString(number) FROM numbers(10)',
        'insert_deduplication_token=one',
      );
    await ask("INSERT INTO t VALUES (1, 100, 'before')", 'insert_deduplication_token=zero');
    await insert();
    const path = await ask("SELECT path FROM system.parts WHERE table = 't' AND name = '1_2_2_0'");
    await running.end('SIGKILL');
    // As a kill between the note and the rename leaves it.
    await rename(path, path.replace('1_2_2_0', 'tmp_insert_1_2_2_0'));
    running = await startClickHouse(dataDir);
    expect(await ask('SELECT count() FROM t')).toBe('1');
    await insert();
    await insert();
    await ask("INSERT INTO t VALUES (1, 100, 'before')", 'insert_deduplication_token=zero');
    expect(await ask('SELECT count(), uniqExact(n) FROM t')).toBe('11\t11');
  });
});

describe('the process', () => {
  it('lets a running query end when it stops', async () => {
    const slow = ask('SELECT sleep(0.5)');
    await eventually(
      async () =>
        (await ask("SELECT count() FROM system.processes WHERE query LIKE 'SELECT sleep%'")) ===
        '1',
    );
    const stopped = running.end('SIGTERM');
    expect(await slow).toBe('0');
    expect(await stopped).toBe(0);
  });

  it('ends queries that take too long when it stops', async () => {
    const endless = ask('SELECT max(sipHash64(number)) FROM numbers(1000000000000)');
    const failed = endless.catch((error: unknown) => String(error));
    await eventually(
      async () =>
        (await ask("SELECT count() FROM system.processes WHERE query LIKE '%max(sip%'")) === '2',
    );
    await running.end('SIGTERM');
    expect(await failed).toMatch('fetch failed');
  });

  it('asks for its password', async () => {
    await running.end('SIGTERM');
    running = await startClickHouse(dataDir, { CLICKHOUSE_PASSWORD: 'sesame' });
    const status = async (headers: Record<string, string>) => {
      const answer = await fetch(running.url, { method: 'POST', body: 'SELECT 1', headers });
      return [answer.status, answer.headers.get('x-clickhouse-exception-code')];
    };
    const basic = (pair: string) => ({ authorization: `Basic ${btoa(pair)}` });
    expect(await status(basic('default:sesame'))).toEqual([200, null]);
    expect(await status({ 'x-clickhouse-key': 'sesame' })).toEqual([200, null]);
    for (const headers of [{}, basic('default:no'), basic('root:sesame')]) {
      expect(await status(headers)).toEqual([403, '516']);
    }
    expect((await fetch(`${running.url}/ping`)).status).toBe(200);
  });

  it('names a wrong setting', async () => {
    await expect(startClickHouse(dataDir, { UV_THREADPOOL_SIZE: '4' })).rejects.toThrow(
      'UV_THREADPOOL_SIZE',
    );
  });
});
