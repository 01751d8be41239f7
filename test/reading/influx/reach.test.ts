import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../../api/limits.ts';
import { call } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';
import { ask, seriesIn } from './ask.ts';

let people: People;
let owner: Person;

beforeAll(async () => {
  people = new People();
  owner = await people.register();
});
afterAll(() => people.close());

/** How many points of its org someone counts. */
async function count({ orgId }: Estate, as: string): Promise<unknown> {
  const answer = await ask(orgId, 'SELECT count(value) FROM temp', { as });
  return seriesIn(answer)[0]?.values[0]?.[1] ?? 0;
}

/** A group with a point of its thing, and one of another thing that goes elsewhere. */
async function fill(estate: Estate, others: number): Promise<string> {
  const made = await createThings(
    owner.as,
    estate.profileId,
    Array.from({ length: others }, (_, at) => ({ name: `other ${at}`, type: 'device' })),
  );
  const [goes] = made;
  if (goes === undefined) throw new Error('no thing was made');
  for (const key of [estate.key, goes.key]) {
    const answer = await call('POST', '/http/messages', {
      as: `Thing ${key}`,
      body: [{ n: 'temp', v: 1 }],
    });
    expect(answer.status).toBe(202);
  }
  await eventually(async () => (await count(estate, owner.as)) === 2);
  return goes.id;
}

describe.each([
  ['few', 1],
  ['many', limits.scopeThingsMax],
])('a database of %s things', (_name, others) => {
  it('has the points of those that are in its groups as the request comes', async () => {
    const estate = await createEstate(owner.as);
    const there = await createEstate(owner.as);
    const goes = await fill(estate, others);
    const body = { profile_id: there.profileId };
    expect((await call('PATCH', `/things/${goes}`, { as: owner.as, body })).status).toBe(200);
    expect(await count(estate, owner.as)).toBe(1);
    expect(await count(there, owner.as)).toBe(1);
    await call('DELETE', `/things/${goes}`, { as: owner.as });
    expect(await count(there, owner.as)).toBe(0);
  });

  it('has those of groups that one is in', async () => {
    const estate = await createEstate(owner.as);
    await fill(estate, others);
    const member = await people.member('org', estate.orgId, 'viewer');
    expect(await count(estate, member.as)).toBe(0);
    await people.join('group', estate.groupId, member, 'viewer');
    expect(await count(estate, member.as)).toBe(2);
  });
});
