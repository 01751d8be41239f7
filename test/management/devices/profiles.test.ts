import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  People,
  type Person,
} from '../../support/api/people.ts';

/** A profile as it is made and shown. */
type Profile = { id: string; name: string; group_id: string; metadata: object; config: object };

let people: People;
let owner: Person;
let outsider: Person;
let orgId: string;
let groupId: string;

const absent = '5f7c2f8e-3c1b-4a39-9b52-0e8f5d0e1a11';

beforeAll(async () => {
  people = new People();
  owner = await people.register();
  outsider = await people.register();
  orgId = await createdAt('/orgs', owner.as, { name: 'org' });
  groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
});

afterAll(() => people.close());

async function createProfile(group: string, name: string, metadata: object): Promise<Profile> {
  const profile = { id: randomUUID(), name, metadata, config: { write: true } };
  await createdAt(`/groups/${group}/profiles`, owner.as, [profile]);
  return { ...profile, group_id: group };
}

describe('the profile of a thing', () => {
  it('is read by the thing’s id', async () => {
    const estate = await createEstate(owner.as);
    const profile = json(await call('GET', `/profiles/${estate.profileId}`, { as: owner.as }));
    for (const prefix of ['', '/svcthings']) {
      const path = `${prefix}/things/${estate.thingId}/profiles`;
      const answer = await call('GET', path, { as: owner.as });
      expect([answer.status, json(answer)]).toEqual([200, profile]);
      expect((await call('GET', path, { as: outsider.as })).status).toBe(403);
      expect((await call('GET', path)).status).toBe(401);
    }
    const statusOf = async (id: string) =>
      (await call('GET', `/things/${id}/profiles`, { as: owner.as })).status;
    expect(await statusOf(absent)).toBe(404);
    expect(await statusOf('no-uuid')).toBe(400);
  });
});

describe('the times of a profile', () => {
  const sent = async (method: 'POST' | 'PUT', path: string, body: unknown) => {
    const answer = await call(method, path, { as: owner.as, body });
    return [answer.status, answer.status === 400 ? at(answer, 'error') : ''];
  };
  const refused = (what: string) => [400, `malformed entity specification: ${what}`];
  const noFormat = 'time_format is no known format, and no layout that names a day';
  const noZone = 'time_location is no known time zone: those of IANA are, such as Europe/Berlin';

  it('are refused where no edge could read any', async () => {
    const { id } = await createProfile(groupId, randomUUID(), {});
    const put = (transformer: object) =>
      sent('PUT', `/profiles/${id}`, { config: { transformer } });
    for (const format of ['nonsense', 'constructor', '__proto__', '15:04']) {
      expect(await put({ time_format: format })).toEqual(refused(`config.transformer.${noFormat}`));
    }
    const zone = { time_format: 'unix', time_location: 'Mars/One' };
    expect(await put(zone)).toEqual(refused(`config.transformer.${noZone}`));
    for (const format of ['', 'UNIX_MS', 'iso8601', '02.01.2006 15:04', 'Jan 2']) {
      const zones = ['', 'utc', 'europe/berlin', 'CET', '+01:00'];
      for (const known of zones) {
        const transformer = { time_format: format, time_location: known };
        expect([transformer, await put(transformer)]).toEqual([transformer, [200, '']]);
      }
    }
    const body = [
      { name: randomUUID() },
      { name: randomUUID(), config: { transformer: { ...zone, time_field: 'at' } } },
    ];
    const answer = await sent('POST', `/groups/${groupId}/profiles`, body);
    expect(answer).toEqual(refused(`1.config.transformer.${noZone}`));
  });

  it('stay as they are where a profile has them already', async () => {
    const { id } = await createProfile(groupId, randomUUID(), {});
    const transformer = { time_format: 'nonsense', time_location: 'Mars/One' };
    await people.rows('UPDATE profiles SET config = $2 WHERE id = $1', [id, { transformer }]);
    const put = (body: object) => sent('PUT', `/profiles/${id}`, body);
    expect(await put({ name: randomUUID() })).toEqual([200, '']);
    expect(await put({ config: { write: false, transformer } })).toEqual([200, '']);
    expect(at(await call('GET', `/profiles/${id}`, { as: owner.as }), 'config')).toEqual({
      write: false,
      transformer,
    });
    const elsewhere = { transformer: { ...transformer, time_location: 'Mars/Two' } };
    expect(await put({ config: elsewhere })).toEqual(refused(`config.transformer.${noZone}`));
    expect(await put({ config: { transformer: { time_format: 'unix' } } })).toEqual([200, '']);
    const back = { config: { transformer } };
    expect(await put(back)).toEqual(refused(`config.transformer.${noFormat}`));
  });
});

