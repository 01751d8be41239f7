import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import { createdAt, createEstate, type Estate, loginAdmin, People } from '../support/api/people.ts';

let admin: string;
let people: People;
let estate: Estate;

beforeAll(async () => {
  people = new People();
  admin = await loginAdmin();
  estate = await createEstate(admin);
});

afterAll(() => people.close());

describe('keys of things', () => {
  it('are shown to editors and above', async () => {
    const path = `/things/${estate.thingId}`;
    for (const role of ['editor', 'admin', 'owner'] as const) {
      const { as } = await people.member('group', estate.groupId, role);
      const answer = await call('GET', path, { as });
      expect([role, at(answer, 'key')]).toEqual([role, estate.key]);
    }
    expect(at(await call('GET', path, { as: admin }), 'key')).toBe(estate.key);
    const viewer = await people.member('group', estate.groupId, 'viewer');
    expect((await call('GET', path, { as: viewer.as })).text).not.toContain('key');
  });
});

describe('rights in an org', () => {
  it('give no rights in its groups', async () => {
    const owner = await people.register();
    const orgId = await createdAt('/orgs', owner.as, { name: 'org' });
    const groupId = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'group' });
    const orgAdmin = await people.member('org', orgId, 'admin');
    expect((await call('GET', `/groups/${groupId}`, { as: owner.as })).status).toBe(200);
    expect((await call('GET', `/groups/${groupId}`, { as: orgAdmin.as })).status).toBe(403);
  });
});
