import { beforeAll, expect, it } from 'vitest';
import { call } from '../../support/api/http.ts';
import { createEstate, loginAdmin } from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, resultsIn, seriesIn } from './ask.ts';

let as: string;
let db: string;
/** A database without a point. */
let bare: string;

beforeAll(async () => {
  as = await loginAdmin();
  const estate = await createEstate(as);
  db = estate.orgId;
  bare = (await createEstate(as)).orgId;
  const written = await call('POST', `/write?u=any&p=${estate.key}`, {
    raw: 'cpu,host=a value=1 1700000000000000000',
    headers: { 'content-type': 'text/plain' },
  });
  if (written.status !== 204) throw new Error(written.text);
  await eventually(
    async () => seriesIn(await ask(db, 'SHOW MEASUREMENTS', { as })).length > 0,
    20_000,
  );
});

const many = (count: number) => Array.from({ length: count }, (_, at) => `m${at}`).join(', ');

it.each<[string, string]>([
  ['is deep', `SELECT ${'('.repeat(5_000)}value${')'.repeat(5_000)} FROM cpu`],
  ['calls within calls', `SELECT ${'mean('.repeat(5_000)}value${')'.repeat(5_000)} FROM cpu`],
  ['has no end of operators', `SELECT value${'+1'.repeat(20_000)} FROM cpu`],
  ['has no end of statements', 'SHOW MEASUREMENTS;'.repeat(3_000)],
  ['has no end of measurements', `SELECT value FROM ${many(5_000)}`],
  [
    'is longer than a statement may be',
    `SELECT value FROM cpu WHERE host = '${'x'.repeat(100_000)}'`,
  ],
  [
    'has intervals of a nanosecond',
    'SELECT mean(value) FROM cpu WHERE time > 0 GROUP BY time(1ns)',
  ],
  [
    'has the seconds of centuries',
    `SELECT mean(value) FROM cpu WHERE time >= '1700-01-01' AND time < '2200-01-01' GROUP BY time(1s) fill(0)`,
  ],
  ['names a time that is none', `SELECT value FROM cpu WHERE time > '9999-01-01'`],
  ['has a pattern that is too large', 'SHOW TAG VALUES WITH KEY =~ /((a{1,900}){1,900}){1,900}/'],
  ['has a pattern that can not be read', 'SELECT value FROM cpu WHERE host =~ /[/'],
  [
    'compares with a pattern that is too large',
    'SELECT value FROM cpu WHERE host =~ /((a{900}){900}){900}/',
  ],
])('a statement that %s is refused at once', async (_what, q) => {
  const answer = await call('POST', `/query?db=${db}`, {
    as,
    raw: `q=${encodeURIComponent(q)}`,
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  if (answer.status === 200)
    expect(resultsIn(answer)).toMatchObject([{ error: expect.any(String) }]);
  else expect([400, 413, 503], answer.text).toContain(answer.status);
});

it.each([
  'SHOW TAG VALUES WITH KEY =~ /(x+x+)+y/',
  `SELECT value FROM cpu WHERE host =~ /(.*a){20}/`,
  `SELECT * FROM /.*/ WHERE time >= '1700-01-01' AND time < '2200-01-01'`,
  `SELECT last(value) FROM cpu GROUP BY *`,
])('%s costs what is stored, and no more', async (q) => {
  const answer = await call('POST', `/query?db=${bare}&q=${encodeURIComponent(q)}`, { as });
  expect(resultsIn(answer)).toEqual([{ statement_id: 0 }]);
});
