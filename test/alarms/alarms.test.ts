import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createEstate,
  createdAt,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../support/api/people.ts';
import {
  endAlarm,
  idsIn,
  insertAlarm,
  insertRule,
  insertState,
  readAlarm,
} from '../support/fixtures/alarms.ts';
import { system } from '../support/system.ts';

const people = new People();
let owner: Person;
let viewer: Person;
let stranger: Person;

beforeAll(async () => {
  [owner, viewer, stranger] = await Promise.all([
    people.register(),
    people.register(),
    people.register(),
  ]);
});

afterAll(() => people.close());

async function open(): Promise<Estate> {
  const estate = await createEstate(owner.as);
  await people.join('org', estate.orgId, viewer, 'viewer');
  await people.join('group', estate.groupId, viewer, 'viewer');
  return estate;
}

const get = async (path: string, as = owner.as) => call('GET', path, { as });
const list = async (path: string, as = owner.as) => idsIn(await get(path, as), 'alarms');

/** Texts that break files and pages where somebody forgets what they may hold. */
const hostile = ['=1+1', 'a "b", c', 'two\nlines', '\u2028', '<script>', '“Насос” 🚰', '\uFEFF x'];

describe('lists of alarms', () => {
  it('are newest first, and an alarm shows whose it is, its values and its state', async () => {
    const { thingId, groupId, orgId } = await open();
    const ruleId = randomUUID();
    const values = [
      { name: 'temperature', value: 9.5, unit: 'Cel' },
      { name: 'door', value: true },
    ];
    const first = await insertAlarm(people, thingId, {
      firedAt: '2026-11-21T10:00:00.5Z',
      ruleId,
      values,
    });
    const second = await insertAlarm(people, thingId, {
      firedAt: '2026-11-21T11:00:00Z',
      endedAt: '2026-11-21T11:30:00Z',
    });
    for (const path of [`/things/${thingId}`, `/groups/${groupId}`, `/orgs/${orgId}`]) {
      const answer = await get(`${path}/alarms`);
      expect(json(answer)).toMatchObject({ total: 2, offset: 0, limit: 10 });
      expect(idsIn(answer, 'alarms')).toEqual([second, first]);
    }
    const shown = await get(`/alarms/${first}`);
    expect(json(shown)).toEqual({
      id: first,
      rule_id: ruleId,
      rule_name: 'cold room',
      severity: 'critical',
      thing_id: thingId,
      thing_name: 'thing',
      group_id: groupId,
      episode: 1,
      state: 'firing',
      clock: 'record',
      began_at: '2026-11-21T10:00:00.500Z',
      fired_at: '2026-11-21T10:00:00.500Z',
      began_values: values,
      history: false,
    });
    expect(json(await get(`/alarms/${second}`))).toMatchObject({
      state: 'ended',
      ended_at: '2026-11-21T11:30:00.000Z',
      ended_why: 'cleared',
      ended_values: [],
    });
  });

  it('are paged without a gap where many fired at the same moment', async () => {
    const { thingId, groupId } = await open();
    const all: string[] = [];
    for (let n = 0; n < 23; n += 1) {
      all.push(await insertAlarm(people, thingId, { firedAt: '2026-11-21T10:00:00Z' }));
    }
    for (const dir of ['asc', 'desc']) {
      const pages: string[] = [];
      for (const offset of [0, 10, 20]) {
        pages.push(
          ...(await list(`/groups/${groupId}/alarms?limit=10&offset=${offset}&dir=${dir}`)),
        );
      }
      expect(pages).toEqual(dir === 'asc' ? all : all.toReversed());
    }
  });

  it('take filters of state, severity, rule, acknowledgement and time, and sort by severity', async () => {
    const { thingId, groupId } = await open();
    const ruleId = await insertRule(people, groupId);
    const fired = (hour: number, given: object = {}) =>
      insertAlarm(people, thingId, { firedAt: `2026-11-21T${hour}:00:00Z`, ...given });
    const ended = await fired(10, { severity: 'info', endedAt: '2026-11-21T10:30:00Z' });
    const firing = await fired(11, { severity: 'critical' });
    const clearing = await fired(12, { severity: 'warning', ruleId });
    await insertState(people, { ruleId, thingId, alarmId: clearing });
    await people.rows(`UPDATE alarm_states SET state = 'clearing' WHERE alarm_id = $1`, [clearing]);
    await call('POST', `/alarms/${firing}/acknowledge`, { as: owner.as, body: {} });
    const found = (query: string) => list(`/groups/${groupId}/alarms?${query}`);

    expect(await found('state=open')).toEqual([clearing, firing]);
    expect(await found('state=firing')).toEqual([firing]);
    expect(await found('state=clearing')).toEqual([clearing]);
    expect(await found('state=ended')).toEqual([ended]);
    expect(await found('severity=info')).toEqual([ended]);
    expect(await found(`rule_id=${ruleId}`)).toEqual([clearing]);
    expect(await found('acknowledged=true')).toEqual([firing]);
    expect(await found('acknowledged=false')).toEqual([clearing, ended]);
    expect(await found('order=severity')).toEqual([firing, clearing, ended]);
    expect(await found('order=id&dir=asc')).toEqual([ended, firing, clearing]);
    // One that went on within the range is in it, whenever it fired.
    expect(await found('from=2026-11-21T10:30:00Z')).toEqual([clearing, firing, ended]);
    expect(await found('from=2026-11-21T10:30:00.001Z')).toEqual([clearing, firing]);
    expect(await found('to=2026-11-21T11:00:00Z')).toEqual([firing, ended]);
    expect((await get(`/groups/${groupId}/alarms?state=none`)).status).toBe(400);
    expect((await get(`/groups/${groupId}/alarms?from=soon`)).text).toContain('from');
  });

  it('of an org and of a thing hold the groups alone that the caller is in', async () => {
    const { orgId, groupId, profileId, thingId } = await open();
    const otherGroup = await createdAt(`/orgs/${orgId}/groups`, owner.as, { name: 'other' });
    const otherProfile = await createdAt(`/groups/${otherGroup}/profiles`, owner.as, [
      { name: 'p' },
    ]);
    const [hidden] = await createThings(owner.as, otherProfile, [
      { name: 'hidden', type: 'device' },
    ]);
    const seen = await insertAlarm(people, thingId);
    const unseen = await insertAlarm(people, hidden?.id ?? '');
    expect(await list(`/orgs/${orgId}/alarms`)).toEqual([unseen, seen]);
    expect(await list(`/orgs/${orgId}/alarms`, viewer.as)).toEqual([seen]);
    const file = await get(`/orgs/${orgId}/alarms/export`, viewer.as);
    expect([file.text.includes(seen), file.text.includes(unseen)]).toEqual([true, false]);
    expect((await get(`/alarms/${unseen}`, viewer.as)).status).toBe(403);

    // Without a place: of all groups that one is in, whatever their org.
    const guest = await people.member('group', groupId, 'viewer');
    const elsewhere = await createEstate(stranger.as);
    await people.join('org', elsewhere.orgId, guest, 'viewer');
    await people.join('group', elsewhere.groupId, guest, 'viewer');
    const far = await insertAlarm(people, elsewhere.thingId, { severity: 'info' });
    expect(json(await get('/alarms', guest.as))).toMatchObject({ total: 2, offset: 0, limit: 10 });
    expect(await list('/alarms', guest.as)).toEqual([far, seen]);
    expect(await list('/alarms?severity=info', guest.as)).toEqual([far]);
    expect(await list('/alarms?offset=1&limit=1', guest.as)).toEqual([seen]);
    const files = await get('/alarms/export?convert=csv', guest.as);
    expect([seen, far, unseen].map((id) => files.text.includes(id))).toEqual([true, true, false]);
    const operator = await loginAdmin();
    for (const id of [seen, far, unseen]) {
      const ruleId = textAt(await get(`/alarms/${id}`, operator), 'rule_id');
      expect(await list(`/alarms?rule_id=${ruleId}`, operator)).toEqual([id]);
    }

    // It brings along what it was heard to say, and no alarms of a group that they are not in.
    const body = { group_id: groupId, profile_id: profileId };
    const moved = await call('PATCH', `/things/${hidden?.id}`, { as: owner.as, body });
    expect(moved.status).toBe(200);
    expect(await list(`/things/${hidden?.id}/alarms`)).toEqual([unseen]);
    expect(await list(`/things/${hidden?.id}/alarms`, viewer.as)).toEqual([]);
  });

  it('are not for strangers', async () => {
    const { orgId, groupId, thingId } = await open();
    for (const path of [`/things/${thingId}`, `/groups/${groupId}`, `/orgs/${orgId}`]) {
      for (const what of ['alarms', 'alarms/export']) {
        expect((await get(`${path}/${what}`, stranger.as)).status).toBe(403);
      }
    }
  });
});

