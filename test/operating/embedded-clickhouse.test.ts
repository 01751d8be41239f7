import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { gunzipSync, gzipSync } from 'node:zlib';
import {
  type ClickHouseClient,
  ClickHouseError,
  ClickHouseLogLevel,
  createClient,
  extractErrorAtTheEndOfChunk,
} from '@clickhouse/client';
import { Agent, request } from 'undici';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { baseNiceness, nicenessOf } from '../../infra/local/clickhouse/engine/niceness.ts';
import { limits } from '../../infra/local/clickhouse/limits.ts';
import { type Running, startClickHouse } from '../support/services/embedded-clickhouse.ts';

let dataDir: string;
let running: Running;
let client: ClickHouseClient;

beforeAll(async () => {
  dataDir = await mkdtemp(join(tmpdir(), 'clickhouse-test-'));
  running = await startClickHouse(dataDir);
  client = createClient({
    url: running.url,
    clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    log: { level: ClickHouseLogLevel.OFF },
  });
});

afterAll(async () => {
  await client.close();
  await running.end('SIGTERM');
  await rm(dataDir, { recursive: true });
});

const post = (search: string, body?: string | Uint8Array, headers: Record<string, string> = {}) =>
  fetch(`${running.url}/?${search}`, { method: 'POST', headers, ...(body ? { body } : {}) });

async function rows<T>(query: string): Promise<T[]> {
  const result = await client.query({ query, format: 'JSONEachRow' });
  return result.json<T>();
}

async function isQuiet(): Promise<void> {
  await eventually(async () => {
    const left = await rows<{ n: number }>(
      "SELECT toUInt32(count()) AS n FROM system.processes WHERE query NOT LIKE '%system.processes%'",
    );
    expect(left).toEqual([{ n: 0 }]);
  });
}

