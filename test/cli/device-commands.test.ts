import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEstate, type Estate, People } from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { runHere } from './running/here.ts';

const configDir = mkdtempSync(join(tmpdir(), 'millrace-device-commands-'));
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

const run = (...words: string[]) => runHere(words, { url: system().apiUrl, configDir, token });

describe('millrace commands', () => {
  it('are sent to a thing, listed, shown and withdrawn', async () => {
    const { thingId } = estate;
    const flags = [
      '--params',
      '{"percent":40}',
      '--expires-in',
      '10m',
      '--subtopic',
      'valve.north',
    ];
    const sent = await run('things', 'command', thingId, '--command', 'open', ...flags, '--raw');
    const id = sent.out.toString().trim();
    expect([sent.code, id]).toEqual([0, expect.stringMatching(/^[0-9a-f-]{36}$/)]);
    const shown = await run('commands', 'get', id, '-o', 'json');
    expect(JSON.parse(shown.out.toString())).toMatchObject({
      command: 'open',
      params: { percent: 40 },
      subtopic: 'valve.north',
      state: 'queued',
    });
    const listed = await run('commands', 'list', thingId, '--state', 'queued', '-o', 'csv');
    expect(listed.out.toString()).toContain(id);
    expect((await run('commands', 'withdraw', id, '--yes')).code).toBe(0);
    expect((await run('commands', 'get', id)).code).not.toBe(0);
  });

  it('are watched until they expire, which is a failure', async () => {
    const { thingId } = estate;
    const flags = ['--command', 'open', '--expires-in', '1', '--raw'];
    const sent = await run('things', 'command', thingId, ...flags);
    const watched = await run('commands', 'watch', sent.out.toString().trim());
    const states = watched.out
      .toString()
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[1]);
    expect([watched.code, states]).toEqual([1, ['queued', 'expired']]);
    expect(watched.error).toContain('expired');
  });
});