describe('lists of profiles', () => {
  it('have up to 200 on a page', async () => {
    const group = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: randomUUID() });
    const body = Array.from({ length: 201 }, (_, i) => ({ name: `profile ${i}` }));
    await call('POST', `/groups/${group}/profiles`, { as: owner.as, body });
    const answer = await call('GET', `/groups/${group}/profiles?limit=200`, { as: owner.as });
    expect([at(answer, 'total'), at(answer, 'limit')]).toEqual([201, 200]);
    expect(at(answer, 'profiles')).toHaveLength(200);
  });
});

describe('deleting a profile', () => {
  it('needs an admin of its group', async () => {
    const profile = await createProfile(groupId, randomUUID(), {});
    const path = `/svcthings/profiles/${profile.id}`;
    for (const role of ['viewer', 'editor'] as const) {
      const { as } = await people.member('group', groupId, role);
      expect([role, (await call('DELETE', path, { as })).status]).toEqual([role, 403]);
    }
    expect((await call('DELETE', path, { as: outsider.as })).status).toBe(403);
    expect((await call('DELETE', path)).status).toBe(401);
    const { as } = await people.member('group', groupId, 'admin');
    const deleted = await call('DELETE', path, { as });
    expect([deleted.status, deleted.text]).toEqual([204, '']);
    expect((await call('GET', path, { as })).status).toBe(404);
    expect((await call('DELETE', path, { as })).status).toBe(404);
    expect((await call('DELETE', '/profiles/no-uuid', { as })).status).toBe(400);
  });

  it('is refused while a thing uses it', async () => {
    const estate = await createEstate(owner.as);
    const path = `/profiles/${estate.profileId}`;
    const refused = await call('DELETE', path, { as: owner.as });
    expect([refused.status, json(refused)]).toMatchObject([
      409,
      { error: 'entity already exists: a thing is assigned to the profile' },
    ]);
    expect((await call('GET', path, { as: owner.as })).status).toBe(200);
    await call('DELETE', `/things/${estate.thingId}`, { as: owner.as });
    expect((await call('DELETE', path, { as: owner.as })).status).toBe(204);
  });

  it('and creating its first thing at once: one of them succeeds', async () => {
    for (let round = 0; round < 10; round++) {
      const profile = await createProfile(groupId, randomUUID(), {});
      const [made, deleted] = await Promise.all([
        call('POST', `/profiles/${profile.id}/things`, {
          as: owner.as,
          body: [{ name: randomUUID(), type: 'device' }],
        }),
        call('DELETE', `/profiles/${profile.id}`, { as: owner.as }),
      ]);
      expect([
        [201, 409],
        [404, 204],
      ]).toContainEqual([made.status, deleted.status]);
    }
  });
});

describe('races', () => {
  it('between moves of one thing leave it in one group', async () => {
    const [one, two] = [await createEstate(owner.as), await createEstate(owner.as)];
    const [thing] = await createThings(owner.as, one.profileId, [
      { name: randomUUID(), type: 'device' },
    ]);
    const targets = [one, two];
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) =>
        call('PATCH', `/things/${thing?.id}`, {
          as: owner.as,
          body: { profile_id: targets[i % 2]?.profileId, group_id: targets[i % 2]?.groupId },
        }),
      ),
    );
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]));
    const read = await call('GET', `/things/${thing?.id}`, { as: owner.as });
    const place = targets.find(({ profileId }) => profileId === at(read, 'profile_id'));
    expect(at(read, 'group_id')).toBe(place?.groupId);
  });
});
