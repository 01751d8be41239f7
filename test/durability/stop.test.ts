import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { Fleet, type Thing } from '../support/fleet.ts';
import { judge, type Numbered, sendNumbered } from '../support/messages/numbered.ts';
import { type OwnSystem, startSystem } from '../support/system.ts';

const connections = 20;

let dataDir: string;
let system: OwnSystem;
let fleet: Fleet;
let thing: Thing;
let numbered: Numbered;
let failed = false;

beforeAll(async () => {
  dataDir = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  system = await startSystem({ dataDir, env: { LOG_LEVEL: 'debug' } });
  fleet = await Fleet.login(system);
  thing = await fleet.thing();
});

afterEach(({ task }) => {
  failed ||= task.result?.state === 'fail';
});

afterAll(async () => {
  await fleet.close();
  await system.stop(failed);
  if (!failed) rmSync(dataDir, { recursive: true });
});

describe('a stop under load', () => {
  it('closes in reverse order of opening: listener, barriers, sinks, log, keys, clients', async () => {
    numbered = sendNumbered(fleet, thing, connections);
    await eventually(() => numbered.acknowledged.size > 1_000, 30_000);
    process.kill(system.supervisorPid, 'SIGINT');
    await eventually(() => /ingest +info +stopped$/m.test(system.output()), 15_000);
    await numbered.stop();
    expect(await system.exited).toBe(0);
    const closed = system.output().matchAll(/ingest +debug closed part=(\w+)$/gm);
    expect([...closed].map((match) => match[1])).toEqual([
      'listener',
      'barriers',
      'usage',
      'housekeeping',
      'sinks',
      'log',
      'lock',
      'journal',
      'notices',
      'redis',
      'postgres',
    ]);
  });

  it('loses nothing: what was acknowledged is stored once, by the next start', async () => {
    await fleet.close();
    system = await startSystem({ dataDir });
    fleet = await Fleet.login(system);
    const nothingWrong = { lost: [], twice: [], invented: [] };
    expect(await judge(fleet, thing, numbered, 30_000)).toEqual(nothingWrong);
  });
});

describe('an edge that is killed', () => {
  it('has written when its things were last seen, or does so at its next start', async () => {
    const seen = async ({ id }: Thing) => {
      const { body } = await fleet.call('GET', `/things/${id}`);
      return Date.parse(String(Object(body).last_seen));
    };
    const [first, second] = [await fleet.thing(), await fleet.thing()];
    const sendAs = ({ key }: Thing) => fleet.publish(key, JSON.stringify([{ n: 'a', v: 1 }]));
    await sendAs(first);
    await eventually(async () => (await seen(first)) > 0);
    await sendAs(second);
    const sentMs = Date.now();
    await system.kill('ingest', 'SIGKILL');
    await eventually(async () => {
      expect(Math.abs((await seen(second)) - sentMs)).toBeLessThan(10_000);
    }, 30_000);
  });
});
