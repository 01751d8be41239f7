import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { limits } from '../../api/limits.ts';
import { type Answer, at, call, json, textAt } from '../support/api/http.ts';
import {
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';

const people = new People();
let owner: Person;
let editor: Person;
let viewer: Person;
let orgViewer: Person;
let stranger: Person;
let estate: Estate;

beforeAll(async () => {
  [owner, editor, viewer, orgViewer, stranger] = await Promise.all([
    people.register(),
    people.register(),
    people.register(),
    people.register(),
    people.register(),
  ]);
  estate = await createEstate(owner.as);
  const { orgId, groupId } = estate;
  await people.join('org', orgId, editor, 'editor');
  await people.join('org', orgId, viewer, 'viewer');
  await people.join('org', orgId, orgViewer, 'viewer');
  await people.join('group', groupId, editor, 'editor');
  await people.join('group', groupId, viewer, 'viewer');
});

afterAll(() => people.close());

const panel = (change: object = {}) => ({
  id: 'one',
  title: 'Cold <b>room</b> ‮',
  kind: 'line',
  series: [{ thing: estate.thingId, name: 'temperature' }],
  x: 0,
  y: 0,
  w: 6,
  h: 4,
  ...change,
});
const content = (change: object = {}) => ({
  panels: [panel()],
  variables: [{ name: 'room', kind: 'group', default: estate.groupId }],
  range: { last: '24h' },
  refresh_s: 30,
  ...change,
});

const many = (count: number, one: object) => Array.from({ length: count }, () => one);
const long = { variable: 'room', name: 'ä'.repeat(1_000) };

const inGroup = () => `/groups/${estate.groupId}/dashboards`;
const inOrg = () => `/orgs/${estate.orgId}/dashboards`;

function idsIn(answer: Answer): unknown[] {
  const listed = at(answer, 'dashboards');
  return Array.isArray(listed) ? listed.map((one) => Reflect.get(Object(one), 'id')) : [];
}

async function made(change: object = {}, path = inGroup()): Promise<string> {
  const body = { name: 'Cold chain', content: content(), ...change };
  const answer = await call('POST', path, { as: owner.as, body });
  expect(answer.status, answer.text).toBe(201);
  return textAt(answer, 'id');
}

const change = (id: string, body: object, as = owner.as) =>
  call('PUT', `/dashboards/${id}`, { as, body });

describe('a dashboard', () => {
  it('is of a group or of an org, and reads back as it was made', async () => {
    for (const [path, place] of [
      [inGroup(), { group_id: estate.groupId }],
      [inOrg(), { org_id: estate.orgId }],
    ] as const) {
      const body = { name: 'Näme <i>', description: 'for the night', content: content() };
      const answer = await call('POST', path, { as: editor.as, body });
      expect(answer.headers['location']).toBe(`/dashboards/${textAt(answer, 'id')}`);
      const read = await call('GET', `/dashboards/${textAt(answer, 'id')}`, { as: viewer.as });
      expect(json(read)).toEqual(json(answer));
      expect(json(read)).toEqual({
        ...body,
        ...place,
        id: textAt(answer, 'id'),
        version: 1,
        saved_by_email: editor.email,
        created_at: expect.any(String),
        updated_at: expect.any(String),
      });
    }
  });

  it('of an org is listed with those of one’s groups in it, without what they show', async () => {
    const name = 'listed here';
    const ofGroup = await made({ name });
    const ofOrg = await made({ name }, inOrg());
    const listed = async (as: string, path = inOrg()) =>
      idsIn(await call('GET', `${path}?name=LISTED&order=id`, { as }));
    expect(new Set(await listed(viewer.as))).toEqual(new Set([ofGroup, ofOrg]));
    expect(await listed(orgViewer.as)).toEqual([ofOrg]);
    expect(await listed(viewer.as, inGroup())).toEqual([ofGroup]);
    const found = await call('POST', `${inOrg()}/search`, { as: orgViewer.as, body: { name } });
    expect(at(found, 'total')).toBe(1);
    expect(at(found, 'dashboards', 0, 'panels')).toBe(1);
    expect(at(found, 'dashboards', 0, 'content')).toBeUndefined();
  });

  it('is changed by editors of its place, and hidden from who is not in it', async () => {
    const [ofGroup, ofOrg] = [await made(), await made({}, inOrg())];
    const statuses = async (id: string, as: string) => [
      (await call('GET', `/dashboards/${id}`, { as })).status,
      (await change(id, { version: 1_000 }, as)).status,
    ];
    expect(await statuses(ofGroup, viewer.as)).toEqual([200, 403]);
    expect(await statuses(ofGroup, editor.as)).toEqual([200, 409]);
    expect(await statuses(ofGroup, orgViewer.as)).toEqual([403, 403]);
    expect(await statuses(ofOrg, orgViewer.as)).toEqual([200, 403]);
    expect(await statuses(ofOrg, editor.as)).toEqual([200, 409]);
    expect(await statuses(ofOrg, stranger.as)).toEqual([403, 403]);
  });

  it.each<[string, object]>([
    ['panels.0.kind', { panels: [{ kind: 'pie' }] }],
    ['panels.0.colour', { panels: [{ colour: 'red' }] }],
    ['panels.0.w', { panels: [{ x: 8, w: 6 }] }],
    ['panels.0.interval', { panels: [{ interval: '5 parsecs' }] }],
    ['panels.1.id', { panels: [{}, {}] }],
    ['panels.0.series.0.thing', { panels: [{ series: [{ name: 'a' }] }] }],
    ['panels.0.series.0.variable', { panels: [{ series: [{ variable: 'absent', name: 'a' }] }] }],
    ['panels.0.series.0.name', { panels: [{ series: [{ variable: 'room' }] }] }],
    ['panels.0.series', { panels: [{ series: many(21, { variable: 'room', name: 'a' }) }] }],
    ['panels', { panels: Array.from({ length: 41 }, (_, i) => ({ id: `p${i}` })) }],
    ['variables.1.name', { variables: [1, 2].map(() => ({ name: 'room', kind: 'group' })) }],
    ['range.last', { range: {} }],
    ['range.last', { range: { last: 'yesterday' } }],
    ['range.to', { range: { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' } }],
    ['refresh_s', { refresh_s: 1 }],
    ['theme', { theme: 'dark' }],
    ['64 KiB', { panels: ['a', 'b'].map((id) => ({ id, series: many(20, long) })) }],
  ])('that has a wrong %s is refused by its name', async (name, given) => {
    const panels = Reflect.get(given, 'panels');
    const whole = Array.isArray(panels) ? { panels: panels.map((one) => panel(one)) } : {};
    const body = { name: 'x', content: content({ ...given, ...whole }) };
    const answer = await call('POST', inGroup(), { as: owner.as, body });
    expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(name)]);
  });

  it('has no place beside many others of its group', async () => {
    const { groupId } = await createEstate(owner.as);
    await people.rows(
      `INSERT INTO dashboards (id, group_id, name, description, content)
       SELECT gen_random_uuid(), $1, 'many', '', '{"panels": []}' FROM generate_series(1, $2::int)`,
      [groupId, limits.dashboardsPerPlaceMax],
    );
    const body = { name: 'one more', content: content() };
    const answer = await call('POST', `/groups/${groupId}/dashboards`, { as: owner.as, body });
    expect([answer.status, at(answer, 'error')]).toEqual([409, expect.stringContaining('200')]);
  });

  it('that was deleted is gone with its versions', async () => {
    const id = await made();
    await change(id, { version: 1, name: 'other' });
    expect((await call('DELETE', `/dashboards/${id}`, { as: editor.as })).status).toBe(204);
    expect((await call('GET', `/dashboards/${id}/versions`, { as: owner.as })).status).toBe(404);
  });

  it('is told of in the audit log: who made, changed and deleted it, not what it shows', async () => {
    const id = await made();
    await change(
      id,
      { version: 1, name: 'Warm chain', content: content({ panels: [] }) },
      editor.as,
    );
    await call('DELETE', `/dashboards/${id}`, { as: owner.as });
    const log = await call('GET', `/audit?entity_id=${id}`, { as: await loginAdmin() });
    expect(at(log, 'entries')).toMatchObject([
      { action: 'delete', entity_name: 'Warm chain', group_id: estate.groupId },
      {
        action: 'update',
        actor_email: editor.email,
        changes: { name: { from: 'Cold chain', to: 'Warm chain' }, content: {} },
      },
      { action: 'create', kind: 'dashboard', actor_email: owner.email },
    ]);
  });
});

describe('a change of a dashboard', () => {
  it('keeps what it was, which can be read and be brought back', async () => {
    const id = await made();
    const empty = content({ panels: [] });
    const changed = await change(id, { version: 1, name: 'Empty', content: empty }, editor.as);
    expect(json(changed)).toMatchObject({ version: 2, name: 'Empty', description: '' });
    const versions = await call('GET', `/dashboards/${id}/versions`, { as: viewer.as });
    expect(at(versions, 'versions')).toMatchObject([
      { version: 2, name: 'Empty', saved_by_email: editor.email, panels: 0 },
      { version: 1, name: 'Cold chain', saved_by_email: owner.email, panels: 1 },
    ]);
    const former = await call('GET', `/dashboards/${id}/versions/1`, { as: viewer.as });
    expect(at(former, 'content')).toEqual(content());
    const back = await change(id, { version: 2, content: at(former, 'content') });
    expect(json(back)).toMatchObject({ version: 3, content: content() });
    const absent = await call('GET', `/dashboards/${id}/versions/4`, { as: viewer.as });
    expect([absent.status, at(absent, 'error')]).toEqual([404, expect.stringMatching(/version$/)]);
  });

  it('is refused where another was quicker, and of two at once one is made', async () => {
    const id = await made();
    const answers = await Promise.all(
      ['a', 'b', 'c'].map((name) => change(id, { version: 1, name })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    const late = answers.find(({ status }) => status === 409);
    expect(late && at(late, 'error')).toMatch(/version: it is at version 2/);
    expect((await change(id, { name: 'no version' })).status).toBe(400);
  });

  it('stays for fifty more of them', async () => {
    const id = await made();
    for (let version = 1; version <= 52; version++)
      await change(id, { version, name: `${version}` });
    const versions = at(
      await call('GET', `/dashboards/${id}/versions`, { as: viewer.as }),
      'versions',
    );
    expect(versions).toHaveLength(51);
    expect((await call('GET', `/dashboards/${id}/versions/2`, { as: viewer.as })).status).toBe(404);
  });
});
