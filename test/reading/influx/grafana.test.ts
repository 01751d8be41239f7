import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { at, call, json, textAt } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';

/*
 * The queries of Grafana's dashboards of messages, on a running system, as its InfluxDB data source sends them: with an API
 * key as the password of Basic, the variables put in, in a form.
 */

type Dashboard = {
  templating: { list: { name: string; type: string; query: string }[] };
  panels: { title: string; targets: { query: string }[] }[];
};

const dashboards = ['things', 'thing'].map((name): [string, Dashboard] => {
  const path = join(import.meta.dirname, `../../../infra/deploy/grafana/dashboards/${name}.json`);
  return [name, JSON.parse(readFileSync(path, 'utf8'))];
});

let people: People;
let owner: Person;
let estate: Estate;
let as: string;
const now = Date.now();

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const key = textAt(await call('POST', '/keys', { as: owner.as, body: { type: 2 } }), 'value');
  as = `Basic ${Buffer.from(`grafana:${key}`).toString('base64')}`;
  const made = await createThings(owner.as, estate.profileId, [
    { name: 'cold room (2)', type: 'sensor' },
    { name: 'hall', type: 'sensor' },
  ]);
  for (const [at_, thing] of made.entries()) {
    const sent = await call('POST', '/http/messages', {
      as: `Thing ${thing.key}`,
      headers: { 'content-type': 'application/senml+json' },
      body: [
        { bt: Math.floor(now / 1_000) - 600, n: 'temperature', u: 'Cel', v: 4 + at_ },
        { n: 'battery', u: '%EL', v: 81 + at_ },
        { n: 'door', vb: true },
        { n: 'state', vs: 'idle' },
      ],
    });
    if (sent.status !== 202) throw new Error(sent.text);
  }
  await eventually(async () => {
    return at(await call('GET', '/reader/senml', { as: owner.as }), 'total') === 8;
  }, 20_000);
});

afterAll(() => people.close());

/** A query with its variables, as Grafana writes them: a list within a pattern, its values escaped. */
function interpolated(query: string, chosen: Record<string, string | string[]>): string {
  const given = Object.entries(chosen).reduce((text, [name, value]) => {
    const escaped = [value].flat().map((one) => one.replaceAll(/[\\^$*+?.()|[\]{}/]/g, '\\$&'));
    const written = typeof value === 'string' ? value : `(${escaped.join('|')})`;
    return text.replaceAll(`$${name}`, written);
  }, query);
  return given
    .replaceAll('$timeFilter', `time >= ${now - 3_600_000}ms and time <= ${now}ms`)
    .replaceAll('$__interval', '1m');
}

type Result = { error?: string; series?: { name: string; values: unknown[][] }[] };

async function ask(query: string): Promise<Result> {
  const answer = await call('POST', '/query', {
    as,
    raw: new URLSearchParams({ db: estate.orgId, epoch: 'ms', q: query }).toString(),
    headers: { 'content-type': 'application/x-www-form-urlencoded' },
  });
  expect([query, answer.status, answer.text]).toEqual([query, 200, expect.any(String)]);
  const results: Result[] = Object(json(answer)).results;
  expect([query, results.map(({ error }) => error)]).toEqual([query, [undefined]]);
  return results[0] ?? {};
}

const everything = { group: '.*', thing: '.*', measurement: 'temperature' };
const one = { group: ['group'], thing: ['cold room (2)', 'none'], measurement: 'temperature' };

describe.each(dashboards)('the dashboard %s', (_name, { templating, panels }) => {
  it.each([
    ['all', everything],
    ['one', one],
  ])('finds values for each panel of %s', async (_what, chosen) => {
    for (const { title, targets } of panels) {
      for (const { query } of targets) {
        const { series = [] } = await ask(interpolated(query, chosen));
        expect([title, series.length > 0]).toEqual([title, true]);
      }
    }
  });

  it('finds values for its variables', async () => {
    const queries = templating.list.filter(({ type }) => type === 'query');
    expect(queries.length).toBeGreaterThan(0);
    for (const { name, query } of queries) {
      const { series = [] } = await ask(interpolated(query, everything));
      const found = series.flatMap(({ values }) => values.map((row) => row.at(-1)));
      const expected = { group: 'group', thing: 'cold room (2)', measurement: 'battery' }[name];
      expect([name, found]).toEqual([name, expect.arrayContaining([expected])]);
    }
  });
});