describe('an acknowledgement', () => {
  it('notes who and when, and replaces an earlier one, also of an alarm that has ended', async () => {
    const { thingId } = await open();
    const id = await insertAlarm(people, thingId);
    const path = `/alarms/${id}/acknowledge`;
    const first = await call('POST', path, { as: owner.as, body: { note: 'door was open' } });
    expect(readAlarm(first.text)).toMatchObject({
      state: 'firing',
      acknowledged_by: owner.id,
      acknowledged_by_email: owner.email,
      note: 'door was open',
    });
    await endAlarm(people, id);
    const second = await call('POST', path, { as: owner.as, body: {} });
    const now = readAlarm(second.text);
    expect(now.state).toBe('ended');
    expect(now.note).toBe(undefined);
    expect(textAt(second, 'acknowledged_at') > textAt(first, 'acknowledged_at')).toBe(true);
  });

  it('is in the audit log, with its note', async () => {
    const { thingId, orgId, groupId } = await open();
    const id = await insertAlarm(people, thingId);
    const path = `/alarms/${id}/acknowledge`;
    for (const note of ['seen', 'repaired']) {
      await call('POST', path, { as: owner.as, body: { note } });
    }
    const log = await get(`/orgs/${orgId}/audit?kind=alarm`);
    expect(at(log, 'total')).toBe(2);
    expect(at(log, 'entries', 0)).toMatchObject({
      operation: 'acknowledgeAlarm',
      action: 'update',
      group_id: groupId,
      entity_id: id,
      entity_name: 'cold room',
      actor_email: owner.email,
      changes: { note: { from: 'seen', to: 'repaired' } },
    });
  });

  it('needs an editor, a short note, and an alarm', async () => {
    const { thingId } = await open();
    const path = `/alarms/${await insertAlarm(people, thingId)}/acknowledge`;
    expect((await call('POST', path, { as: viewer.as, body: {} })).status).toBe(403);
    const long = await call('POST', path, { as: owner.as, body: { note: 'x'.repeat(1_025) } });
    expect([long.status, long.text]).toEqual([400, expect.stringContaining('note')]);
    const absent = await call('POST', `/alarms/${randomUUID()}/acknowledge`, {
      as: owner.as,
      body: {},
    });
    expect(absent.status).toBe(404);
  });
});

