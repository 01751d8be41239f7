import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, inject, it } from 'vitest';
import { createEstate, createThings, type Estate, loginAdmin } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { doneHere, doneJsonHere } from './running/here.ts';
import { type Home, run, start } from './running/millrace.ts';

let home: Home;
let estate: Estate;
let token: string;

beforeAll(async () => {
  const as = await loginAdmin();
  token = as.replace('Bearer ', '');
  home = { dir: inject('systemDataDir'), url: system().apiUrl };
  estate = await createEstate(as);
});

/** A thing that has sent nothing yet. */
async function newThing(externalKey?: string): Promise<{ id: string; key: string; name: string }> {
  const name = randomUUID();
  const [thing] = await createThings(`Bearer ${token}`, estate.profileId, [
    {
      name,
      type: 'sensor',
      ...(externalKey === undefined ? {} : { external_key: externalKey }),
    },
  ]);
  if (thing === undefined) throw new Error('no thing was made');
  return { ...thing, name };
}

/** The messages of a thing that are stored, once there are so many. */
async function stored(id: string, count: number, format = 'senml'): Promise<unknown[]> {
  return eventually(async () => {
    const page = await doneJsonHere(home, ['messages', 'read', format, '--publisher', id, token]);
    const { total, messages, limit } = Object(page);
    // The page ends at its limit; the total does not.
    expect([total, messages.length]).toEqual([count, Math.min(count, limit)]);
    return messages;
  });
}

const pack =
  '[{"bn":"some-base-name:","bt":1.276020076001e+09,"bu":"A","bver":5,"n":"voltage","u":"V","v":120.1},' +
  '{"n":"current","t":-5,"v":1.2},{"n":"current","t":-4,"v":1.3}]';

describe('send and read', () => {
  it('the documented pack arrives, with and without a subtopic, by every form of the key', async () => {
    const external = `ext-${randomUUID()}`;
    const { id, key, name } = await newThing(external);
    expect(await doneHere(home, ['messages', 'send', pack, 'internal', key])).toBe('ok\n');
    const one = '[{"n":"temp","v":25.3,"u":"Cel"}]';
    await doneHere(home, ['messages', 'send', 'temperature', one, 'internal', key]);
    await doneHere(home, ['messages', 'send', 'a.b', one, 'external', external]);
    await doneHere(home, ['messages', 'send', one, key]);
    await doneHere(home, ['messages', 'send', '-', 'internal', key], one);
    expect(await stored(id, 7)).toContainEqual({
      publisher: id,
      protocol: 'http',
      name: 'some-base-name:voltage',
      unit: 'V',
      time: 1276020076.001,
      value: 120.1,
    });
    const read = ['messages', 'read', 'senml'];
    expect(await doneJsonHere(home, [...read, '-s', 'a.b', 'internal', key, token])).toMatchObject({
      total: 1,
      messages: [{ subtopic: 'a.b', value: 25.3 }],
    });
    expect(
      await doneJsonHere(home, [
        ...read,
        '--senml-value=1.2',
        '--comparator',
        'ge',
        '-l=2',
        'internal',
        key,
      ]),
    ).toMatchObject({ total: 7, limit: 2 });
    const stranger = { ...home, dir: mkdtempSync(join(tmpdir(), 'millrace-nobody-')) };
    const table = await doneHere(stranger, [...read, '--publisher', id, '-o', 'table', token]);
    rmSync(stranger.dir, { recursive: true });
    expect(table).toContain(name);
    expect(table).not.toContain(id);
  });

  it('changes are told with until when they held', async () => {
    const { id, key } = await newThing();
    const begin = 1_700_000_000;
    const body = Array.from({ length: 8 }, (_, i) => ({ n: 'door', t: begin + i, vb: i > 4 }));
    await doneHere(home, ['messages', 'send', JSON.stringify(body), 'internal', key]);
    await stored(id, 8);
    const read = ['messages', 'read', 'senml', '--publisher', id, '--name', 'door', '--changes'];
    expect(await doneJsonHere(home, [...read, token])).toMatchObject({
      total: 2,
      usual_step: 1,
      messages: [
        { bool_value: true, time: begin + 5, until: begin + 7 },
        { bool_value: false, time: begin, until: begin + 5 },
      ],
    });
    const table = await doneHere(home, [...read, '-o', 'table', token]);
    expect(table).toContain('2023-11-14T22:13:20.000Z  2023-11-14T22:13:25.000Z');
    const refused = await run(home, [...read, '--points', '5', token]);
    expect([refused.code, refused.error]).toEqual([1, expect.stringContaining('points')]);
  });

  it('JSON goes by its content type, and a body that is not JSON is not sent', async () => {
    const { id, key } = await newThing();
    const body = '[{"name":"a","value":1,"unit":"m"}]';
    await doneHere(home, ['messages', 'send', body, 'internal', key, '-y', 'application/json']);
    expect(await stored(id, 1, 'json')).toMatchObject([{ payload: { value: 1 } }]);
    expect(
      await doneJsonHere(home, ['messages', 'read', '-f=json', '--publisher', id, token]),
    ).toMatchObject({ format: 'json', total: 1 });
    expect(await run(home, ['messages', 'send', '[{', 'internal', key])).toMatchObject({
      code: 2,
      error: expect.stringContaining(
        'line 1, column 3 (byte 2), element 0: it ends inside an object',
      ),
    });
  });

  it('times keep every digit of their nanoseconds', async () => {
    const { id, key } = await newThing();
    await doneHere(home, ['messages', 'send', '{"a":1}', 'internal', key, '-y=application/json']);
    const [message] = await stored(id, 1, 'json');
    const raw = await doneHere(home, ['messages', 'read', 'json', '--publisher', id, token, '-r']);
    const created = /"created":(\d{19})/.exec(raw)?.[1] ?? '';
    expect(BigInt(created)).toBeGreaterThan(1_700_000_000_000_000_000n);
    expect(String(Object(message).created).slice(0, 14)).toBe(created.slice(0, 14));
    const range = ['--from', created, '--to', created];
    expect(
      await doneJsonHere(home, ['messages', 'read', 'json', '--publisher', id, ...range, token]),
    ).toMatchObject({ total: 1 });
  });

  it('each line of a file is a message of a stream, and those that are refused are told', async () => {
    const { id, key } = await newThing();
    const edge = ['--http-url', `${system().ingestUrl}/http`];
    const lines = Array.from(
      { length: 20_000 },
      (_, at) => `[{"n":"a","t":${1.7e9 + at},"v":${at}}]`,
    );
    const send = ['messages', 'send', '--stream', '-', 'internal', key, ...edge];
    expect(await doneHere(home, send, `${lines.join('\n')}\n\n`)).toBe('ok\n');
    const [newest] = await stored(id, lines.length);
    expect(newest).toMatchObject({ value: lines.length - 1 });
    const one = '[{"n":"b","v":1}]';
    const bad = await run(home, send, `${one}\n{}\n${one}\n${'x'.repeat(70_000)}`);
    expect(bad).toMatchObject({ code: 1, out: '' });
    expect(bad.error).toContain('message 2 was refused: malformed entity specification: ');
    expect(bad.error).toContain('message 4 was refused: a message of a stream has at most');
    expect(bad.error).toContain('2 messages refused, 2 messages kept');
    await stored(id, lines.length + 2);
    const unknown = ['messages', 'send', '--stream', '-', 'internal', randomUUID(), ...edge];
    expect((await run(home, unknown, one)).error).toContain('credential_unknown');
    const atApi = await run(home, ['messages', 'send', '--stream', '-', 'internal', key], one);
    expect(atApi).toMatchObject({ code: 2, error: expect.stringContaining('--http-url') });
  });

  it('a refused key is not shown', async () => {
    const key = randomUUID();
    const refused = await run(home, ['messages', 'send', pack, 'internal', key]);
    expect(refused).toMatchObject({ code: 1, out: '' });
    expect(refused.error).not.toContain(key);
  });
});

