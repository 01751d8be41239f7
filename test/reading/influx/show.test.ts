import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { call, textAt } from '../../support/api/http.ts';
import {
  createdAt,
  createThings,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, resultsIn, seriesIn } from './ask.ts';

const orgName = `acme ${randomUUID()}`;
let viewer: Person;
let stranger: Person;
let orgId: string;
const ids: Record<string, string> = {};

async function publish(key: string, subtopic: string, body: unknown, type: string): Promise<void> {
  const answer = await call('POST', `/http/messages${subtopic}`, {
    as: `Thing ${key}`,
    body,
    headers: { 'content-type': type },
  });
  if (answer.status !== 202) throw new Error(answer.text);
}

beforeAll(async () => {
  const admin = await loginAdmin();
  const people = new People();
  [viewer, stranger] = [await people.register(), await people.register()];
  orgId = await createdAt('/orgs', admin, { name: orgName });
  const hall = await createdAt(`/orgs/${orgId}/groups`, admin, { name: 'hall' });
  const hidden = await createdAt(`/orgs/${orgId}/groups`, admin, { name: 'hidden' });
  await people.join('org', orgId, viewer, 'viewer');
  await people.join('group', hall, viewer, 'viewer');
  const plain = await createdAt(`/groups/${hall}/profiles`, admin, [{ name: 'plain' }]);
  const weather = await createdAt(`/groups/${hall}/profiles`, admin, [
    { name: 'weather', config: { content_type: 'application/json' } },
  ]);
  const other = await createdAt(`/groups/${hidden}/profiles`, admin, [{ name: 'plain' }]);
  const named = (name: string) => [{ name, type: 'device' }];
  const [pump] = await createThings(admin, plain, named('pump one'));
  const [fan] = await createThings(admin, plain, named('fan'));
  const [station] = await createThings(admin, weather, named('station'));
  const [secret] = await createThings(admin, other, named('secret'));
  if (!pump || !fan || !station || !secret) throw new Error('things are missing');
  Object.assign(ids, { pump: pump.id, fan: fan.id, station: station.id });
  const senml = 'application/senml+json';
  const bt = 1_600_000_000;
  await publish(
    pump.key,
    '/host=a/region=x',
    [
      { n: 'cpu', bt, v: 1.5 },
      { n: 'cpu.idle', v: 3 },
      { n: 'temp', u: 'Cel', v: 20 },
    ],
    senml,
  );
  await publish(
    fan.key,
    '/room/host=b%2520c',
    [
      { n: 'cpu', bt, vs: 'on' },
      { n: 'cpu.up', vb: true },
    ],
    senml,
  );
  await publish(fan.key, '', [{ n: 'a.b', bt, v: 1 }], senml);
  await publish(
    station.key,
    '/roof',
    { air: { temp: 1.5, ok: true }, name: 'x' },
    'application/json',
  );
  await publish(secret.key, '/host=z', [{ n: 'hidden', bt, v: 1 }], senml);
  await eventually(async () => {
    const [all] = seriesIn(await ask(orgId, 'SHOW MEASUREMENTS', { as: admin }));
    return all?.values.length === 5;
  }, 20_000);
});

/** The rows of the one series of a statement that the viewer asks. */
async function rows(q: string): Promise<unknown[][]> {
  const series = seriesIn(await ask(orgId, q, { as: viewer.as }));
  return series.flatMap(({ name, values }) => values.map((row) => [name, ...row]));
}