describe('an export of alarms', () => {
  it('has what the list has, with the same filters, as NDJSON and as CSV', async () => {
    const { orgId, profileId } = await open();
    const names = hostile.map((name) => ({ name, type: 'device' }));
    const things = await createThings(owner.as, profileId, names);
    for (const [n, { id }] of things.entries()) {
      const text = hostile[n] ?? '';
      await insertAlarm(people, id, { ruleName: text, values: [{ name: text, value: text }] });
      await insertAlarm(people, id, { endedAt: '2099-01-01T00:00:00Z' });
    }
    for (const filter of ['', 'state=firing&']) {
      const listed = await get(`/orgs/${orgId}/alarms?${filter}dir=asc&limit=200`);
      const ndjson = await get(`/orgs/${orgId}/alarms/export?${filter}`);
      expect(ndjson.headers['content-type']).toBe('application/x-ndjson');
      const lines = ndjson.text.trimEnd().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(at(listed, 'alarms'));
      expect(lines).toHaveLength(filter === '' ? 14 : 7);
    }
    const csv = await get(`/orgs/${orgId}/alarms/export?convert=csv`);
    expect(csv.headers['content-disposition']).toBe('attachment; filename="alarms.csv"');
    expect(csv.text).toMatch(/^"id","rule_id","rule_name"/);
    const marked = await fetch(
      `${system().apiUrl}/orgs/${orgId}/alarms/export?convert=csv&bom=true`,
      {
        headers: { authorization: owner.as },
      },
    );
    const bytes = Buffer.from(await marked.arrayBuffer());
    expect(bytes.equals(Buffer.from(`\uFEFF${csv.text}`))).toBe(true);
    expect(csv.text).toContain(`,"'=1+1",`);
    expect(csv.text).toContain(`"a ""b"", c"`);
    expect(csv.text).toContain('"[{""name"":""=1+1"",""value"":""=1+1""}]"');
    expect((await get(`/orgs/${orgId}/alarms/export?bom=true`)).status).toBe(400);
  });

  it('is in the audit log, of its place', async () => {
    const { thingId, orgId, groupId } = await open();
    for (const path of [`/things/${thingId}`, `/groups/${groupId}`, `/orgs/${orgId}`]) {
      expect((await get(`${path}/alarms/export?severity=info`)).status).toBe(200);
    }
    const log = await get(`/orgs/${orgId}/audit?kind=alarm&action=export&dir=asc`);
    expect(at(log, 'total')).toBe(3);
    expect(at(log, 'entries', 0)).toMatchObject({
      group_id: groupId,
      operation: 'exportThingAlarms',
    });
    expect(at(log, 'entries', 1)).toMatchObject({
      group_id: groupId,
      operation: 'exportGroupAlarms',
    });
    expect(at(log, 'entries', 2, 'group_id')).toBe(undefined);
    expect(at(log, 'entries', 2, 'changes')).toMatchObject({ severity: { to: 'info' } });

    // Without a place: of each org that has a group of the user's.
    const guest = await people.member('group', groupId, 'viewer');
    expect((await get('/alarms/export?state=open', guest.as)).status).toBe(200);
    const ofAll = await get(`/orgs/${orgId}/audit?kind=alarm&action=export&dir=desc`);
    expect(at(ofAll, 'total')).toBe(4);
    expect(at(ofAll, 'entries', 0)).toMatchObject({
      operation: 'exportAlarms',
      actor_email: guest.email,
      changes: { state: { to: 'open' } },
    });
  });
});
