import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
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
});
