import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { call } from '../../support/api/http.ts';
import { createdAt, createThings, loginAdmin } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, resultsIn, seriesIn } from './ask.ts';

const db = `mill ${randomUUID()}`;
const [start, minute] = [1_700_000_040, 60];
const within = `time >= ${start}s AND time < ${start + 4 * minute}s`;
let admin: string;

async function publish(
  key: string,
  subtopic: string,
  body: unknown,
  type = 'application/senml+json',
) {
  const headers = { 'content-type': type };
  const answer = await call('POST', `/http/messages${subtopic}`, {
    as: `Thing ${key}`,
    body,
    headers,
  });
  if (answer.status !== 202) throw new Error(answer.text);
}

const select = async (text: string, epoch = 's') =>
  seriesIn(await ask(db, `SELECT ${text}`, { as: admin, with: { epoch } }));

/** The rows of the only series. */
const rows = async (text: string) => (await select(text))[0]?.values;

beforeAll(async () => {
  admin = await loginAdmin();
  const orgId = await createdAt('/orgs', admin, { name: db });
  const group = await createdAt(`/orgs/${orgId}/groups`, admin, { name: 'hall' });
  const plain = await createdAt(`/groups/${group}/profiles`, admin, [{ name: 'plain' }]);
  const weather = await createdAt(`/groups/${group}/profiles`, admin, [
    { name: 'weather', config: { content_type: 'application/json' } },
  ]);
  const [pump, fan] = await createThings(admin, plain, [
    { name: 'pump', type: 'device' },
    { name: 'fan', type: 'device' },
  ]);
  const [station] = await createThings(admin, weather, [{ name: 'station', type: 'device' }]);
  if (!pump || !fan || !station) throw new Error('things are missing');
  const records = (name: string, values: readonly (number | undefined)[]) =>
    values.flatMap((v, at) => (v === undefined ? [] : [{ n: name, t: start + at * 20, v }]));
  await publish(pump.key, '', records('temp', [10, 20, 30, 12, undefined, 14]));
  await publish(fan.key, '', records('temp', [1, 2, 3]));
  await publish(pump.key, '/host=a', [
    { n: 'cpu.idle', t: start, v: 5 },
    { n: 'cpu.user', t: start, v: 95 },
    { n: 'cpu.state', t: start, vs: 'on' },
    { n: 'cpu.idle', t: start + 1, v: 7 },
  ]);
  await publish(station.key, '', { wind: { speed: 4 }, dry: true }, 'application/json');
  // Sent again, with another value.
  await publish(pump.key, '', [{ n: 'again', t: start, v: 1 }]);
  await eventually(async () => (await rows('count(value) FROM again'))?.[0]?.[1] === 1);
  await publish(pump.key, '', [
    { n: 'again', t: start, v: 5 },
    { n: 'again', t: start + 1, v: 7 },
  ]);
  await eventually(async () => (await rows('count(value) FROM again'))?.[0]?.[1] === 2);
  await eventually(async () => (await rows(`count("wind.speed") FROM weather`))?.[0]?.[1] === 1);
});