describe('export and delete', () => {
  it('files arrive unchanged, and deletions remove the chosen messages', async () => {
    const { id, key } = await newThing();
    await doneHere(home, ['messages', 'send', pack, 'internal', key]);
    await stored(id, 3);
    const exported = ['messages', 'export', 'senml', '--publisher', id, token];
    expect(JSON.parse(await doneHere(home, exported))).toHaveLength(3);
    const csv = await doneHere(home, [...exported, '--convert', 'csv']);
    expect(csv.trim().split('\n')).toHaveLength(4);
    const dated = await doneHere(home, [
      ...exported,
      '--order',
      'time',
      '--time-format',
      'RFC3339',
    ]);
    expect(Object(JSON.parse(dated))[0].time).toMatch(/^2010-06-08T\d\d:\d\d:\d\d\.\d{9}Z$/);
    const wide = [...exported, '--convert', 'csv', '--shape', 'wide', '--columns', 'time'];
    expect(await run(home, wide)).toMatchObject({
      code: 1,
      error: expect.stringContaining('columns: with shape=wide each series is a column'),
    });
    const named = [...exported, '--convert', 'csv', '--columns', 'name,value', '--to', 'now'];
    expect(await doneHere(home, named)).toMatch(/^"name","value"\n/);
    const counted = [...exported, '--agg-type', 'count', '--agg-interval', 'year'];
    expect(JSON.parse(await doneHere(home, counted))).toMatchObject([{ value: 3 }]);
    const search = JSON.stringify({ publisher: id, limit: 1 });
    expect(await doneJsonHere(home, ['messages', 'search', 'senml', search, token])).toMatchObject({
      total: 3,
      limit: 1,
    });
    const range = ['--from', '2010-06-08T18:01:12Z', '--to', '2010-06-08T18:01:13Z'];
    await doneHere(home, ['messages', 'delete', 'senml', id, ...range, token, '--yes']);
    await stored(id, 2);
    await doneHere(home, ['messages', 'delete', 'senml', id, token, '--yes']);
    await stored(id, 0);
  });

  it('a pipe that is closed early ends the command without an error', async () => {
    const { child, ended } = start(home, ['messages', 'export', 'senml', token]);
    await once(child.stdout, 'readable');
    child.stdout.destroy();
    expect(await ended).toMatchObject({ code: 0, error: expect.not.stringContaining('error') });
  });
});
