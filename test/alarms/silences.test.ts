import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import { createEstate, type Estate, People, type Person } from '../support/api/people.ts';
import { idsIn, insertRule } from '../support/fixtures/alarms.ts';

const people = new People();
let owner: Person;
let viewer: Person;
let estate: Estate;
let other: Estate;

beforeAll(async () => {
  [owner, viewer] = await Promise.all([people.register(), people.register()]);
  [estate, other] = await Promise.all([createEstate(owner.as), createEstate(owner.as)]);
  await people.join('org', estate.orgId, viewer, 'viewer');
  await people.join('group', estate.groupId, viewer, 'viewer');
});

afterAll(() => people.close());

const inHours = (hours: number) => new Date(Date.now() + hours * 3_600_000).toISOString();

const silence = (body: object, { groupId, as }: { groupId?: string; as?: string } = {}) =>
  call('POST', `/groups/${groupId ?? estate.groupId}/silences`, {
    as: as ?? owner.as,
    body: { reason: 'maintenance', until: inHours(1), ...body },
  });

const listed = async (query: string, groupId = estate.groupId) =>
  idsIn(await call('GET', `/groups/${groupId}/silences?${query}`, { as: viewer.as }), 'silences');

describe('a silence', () => {
  it('is of a group, a rule, a thing, or of a rule for a thing', async () => {
    const { groupId, thingId } = estate;
    const ruleId = await insertRule(people, groupId);
    for (const of of [
      {},
      { rule_id: ruleId },
      { thing_id: thingId },
      { rule_id: ruleId, thing_id: thingId },
    ]) {
      const until = inHours(2);
      const made = await silence({ ...of, until, reason: 'a “new”\nfilter; <b>' });
      expect(made.status).toBe(201);
      expect(made.headers['location']).toBe(`/silences/${textAt(made, 'id')}`);
      expect(json(made)).toEqual({
        id: textAt(made, 'id'),
        group_id: groupId,
        ...of,
        reason: 'a “new”\nfilter; <b>',
        until,
        made_by_email: owner.email,
        created_at: expect.any(String),
      });
      const answer = await call('GET', `/groups/${groupId}/silences?limit=1`, { as: viewer.as });
      expect(at(answer, 'silences', 0)).toEqual(json(made));
    }
    expect(await listed(`rule_id=${ruleId}&thing_id=${thingId}`)).toHaveLength(1);
    expect(await listed(`thing_id=${thingId}`)).toHaveLength(2);
  });

  it.each(['rule_id', 'thing_id'])(
    'of a %s of another group is refused by its name',
    async (name) => {
      const foreign = name === 'rule_id' ? await insertRule(people, other.groupId) : other.thingId;
      for (const id of [foreign, randomUUID()]) {
        const answer = await silence({ [name]: id });
        expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(name)]);
      }
    },
  );

  it('ends in the future, within a year, and has a reason', async () => {
    for (const body of [
      { until: inHours(-1) },
      { until: 'now' },
      { until: inHours(24 * 370) },
      { until: 'tomorrow' },
      { reason: '' },
      { reason: 'x'.repeat(1_025) },
    ]) {
      const answer = await silence(body);
      const [name = ''] = Object.keys(body);
      expect([answer.status, at(answer, 'error')]).toEqual([400, expect.stringContaining(name)]);
    }
  });

  it('ends when it is ended, stays in the list, and may be ended again', async () => {
    const { groupId, orgId } = await createEstate(owner.as);
    const id = textAt(await silence({}, { groupId }), 'id');
    const lists = async () => [
      await call('GET', `/groups/${groupId}/silences?state=live`, { as: owner.as }),
      await call('GET', `/groups/${groupId}/silences?state=ended`, { as: owner.as }),
    ];
    expect((await lists()).map((answer) => idsIn(answer, 'silences'))).toEqual([[id], []]);
    const end = () => call('DELETE', `/silences/${id}`, { as: owner.as });
    expect((await end()).status).toBe(204);
    const [live, ended] = await lists();
    expect(live && idsIn(live, 'silences')).toEqual([]);
    const until = ended && at(ended, 'silences', 0, 'until');
    expect((await end()).status).toBe(204);
    const [, again] = await lists();
    expect(again && at(again, 'silences', 0, 'until')).toBe(until);
    const log = await call('GET', `/orgs/${orgId}/audit?kind=silence`, { as: owner.as });
    expect(at(log, 'total')).toBe(2);
    expect(at(log, 'entries', 0)).toMatchObject({ operation: 'endSilence', group_id: groupId });
    expect(at(log, 'entries', 1)).toMatchObject({
      operation: 'createSilence',
      action: 'create',
      entity_name: 'maintenance',
      changes: { reason: { to: 'maintenance' } },
    });
  });

  it('needs an editor, and is seen by viewers', async () => {
    const id = textAt(await silence({}), 'id');
    expect((await silence({}, { as: viewer.as })).status).toBe(403);
    expect((await call('DELETE', `/silences/${id}`, { as: viewer.as })).status).toBe(403);
    expect(await listed('state=live&limit=200')).toContain(id);
    const gone = await call('DELETE', `/silences/${randomUUID()}`, { as: owner.as });
    expect(gone.status).toBe(404);
  });

  it('is one of a thousand of its group that have not ended, at most, however many are made at once', async () => {
    const { groupId } = await createEstate(owner.as);
    await people.rows(
      `INSERT INTO silences (id, group_id, reason, until)
       SELECT gen_random_uuid(), $1, 'many', now() + CASE WHEN n <= 5 THEN interval '-1 s' ELSE interval '1 h' END
       FROM generate_series(1, 1003) AS n`,
      [groupId],
    );
    const answers = await Promise.all(Array.from({ length: 5 }, () => silence({}, { groupId })));
    const statuses = answers.map(({ status }) => status).toSorted((one, two) => one - two);
    expect(statuses).toEqual([201, 201, 409, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.text).toContain('1000');
  });
});
