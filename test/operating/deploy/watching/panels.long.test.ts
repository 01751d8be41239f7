import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { freePort } from '../../../support/services/free-port.ts';
import { eventually } from '../../../support/eventually.ts';
import { type OwnSystem, startSystem } from '../../../support/system.ts';
import { at, deploy, filesUnder, list, read } from '../files.ts';

/*
 * Grafana's panels on a system that was just started, and has nothing to do: each has data, or its reason stands here.
 * Prometheus asks as it would in production, with shorter intervals: `apt-get install prometheus`.
 */

const none = {
  request: 'nobody asked the API for anything but its health',
  message: 'no device has sent a message',
  frame: 'no device has opened a stream',
  refusal: 'no message was refused',
  batch: 'nothing was to be stored',
  attempt: 'nothing was to be delivered',
  alert: 'none fires',
} as const;

/** The panels that are empty until something first happens: a time, a share or a list of none. */
const emptyUntil: Readonly<Record<string, string>> = {
  'millrace-api: From request to the end of the answer': none.request,
  'millrace-api: Requests, by status': none.request,
  'millrace-api: The busiest routes': none.request,
  'millrace-api: The slowest routes: 99 of 100 end within': none.request,
  'millrace-edge: From head to 202': none.message,
  'millrace-edge: Log: time of a write': none.message,
  'millrace-edge: Messages refused, by reason': none.refusal,
  'millrace-edge: Streams: from a frame to its commit': none.frame,
  'millrace-fleet: API: 99 of 100 requests end within': none.request,
  'millrace-fleet: Alerts that fire': none.alert,
  'millrace-fleet: Messages refused, by reason': none.refusal,
  'millrace-store: Records in a batch': none.batch,
  'millrace-webhooks: Time of a try': none.attempt,
};

const panels = filesUnder('grafana/dashboards').flatMap((path) => {
  const dashboard: unknown = JSON.parse(read(path));
  // Those of messages ask Millrace itself.
  const [source] = list(at(dashboard, 'templating', 'list'));
  if (at(source, 'query') !== 'prometheus') return [];
  return list(at(dashboard, 'panels')).map((panel) => ({
    name: `${String(at(dashboard, 'uid'))}: ${String(at(panel, 'title'))}`,
    expressions: list(at(panel, 'targets')).map((target) => String(at(target, 'expr'))),
  }));
});

const hasPrometheus = spawnSync('prometheus', ['--version']).status === 0;

describe.runIf(hasPrometheus)('the panels on an idle system, by Prometheus where it is,', () => {
  let system: OwnSystem;
  let prometheus: ChildProcess;
  let url: string;
  const directory = mkdtempSync(join(tmpdir(), 'millrace-prometheus-'));

  beforeAll(async () => {
    system = await startSystem();
    const port = await freePort();
    url = `http://127.0.0.1:${port}`;
    for (const name of ['rules.yml', 'alerts.yml']) {
      cpSync(join(deploy, 'prometheus', name), join(directory, name));
    }
    writeFileSync(join(directory, 'prometheus.yml'), JSON.stringify(scraping(system)));
    prometheus = spawn(
      'prometheus',
      [
        `--config.file=${join(directory, 'prometheus.yml')}`,
        `--storage.tsdb.path=${join(directory, 'data')}`,
        `--web.listen-address=127.0.0.1:${port}`,
      ],
      { stdio: 'ignore' },
    );
  });

  afterAll(async () => {
    prometheus?.kill();
    await system?.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  it('have data, or their reason is told', async () => {
    const empty = async () => {
      const found = [];
      for (const { name, expressions } of panels) {
        const numbers = await Promise.all(expressions.map((one) => valuesOf(url, one)));
        if (numbers.flat().length === 0) found.push(name);
      }
      return found.toSorted();
    };
    // Rates have a value after two scrapes, and recorded rules after these.
    await eventually(
      async () => expect(await empty()).toEqual(Object.keys(emptyUntil).toSorted()),
      60_000,
      1_000,
    );
  });
});

function scraping({ apiUrl, ingestUrl, workersUrl }: OwnSystem) {
  const jobs = {
    'millrace-api': apiUrl,
    'millrace-edge': ingestUrl,
    'millrace-workers': workersUrl,
  };
  return {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['rules.yml', 'alerts.yml'],
    scrape_configs: Object.entries(jobs).map(([job, target]) => ({
      job_name: job,
      static_configs: [{ targets: [new URL(target).host] }],
    })),
  };
}

/** The values of an expression now; those that are no number draw nothing. */
async function valuesOf(url: string, expression: string): Promise<string[]> {
  const query = expression.replaceAll('$__rate_interval', '1m').replaceAll('$instance', '.*');
  const answer = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query }).toString()}`);
  const body: unknown = await answer.json();
  expect([expression, at(body, 'status')]).toEqual([expression, 'success']);
  return list(at(body, 'data', 'result'))
    .map((one) => String(at(one, 'value', 1)))
    .filter((value) => value !== 'NaN');
}
