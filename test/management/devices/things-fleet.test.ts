import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  People,
  type Person,
} from '../../support/api/people.ts';
import { eventually } from '../../support/eventually.ts';

/** The filters and values by which a fleet is found and looked at. */
describe('a fleet of things', () => {
  const mark = randomUUID().slice(0, 8);
  const externalKey = `meter-${randomUUID()}`;
  let people: People;
  let owner: Person;
  let viewer: Person;
  let outsider: Person;
  let estate: Estate;
  let pump: { id: string; key: string };
  let valve: { id: string; key: string };

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    outsider = await people.register();
    estate = await createEstate(owner.as);
    viewer = await people.member('group', estate.groupId, 'viewer');
    const made = await createThings(owner.as, estate.profileId, [
      { name: `Pump ${mark}`, type: 'device', external_key: externalKey, metadata: { a: 1, b: 2 } },
      { name: `Valve ${mark}`, type: 'actuator', metadata: { a: 1 } },
    ]);
    const [first, second] = made;
    if (first === undefined || second === undefined) throw new Error('things were not made');
    [pump, valve] = [first, second];
  });

  afterAll(() => people.close());

  async function found(as: string, query: Record<string, string>): Promise<string[]> {
    const path = `/groups/${estate.groupId}/things`;
    const answer = await call('GET', `${path}?${new URLSearchParams(query).toString()}`, { as });
    expect(answer.status).toBe(200);
    return [at(answer, 'things')].flat().map((one) => String(Object(one).name));
  }

  it('is searched by a part of the name and by how the id begins', async () => {
    expect(await found(viewer.as, { text: `ump ${mark}` })).toEqual([`Pump ${mark}`]);
    expect(await found(viewer.as, { text: pump.id })).toEqual([`Pump ${mark}`]);
    expect(await found(viewer.as, { text: pump.id.slice(0, 13).toUpperCase() })).toEqual([
      `Pump ${mark}`,
    ]);
    expect(await found(viewer.as, { text: `%${mark}` })).toEqual([]);
  });

  it.each(['asc', 'desc'] as const)('is searched page by page, %s, with one total', async (dir) => {
    const part = randomUUID().slice(0, 8);
    const names = Array.from({ length: 5 }, (_, number) => `Sieve ${part} ${number}`);
    const given = names.map((name) => ({ name, type: 'device' }));
    const { orgId, profileId } = await createEstate(owner.as);
    await createThings(owner.as, profileId, given);
    const pages: unknown[] = [];
    let cursor: Record<string, string> = {};
    do {
      const query = new URLSearchParams({ text: part, order: 'name', dir, limit: '2', ...cursor });
      const page = await call('GET', `/orgs/${orgId}/things?${query.toString()}`, {
        as: owner.as,
      });
      const { total, things, next } = Object(json(page));
      pages.push([total, ...[things].flat().map((one) => String(Object(one).name))]);
      cursor = next === undefined ? {} : { cursor: String(next) };
    } while (cursor['cursor'] !== undefined);
    const sorted = dir === 'asc' ? names : names.toReversed();
    expect(pages).toEqual([
      [5, ...sorted.slice(0, 2)],
      [5, ...sorted.slice(2, 4)],
      [5, ...sorted.slice(4)],
    ]);
  });

  it('tells a thing by its external key to those alone who may see keys', async () => {
    expect(await found(owner.as, { text: externalKey })).toEqual([`Pump ${mark}`]);
    expect(await found(viewer.as, { text: externalKey })).toEqual([]);
  });

  it('is counted up to a number, and says that there are more', async () => {
    const path = `/groups/${estate.groupId}/things`;
    const some = await call('GET', `${path}?total_max=2`, { as: viewer.as });
    expect([at(some, 'total'), at(some, 'total_is_least')]).toEqual([2, true]);
    const all = await call('GET', `${path}?total_max=50`, { as: viewer.as });
    expect([at(all, 'total'), at(all, 'total_is_least')]).toEqual([3, false]);
  });

  it('loses members of metadata by their names, and keeps the others', async () => {
    const body = [
      { id: pump.id, metadata: { c: 3 }, remove: ['a', 'never'] },
      { id: valve.id, remove: ['a'] },
    ];
    expect((await call('PUT', '/things', { as: owner.as, body })).status).toBe(200);
    const metadata = async (id: string) =>
      at(await call('GET', `/things/${id}`, { as: owner.as }), 'metadata');
    expect(await metadata(pump.id)).toEqual({ b: 2, c: 3 });
    expect(await metadata(valve.id)).toEqual({});
  });

  it.each(['senml', 'json'] as const)(
    'tells the newest value (%s) of a thing that is silent for days',
    async (format) => {
      const { profileId } = await createEstate(owner.as);
      const config = { transformer: { time_field: 'at', time_format: 'unix' } };
      const profile = { as: owner.as, body: { config } };
      const [sleeper] = await createThings(owner.as, profileId, [
        { name: `Sleeper ${mark}`, type: 'device' },
      ]);
      expect((await call('PUT', `/profiles/${profileId}`, profile)).status).toBeLessThan(300);
      const days = (count: number) => Date.now() / 1_000 - count * 86_400;
      const levels = [
        [9, 7],
        [4, 6.5],
        [3, 6],
      ] as const;
      const body = levels.map(([ago, level]) =>
        format === 'senml' ? { n: 'level', t: days(ago), v: level } : { at: days(ago), level },
      );
      const headers = {
        'content-type': format === 'senml' ? 'application/senml+json' : 'application/json',
      };
      const send = { as: `Thing ${sleeper?.key}`, body, headers };
      expect((await call('POST', '/http/messages', send)).status).toBe(202);
      const series = [{ format, name: 'level' }];
      const read = async (more: object) => {
        const asked = { things: [sleeper?.id], series, points: 24, ...more };
        const answer = await call('POST', '/things/values/search', { as: owner.as, body: asked });
        return at(answer, 'values', 0, 'series');
      };
      await eventually(async () =>
        expect(await read({})).toMatchObject([{ name: 'level', value: 6, points: [] }]),
      );
      expect(await read({ since: new Date(days(2) * 1_000).toISOString() })).toEqual([]);
    },
  );

  it('tells the newest values of several things at once, to those who see them', async () => {
    const now = Date.now() / 1_000;
    const records = [
      { bn: 'hall:', n: 'temperature', u: 'Cel', t: now - 7_200, v: 20 },
      { n: 'temperature', u: 'Cel', t: now - 60, v: 21.5 },
      { n: 'open', t: now, vb: true },
    ];
    const send = { as: `Thing ${pump.key}`, body: records };
    const headers = { 'content-type': 'application/senml+json' };
    expect((await call('POST', '/http/messages', { ...send, headers })).status).toBe(202);
    const body = {
      things: [pump.id, valve.id],
      series: [
        { format: 'senml', name: 'hall:temperature' },
        { format: 'senml', name: 'hall:open' },
        { format: 'json', name: 'motor.rpm' },
      ],
      points: 24,
      messages_since: new Date(Date.now() - 3_600_000).toISOString(),
    };
    const read = async (as: string) =>
      [at(await call('POST', '/things/values/search', { as, body }), 'values')].flat();
    await eventually(async () => {
      const one = (await read(viewer.as)).find((value) => Object(value).thing_id === pump.id);
      expect(one).toMatchObject({
        last_seen: expect.any(String),
        messages: 2,
        series: [
          { name: 'hall:open', bool_value: true },
          {
            name: 'hall:temperature',
            unit: 'Cel',
            value: 21.5,
            points: [{ value: 20 }, { value: 21.5 }],
          },
        ],
      });
    });
    const [silent] = (await read(viewer.as)).filter((one) => Object(one).thing_id === valve.id);
    expect(silent).toEqual({ thing_id: valve.id, last_seen: null, messages: 0, series: [] });
    expect(await read(outsider.as)).toEqual([]);
    expect(await found(viewer.as, { heard: 'true' })).toEqual([`Pump ${mark}`]);
    expect(await found(viewer.as, { heard: 'false', name: mark })).toEqual([`Valve ${mark}`]);
    expect(await found(viewer.as, { refused: 'true' })).toEqual([]);
    expect(
      json(await call('POST', '/things/values/search', { as: viewer.as, body: { things: [] } })),
    ).toMatchObject({
      error: expect.stringContaining('things'),
    });
  });
});
