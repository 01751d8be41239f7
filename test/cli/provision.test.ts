import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { createdAt, createEstate, type Estate, loginAdmin } from '../support/api/people.ts';
import { call, at, json } from '../support/api/http.ts';
import { eventually } from '../support/eventually.ts';
import { system } from '../support/system.ts';
import { done, type Ended, type Home, newHome, run, start } from './running/millrace.ts';

let as: string;
let token: string;
let estate: Estate;

beforeAll(async () => {
  as = await loginAdmin();
  token = as.replace('Bearer ', '');
  estate = await createEstate(as);
});

/** A profile of its own, and what things it has. */
async function newProfile(): Promise<{ id: string; things: () => Promise<unknown> }> {
  const id = await createdAt(`/groups/${estate.groupId}/profiles`, as, [{ name: randomUUID() }]);
  return {
    id,
    things: async () =>
      json(await call('GET', `/profiles/${id}/things?limit=200&order=name`, { as })),
  };
}

/** Provisions a file of this text. */
async function provision(
  name: string,
  text: string | Buffer,
  ...more: string[]
): Promise<Ended & { home: Home }> {
  const home = newHome(system().apiUrl);
  writeFileSync(join(home.dir, name), text);
  return { ...(await run(home, ['provision', 'things', name, ...more, token])), home };
}

describe('things', () => {
  it('the documented CSV record and its JSON object make the same thing', async () => {
    const one = await newProfile();
    const csv = `,thing0,${estate.groupId},${one.id},locationCountry,Poland,locationCity,Warsaw,a,1\n`;
    const fromCsv = await provision('things.csv', csv);
    expect(fromCsv).toMatchObject({ code: 0, error: 'created 1 thing\n' });
    await call('DELETE', `/things/${JSON.parse(fromCsv.out)[0].id}`, { as });
    const object = {
      group_id: estate.groupId,
      profile_id: one.id,
      name: 'thing0',
      metadata: { locationCountry: 'Poland', locationCity: 'Warsaw', a: '1' },
    };
    const fromJson = await provision('things.json', JSON.stringify([object]));
    expect(fromJson.code).toBe(0);
    const { id: _one, key: _two, ...expected } = JSON.parse(fromCsv.out)[0];
    expect(JSON.parse(fromJson.out)).toMatchObject([expected]);
    expect(expected).toMatchObject({ type: 'device', ...object });
  });

  it('a byte order mark, CRLF, quotes and empty lines are understood', async () => {
    const profile = await newProfile();
    const text = `\ufeff,"a ""quoted"", name",,${profile.id},k,"line\r\nend"\r\n\r\n,b,,,,\r\n`;
    const made = await provision('things.csv', text, profile.id);
    expect(made).toMatchObject({ code: 0 });
    expect(await profile.things()).toMatchObject({
      total: 2,
      things: expect.arrayContaining([
        expect.objectContaining({ name: 'a "quoted", name', metadata: { k: 'line\r\nend' } }),
        expect.objectContaining({ name: 'b', metadata: {} }),
      ]),
    });
  });

  it('wrong lines are reported with their reason, and nothing is created', async () => {
    const profile = await newProfile();
    const absent = randomUUID();
    const lines = [
      `,good,,${profile.id}`,
      `not-an-id,a,,${profile.id}`,
      `,,,${profile.id}`,
      `,b,,${profile.id},key`,
      `,good,,${profile.id}`,
      `,c,,${absent}`,
      `,d,${absent},${profile.id}`,
      ',e',
      `,f,,${profile.id},"never closed`,
    ];
    const refused = await provision('things.csv', lines.join('\n'));
    expect(refused).toMatchObject({ code: 1, out: '' });
    const told = refused.error.split('\n').filter((line) => line.startsWith('line'));
    expect(told.toSorted()).toEqual([
      'line 2: id is not a UUID v4',
      'line 3: name is missing',
      'line 4: the metadata key "key" has no value',
      'line 5: its name stands on line 1 already',
      `line 6: there is no profile_id ${absent}`,
      'line 7: its profile_id is in another group than group_id says',
      'line 8: profile_id is missing, here and as an argument of the command',
      'line 9: this is not CSV: a quote is never closed',
    ]);
    expect(await profile.things()).toMatchObject({ total: 0 });
  });

  it('wrong elements of a JSON list are reported by their first line', async () => {
    const profile = await newProfile();
    const text =
      '[\n{"name":"a"},\n{"nam":"b"},\n7,\n{"name":"c","type":"toaster"},\n{"name":"d",}\n]';
    const refused = await provision('things.json', text, profile.id);
    expect(refused.code).toBe(1);
    expect(refused.error).toContain('line 3: nam is not known here');
    expect(refused.error).toContain('line 4: this is not an object');
    expect(refused.error).toContain('line 5: type must be one of device, sensor');
    expect(refused.error).toContain(
      'line 6: this is not JSON: line 6, column 13: the comma before } is one too many',
    );
    expect(await profile.things()).toMatchObject({ total: 0 });
  });

  it('a file of another kind is refused', async () => {
    expect(await provision('things.yaml', '- a', estate.profileId)).toMatchObject({
      code: 2,
      out: '',
      error: expect.stringContaining('neither a .json nor a .csv file'),
    });
  });

  it('a name that another thing has is reported with its line', async () => {
    const profile = await newProfile();
    const refused = await provision('things.csv', ',new\n,thing\n', profile.id);
    expect(refused.code).toBe(1);
    expect(refused.error).toContain(
      `line 2: its name ("thing") is taken in the group, by ${estate.thingId}`,
    );
    expect(await profile.things()).toMatchObject({ total: 0 });
  });

  it('a second run finds what the first one created, even if the file has changed', async () => {
    const profile = await newProfile();
    const first = await provision('things.csv', ',r1\n,r2\n', profile.id);
    const second = await provision('things.csv', ',r0\n,r1\n,r2\n', profile.id);
    expect(second).toMatchObject({ code: 0, error: 'created 1 thing, 2 there already\n' });
    const keys = (out: string) =>
      JSON.parse(out).map(({ name, key }: { name: string; key: string }) => `${name} ${key}`);
    expect(keys(second.out)).toEqual(expect.arrayContaining(keys(first.out)));
    expect(await profile.things()).toMatchObject({ total: 3 });
  });

  it('a name whose thing was renamed or deleted is created anew', async () => {
    const profile = await newProfile();
    const first = JSON.parse((await provision('things.csv', ',n1\n,n2\n', profile.id)).out);
    await call('PUT', `/things/${first[0].id}`, { as, body: { name: 'renamed' } });
    await call('DELETE', `/things/${first[1].id}`, { as });
    const second = await provision('things.csv', ',n1\n,n2\n', profile.id);
    expect(second).toMatchObject({ code: 0, error: 'created 2 things\n' });
    const third = await provision('things.csv', ',n1\n,n2\n', profile.id);
    expect(third).toMatchObject({ code: 0, error: 'created 0 things, 2 there already\n' });
    expect(JSON.parse(third.out)).toMatchObject(
      JSON.parse(second.out).map(({ id, key }: { id: string; key: string }) => ({ id, key })),
    );
  });

  it('a run that was killed is continued, and nothing is created twice', async () => {
    const profile = await newProfile();
    const count = 1_200;
    const home = newHome(system().apiUrl);
    const lines = Array.from({ length: count }, (_, index) => `,k${index}`);
    writeFileSync(join(home.dir, 'things.csv'), lines.join('\n'));
    const command = ['provision', 'things', 'things.csv', profile.id, token, '-o', 'csv'];
    const total = async () =>
      at(await call('GET', `/profiles/${profile.id}/things`, { as }), 'total');
    const killed = start(home, command);
    await eventually(async () => Number(await total()) > 0, 10_000, 5);
    killed.child.kill('SIGKILL');
    await killed.ended;
    const rows = (await done(home, command)).trim().split('\r\n').slice(1);
    expect(new Set(rows.map((row) => row.split(',')[0])).size).toBe(count);
    expect(await total()).toBe(count);
  });
});