describe('the names that InfluxQL shows', () => {
  it('of databases are the orgs that one is in', async () => {
    expect(await rows('SHOW DATABASES')).toEqual([['databases', orgName]]);
    expect(seriesIn(await ask('', 'SHOW DATABASES', { as: stranger.as }))).toEqual([]);
    const byName = seriesIn(await ask(orgName, 'SHOW MEASUREMENTS', { as: viewer.as }));
    expect(byName).toMatchObject([{ name: 'measurements', columns: ['name'] }]);
  });

  it('of a database that one is not in, or that is not there, are those of none', async () => {
    for (const [as, db] of [
      [stranger.as, orgId],
      [viewer.as, randomUUID()],
    ] as const) {
      expect(resultsIn(await ask(db, 'SHOW MEASUREMENTS; SHOW SERIES', { as }))).toEqual([
        { statement_id: 0, error: `database not found: ${db}` },
        { statement_id: 1, error: 'not executed' },
      ]);
    }
    expect(resultsIn(await ask('', 'SHOW MEASUREMENTS', { as: viewer.as }))).toEqual([
      { statement_id: 0, error: 'database name required' },
    ]);
  });

  it('of measurements are those of records, and of profiles with JSON, in the groups that one is in', async () => {
    const all = ['a', 'cpu', 'temp', 'weather'].map((name) => ['measurements', name]);
    expect(await rows('SHOW MEASUREMENTS')).toEqual(all);
    expect(await rows('SHOW MEASUREMENTS LIMIT 2 OFFSET 1')).toEqual(all.slice(1, 3));
    expect(await rows('SHOW MEASUREMENTS WITH MEASUREMENT =~ /^(cpu|wea)/')).toEqual([
      ['measurements', 'cpu'],
      ['measurements', 'weather'],
    ]);
    expect(await rows('SHOW MEASUREMENT CARDINALITY')).toEqual([[undefined, 4]]);
  });

  it('of fields have the types of their values', async () => {
    expect(await rows('SHOW FIELD KEYS')).toEqual([
      ['a', 'b', 'float'],
      ['cpu', 'idle', 'float'],
      ['cpu', 'string', 'string'],
      ['cpu', 'up', 'boolean'],
      ['cpu', 'value', 'float'],
      ['temp', 'value', 'float'],
      ['weather', 'air.ok', 'boolean'],
      ['weather', 'air.temp', 'float'],
      ['weather', 'name', 'string'],
    ]);
    // Written as the field `value` of a measurement with a dot in its name.
    expect(await rows('SHOW FIELD KEYS FROM "a.b"')).toEqual([['a.b', 'value', 'float']]);
    expect(await rows('SHOW FIELD KEYS FROM nothing')).toEqual([]);
  });

  it('of tags are the parts of subtopics, decoded, and what is known of the thing', async () => {
    const ofThing = ['group', 'thing', 'thing_id'];
    const keys = (name: string, more: string[]) =>
      [...ofThing, ...more].toSorted().map((key) => [name, key]);
    expect(await rows('SHOW TAG KEYS')).toEqual([
      ...keys('a', []),
      ...keys('cpu', ['host', 'region', 'subtopic']),
      ...keys('temp', ['host', 'region', 'unit']),
      ...keys('weather', ['subtopic']),
    ]);
    expect(await rows('SHOW TAG VALUES WITH KEY = "host"')).toEqual([
      ['cpu', 'host', 'a'],
      ['cpu', 'host', 'b c'],
      ['temp', 'host', 'a'],
    ]);
    expect(await rows('SHOW TAG VALUES FROM cpu WITH KEY IN ("thing", "group")')).toEqual([
      ['cpu', 'group', 'hall'],
      ['cpu', 'thing', 'fan'],
      ['cpu', 'thing', 'pump one'],
    ]);
    expect(await rows('SHOW TAG VALUES FROM weather, temp WITH KEY =~ /^(sub|unit)/')).toEqual([
      ['temp', 'unit', 'Cel'],
      ['weather', 'subtopic', 'roof'],
    ]);
  });

  it('of series are written as in line protocol', async () => {
    expect(await rows('SHOW SERIES')).toEqual(
      [
        `a,group=hall,thing=fan,thing_id=${ids['fan']}`,
        `cpu,group=hall,host=a,region=x,thing=pump\\ one,thing_id=${ids['pump']}`,
        `cpu,group=hall,host=b\\ c,subtopic=room,thing=fan,thing_id=${ids['fan']}`,
        `temp,group=hall,host=a,region=x,thing=pump\\ one,thing_id=${ids['pump']},unit=Cel`,
        `weather,group=hall,subtopic=roof,thing=station,thing_id=${ids['station']}`,
      ].map((key) => [undefined, key]),
    );
    expect(await rows('SHOW SERIES CARDINALITY')).toEqual([[undefined, 5]]);
    expect(await rows('SHOW SERIES EXACT CARDINALITY FROM cpu')).toEqual([['cpu', 2]]);
  });
});