describe('the embedded ClickHouse answers', () => {
  it('/ping and / without a query', async () => {
    for (const path of ['/ping', '/']) {
      const answer = await fetch(running.url + path);
      expect([answer.status, await answer.text()]).toEqual([200, 'Ok.\n']);
    }
    expect((await fetch(`${running.url}/else`)).status).toBe(404);
    expect(await client.ping()).toEqual({ success: true });
  });

  it('a query in the URL, in the body, and in both together', async () => {
    const url = `${running.url}/?query=${encodeURIComponent('SELECT 1')}`;
    expect(await (await fetch(url)).text()).toBe('1\n');
    expect(await (await post('', 'SELECT 2')).text()).toBe('2\n');
    expect(await (await post('query=SELECT+3,', '4')).text()).toBe('3\t4\n');
  });

  it('with the headers of ClickHouse', async () => {
    const answer = await post('default_format=CSVWithNames&query_id=q1', 'SELECT 1 AS a');
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': 'text/csv; charset=UTF-8; header=present',
      'x-clickhouse-format': 'CSVWithNames',
      'x-clickhouse-query-id': 'q1',
      'x-clickhouse-timezone': expect.any(String),
    });
    expect(JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '')).toMatchObject({
      read_rows: '1',
    });
    expect(await answer.text()).toBe('"a"\n1\n');
  });

  it('in every format, whole, in any number of pieces', async () => {
    const query = 'SELECT number AS n, toString(number) AS s FROM numbers(300000)';
    const json = await (await client.query({ query, format: 'JSON' })).json<{ n: string }>();
    expect([json.rows, json.data.at(-1)?.n]).toEqual([300_000, '299999']);
    const csv = await (await post('', `${query} FORMAT CSVWithNames`)).text();
    expect(csv.split('"n","s"').length).toBe(2);
    const parquet = new Uint8Array(await (await post('', `${query} FORMAT Parquet`)).arrayBuffer());
    await client.command({ query: 'CREATE TABLE parquet (n UInt64, s String) ENGINE = Memory' });
    await post('query=INSERT+INTO+parquet+FORMAT+Parquet', parquet);
    expect(await rows('SELECT count() AS n FROM parquet')).toEqual([{ n: '300000' }]);
  });

  it('statements other than SELECT', async () => {
    const result = await client.query({ query: "SHOW DATABASES LIKE 'def%'", format: 'JSON' });
    expect((await result.json()).data).toEqual([{ name: 'default' }]);
    expect(await (await post('', 'EXISTS TABLE nowhere;')).text()).toBe('0\n');
  });

  it('bound parameters, whatever they are', async () => {
    const value = 'a\'b"c`d\\e\tf\ng é 😀 {x:String} \\N';
    const query_params = { s: value, list: ['x', "y'z"], n: null, big: '9223372036854775807' };
    const query =
      'SELECT {s:String} AS s, {list:Array(String)} AS list, {n:Nullable(Int8)} AS n, {big:Int64} AS big';
    const result = await client.query({ query, query_params, format: 'JSONEachRow' });
    expect(await result.json()).toEqual([query_params].map(({ s, ...rest }) => ({ s, ...rest })));
  });

  it('parameters of mebibytes, in the URL and in a form', async () => {
    const big = 'é'.repeat(1_000_000);
    for (const use_multipart_params of [false, true]) {
      const result = await client.query({
        query: 'SELECT length({big:String}) AS bytes',
        query_params: { big },
        format: 'JSONEachRow',
        use_multipart_params,
      });
      expect(await result.json()).toEqual([{ bytes: '2000000' }]);
    }
  });

  it('with the settings and the database of a request, for that request only', async () => {
    const query = "SELECT getSetting('max_threads') AS t, currentDatabase() AS d";
    const first = await post('max_threads=1&database=system', query);
    expect(await first.text()).toBe('1\tsystem\n');
    const second = await (await post('', query)).text();
    expect(second).toMatch(/\tdefault\n$/);
    expect((await post('', 'SELECT {x:String}')).headers.get('x-clickhouse-exception-code')).toBe(
      '456',
    );
  });

  it('of any size, at the limits of a pipe and of the buffer', async () => {
    const held = [64 * 1024, limits.heldBytesMax];
    for (const bytes of held.flatMap((limit) => [limit - 1, limit, limit + 1, 2 * limit])) {
      const query = `SELECT toString(number % 10) FROM numbers(${bytes}) FORMAT RawBLOB`;
      const answer = await (await post('', query)).text();
      expect(answer.length).toBe(bytes);
      expect(answer).toBe('0123456789'.repeat(bytes / 10 + 1).slice(0, bytes));
    }
  });

  it('with many chunks whole and in order, to a client that pauses between them', async () => {
    const count = 3_000_000;
    const answer = await post('', `SELECT number FROM numbers(${count}) FORMAT TabSeparated`);
    if (answer.body === null) throw new Error('no body');
    let got = '';
    let chunks = 0;
    for await (const chunk of answer.body.pipeThrough(new TextDecoderStream())) {
      got += chunk;
      chunks += 1;
      // Meanwhile nothing is taken: the engine comes to where it must wait.
      if (chunks % 30 === 0) await rows('SELECT sum(number) FROM numbers(1e7)');
    }
    expect(got === Array.from({ length: count }, (_, number) => `${number}\n`).join('')).toBe(true);
  });

  it('to the right client, even after queries that failed in the middle of a result', async () => {
    const failing = 'SELECT throwIf(number = 150000), number FROM numbers(200000)';
    for (let round = 0; round < 2 * limits.runningMax.rows; round += 1) {
      const failed = await post('max_block_size=1000&max_threads=1', failing);
      await failed.text().catch(() => undefined);
      expect(await (await post('', `SELECT ${round}`)).text()).toBe(`${round}\n`);
    }
  });

  it('with the settings of the query before those of the request', async () => {
    const query = "SELECT getSetting('max_threads') AS t";
    for (const [asked, threads] of [
      [`${query} FORMAT CSV`, '1'],
      [`${query} FORMAT CSV /* few */ SETTINGS max_threads = 3 -- three`, '3'],
      [`${query} SETTINGS max_threads = 4 FORMAT CSV`, '4'],
      [`${query} SETTINGS max_threads = 4 FORMAT CSV SETTINGS max_threads = 3;`, '4'],
    ]) {
      expect(await (await post('max_threads=1', asked)).text()).toBe(`${threads}\n`);
    }
    expect((await post('', `${query} FORMAT CSV SETTINGS`)).status).toBe(400);
  });

  it('with nothing of an earlier request', async () => {
    await post('', 'CREATE TEMPORARY TABLE mine (n UInt8)');
    await post('', 'USE system');
    await post('', 'SET max_threads = 1');
    await post('max_threads=1&param_x=1&database=system', 'SELECT {x:UInt8}');
    await fetch(`${running.url}/?query=SELECT+1`);
    await post('readonly=1', 'SELECT 1');
    await post('', 'SELECT 1 SETTINGS max_threads = 1');
    await post('', 'SELECT 1 FORMAT CSV SETTINGS max_threads = 1');
    const left = "SELECT currentDatabase(), getSetting('readonly'), getSetting('max_threads') != 1";
    expect(await (await post('', left)).text()).toBe('default\t0\t1\n');
    expect((await post('', 'SELECT * FROM mine')).status).toBe(404);
    expect((await post('', 'SELECT {x:UInt8}')).status).not.toBe(200);
  });

  it('pages before files, where threads may be of different niceness', async () => {
    const niceness = await Promise.all(
      [0, 1, 2].map(async (priority) => {
        const query = "SELECT getSetting('os_threads_nice_value_query')";
        return Number(await (await post(`priority=${priority}`, query)).text());
      }),
    );
    const base = baseNiceness();
    const expected = base === undefined ? [0, 0, 0] : [0, 1, 2].map((at) => nicenessOf(at, base));
    expect(niceness).toEqual(expected);
  });

  it('read-only requests', async () => {
    expect(await (await post('readonly=1', 'SELECT 1')).text()).toBe('1\n');
    expect((await post('readonly=1&max_threads=1', 'SHOW DATABASES')).status).toBe(200);
    const url = `${running.url}/?readonly=1&query=SELECT+2`;
    expect(await (await fetch(url)).text()).toBe('2\n');
    expect((await post('readonly=1', 'CREATE TABLE no (n UInt8) ENGINE = Memory')).status).toBe(
      500,
    );
  });

  it('gzip in both directions', async () => {
    const gzipped = await request(`${running.url}/?enable_http_compression=1`, {
      method: 'POST',
      headers: { 'accept-encoding': 'gzip', 'content-encoding': 'gzip' },
      body: gzipSync('SELECT number FROM numbers(200000) FORMAT CSV'),
    });
    expect(gzipped.headers['content-encoding']).toBe('gzip');
    const lines = gunzipSync(await gzipped.body.bytes())
      .toString()
      .split('\n');
    expect(lines.length).toBe(200_001);

    const both = createClient({ url: running.url, compression: { request: true, response: true } });
    await both.command({ query: 'CREATE TABLE zipped (n UInt64) ENGINE = MergeTree ORDER BY n' });
    const values = Array.from({ length: 1_000 }, (_, n) => ({ n }));
    await both.insert({ table: 'zipped', values, format: 'JSONEachRow' });
    const result = await both.query({
      query: 'SELECT toString(sum(n)) AS n FROM zipped',
      format: 'JSONEachRow',
    });
    expect(await result.json()).toEqual([{ n: '499500' }]);
    await both.close();
  });

  it('with the parameters of a request, for that request only', async () => {
    const query = 'SELECT {given:String} AS given';
    const given = await post('param_given=mine&max_threads=1', query);
    expect(await given.text()).toBe('mine\n');
    const forgotten = await post('param_other=mine&max_threads=1', query);
    expect(forgotten.headers.get('x-clickhouse-exception-code')).toBe('456');
  });

  it('many at a time, each with its own parameters', async () => {
    const answers = await Promise.all(
      Array.from({ length: 200 }, async (_, at) => {
        const answer = await post(
          `param_at=${at}&max_threads=${1 + (at % 3)}`,
          'SELECT {at:UInt32}',
        );
        return Number(await answer.text());
      }),
    );
    expect(answers).toEqual(Array.from({ length: 200 }, (_, at) => at));
  });
});