describe('profiles', () => {
  it('the documented record carries its configuration', async () => {
    const home = newHome(system().apiUrl);
    const id = randomUUID();
    const record = `${id},${id},${estate.groupId},application/json,false,"val1,val2","data.data.data",t,unix,UTC,a,1\n`;
    writeFileSync(join(home.dir, 'profiles.csv'), record);
    const out = await done(home, ['provision', 'profiles', 'profiles.csv', token]);
    expect(JSON.parse(out)).toEqual([
      {
        id,
        name: id,
        group_id: estate.groupId,
        config: {
          content_type: 'application/json',
          write: false,
          transformer: {
            data_filters: ['val1', 'val2'],
            data_field: 'data.data.data',
            time_field: 't',
            time_format: 'unix',
            time_location: 'UTC',
          },
        },
        metadata: { a: '1' },
      },
    ]);
    const object = { name: randomUUID(), config: { write: true }, metadata: { b: 2 } };
    writeFileSync(join(home.dir, 'profiles.json'), JSON.stringify([object]));
    const more = await done(home, [
      'provision',
      'profiles',
      'profiles.json',
      estate.groupId,
      token,
      '-r',
    ]);
    expect(json(await call('GET', `/profiles/${more.trim()}`, { as }))).toMatchObject(object);
  });

  it('a switch that is neither true nor false is reported', async () => {
    const home = newHome(system().apiUrl);
    writeFileSync(join(home.dir, 'p.csv'), `,p,${estate.groupId},,yes\n`);
    expect(await run(home, ['provision', 'profiles', 'p.csv', token])).toMatchObject({
      code: 1,
      error: expect.stringContaining('line 1: config write is "yes"'),
    });
  });
});
