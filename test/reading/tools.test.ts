import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { gzipSync } from 'node:zlib';
import { parse } from 'csv-parse/sync';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse as parseYaml } from 'yaml';
import { at } from '../operating/deploy/files.ts';
import { eventually } from '../support/eventually.ts';
import { call, textAt, at as valueIn } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';
import { system } from '../support/system.ts';
import { inDuckDb } from './exported.ts';

/* What the pages of infra/guide/tools tell one to type, typed: where the tool is installed, as it stands there. */

const run = promisify(execFile);
const page = (name: string) =>
  readFileSync(join(import.meta.dirname, `../../infra/guide/tools/${name}.md`), 'utf8');

/** The blocks of a language on a page, in their order. */
function blocks(name: string, language: string): string[] {
  const found = [...page(name).matchAll(/^```(\w+)\n(.*?)^```$/gms)]
    .filter(([, of]) => of === language)
    .map(([, , text = '']) => text);
  if (found.length === 0) throw new Error(`${name} has no block of ${language}`);
  return found;
}

const works = (program: string, ...args: string[]) => spawnSync(program, args).status === 0;
const python = ['python3', '/usr/bin/python3'].find((one) => works(one, '-c', 'import pandas'));
const hasR = works('Rscript', '--version');

const head = 'cold-room-2 temperature (Cel)';

let people: People;
let owner: Person;
let key: string;
let directory: string;
let estate: Estate;
let thing: { id: string; key: string };

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const [made] = await createThings(owner.as, estate.profileId, [
    { name: 'cold-room-2', type: 'sensor' },
  ]);
  if (made === undefined) throw new Error('no thing was made');
  thing = made;
  // Within two hours, whatever the time is.
  const hour = (Math.floor(Date.now() / 3_600_000) - 2) * 3_600;
  const send = (body: unknown, type: string) =>
    call('POST', '/http/messages', {
      as: `Thing ${thing.key}`,
      body,
      headers: { 'content-type': type },
    });
  await send(
    [
      { bn: 'temperature', bu: 'Cel', t: hour + 10, v: 3 },
      { t: hour + 20, v: 4 },
      { t: hour + 3_610, v: 5 },
    ],
    'application/senml+json',
  );
  await send({ motor: { rpm: 7 } }, 'application/json');
  for (const [format, count] of [
    ['senml', 3],
    ['json', 1],
  ] as const) {
    await eventually(async () => {
      const read = await call('GET', `/reader/${format}`, { as: owner.as });
      return valueIn(read, 'total') === count;
    }, 20_000);
  }
  key = textAt(await call('POST', '/keys', { as: owner.as, body: { type: 2 } }), 'value');
  directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
});

afterAll(async () => {
  rmSync(directory, { recursive: true });
  await people.close();
});

/** Runs a program with what the pages say is in the environment; gives what it printed. */
async function print(program: string, ...args: string[]): Promise<string> {
  const { stdout } = await run(program, args, {
    cwd: directory,
    env: {
      ...process.env,
      API: system().apiUrl,
      KEY: key,
      AUTH: `Authorization: ${owner.as}`,
      JSON: 'Content-Type: application/json',
    },
  });
  return stdout;
}

const basicOf = (name: string, secretText: string) =>
  `Basic ${Buffer.from(`${name}:${secretText}`).toString('base64')}`;

/** Home Assistant's own way to name a secret. */
const secret = { tag: '!secret', resolve: (text: string) => text };

/** The request of a block of Power Query, as Excel and Power BI send it. */
async function ask(query: string): Promise<string[][]> {
  const path = /RelativePath = "([^"]+)"/.exec(query)?.[1] ?? '';
  const record = /Query = \[(.*?)\n\s*\]/s.exec(query)?.[1] ?? '';
  const parameters = new URLSearchParams();
  for (const [, name = '', value = ''] of record.matchAll(/(\w+) = "([^"]*)"/g)) {
    parameters.append(name, value);
  }
  const as = basicOf('me', key);
  const answer = await call('GET', `/${path}?${parameters.toString()}`, {
    as,
  });
  expect([answer.status, answer.headers['content-type']]).toEqual([200, 'text/csv; charset=utf-8']);
  return parse(answer.text);
}