describe('an INSERT', () => {
  beforeEach(async () => {
    await client.command({ query: 'DROP TABLE IF EXISTS t' });
    await client.command({
      query:
        "CREATE TABLE t (a Int64, b String, c String DEFAULT 'd') ENGINE = MergeTree ORDER BY a SETTINGS non_replicated_deduplication_window = 100",
    });
  });

  const insert = (query: string, body: Uint8Array | string) =>
    post(`query=${encodeURIComponent(query)}`, body);

  it.each(['RowBinary', 'Native', 'JSONEachRow', 'CSV', 'Parquet'])('as %s', async (format) => {
    const select = `SELECT toInt64(number) AS a, concat('é\n', toString(number)) AS b FROM numbers(100000)`;
    const body = new Uint8Array(await (await post('', `${select} FORMAT ${format}`)).arrayBuffer());
    const answer = await insert(`INSERT INTO t (a, b) FORMAT ${format}`, body);
    expect([answer.status, await answer.text()]).toEqual([200, '']);
    expect(JSON.parse(answer.headers.get('x-clickhouse-summary') ?? '')).toMatchObject({
      written_rows: '100000',
    });
    expect(
      await rows('SELECT count() AS n, sum(a) AS a, sum(length(b)) AS b, any(c) AS c FROM t'),
    ).toEqual([{ n: '100000', a: '4999950000', b: '788890', c: 'd' }]);
  });

  it('with its data after it in the body', async () => {
    await post('', 'INSERT INTO t (a, b) FORMAT JSONEachRow\n{"a":1,"b":"x"}\n{"a":2,"b":"y"}\n');
    await post('', "INSERT INTO t (a, b) VALUES (3, upper('z')), (1+3, 'w; FORMAT CSV')");
    expect(await rows('SELECT a, b FROM t ORDER BY a')).toEqual([
      { a: '1', b: 'x' },
      { a: '2', b: 'y' },
      { a: '3', b: 'Z' },
      { a: '4', b: 'w; FORMAT CSV' },
    ]);
  });

  it('from input(), with settings', async () => {
    const query =
      "INSERT INTO t (a, b) SELECT a, b FROM input('a Int64, list Array(String)') ARRAY JOIN list AS b SETTINGS max_threads = 1 FORMAT JSONEachRow";
    await client.command({ query: `${query}\n{"a":1,"list":["x","y"]}\n{"a":2,"list":["z"]}` });
    await client.exec({
      query,
      values: Readable.from(['{"a":3,"list":["v"]}\n'], { objectMode: false }),
    });
    expect(await rows('SELECT a, b FROM t ORDER BY a, b')).toEqual([
      { a: '1', b: 'x' },
      { a: '1', b: 'y' },
      { a: '2', b: 'z' },
      { a: '3', b: 'v' },
    ]);
  });

  it('twice with one token is there once', async () => {
    for (const token of ['one', 'one', 'two']) {
      await post(
        `insert_deduplication_token=${token}&query=INSERT+INTO+t+(a,b)+FORMAT+CSV`,
        '1,"x"\n',
      );
    }
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: '2' }]);
  });

  it('of any size, in bounded memory', async () => {
    const chunk = Buffer.from(
      '{"a":1,"b":"0123456789012345678901234567890123456789"}\n'.repeat(10_000),
    );
    const chunks = 600;
    const before = await residentBytes();
    const answer = await request(`${running.url}/?query=INSERT+INTO+t+(a,b)+FORMAT+JSONEachRow`, {
      method: 'POST',
      body: Readable.from(
        Array.from({ length: chunks }, () => chunk),
        { objectMode: false },
      ),
    });
    expect([answer.statusCode, await answer.body.text()]).toEqual([200, '']);
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: String(chunks * 10_000) }]);
    expect((await residentBytes()) - before).toBeLessThan(1024 * 1024 * 1024);
  });

  it('that is cut or malformed inserts nothing, and leaves no file', async () => {
    const before = await readdir(join(dataDir, 'clickhouse-spool'));
    const wrong = await insert('INSERT INTO t (a, b) FORMAT RowBinary', new Uint8Array(9).fill(7));
    expect([wrong.status, wrong.headers.get('x-clickhouse-exception-code')]).toEqual([500, '33']);
    await expect(cutUpload('INSERT INTO t (a, b) FORMAT CSV', '1,"x"\n')).rejects.toThrow('cut');
    const cutGzip = await post(
      'query=INSERT+INTO+t+(a,b)+FORMAT+CSV',
      gzipSync('1,"x"\n').subarray(0, 20),
      {
        'content-encoding': 'gzip',
      },
    );
    expect(cutGzip.status).toBe(500);
    expect(await rows('SELECT count() AS n FROM t')).toEqual([{ n: '0' }]);
    await eventually(async () => {
      expect(await readdir(join(dataDir, 'clickhouse-spool'))).toEqual(before);
    });
  });

  function cutUpload(query: string, start: string): Promise<void> {
    return new Promise((_, reject) => {
      const upload = httpRequest(`${running.url}/?query=${encodeURIComponent(query)}`, {
        method: 'POST',
        headers: { 'content-length': 1_000 },
      });
      upload.on('error', reject);
      upload.write(start, () => upload.destroy(new Error('cut')));
    });
  }
});