describe('an answer of InfluxQL', () => {
  it('is CSV where that is asked for, in parts or indented', async () => {
    const q = 'SHOW MEASUREMENTS LIMIT 2';
    const as = { as: viewer.as };
    const csv = await ask(orgId, q, { ...as, headers: { accept: 'application/csv' } });
    expect(csv.text).toBe('name,tags,name\nmeasurements,,a\nmeasurements,,cpu\n');
    expect(csv.headers).toMatchObject({ 'content-type': 'text/csv' });
    const parts = await ask(orgId, q, { ...as, with: { chunked: 'true', chunk_size: '1' } });
    expect(parts.text.match(/"partial":true/g)).toHaveLength(2);
    expect(parts.text.split('\n')).toHaveLength(3);
    const pretty = await ask(orgId, q, { ...as, with: { pretty: 'true' } });
    expect(pretty.text).toMatch(/^\{\n {4}"results": \[/);
    expect(pretty.headers).toMatchObject({ 'x-influxdb-version': '1.8.10' });
  });

  it('to what can not be read, or to who is not known, is an error in InfluxDB’s words', async () => {
    const none = await call('GET', '/query', { as: viewer.as });
    expect([none.status, none.text]).toMatchObject([
      400,
      expect.stringContaining('{"error":"missing required parameter \\"q\\""'),
    ]);
    const bad = await ask(orgId, 'foo', { as: viewer.as });
    expect(bad.status).toBe(400);
    expect(bad.text).toContain('{"error":"error parsing query: found foo, expected');
    const unknown = await ask(orgId, 'SHOW DATABASES');
    expect(unknown.status).toBe(401);
    expect(unknown.text).toContain('{"error":"unable to parse authentication credentials"');
    const wrong = await ask(orgId, 'SHOW DATABASES', { as: `Bearer mrk_${'x'.repeat(43)}` });
    expect([wrong.status, wrong.text]).toMatchObject([
      401,
      expect.stringContaining('{"error":"authorization failed"'),
    ]);
    expect(
      resultsIn(await ask(orgId, 'SHOW MEASUREMENTS WITH MEASUREMENT =~ /[/', { as: viewer.as })),
    ).toMatchObject([{ error: expect.stringContaining('RE2') }]);
  });

  it('is for whoever has an API key, wherever InfluxDB’s clients put it', async () => {
    const issued = await call('POST', '/keys', {
      as: viewer.as,
      body: { type: 2, duration: 3_600 },
    });
    const key = textAt(issued, 'value');
    const basic = Buffer.from(`anyone:${key}`).toString('base64');
    for (const as of [`Bearer ${key}`, `Token ${key}`, `Token anyone:${key}`, `Basic ${basic}`]) {
      expect(seriesIn(await ask(orgId, 'SHOW DATABASES', { as })), as).toHaveLength(1);
    }
    const password = { with: { u: 'anyone', p: key } };
    expect(seriesIn(await ask(orgId, 'SHOW DATABASES', password))).toHaveLength(1);
    const wrong = await ask(orgId, 'SHOW DATABASES', { with: { u: 'anyone', p: `${key}x` } });
    expect(wrong.status).toBe(401);
    // It opens nothing else.
    expect((await call('GET', `/orgs?p=${key}`)).status).toBe(401);
  });

  it('to a form is that to a query string', async () => {
    const answer = await call('POST', `/query?db=${orgId}`, {
      as: viewer.as,
      raw: 'q=SHOW+MEASUREMENTS+LIMIT+1&db=nothing&db=',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(resultsIn(answer)).toMatchObject([{ error: 'database not found: nothing' }]);
    const given = await call('POST', `/query?db=${orgId}`, {
      as: viewer.as,
      raw: 'q=SHOW+MEASUREMENTS+LIMIT+1',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(seriesIn(given)).toMatchObject([{ values: [['a']] }]);
  });
});
