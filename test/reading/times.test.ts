import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, type Method, textAt } from '../support/api/http.ts';
import { createEstate, type Estate, People, type Person } from '../support/api/people.ts';

let people: People;
let owner: Person;
let estate: Estate;
let webhook: string;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const body = [{ name: 'hook', url: 'https://hooks.example/x' }];
  const made = await call('POST', `/things/${estate.thingId}/webhooks`, { as: owner.as, body });
  webhook = textAt(made, 0, 'id');
});

afterAll(() => people.close());

type Place = [what: string, method: Method, path: () => string];

/** Every place that takes a range. */
const ranges: Place[] = (['senml', 'json'] as const).flatMap((format): Place[] => {
  const field = format === 'senml' ? 'name=a' : 'agg_field=a';
  const hourly = `agg_type=avg&agg_interval=hour&agg_field=a`;
  return [
    ['a page', 'GET', () => `/reader/${format}?`],
    ['the latest', 'GET', () => `/reader/${format}?latest=true&`],
    ['points of a chart', 'GET', () => `/reader/${format}?points=3&${field}&`],
    ['aggregates', 'GET', () => `/reader/${format}?${hourly}&agg_fill=null&`],
    ['an export', 'GET', () => `/reader/${format}/export?`],
    ['an export of aggregates', 'GET', () => `/reader/${format}/export?${hourly}&`],
    ['a wide export', 'GET', () => `/reader/${format}/export?shape=wide&${hourly}&`],
    ['a stream', 'GET', () => `/reader/${format}/live?`],
    ['a deletion', 'DELETE', () => `/reader/${format}/${estate.thingId}?`],
    ['a deletion of all', 'DELETE', () => `/reader/${format}?`],
  ];
});
ranges.push(
  ['the audit log', 'GET', () => `/orgs/${estate.orgId}/audit?`],
  ['an export of it', 'GET', () => `/orgs/${estate.orgId}/audit/export?`],
  ['deliveries', 'GET', () => `/webhooks/${webhook}/deliveries?`],
);

describe.each(ranges)('the range of %s, by %s', (_what, method, path) => {
  it.each(['from=-24h&to=now', 'from=2026-11-25&to=-1h30m'])('may be %s', async (range) => {
    const answer = await call(method, `${path()}${range}`, { as: owner.as });
    expect([answer.text, answer.status]).toEqual([
      expect.any(String),
      method === 'DELETE' ? 204 : 200,
    ]);
  });

  it('is refused by the name of what is no time', async () => {
    const answer = await call(method, `${path()}from=yesterday`, { as: owner.as });
    expect([answer.status, String(Object(json(answer)).error)]).toEqual([
      400,
      expect.stringContaining('from is none of'),
    ]);
  });
});

it('so may the times of searches, of things, and of a replay', async () => {
  const { as } = owner;
  for (const format of ['senml', 'json']) {
    const body = [{ from: '-24h', to: 'now' }];
    const found = await call('POST', `/reader/${format}/search`, { as, body });
    expect([at(found, 0, 'error'), found.status]).toEqual([undefined, 200]);
  }
  for (const query of ['silent_since=-24h', 'seen_since=-7d', 'messages_since=2026-11-25']) {
    expect([query, (await call('GET', `/things?${query}`, { as })).status]).toEqual([query, 200]);
  }
  const body = { from: '-24h', to: 'now' };
  const replay = await call('POST', `/webhooks/${webhook}/replay`, { as, body });
  expect([replay.status < 300, replay.text]).toEqual([true, replay.text]);
});
