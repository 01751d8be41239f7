import { randomUUID } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Millrace } from '../../schemas/client/client.ts';
import { newHome, start } from '../cli/running/millrace.ts';
import { eventually } from '../support/eventually.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

/** A file of a hundred thousand things, and a run of it that is killed again and again. */

const things = 100_000;
const memoryKbMax = 400_000;

let own: OwnSystem;
let client: Millrace;
let token: string;

beforeAll(async () => {
  own = await startSystem();
  const { adminEmail, adminPassword, apiUrl: url } = own;
  const anonymous = new Millrace({ url });
  token = await anonymous.login(adminEmail, adminPassword);
  await anonymous.close();
  client = new Millrace({ url, token });
});
afterAll(async () => {
  await client.close();
  await own.stop();
});

describe('provisioning', () => {
  it('creates every thing of a huge file once, in bounded memory, even when it is killed often', async () => {
    const orgId = await client.create('createOrg', { body: { name: randomUUID() } });
    const inOrg = { path: { id: orgId }, body: { name: randomUUID() } };
    const groupId = await client.create('createGroups', inOrg);
    const inGroup = { path: { id: groupId }, body: [{ name: randomUUID() }] };
    const [profile] = (await client.call('createProfiles', inGroup)).profiles;
    const profileId = profile?.id ?? '';
    const total = async () =>
      (await client.call('listProfileThings', { path: { id: profileId }, query: { limit: 1 } }))
        .total;

    const home = newHome(own.apiUrl);
    const lines = Array.from({ length: things }, (_, index) => `,thing ${index},,,place,${index}`);
    writeFileSync(join(home.dir, 'things.csv'), lines.join('\n'));
    const command = ['provision', 'things', 'things.csv', profileId, token, '-o', 'csv'];

    for (const part of [0.1, 0.3]) {
      const run = start(home, command);
      await eventually(async () => (await total()) >= things * part, 10 * 60_000);
      run.child.kill('SIGKILL');
      await run.ended;
    }
    const run = start(home, command);
    let memoryKb = 0;
    const watch = (async () => {
      while (run.child.exitCode === null) {
        memoryKb = Math.max(memoryKb, memoryOf(run.child.pid));
        await delay(200);
      }
    })();
    const { code, out, error } = await run.ended;
    await watch;
    expect({ code, error }).toMatchObject({ code: 0, error: expect.stringContaining('created') });
    const rows = out.trim().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(things);
    expect(await total()).toBe(things);
    expect(memoryKb).toBeLessThan(memoryKbMax);
  });
});

/** The most it has had in memory; 0 once it is gone. */
function memoryOf(pid: number | undefined): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8');
    return Number(/VmHWM:\s+(\d+)/.exec(status)?.[1] ?? 0);
  } catch {
    return 0;
  }
}