describe('an error', () => {
  it.each([
    ['SELECT * FROM nowhere', 404, 60],
    ['SELECT * FROM nowhere.t', 404, 81],
    ['SELECT (', 400, 62],
    ['', 400, 62],
    ['SELECT 1; SELECT 2', 400, 62],
    ["SELECT throwIf(1, 'boom')", 500, 395],
    ['SELECT 1 FORMAT Nothing', 404, 73],
    ['CREATE TABLE x (a Nothing2) ENGINE = Memory', 404, 50],
    ['INSERT INTO nowhere FORMAT CSV\n1', 404, 60],
  ])('%s is %i with code %i', async (query, status, code) => {
    const answer = await post('', query);
    expect(answer.status).toBe(status);
    expect(answer.headers.get('x-clickhouse-exception-code')).toBe(String(code));
    expect(await answer.text()).toMatch(
      new RegExp(
        `^Code: ${code}\\. DB::Exception: (?!Code).*\\([A-Z_]+\\) \\(version .*\\)\n$`,
        's',
      ),
    );
  });

  it('names an unknown setting and an unknown database, and GET changes nothing', async () => {
    const code = async (answer: Promise<Response>) => [
      (await answer).status,
      (await answer).headers.get('x-clickhouse-exception-code'),
    ];
    expect(await code(post('no_such_setting=1', 'SELECT 1'))).toEqual([404, '115']);
    expect(await code(post('database=nowhere', 'SELECT 1'))).toEqual([404, '81']);
    const query = encodeURIComponent('CREATE TABLE never (a Int8) ENGINE = Memory');
    expect(await code(fetch(`${running.url}/?query=${query}`))).toEqual([500, '164']);
  });

  it('has no path of a temporary file', async () => {
    for (const query of ['SELECT 1 +', "INSERT INTO FUNCTION null('a UUID') FORMAT CSV\nx"]) {
      const answer = await post('', query);
      expect(answer.status).toBe(400);
      expect(await answer.text()).not.toContain(dataDir);
    }
  });

  it('is compressed on request', async () => {
    const answer = await request(`${running.url}/?enable_http_compression=1`, {
      method: 'POST',
      headers: { 'accept-encoding': 'gzip' },
      body: 'SELECT * FROM nowhere',
    });
    expect([answer.statusCode, answer.headers['content-encoding']]).toEqual([404, 'gzip']);
    expect(gunzipSync(await answer.body.bytes()).toString()).toMatch(/^Code: 60\./);
  });

  it("is the client's own", async () => {
    const failure = client.query({ query: 'SELECT * FROM nowhere' });
    await expect(failure).rejects.toThrow(ClickHouseError);
    await expect(failure).rejects.toMatchObject({ code: '60', type: 'UNKNOWN_TABLE' });
  });

  const late = "SELECT number, throwIf(number = 3000000, 'boom') FROM numbers(5000000)";

  it.each(['gzip', 'identity'])(
    'in the middle of a result breaks the body off (%s)',
    async (encoding) => {
      const answer = await request(`${running.url}/?enable_http_compression=1`, {
        method: 'POST',
        headers: { 'accept-encoding': encoding },
        body: `${late} FORMAT CSV`,
      });
      expect(answer.statusCode).toBe(200);
      expect(answer.headers['content-encoding']).toBe(encoding === 'gzip' ? 'gzip' : undefined);
      await expect(text(answer.body)).rejects.toThrow('other side closed');
    },
  );

  it("in the middle of a result stands at its end, for the client's parser", async () => {
    const answer = await request(`${running.url}/`, {
      method: 'POST',
      body: `${late} FORMAT JSONEachRow`,
    });
    // All of it: the client looks at the last chunk alone, and a chunk may begin in the middle of the error.
    const chunks: Buffer[] = [];
    const reading = (async () => {
      for await (const chunk of answer.body) {
        const bytes: Buffer = chunk;
        chunks.push(bytes);
      }
    })();
    await expect(reading).rejects.toThrow('other side closed');
    const tag = String(answer.headers['x-clickhouse-exception-tag']);
    expect(extractErrorAtTheEndOfChunk(Buffer.concat(chunks), tag)).toMatchObject({ code: '395' });
  });

  it('in the middle of a result has its own status with wait_end_of_query', async () => {
    const answer = await post('wait_end_of_query=1', `${late} FORMAT CSV`);
    expect([answer.status, answer.headers.get('x-clickhouse-exception-code')]).toEqual([
      500,
      '395',
    ]);
    const good = await post('wait_end_of_query=1', 'SELECT number FROM numbers(1000000)');
    expect((await good.text()).length).toBe(6_888_890);
  });
});

