import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { createEstate, type Estate, People } from '../support/api/people.ts';
import { endAlarm, insertAlarm, readAlarm } from '../support/fixtures/alarms.ts';
import { system } from '../support/system.ts';
import { runHere } from './running/here.ts';
import { newHome, start } from './running/millrace.ts';

const configDir = mkdtempSync(join(tmpdir(), 'millrace-alarms-'));
const people = new People();
let estate: Estate;
let token: string;

beforeAll(async () => {
  const { as } = await people.register();
  token = as.replace('Bearer ', '');
  estate = await createEstate(as);
});

afterAll(async () => {
  await people.close();
  rmSync(configDir, { recursive: true });
});

async function run(...words: string[]): Promise<string> {
  const { code, out, error } = await runHere(words, { url: system().apiUrl, configDir, token });
  expect([code, error]).toEqual([0, expect.anything()]);
  return out.toString();
}

describe('millrace alarms', () => {
  it('are listed, shown, acknowledged and exported', async () => {
    const { groupId, thingId } = estate;
    const id = await insertAlarm(people, thingId, { firedAt: '2026-11-21T10:00:00Z' });
    const other = await insertAlarm(people, thingId, { severity: 'info' });
    const flags = ['--severity', 'critical', '--to', '2026-11-22', '-o', 'csv'];
    const listed = await run('alarms', 'list', groupId, ...flags);
    expect([listed.includes(id), listed.includes(other)]).toEqual([true, false]);
    const answer = await run('alarms', 'acknowledge', id, '--note', 'door was open', '-o', 'json');
    expect(readAlarm(answer).note).toBe('door was open');
    expect(readAlarm(await run('alarms', 'show', id, '-o', 'json'))).toEqual(readAlarm(answer));
    for (const place of [[groupId], [], [token]]) {
      const file = await run('alarms', 'export', ...place, '--acknowledged', 'true');
      expect(readAlarm(file)).toEqual(readAlarm(answer));
    }
    for (const place of [[], [token]]) {
      const ofAll = await run('alarms', 'list', ...place, '--severity', 'info', '-o', 'csv');
      expect([ofAll.includes(id), ofAll.includes(other)]).toEqual([false, true]);
    }
  });

  it('are watched as they come: a line each on a terminal, and NDJSON for programs', async () => {
    const { groupId, orgId, thingId } = estate;
    const home = newHome(system().apiUrl);
    const lines = start(home, ['alarms', 'watch', groupId, token, '-o', 'table']);
    const objects = start(home, ['alarms', 'watch', 'by-org', orgId, token]);
    const ofAll = start(home, ['alarms', 'watch', token]);
    // Fired until both have told of one: only then is it known that they listen.
    await eventually(async () => {
      await insertAlarm(people, thingId, { ruleName: 'first' });
      return [lines, objects, ofAll].every((watching) => watching.output().includes('first'));
    });
    const ruleName = 'two\nlines';
    const values = [
      { name: 'temperature', value: 9.5, unit: 'Cel' },
      { name: 'door', value: true },
    ];
    const id = await insertAlarm(people, thingId, { ruleName, values });
    await eventually(() => objects.output().includes(id));
    await endAlarm(people, id);
    await eventually(() =>
      expect(lines.output()).toContain('ended  critical  two\\nlines  thing\n'),
    );
    const told = lines
      .output()
      .split('\n')
      .filter((line) => line.includes('two'));
    expect(told).toEqual([
      expect.stringMatching(
        /^\S+Z {2}firing {2}critical {2}two\\nlines {2}thing {2}temperature 9\.5 °C, door true$/,
      ),
      expect.stringMatching(/^\S+Z {2}ended {2}/),
    ]);
    await eventually(() => {
      const all = objects.output().trimEnd().split('\n').map(readAlarm);
      const states = all.filter((alarm) => alarm.id === id).map(({ state }) => state);
      expect(states).toEqual(['firing', 'ended']);
    });
    await eventually(() => ofAll.output().includes(id));
    for (const watching of [lines, objects, ofAll]) {
      watching.child.kill('SIGINT');
      await watching.ended;
    }
  });
});

describe('millrace silences', () => {
  it('are made for a while, listed and ended', async () => {
    const { groupId, thingId } = estate;
    const flags = ['--thing', thingId, '--reason', 'new filter', '--until', '2h', '--raw'];
    const before = Date.now();
    const id = (await run('silences', 'create', groupId, ...flags)).trim();
    const list = async (state: string) =>
      JSON.parse(await run('silences', 'list', groupId, '--state', state, '-o', 'json')).silences;
    const [made] = await list('live');
    expect(made).toMatchObject({ id, thing_id: thingId, reason: 'new filter' });
    const ms = Date.parse(made.until) - before;
    expect(ms).toBeGreaterThanOrEqual(7_200_000);
    expect(ms).toBeLessThan(7_200_000 + Date.now() - before + 1);
    await run('silences', 'delete', id, '--yes');
    expect(await list('live')).toEqual([]);
    expect(await list('ended')).toMatchObject([{ id }]);
  });
});
