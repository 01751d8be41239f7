import { spawnSync } from 'node:child_process';
import { readFileSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { follow } from '../support/api/events.ts';
import { eventually } from '../support/eventually.ts';
import { Fleet } from '../support/fleet.ts';
import { system } from '../support/system.ts';

/** One metric of a process, with its samples as they stand in the answer. */
type Metric = { type: string; samples: string[] };

const document = readFileSync(join(import.meta.dirname, '../../infra/METRICS.md'), 'utf8');
const { ingestUrl, apiUrl, workersUrl } = system();
const urls = { edge: ingestUrl, api: apiUrl, workers: workersUrl };
const processes = Object.entries(urls);

let fleet: Fleet;

beforeAll(async () => {
  fleet = await Fleet.login(system());
});

afterAll(() => fleet.close());

async function scrape(url: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`);
  expect(answer.status).toBe(200);
  return answer.text();
}

/** By name. */
function read(text: string): Map<string, Metric> {
  const metrics = new Map<string, Metric>();
  let samples: string[] = [];
  for (const line of text.split('\n')) {
    const [, name, type] = /^# TYPE (\S+) (\S+)$/.exec(line) ?? [];
    if (name !== undefined && type !== undefined) {
      samples = [];
      metrics.set(name, { type, samples });
    } else if (line !== '' && !line.startsWith('#')) {
      samples.push(line);
    }
  }
  return metrics;
}

const ours = (metrics: Map<string, Metric>) =>
  [...metrics].filter(([name]) => name.startsWith('millrace_'));

const labelsOf = (sample: string): string[] =>
  [...sample.matchAll(/([a-z_]+)="[^"]*"/g)].map(([, label = '']) => label);

/** A sample's value; undefined where there is no such sample. */
function valueOf(text: string, sample: string): number | undefined {
  const line = text.split('\n').find((one) => one.startsWith(`${sample} `));
  return line === undefined ? undefined : Number(line.slice(sample.length + 1));
}

/** The rows of the documentation: what each process serves. */
function documented(): Map<string, string> {
  const rows = [...document.matchAll(/^\| `(millrace_\w+)` \| (\w+) \|([^|]*)\|([^|]*)\|/gm)];
  return new Map(
    rows.flatMap(([, name, type, labels = '', where = '']) =>
      where
        .trim()
        .split(', ')
        .map((process): [string, string] => [
          `${process} ${name}`,
          `${type} ${labels.replaceAll('`', '').trim()}`,
        ]),
    ),
  );
}

describe('the metrics', () => {
  it('are those of infra/METRICS.md: names, types, labels and processes', async () => {
    // Some have labels only once something has happened.
    await fleet.publish((await fleet.thing()).key, [{ n: 'a', v: 1 }]);
    await fetch(`${ingestUrl}/http/messages`, { method: 'POST', body: '[]' });
    const served = new Map<string, string>();
    for (const [process, url] of processes) {
      for (const [name, { type, samples }] of ours(read(await scrape(url)))) {
        const labels = new Set(samples.flatMap(labelsOf).filter((label) => label !== 'le'));
        served.set(`${process} ${name}`, `${type} ${[...labels].join(', ')}`.trim());
      }
    }
    const rows = [...documented()].map(([at, row]): [string, string] => [at, row.trim()]);
    expect(Object.fromEntries(served)).toEqual(Object.fromEntries(rows));
  });

  it.each(processes)(
    'of %s: values that only grow are counters, and no label has a space',
    async (_, url) => {
      for (const [name, { type, samples }] of read(await scrape(url))) {
        expect([name, name.endsWith('_total')]).toEqual([name, type === 'counter']);
        for (const sample of samples) expect(sample).not.toMatch(/"[^"]*\s[^"]*"/);
      }
    },
  );

  it('have the latency of acks, and the responses', async () => {
    const [acks, accepted] = [
      'millrace_edge_ack_duration_seconds',
      'millrace_edge_requests_answered_total',
    ];
    const before = await scrape(ingestUrl);
    const thing = await fleet.thing();
    for (const v of [1, 2, 3]) await fleet.publish(thing.key, [{ n: 'a', v }]);
    const after = await scrape(ingestUrl);
    const grown = (sample: string) =>
      (valueOf(after, sample) ?? 0) - (valueOf(before, sample) ?? 0);
    expect(grown(`${accepted}{status="202"}`)).toBeGreaterThanOrEqual(3);
    expect(grown(`${acks}_count`)).toBe(grown(`${accepted}{status="202"}`));
    expect(valueOf(after, `${acks}_bucket{le="+Inf"}`)).toBe(valueOf(after, `${acks}_count`));
    expect(grown(`${acks}_sum`)).toBeGreaterThan(0);
    expect(grown(`${accepted}{status="200"}`)).toBeGreaterThanOrEqual(1);
  });

  it('have the lag of a sink while its store is away, and after', async () => {
    const { key } = await fleet.thing();
    const metrics = ['millrace_sink_lag_seconds', 'millrace_sink_oldest_unsent_seconds'];
    const ofSinks = async () => {
      const text = await scrape(ingestUrl);
      const of = (sink: string) => metrics.map((name) => valueOf(text, `${name}{sink="${sink}"}`));
      return { senml: of('senml'), json: of('json'), webhook: of('webhook') };
    };
    const nothing = [0, 0];
    await system().kill('clickhouse', 'SIGSTOP');
    try {
      for (const v of [1, 2]) {
        await fleet.publish(key, [{ n: 'a', v }]);
        await fleet.publish(key, { v }, { contentType: 'application/json' });
      }
      const before = await eventually(async () => {
        const found = await ofSinks();
        // It needs no store.
        expect(found.webhook).toEqual(nothing);
        return found;
      });
      for (const sink of ['senml', 'json'] as const) {
        const [lag = 0, age = 0] = before[sink];
        expect(lag).toBeGreaterThan(0);
        expect(age).toBeGreaterThan(lag);
        await eventually(async () => expect((await ofSinks())[sink][1]).toBeGreaterThan(age));
      }
    } finally {
      await system().kill('clickhouse', 'SIGCONT');
    }
    await eventually(async () => {
      expect(await ofSinks()).toEqual({ senml: nothing, json: nothing, webhook: nothing });
    }, 30_000);
  });

  it('have the free space of the disk', async () => {
    const { bavail, bsize } = statfsSync(system().dataDir);
    for (const url of [ingestUrl, apiUrl]) {
      const free = valueOf(await scrape(url), 'millrace_disk_free_bytes') ?? 0;
      // Others write to it as well.
      expect(free / (bavail * bsize)).toBeCloseTo(1, 0);
    }
  });

  it('have the number of open live streams', async () => {
    const streams = async (count: number) => {
      expect(valueOf(await scrape(apiUrl), 'millrace_live_streams')).toBe(count);
    };
    // Those of tests before may be about to end.
    await eventually(() => streams(0));
    const following = await follow('/reader/senml/live', `Bearer ${fleet.token}`);
    await eventually(() => streams(1));
    following.leave();
    await eventually(() => streams(0));
  });

  it('have the latency of calls to databases, from each thread', async () => {
    const calls = 'millrace_call_duration_seconds_count';
    await fleet.publish((await fleet.thing()).key, [{ n: 'a', v: 1 }]);
    await eventually(async () => {
      for (const [, url] of processes) {
        const text = await scrape(url);
        for (const service of ['clickhouse', 'postgres', 'redis']) {
          expect(valueOf(text, `${calls}{service="${service}",outcome="ok"}`)).toBeGreaterThan(0);
        }
      }
    });
  });
});

describe.runIf(spawnSync('promtool', ['--version']).status === 0)('promtool', () => {
  it.each(processes)('has no complaint about %s', async (_, url) => {
    const { stdout, stderr, status } = spawnSync('promtool', ['check', 'metrics'], {
      input: await scrape(url),
      encoding: 'utf8',
    });
    expect([status, stdout, stderr]).toEqual([0, '', '']);
  });
});

describe('the health of a process', () => {
  it.each(processes)('%s reports what it is, and whether it is live and ready', async (_, url) => {
    for (const path of ['/health', '/health/ready', '/health/live']) {
      const answer = await fetch(`${url}${path}`);
      expect(answer.headers.get('content-type')).toContain('application/health+json');
      expect([path, answer.status, await answer.json()]).toMatchObject([
        path,
        200,
        {
          status: 'pass',
          version: expect.stringMatching(/^\d/),
          commit: expect.stringMatching(/^([\da-f]{40}|unknown)$/),
          description: expect.stringMatching(/^Millrace /),
          build_time: expect.any(String),
          checks:
            path === '/health/live' ? {} : expect.objectContaining({ redis: expect.anything() }),
        },
      ]);
    }
  });

  it('is also at the paths of the platform’s clients for the reader and the edge', async () => {
    const description = async (url: string): Promise<unknown> => {
      const body: unknown = await (await fetch(url)).json();
      return Reflect.get(Object(body), 'description');
    };
    expect(await description(`${apiUrl}/reader/health`)).toBe('Millrace API');
    expect(await description(`${apiUrl}/http/health`)).toBe('Millrace edge');
    expect(await description(`${ingestUrl}/http/health`)).toBe('Millrace edge');
  });
});

describe.each(processes)('the metrics of the %s', (_, url) => {
  it.each([
    ['x-forwarded-for', '203.0.113.7'],
    ['x-forwarded-for', '127.0.0.1, 203.0.113.7'],
    ['forwarded', 'for=203.0.113.7'],
    ['via', '1.1 proxy'],
  ])('are for nobody who comes through a proxy from elsewhere (%s: %s)', async (name, value) => {
    for (const path of ['/metrics', '/svcthings/metrics']) {
      const answer = await fetch(`${url}${path}`, { headers: { [name]: value } });
      const isThere = path === '/metrics' || url === apiUrl;
      expect(answer.status).toBe(isThere ? 403 : 404);
    }
    const health = await fetch(`${url}/health`, { headers: { [name]: value } });
    expect(health.status).toBe(200);
  });
});
