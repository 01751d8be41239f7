import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, at, call, json, textAt } from '../support/api/http.ts';
import {
  createEstate,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';

const people = new People();
let owner: Person;
let maker: Person;
let estate: Estate;
let foreign: Estate;
let dashboardId: string;

const hourMs = 3_600_000;
const ahead = (ms: number) => new Date(Date.now() + ms).toISOString();

beforeAll(async () => {
  [owner, maker] = await Promise.all([people.register(), people.register()]);
  const stranger = await people.register();
  [estate, foreign] = await Promise.all([createEstate(owner.as), createEstate(stranger.as)]);
  await people.join('org', estate.orgId, maker, 'viewer');
  await people.join('group', estate.groupId, maker, 'editor');
  const now = Date.now() / 1_000;
  const body = [
    { n: 'temperature', u: 'Cel', v: 1, t: now - 7_200 },
    { n: 'temperature', u: 'Cel', v: 21.5, t: now - 60 },
    { n: 'secret', v: 42, t: now - 60 },
  ];
  const headers = { 'content-type': 'application/senml+json' };
  for (const key of [estate.key, foreign.key]) {
    await call('POST', '/http/messages', { as: `Thing ${key}`, body, headers });
  }
  await eventually(async () => {
    const read = await call('GET', '/reader/senml', { as: stranger.as });
    return at(read, 'total') === 3;
  });
  await eventually(
    async () => at(await call('GET', '/reader/senml', { as: owner.as }), 'total') === 3,
  );
  dashboardId = await madeDashboard();
});

afterAll(() => people.close());

const panel = (id: string, series: object[]) => ({
  id,
  title: `Title of ${id}`,
  kind: 'line',
  series,
  x: 0,
  y: 0,
  w: 6,
  h: 4,
});

/** Of the last hour: a thing, a group by a variable, and a thing that the maker may not read. */
async function madeDashboard(): Promise<string> {
  const { thingId, groupId } = estate;
  const content = {
    panels: [
      panel('own', [{ thing: thingId, name: 'temperature' }]),
      panel('group', [{ variable: 'room', name: 'temperature' }]),
      panel('foreign', [
        { thing: foreign.thingId, name: 'secret' },
        { variable: 'other', name: 'secret' },
      ]),
    ],
    variables: [
      { name: 'room', kind: 'group', default: groupId },
      { name: 'other', kind: 'group', default: foreign.groupId },
    ],
    range: { last: '1h' },
  };
  const body = { name: 'Shown outside', content };
  const made = await call('POST', `/groups/${groupId}/dashboards`, { as: maker.as, body });
  return textAt(made, 'id');
}

const share = (body: object = {}, of = dashboardId) =>
  call('POST', `/dashboards/${of}/shares`, {
    as: maker.as,
    body: { name: 'landlord', expires_at: ahead(hourMs), ...body },
  });
const tokenOf = async () => textAt(await share(), 'token');
const look = (token: string, rest = '') => call('GET', `/shared/${token}${rest}`);
const valuesIn = (answer: Answer) => {
  const points = at(answer, 'lines', 0, 'points');
  return Array.isArray(points) ? points.map((point) => Reflect.get(Object(point), 'value')) : [];
};

describe('a share of a dashboard', () => {
  it('shows the dashboard to whoever has it, without ids of things or names of series', async () => {
    const answer = await look(await tokenOf());
    expect(json(answer)).toMatchObject({ name: 'Shown outside' });
    expect(at(answer, 'panels')).toHaveLength(3);
    for (const text of [estate.thingId, estate.groupId, estate.orgId, 'series', maker.email]) {
      expect(answer.text).not.toContain(text);
    }
    expect(answer.headers).toMatchObject({
      'cache-control': 'no-store',
      'referrer-policy': 'no-referrer',
      'x-robots-tag': 'noindex, nofollow',
    });
  });

  it('reads a panel by its own series, of its own range', async () => {
    const token = await tokenOf();
    for (const id of ['own', 'group']) {
      const answer = await look(token, `/panels/${id}`);
      expect(valuesIn(answer)).toEqual([21.5]);
      expect(at(answer, 'lines', 0)).toMatchObject({ label: 'thing · temperature', unit: 'Cel' });
      expect(answer.headers['cache-control']).toBe('no-store');
    }
  });

  it('reads nothing that its maker may not read', async () => {
    const answer = await look(await tokenOf(), '/panels/foreign');
    expect([answer.status, at(answer, 'lines')]).toEqual([200, []]);
  });

  it('can ask for nothing else: no other panel, range, variable or filter', async () => {
    const token = await tokenOf();
    const own = '/panels/own';
    for (const [rest, status] of [
      ['/panels/absent', 404],
      [`${own}?from=-3h`, 400],
      [`${own}?from=2001-01-01`, 400],
      [`${own}?to=${encodeURIComponent(ahead(2 * hourMs))}`, 400],
      [`${own}?publisher=${foreign.thingId}`, 400],
    ] as const) {
      expect([rest, (await look(token, rest)).status]).toEqual([rest, status]);
    }
    // A parameter that it does not know is refused, or ignored.
    for (const rest of [
      `${own}?name=secret`,
      `/panels/group?var-room=${foreign.groupId}`,
      `/panels/group?room=${foreign.groupId}`,
    ]) {
      const answer = await look(token, rest);
      const seen = answer.status === 400 ? [21.5] : valuesIn(answer);
      expect([rest, seen]).toEqual([rest, [21.5]]);
    }
    expect(valuesIn(await look(token, `${own}?from=-30m`))).toEqual([21.5]);
    expect(valuesIn(await look(token, `${own}?from=-30m&to=-10m`))).toEqual([]);
  });

  it('reads no panel of another dashboard', async () => {
    const { groupId } = estate;
    const content = { panels: [panel('elsewhere', [])], range: { last: '1h' } };
    const body = { name: 'Another', content };
    await call('POST', `/groups/${groupId}/dashboards`, { as: maker.as, body });
    expect((await look(await tokenOf(), '/panels/elsewhere')).status).toBe(404);
  });

  it('is told once, and stored so that nobody can use what is stored', async () => {
    const made = await share();
    const token = textAt(made, 'token');
    expect(token).toMatch(/^mrs_[\w-]{43}$/);
    const list = await call('GET', `/dashboards/${dashboardId}/shares`, { as: maker.as });
    expect(list.text).toContain(textAt(made, 'id'));
    expect(list.text).not.toContain(token);
    const [row] = await people.rows('SELECT * FROM dashboard_shares WHERE id = $1', [
      textAt(made, 'id'),
    ]);
    expect(JSON.stringify(row)).not.toContain(token.slice(4));
  });

  it('tells when it was last used', async () => {
    const made = await share();
    expect(at(made, 'last_used_at')).toBeUndefined();
    await look(textAt(made, 'token'));
    const list = await call('GET', `/dashboards/${dashboardId}/shares`, { as: maker.as });
    expect(at(list, 'shares', 0)).toMatchObject({
      id: textAt(made, 'id'),
      last_used_at: expect.any(String),
    });
  });

  it('ends at its time, which is a year from now at most', async () => {
    const token = await tokenOf();
    await people.rows(
      `UPDATE dashboard_shares SET expires_at = now() - interval '1 second' WHERE dashboard_id = $1`,
      [dashboardId],
    );
    expect((await look(token)).status).toBe(404);
    expect((await look(token, '/panels/own')).status).toBe(404);
    for (const expires_at of [ahead(-hourMs), ahead(370 * 24 * hourMs), undefined]) {
      const answer = await share({ expires_at });
      expect([answer.status, at(answer, 'error')]).toEqual([
        400,
        expect.stringContaining('expires_at'),
      ]);
    }
  });

  it('ends when it is revoked, which the audit log tells, as it tells who made it', async () => {
    const made = await share();
    const [id, token] = [textAt(made, 'id'), textAt(made, 'token')];
    expect((await look(token)).status).toBe(200);
    expect((await call('DELETE', `/shares/${id}`, { as: owner.as })).status).toBe(204);
    expect((await look(token)).status).toBe(404);
    const log = await call('GET', `/audit?entity_id=${id}`, { as: await loginAdmin() });
    expect(at(log, 'entries')).toMatchObject([
      { action: 'delete', actor_email: owner.email, group_id: estate.groupId },
      { action: 'create', kind: 'dashboard_share', actor_email: maker.email },
    ]);
    expect(log.text).not.toContain(token);
  });

  it('shows nothing once its maker is not in the group any more', async () => {
    const token = await tokenOf();
    await people.rows('DELETE FROM group_memberships WHERE group_id = $1 AND member_id = $2', [
      estate.groupId,
      maker.id,
    ]);
    const answers = [await look(token), await look(token, '/panels/own')];
    await people.join('group', estate.groupId, maker, 'editor');
    expect(answers.map(({ status }) => status)).toEqual([404, 404]);
    expect((await look(token)).status).toBe(200);
  });

  it('that nobody made is not found, whatever it looks like', async () => {
    for (const token of ['mrs_x', `mrs_${'A'.repeat(43)}`, '%00', "'; DROP TABLE things --"]) {
      const answer = await look(encodeURIComponent(token));
      expect([token, [400, 404].includes(answer.status)]).toEqual([token, true]);
    }
  });
});
