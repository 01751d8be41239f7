import { afterAll, beforeAll, expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';

let people: People;
let owner: Person;
let estate: Estate;
let things: { id: string; key: string }[];
const before = new Date(Date.now() - 1_000).toISOString();

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  estate = await createEstate(owner.as);
  const names = ['talks', 'is silent'];
  things = await createThings(
    owner.as,
    estate.profileId,
    names.map((name) => ({ name, type: 'device' })),
  );
});

afterAll(() => people.close());

async function publish(body: object[], type: string): Promise<void> {
  const headers = { 'content-type': type };
  const answer = await call('POST', '/http/messages', {
    as: `Thing ${things[0]?.key}`,
    body,
    headers,
  });
  expect(answer.status).toBe(202);
}

/** What a list says of the messages of each thing, by name. */
async function counts(place: string, query: string): Promise<Record<string, unknown>> {
  const answer = await call('GET', `${place}?${query}`, { as: owner.as });
  expect(answer.status).toBe(200);
  const listed: { name: string; messages?: number }[] = Object(json(answer)).things;
  return Object.fromEntries(listed.map(({ name, messages }) => [name, messages]));
}

it('lists of things tell how many messages of each are dated since a time, not how many came', async () => {
  const old = { n: 'a', v: 1, t: -86_400 };
  await publish([old, { n: 'a', v: 2 }, { n: 'b', v: 3 }], 'application/senml+json');
  const all = { talks: 3, 'is silent': 0 };
  const dayAgo = new Date(Date.now() - 2 * 86_400_000).toISOString();
  for (const place of ['/things', `/groups/${estate.groupId}/things`]) {
    await eventually(async () => {
      expect(await counts(place, `messages_since=${dayAgo}`)).toMatchObject(all);
    });
    expect(await counts(place, `messages_since=${before}`)).toMatchObject({
      talks: 2,
      'is silent': 0,
    });
    expect(await counts(place, 'limit=20')).toMatchObject({
      talks: undefined,
      'is silent': undefined,
    });
  }
  const search = { as: owner.as, body: { messages_since: dayAgo, name: 'talks' } };
  const found = await call('POST', '/things/search', search);
  expect(at(found, 'messages_since')).toBe(dayAgo);
  expect(at(found, 'things', 0, 'messages')).toBe(3);
});

it.each(['yesterday', '1e3'])('refuse to count messages since %s', async (since) => {
  const answer = await call('GET', `/things?messages_since=${since}`, { as: owner.as });
  expect([answer.status, at(answer, 'error')]).toEqual([
    400,
    expect.stringContaining('messages_since'),
  ]);
});
