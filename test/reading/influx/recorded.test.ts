import { beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { type Answer, call } from '../../support/api/http.ts';
import { createEstate, loginAdmin } from '../../support/api/people.ts';
import { ask, resultsIn, seriesIn } from './ask.ts';

/*
 * Statements as clients of InfluxDB 1 send them, with their parameters and headers: found in the sources of Grafana,
 * Home Assistant and influxdb-python, and in dashboards for evcc.
 */

let as: string;
let db: string;

/** Of one minute, from 2023-11-14T22:13:20Z. */
const lines = `cpu,host=a,region=x value=1,idle=10i 1700000000
cpu,host=a,region=x value=3,idle=20i 1700000030
cpu,host=b value=5 1700000030
°C,domain=sensor,entity_id=outdoor value=21.5,friendly_name_str="Outdoor" 1700000000
°C,domain=sensor,entity_id=outdoor value=22.5,friendly_name_str="Outdoor" 1700000020
°C,domain=sensor,entity_id=indoor value=19 1700000020
chargePower,loadpoint=Garage,vehicle=e value=1000 1700000000
chargePower,loadpoint=Garage,vehicle=e value=2000 1700000040
chargePower,loadpoint=Carport value=500 1700000040
pvPower value=4000 1700000000
pvPower value=26000 1700000010`;

beforeAll(async () => {
  as = await loginAdmin();
  const estate = await createEstate(as);
  db = estate.orgId;
  const written = await call('POST', `/write?db=any&precision=s&u=any&p=${estate.key}`, {
    raw: lines,
    headers: { 'content-type': 'text/plain' },
  });
  if (written.status !== 204) throw new Error(written.text);
  await eventually(async () => {
    const found = seriesIn(await ask(db, 'SELECT count(value) FROM /.*/', { as }));
    return found.reduce((sum, { values }) => sum + Number(values[0]?.[1]), 0) === 11;
  }, 20_000);
});

const range = 'time >= 1700000000000ms and time <= 1700000059999ms';
const grafana = (q: string) => ask(db, q, { as, with: { epoch: 'ms' } });

async function rowsOf(answer: Promise<Answer>): Promise<unknown[][]> {
  return seriesIn(await answer).flatMap(({ values }) => values);
}

describe('Grafana', () => {
  it('looks whether the database answers, and for its names', async () => {
    const names = [['chargePower'], ['cpu'], ['pvPower'], ['°C']];
    expect(await rowsOf(grafana('SHOW measurements'))).toEqual(names);
    const wanted = 'SHOW MEASUREMENTS WITH MEASUREMENT =~ /(?i)POWER/ LIMIT 100';
    expect(await rowsOf(grafana(wanted))).toEqual([['chargePower'], ['pvPower']]);
    expect(await rowsOf(grafana(`SHOW RETENTION POLICIES on "${db}"`))).toHaveLength(1);
    expect(await rowsOf(grafana('SHOW FIELD KEYS FROM "cpu"'))).toEqual([
      ['idle', 'float'],
      ['value', 'float'],
    ]);
    const keys = await rowsOf(grafana('SHOW TAG KEYS FROM "cpu"'));
    expect(keys).toEqual([['group'], ['host'], ['region'], ['thing'], ['thing_id']]);
    const values = `SHOW TAG VALUES FROM "cpu" WITH KEY = "host" WHERE "region" = 'x'`;
    expect(await rowsOf(grafana(values))).toEqual([['host', 'a']]);
  });

  it('draws means of intervals by tags that were chosen', async () => {
    const q = `SELECT mean("value") FROM "cpu" WHERE ("host"::tag =~ /^(a|b)$/) AND ${range} GROUP BY time(30s), "host"::tag fill(null)`;
    const times = [1_699_999_980_000, 1_700_000_010_000, 1_700_000_040_000];
    const points = (...values: (number | null)[]) => values.map((value, at) => [times[at], value]);
    expect(seriesIn(await grafana(q))).toEqual([
      { name: 'cpu', tags: { host: 'a' }, columns: ['time', 'mean'], values: points(1, 3, null) },
      {
        name: 'cpu',
        tags: { host: 'b' },
        columns: ['time', 'mean'],
        values: points(null, 5, null),
      },
    ]);
  });

  it('shows rows in a table, newest first, and posts its statement in a form', async () => {
    const q = `SELECT "value", "idle" FROM "cpu" WHERE ${range} ORDER BY time DESC LIMIT 2`;
    const answer = await call('POST', `/query?db=${db}&epoch=ms`, {
      as,
      raw: `q=${encodeURIComponent(q)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded', 'accept-encoding': 'gzip' },
    });
    expect(answer.headers).toMatchObject({ 'content-encoding': 'gzip' });
    expect(await rowsOf(grafana(q))).toHaveLength(2);
    expect((await rowsOf(grafana(q)))[0]?.[0]).toBe(1_700_000_030_000);
  });

  it('asks for a rate of means', async () => {
    const q = `SELECT non_negative_derivative(mean("value"), 30s) FROM "cpu" WHERE ("host"::tag = 'a') AND ${range} GROUP BY time(30s) fill(none)`;
    expect(await rowsOf(grafana(q))).toEqual([[1_700_000_010_000, 2]]);
  });
});

describe('Home Assistant', () => {
  const headers = { 'content-type': 'application/json', accept: 'application/x-msgpack' };

  it('looks for its database when it starts', async () => {
    expect(resultsIn(await ask('', 'SHOW DATABASES;', { as, headers }))).toMatchObject([
      { series: [{ name: 'databases', columns: ['name'] }] },
    ]);
  });

  it('has sensors that are a mean or the last value of an entity', async () => {
    const from = `"°C" where entity_id = 'outdoor' and time > 1699999999s`;
    const mean = await ask(db, `select mean(value) as value from ${from}`, { as, headers });
    expect(seriesIn(mean)).toMatchObject([{ name: '°C', columns: ['time', 'value'] }]);
    expect(mean.text).toContain('22]]');
    const last = await ask(db, `select last(value) as value from ${from}`, { as, headers });
    expect(last.text).toContain('["2023-11-14T22:13:40Z",22.5]');
    expect(last.headers).toMatchObject({ 'content-type': 'application/json' });
    const name = `select last("friendly_name_str") as value from ${from}`;
    expect((await ask(db, name, { as, headers })).text).toContain('"Outdoor"');
  });
});

describe('influxdb-python', () => {
  it('reads all columns into a frame for each series', async () => {
    const q = 'SELECT * FROM "cpu" WHERE time >= 1700000000s GROUP BY *';
    const series = seriesIn(await ask(db, q, { as, with: { epoch: 'ns' } }));
    expect(series.map(({ tags }) => [tags?.['host'], tags?.['region']])).toEqual([
      ['a', 'x'],
      ['b', ''],
    ]);
    expect(series.map(({ columns }) => columns)).toEqual([
      ['time', 'idle', 'value'],
      ['time', 'idle', 'value'],
    ]);
    expect(series[0]?.values).toHaveLength(2);
  });

  it('binds values, and reads in chunks', async () => {
    const bound = { params: JSON.stringify({ host: 'a', least: 2 }) };
    const q = 'SELECT value FROM cpu WHERE host = $host AND value > $least';
    expect(await rowsOf(ask(db, q, { as, with: { ...bound, epoch: 's' } }))).toEqual([
      [1_700_000_030, 3],
    ]);
    const chunks = await ask(db, 'SELECT value FROM cpu', {
      as,
      with: { chunked: 'true', chunk_size: '2' },
    });
    expect(chunks.text.trim().split('\n')).toHaveLength(2);
  });
});

it('texts and tags stand in their own columns where a field is compared', async () => {
  const q = `SELECT friendly_name_str, entity_id, value FROM "°C" WHERE value > 22`;
  expect(await rowsOf(grafana(q))).toEqual([[1_700_000_020_000, 'Outdoor', 'outdoor', 22.5]]);
});

describe('evcc’s dashboards', () => {
  it('draw power by loadpoints in a time zone', async () => {
    const q = `SELECT max("value") * (-1) FROM "chargePower" WHERE ${range} GROUP BY time(1m), "loadpoint"::tag fill(none) tz('Europe/Berlin')`;
    const start = 1_699_999_980_000;
    expect(seriesIn(await grafana(q))).toMatchObject([
      { tags: { loadpoint: 'Carport' }, values: [[start + 60_000, -500]] },
      {
        tags: { loadpoint: 'Garage' },
        values: [
          [start, -1_000],
          [start + 60_000, -2_000],
        ],
      },
    ]);
  });

  it('leave out what can not be', async () => {
    const q = `SELECT max("value") FROM "pvPower" WHERE ("value"::field < 25000) AND ${range} GROUP BY time(1m) fill(none)  tz('Europe/Berlin')`;
    expect(await rowsOf(grafana(q))).toEqual([[1_699_999_980_000, 4_000]]);
  });
});

describe('clients that write', () => {
  it('make their database before, which changes nothing', async () => {
    const made = await call('POST', '/query', {
      as,
      raw: `q=${encodeURIComponent(`CREATE DATABASE "${db}"`)}`,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect(resultsIn(made)).toEqual([{ statement_id: 0 }]);
  });
});
