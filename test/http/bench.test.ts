import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { away, type Built, buildApi } from '../support/api/build.ts';
import { at, call, json } from '../support/api/http.ts';

const repositoryResults = join(import.meta.dirname, '../../bench/results.ndjson');

function run(commit: string) {
  return {
    at: '2026-11-21T10:37:45.118Z',
    commit,
    machine: '2 x of a kind',
    node: 'v22.23.3',
    clickhouse: '26.7.2.1',
    jsonParseMBs: 72,
    results: {
      packs: [
        {
          name: 'S10 points/s / millrace',
          value: 1.5,
          unit: 'points/s',
          goal: '',
          reached: true,
          spread: [1, 2],
        },
        { name: 'not measured', value: null, unit: 'ms', goal: '<= 25', reached: false },
      ],
    },
  };
}

const lineOf = (value: unknown) => `${JSON.stringify(value)}\n`;

describe('the page of the benchmarks', () => {
  it.each(['/bench', '/svcthings/bench'])(
    'is at %s, with nothing from other hosts',
    async (path) => {
      const page = await call('GET', path);
      expect([page.status, page.headers['content-type']]).toEqual([
        200,
        'text/html; charset=utf-8',
      ]);
      const policy = String(page.headers['content-security-policy']);
      expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self';");
      expect(policy).toContain("frame-ancestors 'none'");
      expect(policy).not.toMatch(/unsafe|https?:/);
      expect(page.text).not.toMatch(/<script>|<style>|style=|https?:/);
      expect(page.text).toContain('<main>');

      const left = [...page.text.matchAll(/(?:src|href)="([^"]+)"/g)]
        .map((match) => match[1] ?? '')
        .filter((address) => !address.startsWith('data:'))
        .map((address) => new URL(address, `http://here${path}`));
      const seen = new Set<string>();
      for (let address = left.pop(); address !== undefined; address = left.pop()) {
        if (seen.has(address.pathname)) continue;
        seen.add(address.pathname);
        expect(address.host).toBe('here');
        const answer = await call('GET', address.pathname);
        expect([address.pathname, answer.status]).toEqual([address.pathname, 200]);
        expect(answer.headers).toMatchObject({
          // The design and the console beside it have their own.
          'content-security-policy': address.pathname.includes('/bench')
            ? policy
            : expect.stringContaining("default-src 'none'"),
          'x-content-type-options': 'nosniff',
          'x-frame-options': 'DENY',
        });
        for (const [, module = ''] of answer.text.matchAll(/^import .* from '(.+)';$/gm)) {
          left.push(new URL(module, address));
        }
      }
      const names = [...seen].map((file) => file.split('/').at(-1));
      expect(names).toEqual(
        expect.arrayContaining(['uplot.js', 'uplot.css', 'style.css', 'main.js', 'charts.js']),
      );
    },
  );

  it('redirects from its address with a slash', async () => {
    for (const path of ['/bench/', '/svcauth/bench/']) {
      const answer = await call('GET', path);
      const to = new URL(String(answer.headers['location']), `http://here${path}`);
      expect([answer.status, to.pathname]).toEqual([308, path.slice(0, -1)]);
    }
  });

  it('is read-only, and serves nothing else', async () => {
    expect((await call('POST', '/bench')).status).toBe(405);
    expect((await call('DELETE', '/bench/results')).status).toBe(405);
    for (const path of ['/bench/nothing', '/bench/routes.ts', '/bench/%2e%2e/package.json']) {
      const answer = await call('GET', path);
      expect([path, answer.status, json(answer)]).toMatchObject([
        path,
        404,
        { error: 'entity not found: path' },
      ]);
    }
  });

  it('has the runs that the repository holds', async () => {
    const lines = readFileSync(repositoryResults, 'utf8').trim().split('\n');
    const commits = lines.map((line) => String(Object(JSON.parse(line)).commit));
    const answer = await call('GET', '/bench/results');
    expect([answer.status, answer.headers['content-type']]).toEqual([
      200,
      'application/json; charset=utf-8',
    ]);
    expect([at(answer, 'runs')].flat().map((one) => Object(one).commit)).toEqual(commits);
  });

  it('is sent again only after a change', async () => {
    for (const path of ['/bench', '/bench/main.js', '/bench/uplot.js', '/bench/results']) {
      const { headers } = await call('GET', path);
      expect(headers['cache-control']).toBe('no-cache');
      const etag = String(headers['etag']);
      for (const known of [etag, `W/${etag}`, `"another", ${etag}`]) {
        const again = await call('GET', path, { headers: { 'if-none-match': known } });
        expect([path, again.status, again.text]).toEqual([path, 304, '']);
      }
      const other = await call('GET', path, { headers: { 'if-none-match': '"another"' } });
      expect([path, other.status]).toEqual([path, 200]);
    }
  });
});

describe('the results', () => {
  let directory: string;
  let path: string;
  let api: Built;
  let address: string;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'millrace-test-bench-'));
    path = join(directory, 'results.ndjson');
    // The page needs no neighbour.
    api = buildApi(away, {}, path);
    address = await api.server.listen({ host: '127.0.0.1', port: 0 });
  });

  afterAll(async () => {
    await api.close();
    rmSync(directory, { recursive: true });
  });

  const ask = async (headers: Record<string, string> = {}) => {
    const answer = await fetch(`${address}/bench/results`, { headers });
    return {
      status: answer.status,
      etag: answer.headers.get('etag') ?? '',
      text: await answer.text(),
    };
  };

  it('are empty where the benchmarks have never run, and the page works', async () => {
    expect(await ask()).toMatchObject({ status: 200, text: '{"runs":[]}' });
    expect((await fetch(`${address}/bench`)).status).toBe(200);
  });

  it('leave out broken lines, and unknown members', async () => {
    const good = run('good');
    const broken = [
      '\n',
      'null\n',
      '[]\n',
      '{}\n',
      'rubbish\n',
      lineOf({ ...good, at: 'yesterday' }),
      lineOf({ ...good, commit: 7 }),
      lineOf({ ...good, results: { packs: [{ name: 'no value' }] } }),
      lineOf({ ...good, results: { packs: 'none' } }),
      // As it is while a run is appended.
      lineOf(good).slice(0, 100),
    ];
    const known = lineOf(good) + lineOf({ ...run('newer'), secret: 'of the machine' });
    writeFileSync(path, known + broken.join(''));
    const { status, text } = await ask();
    expect([status, JSON.parse(text)]).toEqual([200, { runs: [good, run('newer')] }]);
  });

  it('are read again after a run was appended, and empty once the file is gone', async () => {
    writeFileSync(path, lineOf(run('first')));
    const before = await ask();
    expect((await ask({ 'if-none-match': before.etag })).status).toBe(304);
    appendFileSync(path, lineOf(run('second')));
    const after = await ask({ 'if-none-match': before.etag });
    expect([after.status, JSON.parse(after.text)]).toEqual([
      200,
      { runs: [run('first'), run('second')] },
    ]);
    rmSync(path);
    expect(await ask()).toMatchObject({ status: 200, text: '{"runs":[]}' });
  });
});