describe('a request', () => {
  const code = async (answer: Promise<Response>) => {
    const { status, headers } = await answer;
    return [status, headers.get('x-clickhouse-exception-code')];
  };

  it('with other methods than GET and POST is refused, and writes nothing', async () => {
    await client.command({ query: 'CREATE TABLE IF NOT EXISTS posted (n UInt8) ENGINE = Memory' });
    const url = `${running.url}/?query=${encodeURIComponent('INSERT INTO posted VALUES (1)')}`;
    for (const method of ['PUT', 'DELETE', 'PATCH', 'HEAD', 'OPTIONS']) {
      expect((await fetch(url, { method })).status).toBe(405);
    }
    expect(await code(fetch(url))).toEqual([500, '164']);
    expect(await rows('SELECT count() AS n FROM posted')).toEqual([{ n: '0' }]);
  });

  it('with a session is refused as not implemented', async () => {
    expect(await code(post('session_id=one', 'SELECT 1'))).toEqual([501, '48']);
  });

  it('as an unknown user, or with a role, is refused', async () => {
    const user = { 'x-clickhouse-user': 'nobody' };
    expect(await code(post('', 'SELECT 1', user))).toEqual([403, '516']);
    expect(await code(post('user=nobody', 'SELECT 1'))).toEqual([403, '516']);
    expect(await code(post('user=default', 'SELECT 1'))).toEqual([200, null]);
    expect(await code(post('', 'SELECT 1', { authorization: 'Bearer x' }))).toEqual([403, '516']);
    expect(await code(post('role=nobody', 'SELECT 1'))).toEqual([404, '115']);
  });

  it('can be killed by its query_id', async () => {
    const asked = post(
      'query_id=long',
      'SELECT max(sipHash64(number)) FROM numbers(1000000000000)',
    );
    await eventually(async () => {
      const killed = await post('', "KILL QUERY WHERE query_id = 'long' SYNC");
      expect(await killed.text()).toContain('sipHash64');
    });
    expect(await code(asked)).toEqual([500, '394']);
  });

  it('with progress has all rows, totals and extremes, and what was read in the end', async () => {
    const query = `SELECT number % 3 AS k, count() AS c FROM numbers(100)
      GROUP BY ALL WITH TOTALS ORDER BY ALL LIMIT 2 FORMAT JSONEachRowWithProgress`;
    const answer = await post('rows_before_aggregation=1&extremes=1', query);
    const lines = (await answer.text()).trim().split('\n');
    const events = lines.map((line): unknown => JSON.parse(line));
    const isProgress = (event: unknown) => Object.hasOwn(Object(event), 'progress');
    expect(events.filter((event) => !isProgress(event))).toMatchObject([
      { meta: [{ name: 'k' }, { name: 'c' }] },
      { row: { k: 0, c: 34 } },
      { row: { k: 1, c: 33 } },
      { totals: { k: 0, c: 100 } },
      { min: { k: 0, c: 33 } },
      { max: { k: 1, c: 34 } },
      { rows_before_limit_at_least: 3 },
      { rows_before_aggregation: 100 },
    ]);
    expect(events.findLast(isProgress)).toMatchObject({ progress: { read_rows: '100' } });
  });

  it('has a summary of the known counts only', async () => {
    await client.command({ query: 'CREATE TABLE IF NOT EXISTS summed (n UInt64) ENGINE = Memory' });
    const summaryOf = async (query: string) =>
      JSON.parse((await post('', query)).headers.get('x-clickhouse-summary') ?? '');
    const elapsed = { elapsed_ns: expect.stringMatching(/^[0-9]+$/) };
    expect(await summaryOf('INSERT INTO summed SELECT number FROM numbers(1000)')).toEqual(elapsed);
    expect(await summaryOf('INSERT INTO summed FORMAT CSV\n1\n2\n')).toMatchObject({
      ...elapsed,
      read_rows: '2',
      written_rows: '2',
      result_rows: '2',
      result_bytes: '16',
    });
    expect(await summaryOf('SELECT n FROM summed')).toMatchObject({
      ...elapsed,
      read_rows: '1002',
      written_rows: '0',
    });
  });
});

