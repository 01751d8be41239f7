import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../support/api/people.ts';

describe('annotations', () => {
  const people = new People();
  let owner: Person;
  let viewer: Person;
  let estate: Estate;

  beforeAll(async () => {
    [owner, viewer] = await Promise.all([people.register(), people.register()]);
    estate = await createEstate(owner.as);
    await people.join('org', estate.orgId, viewer, 'viewer');
    await people.join('group', estate.groupId, viewer, 'viewer');
  });

  afterAll(() => people.close());

  const ofGroup = () => `/groups/${estate.groupId}/annotations`;
  const make = (body: object) => createdAt(ofGroup(), owner.as, body);
  const textsAt = async (path: string, as = owner.as) => {
    const answer = await call('GET', path, { as });
    const count = Number(at(answer, 'annotations', 'length'));
    return Array.from({ length: count }, (_, i) => textAt(answer, 'annotations', i, 'text'));
  };

  it('are of a moment or a time, are changed by editors, and are read by viewers', async () => {
    const text = `Filter <b>‮ ${'ä'.repeat(1_000)}`;
    const id = await make({ text, from: '2026-01-02T03:04:05.678Z' });
    const path = `/annotations/${id}`;
    const shown = json(await call('GET', path, { as: viewer.as }));
    expect(shown).toMatchObject({
      text,
      group_id: estate.groupId,
      from: '2026-01-02T03:04:05.678Z',
      made_by_email: owner.email,
    });
    expect(shown).not.toHaveProperty('to');
    const body = { text: 'New filter', from: '2026-01-02', to: '2026-01-03T00:00:00+02:00' };
    expect((await call('PUT', path, { as: viewer.as, body })).status).toBe(403);
    expect(json(await call('PUT', path, { as: owner.as, body }))).toMatchObject({
      text: 'New filter',
      from: '2026-01-02T00:00:00.000Z',
      to: '2026-01-02T22:00:00.000Z',
    });
    expect((await call('DELETE', path, { as: viewer.as })).status).toBe(403);
    expect((await call('DELETE', path, { as: owner.as })).status).toBe(204);
    expect((await call('GET', path, { as: owner.as })).status).toBe(404);
  });

  it('are refused by the name of what is wrong', async () => {
    const refused = async (body: object) => {
      const answer = await call('POST', ofGroup(), { as: owner.as, body });
      return [answer.status, textAt(answer, 'error')];
    };
    const from = '2026-01-02T00:00:00Z';
    expect(await refused({ text: '', from })).toEqual([400, expect.stringContaining('text')]);
    expect(await refused({ text: 'a'.repeat(1_025), from })).toEqual([
      400,
      expect.stringContaining('text'),
    ]);
    expect(await refused({ text: 'a', from: 'then' })).toEqual([
      400,
      expect.stringContaining('from'),
    ]);
    expect(await refused({ text: 'a', from, to: '2026-01-01' })).toEqual([
      400,
      expect.stringContaining('to is before from'),
    ]);
    const other = await createEstate((await people.register()).as);
    expect(await refused({ text: 'a', from, thing_id: other.thingId })).toEqual([
      400,
      expect.stringContaining('thing_id is no thing of the group'),
    ]);
  });

  it('of a thing are listed with those of its group, within a range, and go with it', async () => {
    const { thingId } = estate;
    const [second] = await createThings(owner.as, estate.profileId, [
      { name: 'second', type: 'sensor' },
    ]);
    await make({ text: 'group', from: '2025-05-01', to: '2025-05-03' });
    await make({ text: 'own', from: '2025-05-02', thing_id: thingId });
    await make({ text: 'other', from: '2025-05-02T12:00:00Z', thing_id: second?.id });
    const range = '?from=2025-05-02T06:00:00Z&to=2025-05-31';
    expect(await textsAt(ofGroup() + range)).toEqual(['other', 'group']);
    expect(await textsAt(`/things/${thingId}/annotations?from=2025-05-01`, viewer.as)).toEqual(
      expect.arrayContaining(['own', 'group']),
    );
    expect(await textsAt(`/things/${thingId}/annotations?to=2025-04-01`)).toEqual([]);
    const groupId = await createdAt(`/orgs/${estate.orgId}/groups`, owner.as, {
      name: 'next',
    });
    const profile = await createdAt(`/groups/${groupId}/profiles`, owner.as, [{ name: 'next' }]);
    const body = { profile_id: profile };
    const moved = await call('PATCH', `/things/${thingId}`, { as: owner.as, body });
    expect(moved.status).toBeLessThan(300);
    expect(await textsAt(`/things/${thingId}/annotations`)).toEqual(['own']);
    expect(await textsAt(`/groups/${groupId}/annotations`)).toEqual(['own']);
    expect(await textsAt(ofGroup())).not.toContain('own');
    expect((await call('DELETE', `/things/${thingId}`, { as: owner.as })).status).toBe(204);
    expect(await textsAt(`/groups/${groupId}/annotations`)).toEqual([]);
  });

  it('have entries in the audit log', async () => {
    const id = await make({ text: 'audited', from: '-1h' });
    const body = { text: 'audited, again', from: '2026-01-01' };
    await call('PUT', `/annotations/${id}`, { as: owner.as, body });
    const path = `/orgs/${estate.orgId}/audit?kind=annotation&limit=2`;
    const log = await call('GET', path, { as: owner.as });
    expect(json(log)).toMatchObject({
      entries: [
        {
          action: 'update',
          entity_id: id,
          entity_name: 'audited, again',
          changes: { text: { from: 'audited', to: 'audited, again' } },
        },
        { action: 'create', entity_id: id, entity_name: 'audited' },
      ],
    });
  });
});
