import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  loginAdmin,
  People,
  type Person,
} from '../../support/api/people.ts';
import { insertAlarm, insertRule } from '../../support/fixtures/alarms.ts';

/** How a fleet is at a glance, and its things by when they were heard. */
describe('an overview', () => {
  let people: People;
  let owner: Person;
  let viewer: Person;
  let estate: Estate;
  let other: Estate;
  /** Heard now, 3, 48 and 72 hours ago; the thing of the estate never was. */
  let heard: { id: string; key: string }[];

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    other = await createEstate(owner.as);
    viewer = await people.member('group', estate.groupId, 'viewer');
    heard = await createThings(
      owner.as,
      estate.profileId,
      [0, 3, 48, 72].map((hours) => ({ name: `${hours} hours`, type: 'sensor' })),
    );
    await people.rows(
      `INSERT INTO things_seen (thing_id, seen_at)
       SELECT id, now() - make_interval(hours => ago) FROM unnest($1::uuid[], $2::int[]) AS given (id, ago)`,
      [heard.map(({ id }) => id), [0, 3, 48, 72]],
    );
  });

  afterAll(() => people.close());

  const overview = async (as: string, place = '') => {
    const answer = await call('GET', `${place}/overview`, { as });
    expect(answer.status).toBe(200);
    return answer;
  };
  const statesIn = async (as: string, place?: string) => at(await overview(as, place), 'things');

  it('counts things by state: of a group, of an org, of all that one sees', async () => {
    const states = { total: 5, active: 1, quiet: 1, silent: 2, never: 1 };
    expect(await statesIn(viewer.as, `/groups/${estate.groupId}`)).toEqual(states);
    expect(await statesIn(viewer.as)).toEqual(states);
    expect(await statesIn(owner.as, `/orgs/${estate.orgId}`)).toEqual(states);
    expect(await statesIn(owner.as)).toEqual({ ...states, total: 6, never: 2 });
    const outsider = await people.register();
    const none = { total: 0, active: 0, quiet: 0, silent: 0, never: 0 };
    expect(await statesIn(outsider.as)).toEqual(none);
  });

  it('follows a thing that moves to another group, and forgets one that is deleted', async () => {
    const [, , , last] = heard;
    const move = { as: owner.as, body: { profile_id: other.profileId } };
    expect((await call('PATCH', `/things/${last?.id}`, move)).status).toBe(200);
    expect(await statesIn(owner.as, `/groups/${other.groupId}`)).toMatchObject({
      total: 2,
      silent: 1,
    });
    expect(await statesIn(viewer.as)).toMatchObject({ total: 4, silent: 1 });
    await call('PATCH', `/things/${last?.id}`, {
      as: owner.as,
      body: { profile_id: estate.profileId },
    });
    const [extra] = await createThings(owner.as, estate.profileId, [
      { name: 'extra', type: 'sensor' },
    ]);
    expect(await statesIn(viewer.as)).toMatchObject({ total: 6, never: 2 });
    await call('DELETE', `/things/${extra?.id}`, { as: owner.as });
    expect(await statesIn(viewer.as)).toMatchObject({ total: 5, never: 1 });
  });

  it('names the worst alarms, failing webhooks that one may see, and what was refused', async () => {
    const [first, second] = heard.map(({ id }) => id);
    if (first === undefined || second === undefined) throw new Error('none');
    const rules = [await insertRule(people, estate.groupId), randomUUID(), randomUUID()];
    const alarm = (id: string, ruleName: string, severity: string, ruleId = rules[0] ?? '') =>
      insertAlarm(people, id, { ruleId, ruleName, severity });
    await alarm(first, 'warm', 'warning');
    await alarm(second, 'fire', 'critical');
    await insertAlarm(people, first, { ruleId: rules[1] ?? '', endedAt: new Date().toISOString() });
    for (const place of [`groups/${estate.groupId}`, `orgs/${estate.orgId}`]) {
      const body = { webhooks: [{ name: place.slice(0, 3), url: 'https://example.com/' }] };
      await call('POST', `/svcwebhooks/${place}/webhooks`, { as: owner.as, body });
    }
    await people.rows(
      'UPDATE webhooks SET failing_since = now() WHERE group_id = $1 OR org_id = $2',
      [estate.groupId, estate.orgId],
    );
    await people.rows(`INSERT INTO things_refused VALUES ($1, 41, now(), now(), 'too large')`, [
      first,
    ]);
    const seen = await overview(viewer.as);
    expect(json(seen)).toMatchObject({
      alarms: { critical: 1, warning: 1, info: 0 },
      refused: { things: 1, messages: 41 },
      webhooks: { failing: 1, longest: [{ name: 'gro', failing_since: expect.any(String) }] },
    });
    const worst = [at(seen, 'alarms', 'worst')].flat().map((one) => Object(one).rule_name);
    expect(worst).toEqual(['fire', 'warm']);
    const owned = json(await overview(owner.as, `/orgs/${estate.orgId}`));
    expect(owned).toMatchObject({ webhooks: { failing: 2 } });
    expect(json(await overview(owner.as, `/groups/${other.groupId}`))).toMatchObject({
      alarms: { critical: 0, warning: 0, info: 0, worst: [] },
      refused: { things: 0, messages: 0 },
      webhooks: { failing: 0, longest: [] },
    });
  });

  it('tells members of an org that it has sent all messages its quota allows', async () => {
    const overQuota = async (as: string, place = '') => at(await overview(as, place), 'over_quota');
    const member = await people.member('org', estate.orgId, 'viewer');
    const stranger = await people.register();
    const none = { total: 0, orgs: [] };
    const limit = async (messages: number | null) => {
      const body = { messages_per_month: messages };
      const as = await loginAdmin();
      expect((await call('PUT', `/orgs/${estate.orgId}/quota`, { as, body })).status).toBe(200);
    };
    await people.rows(
      `INSERT INTO org_usage (org_id, month, messages, records)
       SELECT $1, date_trunc('month', now() AT TIME ZONE 'UTC')::date - make_interval(months => ago), sent, sent
       FROM (VALUES (0, 5), (1, 900)) AS sent (ago, sent)`,
      [estate.orgId],
    );
    await limit(6);
    expect(await overQuota(owner.as)).toEqual(none);
    await limit(5);
    const one = { total: 1, orgs: [{ id: estate.orgId, name: 'org' }] };
    expect(await overQuota(owner.as)).toEqual(one);
    expect(await overQuota(member.as)).toEqual(one);
    expect(await overQuota(owner.as, `/orgs/${estate.orgId}`)).toEqual(one);
    expect(await overQuota(owner.as, `/groups/${estate.groupId}`)).toEqual(one);
    expect(await overQuota(owner.as, `/orgs/${other.orgId}`)).toEqual(none);
    expect(await overQuota(owner.as, `/groups/${other.groupId}`)).toEqual(none);
    // In a group of the org, and not in the org.
    expect(await overQuota(viewer.as)).toEqual(none);
    expect(await overQuota(stranger.as)).toEqual(none);
    await limit(null);
    expect(await overQuota(owner.as)).toEqual(none);
  });

  it('stands beside a list by when things were heard, page by page in both directions', async () => {
    const walk = async (dir: 'asc' | 'desc', more: string) => {
      const names: string[] = [];
      let cursor = '';
      do {
        const query = `order=last_seen&dir=${dir}&limit=2${more}${cursor}`;
        const answer = await call('GET', `/groups/${estate.groupId}/things?${query}`, {
          as: viewer.as,
        });
        expect(answer.status).toBe(200);
        names.push(...[at(answer, 'things')].flat().map((one) => String(Object(one).name)));
        const { next } = Object(json(answer));
        cursor = next === undefined ? '' : `&cursor=${encodeURIComponent(String(next))}`;
      } while (cursor !== '');
      return names;
    };
    const latest = ['0 hours', '3 hours', '48 hours', '72 hours', 'thing'];
    expect(await walk('desc', '')).toEqual(latest);
    expect(await walk('asc', '&total_max=1')).toEqual(latest.toReversed());
    expect(await walk('desc', '&heard=true')).toEqual(latest.slice(0, 4));
    expect(await walk('asc', '&heard=false')).toEqual(['thing']);
    const day = new Date(Date.now() - 24 * 3_600_000).toISOString();
    expect(await walk('asc', `&silent_since=${day}`)).toEqual(['thing', '72 hours', '48 hours']);
    expect(await walk('desc', `&seen_since=${day}`)).toEqual(['0 hours', '3 hours']);
    // Another filter reads the things themselves.
    expect(await walk('desc', '&type=sensor')).toEqual(latest.slice(0, 4));
  });
});