describe('the pages of tools', () => {
  it('an API key reads as the password of Basic', async () => {
    const [issue = ''] = blocks('README', 'sh');
    expect(JSON.parse(await print('bash', '-ec', issue))).toMatchObject({ total: 3 });
  });

  it.skipIf(python === undefined)(
    'pandas reads wide files, records, and JSON messages',
    async () => {
      const told = await print(python ?? '', '-c', blocks('pandas', 'python').join('\n'));
      expect(told).toContain(head);
      expect(told).toMatch(/cold-room-2 +temperature +3 +4\.0/);
      expect(told).toContain('rpm');
    },
  );

  it.skipIf(!hasR)('R reads wide files, and records', async () => {
    const told = await print('Rscript', '-e', blocks('r', 'r').join('\n'));
    expect(told).toContain('cold-room-2 temperature');
    expect(told).toMatch(/cold-room-2 +temperature +4/);
  });

  it('DuckDB groups a file of Parquet', async () => {
    const [fetched = ''] = blocks('duckdb', 'sh');
    const [query = ''] = blocks('duckdb', 'sql');
    await print('bash', '-ec', fetched);
    const file = readFileSync(join(directory, 'messages.parquet'));
    const rows = await inDuckDb(file, 'messages.parquet', (name) =>
      query.replace(`'messages.parquet'`, name),
    );
    expect(rows.map(([sender, name, , mean, records]) => [sender, name, mean, records])).toEqual([
      ['cold-room-2', 'temperature', 3.5, '2'],
      ['cold-room-2', 'temperature', 5, '1'],
    ]);
  });

  it('Excel gets a table of times and series, and a file with a name', async () => {
    const [table = ''] = blocks('excel', 'm');
    const [first, ...rows] = await ask(table);
    expect(first).toEqual(['time', head]);
    expect(rows.map(([, value]) => value)).toEqual(['3.5', '5']);
    const [fetched = ''] = blocks('excel', 'sh');
    await print('bash', '-ec', fetched);
    expect(readdirSync(directory)).toContainEqual(
      expect.stringMatching(/^senml messages wide \d{4}-\d\d-\d\d to \d{4}-\d\d-\d\d\.csv$/),
    );
  });

  it('Home Assistant writes states with a key of a thing, and reads a series of another one', async () => {
    const [writing, reading] = blocks('home-assistant', 'yaml').map((text): unknown =>
      parseYaml(text, { customTags: [secret] }),
    );
    const influx = at(writing, 'influxdb');
    const sent = await call('POST', `/write?db=${String(at(influx, 'database'))}&precision=s`, {
      as: basicOf(String(at(influx, 'username')), thing.key),
      raw: '°C,domain=sensor,entity_id=hall value=21.5,friendly_name_str="Hall" 1700000000',
      headers: { 'content-type': 'text/plain' },
    });
    expect([sent.status, sent.text]).toEqual([204, '']);
    const [wanted] = Array.from(Object(at(reading, 'sensor', 0, 'queries')));
    const { group_function, field, measurement, where } = Object(wanted);
    const query = `select ${group_function}(${field}) as value from ${measurement} where ${where}`;
    const db = estate.orgId;
    const found = await call('GET', `/query?${new URLSearchParams({ db, q: query }).toString()}`, {
      as: basicOf('me', key),
    });
    expect(valueIn(found, 'results', 0, 'series', 0, 'values', 0, 1)).toBe(5);
  });

  it('Telegraf writes with a key of a thing, by both of its outputs', async () => {
    const [one = '', two = ''] = blocks('telegraf', 'toml');
    const valueOf = (text: string, name: string) =>
      new RegExp(`${name} = "([^"]*)"`).exec(text)?.[1] ?? '';
    const raw = gzipSync(
      'cpu,cpu=cpu0,host=hall usage_idle=97.5,usage_user=1i 1700000000000000000\n',
    );
    const headers = { 'content-type': 'text/plain; charset=utf-8', 'content-encoding': 'gzip' };
    const first = await call('POST', `/write?db=${valueOf(one, 'database')}`, {
      as: basicOf(valueOf(one, 'username'), thing.key),
      raw,
      headers,
    });
    expect([first.status, first.text]).toEqual([204, '']);
    const place = `org=${valueOf(two, 'organization')}&bucket=${valueOf(two, 'bucket')}`;
    const as = `Token ${thing.key}`;
    const second = await call('POST', `/api/v2/write?${place}`, { as, raw, headers });
    expect([second.status, second.text]).toEqual([204, '']);
  });

  it('Power BI gets rows with the names of things', async () => {
    const [table = ''] = blocks('power-bi', 'm');
    const [first, ...rows] = await ask(table);
    expect(first).toEqual(['time', 'thing_name', 'name', 'unit', 'value']);
    expect(rows).toHaveLength(3);
    expect(rows.every(([, sender]) => sender === 'cold-room-2')).toBe(true);
  });
});
