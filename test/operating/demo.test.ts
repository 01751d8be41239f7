import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { orgName, webhook } from '../../infra/local/demo/site.ts';
import { at, call, json } from '../support/api/http.ts';
import { loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';

const script = join(import.meta.dirname, '../../infra/local/demo/demo.ts');

/** Runs the demo until it has printed this, then ends it as Ctrl-C does; gives its exit code and all it printed. */
async function runDemo(until: string): Promise<{ code: unknown; printed: string }> {
  const child = spawn(process.execPath, [script], {
    env: { ...process.env, DATA_DIR: system().dataDir },
  });
  let printed = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (bytes: Buffer) => {
      printed += bytes.toString();
    });
  }
  const ended = once(child, 'exit');
  await eventually(() => printed.includes(until) || child.exitCode !== null, 60_000);
  child.kill('SIGINT');
  const [code] = await ended;
  return { code, printed };
}

const namesIn = (list: unknown) =>
  Array.isArray(list) ? list.map((one) => memberOf(one, 'name')) : [];
const memberOf = (value: unknown, member: string): unknown => Object(value)[member];

const root = join(import.meta.dirname, '../..');

/**
 * Runs all that a page of the guide says to type after its start; the first command that fails ends it. Lists are of the
 * demo's org alone: others have things here too.
 */
async function typeGuide(page: string, orgId: string): Promise<string> {
  const { apiUrl, dataDir, adminEmail, adminPassword } = system();
  const [, after = ''] = readFileSync(join(root, 'infra/guide', page), 'utf8').split(/^## Start$/m);
  const blocks = [...after.matchAll(/^```sh\n(.*?)^```$/gms)].map(([, block]) => block);
  const typed = blocks
    .filter((block) => !block?.includes('npm run demo'))
    .join('')
    .replaceAll('things list ', `things get by-org ${orgId} `)
    .replaceAll('alarms list ', `alarms list by-org ${orgId} `)
    // npx takes a second each time.
    .replaceAll('npx millrace', `${root}/cli/millrace`)
    .replaceAll('http://localhost:8080', apiUrl)
    .replaceAll('admin@example.com', adminEmail);
  const cwd = mkdtempSync(join(dataDir, 'guide-'));
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: cwd,
    MILLRACE_URL: apiUrl,
    MILLRACE_PASSWORD: adminPassword,
  };
  const shell = `set -euo pipefail\n${typed}`;
  return (await promisify(execFile)('bash', ['-c', shell], { cwd, env })).stdout;
}

describe('the demo', () => {
  let admin: string;
  let orgId: string;

  afterAll(async () => {
    await call('DELETE', `/orgs/${orgId}`, { as: admin });
  });

  it('registers a site with a month of history, a silent thing and a webhook that fails', async () => {
    const { code, printed } = await runDemo('goes on with live values');
    expect([code, printed]).toEqual([0, expect.stringContaining('live records')]);
    admin = await loginAdmin();
    const orgs = await call('GET', `/orgs?name=${encodeURIComponent(orgName)}`, { as: admin });
    orgId = String(at(orgs, 'orgs', 0, 'id'));
    const things = await call('GET', `/svcthings/orgs/${orgId}/things?limit=20&order=last_seen`, {
      as: admin,
    });
    expect(namesIn(memberOf(json(things), 'things'))).toContain('Cold room 1');
    const dashboards = await call('GET', `/orgs/${orgId}/dashboards`, { as: admin });
    expect(namesIn(memberOf(json(dashboards), 'dashboards'))).toEqual(['Cold chain']);
    const silent = await call(
      'GET',
      `/svcthings/orgs/${orgId}/things?silent_since=-1d&order=name&dir=asc`,
      { as: admin },
    );
    expect(namesIn(memberOf(json(silent), 'things'))).toEqual(['Dock sensor 4', 'Freezer 2']);
    await eventually(async () => {
      const path = `/svcwebhooks/orgs/${orgId}/webhooks`;
      const answer = await call('GET', path, { as: admin });
      expect(at(answer, 'webhooks', 0)).toMatchObject({
        name: webhook.name,
        failing_since: expect.any(String),
      });
    });
  });

  it('has what the pages of a first day and a first hour tell to type', async () => {
    const day = await typeGuide('first-day.md', orgId);
    expect(day).toContain('Freezer 2\n');
    expect(day).toContain('"error": "the host was not found"');
    // The preview of the rule: once, as the page says.
    expect(day).toMatch(/^ {6}"total": 1,?$/m);
    const hour = await typeGuide('first-hour.md', orgId);
    expect(hour).toMatch(/^"time","Cold room 1 temperature \(Cel\)"/m);
  });
});