describe('SELECT of InfluxQL', () => {
  it('has a row for each interval of each series, with the begin of the interval', async () => {
    const series = await select(
      `mean(value) AS warm, count(value) FROM temp WHERE ${within} GROUP BY time(1m), thing`,
    );
    expect(series).toEqual([
      {
        name: 'temp',
        tags: { thing: 'fan' },
        columns: ['time', 'warm', 'count'],
        values: [
          [start, 2, 3],
          [start + 60, null, 0],
          [start + 120, null, 0],
          [start + 180, null, 0],
        ],
      },
      {
        name: 'temp',
        tags: { thing: 'pump' },
        columns: ['time', 'warm', 'count'],
        values: [
          [start, 20, 3],
          [start + 60, 13, 2],
          [start + 120, null, 0],
          [start + 180, null, 0],
        ],
      },
    ]);
  });

  it('fills gaps as it is asked', async () => {
    const filled = async (fill: string) =>
      (
        await rows(
          `mean(value) FROM temp WHERE thing = 'pump' AND ${within} GROUP BY time(20s) fill(${fill}) LIMIT 7`,
        )
      )?.map(([, value]) => value);
    expect(await filled('null')).toEqual([10, 20, 30, 12, null, 14, null]);
    expect(await filled('none')).toEqual([10, 20, 30, 12, 14]);
    expect(await filled('previous')).toEqual([10, 20, 30, 12, 12, 14, 14]);
    expect(await filled('linear')).toEqual([10, 20, 30, 12, 13, 14, null]);
    expect(await filled('-1')).toEqual([10, 20, 30, 12, -1, 14, -1]);
  });

  it('tells the time of the point that a lone selector chooses', async () => {
    expect(await rows('max(value), thing FROM temp')).toEqual([[start + 40, 30, 'pump']]);
    expect(await rows('last(value) FROM temp')).toEqual([[start + 100, 14]]);
    expect(await rows('min(value), max(value) FROM temp')).toEqual([[0, 1, 30]]);
    expect(await rows(`sum(value) FROM temp WHERE ${within}`)).toEqual([[start, 92]]);
  });

  it('puts the fields of one time in one row', async () => {
    expect(await select('* FROM cpu GROUP BY host')).toMatchObject([
      { tags: { host: 'a' }, columns: expect.arrayContaining(['idle', 'state', 'user']) },
    ]);
    expect(await rows('idle, "user", state FROM cpu')).toEqual([
      [start, 5, 95, 'on'],
      [start + 1, 7, null, null],
    ]);
    expect(await rows(`idle + 1 FROM cpu WHERE state = 'on' AND host =~ /^a/`)).toEqual([
      [start, 6],
    ]);
  });

  it('reads members of JSON payloads as fields of the profile', async () => {
    const values = await rows('"wind.speed", dry FROM weather');
    expect(values?.map(([, ...cells]) => cells)).toEqual([[4, true]]);
  });

  it('takes the value that was stored last', async () => {
    expect(await rows('value FROM again')).toEqual([
      [start, 5],
      [start + 1, 7],
    ]);
    expect(await rows('sum(value), count(value) FROM again')).toEqual([[0, 12, 2]]);
    expect(await rows('value FROM again LIMIT 1')).toEqual([[start, 5]]);
  });

  it('works differences and averages out over points and over intervals', async () => {
    const of = async (text: string) => (await rows(text))?.map(([, value]) => value);
    const pump = `FROM temp WHERE thing = 'pump'`;
    expect(await of(`difference(value) ${pump}`)).toEqual([10, 10, -18, 2]);
    expect(await of(`derivative(value, 10s) ${pump}`)).toEqual([5, 5, -9, 0.5]);
    expect(await of(`moving_average(value, 2) ${pump}`)).toEqual([15, 25, 21, 13]);
    expect(
      await of(`cumulative_sum(sum(value)) ${pump} AND ${within} GROUP BY time(1m) fill(none)`),
    ).toEqual([60, 86]);
  });

  it('begins days at midnight of a zone, and tells times in it', async () => {
    const [series] = await select(
      `count(value) FROM temp WHERE thing = 'fan' GROUP BY time(1d) fill(none) tz('Asia/Kolkata')`,
      '',
    );
    expect(series?.values).toEqual([['2023-11-15T00:00:00+05:30', 3]]);
  });

  it('refuses more intervals than an answer holds at once', async () => {
    const text = `SELECT mean(value) FROM temp WHERE time >= '1950-01-01' AND time < '2050-01-01' GROUP BY time(1ns)`;
    const answer = await ask(db, text, { as: admin });
    expect(answer.status).toBe(400);
    expect(answer.text).toContain('intervals');
  });

  it('tells what is wrong with a statement in its result', async () => {
    const [result] = resultsIn(await ask(db, 'SELECT foo(value) FROM temp', { as: admin }));
    expect(result?.error).toBe('undefined function foo()');
    const [pattern] = resultsIn(
      await ask(db, 'SELECT value FROM temp WHERE thing =~ /(/', { as: admin }),
    );
    expect(pattern?.error).toContain('regular expression');
  });
});