describe('under load', () => {
  it('a query ends when its client leaves', async () => {
    for (const query of [
      'SELECT number FROM system.numbers',
      'SELECT max(sipHash64(number)) FROM numbers(1000000000000)',
    ]) {
      const leave = new AbortController();
      const asked = fetch(running.url, { method: 'POST', body: query, signal: leave.signal });
      await eventually(async () => {
        const [{ n } = { n: 0 }] = await rows<{ n: number }>(
          "SELECT toUInt32(count()) AS n FROM system.processes WHERE query LIKE 'SELECT %INTO OUTFILE%numbers%' OR query LIKE '%sipHash64%' AND query NOT LIKE '%processes%'",
        );
        return query.includes('system.numbers') || n > 0;
      });
      leave.abort();
      await expect(asked.then((answer) => answer.text())).rejects.toThrow('aborted');
      await isQuiet();
    }
  });

  it('a query with a long text ends within 2 s after its client leaves', async () => {
    const list = Array.from({ length: 10_000 }, (_, at) => `value ${at}`);
    const leave = new AbortController();
    const asked = client.query({
      query: `SELECT max(sipHash64(number)) FROM numbers(1000000000000)
              WHERE toString(number) NOT IN {list:Array(String)}`,
      query_params: { list },
      use_multipart_params: true,
      query_id: 'a long one',
      abort_signal: leave.signal,
    });
    const left = async () => {
      const [{ n } = { n: 0 }] = await rows<{ n: number }>(
        "SELECT toUInt32(count()) AS n FROM system.processes WHERE Settings['log_comment'] LIKE 'a long one %'",
      );
      return n;
    };
    await eventually(async () => expect(await left()).toBe(1));
    leave.abort();
    await expect(asked).rejects.toThrow('aborted');
    await eventually(async () => expect(await left()).toBe(0), 2_000);
  });

  /** Readers who take nothing have every place of readers, and one more waits for it. Gives what ends them. */
  async function stallReaders(): Promise<() => Promise<void>> {
    const leave = new AbortController();
    const body = 'SELECT number FROM system.numbers';
    // An answer that nobody holds is collected, and its query ends.
    const begun: Response[] = [];
    const stalled = Array.from({ length: limits.runningMax.rows + 1 }, async () => {
      const answer = fetch(running.url, { method: 'POST', body, signal: leave.signal });
      await answer.then((response) => begun.push(response)).catch(() => undefined);
    });
    await eventually(() => expect(begun).toHaveLength(limits.runningMax.rows));
    return async () => {
      leave.abort();
      await Promise.all(stalled);
      await Promise.all(begun.map((response) => response.text().catch(() => undefined)));
    };
  }

  it('an INSERT and a command do not wait for readers who take nothing', async () => {
    await client.command({ query: 'CREATE TABLE kept_free (n UInt64) ENGINE = Memory' });
    const endReaders = await stallReaders();
    const row = { table: 'kept_free', values: [{ n: 1 }], format: 'JSONEachRow' } as const;
    expect(await client.insert(row)).toMatchObject({ executed: true });
    await client.command({ query: 'DROP TABLE kept_free' });
    await endReaders();
    await isQuiet();
  });

  it('/ping answers while queries plan and run', async () => {
    const heavy = [
      'SELECT number FROM numbers(10) WHERE number = (SELECT max(sipHash64(number)) FROM numbers(50000000))',
      'SELECT sum(length(toString(number))) FROM numbers(50000000)',
      'SELECT number, toString(number) FROM numbers(2000000) FORMAT JSON',
    ];
    let over = false;
    const all = Promise.all(heavy.map(async (query) => (await post('', query)).text())).finally(
      () => {
        over = true;
      },
    );
    const beganMs = performance.now();
    const waits: number[] = [];
    while (!over) {
      const before = performance.now();
      await (await fetch(`${running.url}/ping`)).text();
      waits.push(performance.now() - before);
    }
    const queriedMs = performance.now() - beganMs;
    await all;
    // However slow the machine is: one that plans in the thread that answers lets a ping wait for whole queries.
    const most =
      waits.toSorted((one, other) => one - other).at(Math.floor(waits.length * 0.95)) ?? queriedMs;
    expect(most / queriedMs).toBeLessThan(0.1);
  });

  it('queries wait for their turn up to a limit, and more are refused', async () => {
    const dispatcher = new Agent({ connections: null });
    const ask = async (body: string) => {
      const answer = await request(running.url, { method: 'POST', body, dispatcher });
      await answer.body.dump();
      return [answer.statusCode, answer.headers['x-clickhouse-exception-code']].join(' ');
    };
    const endReaders = await stallReaders();
    const answers: string[] = [];
    // One place of those that wait is taken already.
    const asked = Array.from({ length: limits.queriesWaitingMax + 19 }, async () => {
      answers.push(await ask('SELECT 1'));
    });
    await eventually(() => expect(answers).toEqual(Array(20).fill('503 202')));
    await endReaders();
    await Promise.all(asked);
    expect(answers.slice(20)).toEqual(Array(limits.queriesWaitingMax - 1).fill('200 '));
    await dispatcher.close();
  });
});

async function residentBytes(): Promise<number> {
  const status = await readFile(`/proc/${running.process.pid}/status`, 'utf8');
  return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1]) * 1024;
}
