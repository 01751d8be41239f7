import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { insertAlarm, insertRule } from '../support/fixtures/alarms.ts';
import { eventually } from '../support/eventually.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, openAs } from './open.ts';

async function sendMessage(key: string): Promise<void> {
  const { status } = await fetch(`${system().ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: '[{"n":"level","v":1}]',
  });
  expect(status).toBe(202);
}

describe.runIf(hasBrowser())('home', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let estate: Estate;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    // The estate has one that was never heard.
    const given = ['active', 'quiet', 'silent', 'silent'].map((name) => ({
      name: `${name} ${randomUUID()}`,
      type: 'sensor',
    }));
    const things = await createThings(owner.as, estate.profileId, given);
    const hours = [0, 3, 48, 72];
    for (const [nth, ago] of hours.entries()) {
      await people.rows(
        `INSERT INTO things_seen (thing_id, seen_at) VALUES ($1, now() - make_interval(hours => $2))`,
        [things[nth]?.id, ago],
      );
    }
    await insertAlarm(people, things[0]?.id ?? '', { ruleName: 'Too warm', severity: 'warning' });
    const ruleId = await insertRule(people, estate.groupId);
    await insertAlarm(people, things[1]?.id ?? '', { ruleId, ruleName: 'On fire' });
    const body = { webhooks: [{ name: 'Pager', url: 'https://example.com/' }] };
    await call('POST', `/groups/${estate.groupId}/webhooks`, { as: owner.as, body });
    await people.rows(`UPDATE webhooks SET failing_since = now() WHERE group_id = $1`, [
      estate.groupId,
    ]);
    await people.rows('INSERT INTO org_quotas (org_id, messages_per_month) VALUES ($1, 0)', [
      estate.orgId,
    ]);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  it('shows how many things are in each state, and what is wrong, the worst first', async () => {
    const me = { email: owner.email, password };
    const { page, context, problems } = await openAs(browser, me, `/?group=${estate.groupId}`);
    const states = page.locator('.fleet li');
    await states.first().waitFor();
    expect((await states.allInnerTexts()).map((text) => text.split('\n').slice(0, 2))).toEqual([
      ['1', 'Active'],
      ['1', 'Quiet'],
      ['2', 'Silent'],
      ['1', 'Never heard'],
    ]);
    const wrong = page.locator('.panel', { hasText: 'What is wrong now' }).locator('.told a');
    await wrong.first().waitFor();
    // Whether one may see the usage of the org is known a moment later: then its name is a link.
    await eventually(async () =>
      expect(await wrong.allInnerTexts()).toEqual(['org', 'On fire', 'Too warm', 'Pager']),
    );
    await page.getByRole('heading', { name: 'What changed lately in org' }).waitFor();
    await expectNoFindings(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 900 });
    await expectNoFindings(page);
    await wrong.filter({ hasText: 'org' }).click();
    await page.getByRole('heading', { name: 'Usage', exact: true }).waitFor();
    await page.goBack();
    await wrong.filter({ hasText: 'On fire' }).click();
    await page.getByRole('heading', { name: /On fire/, level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /Silent/ }).click();
    await page.getByRole('heading', { name: 'Things', level: 1 }).waitFor();
    expect(page.url()).toMatch(/#\/things\?state=silent&group=/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('lists failures of the installation before alarms, and its warnings after them', async () => {
    const group = `/?group=${estate.groupId}`;
    const admin = { email: system().adminEmail, password: system().adminPassword };
    const { page, context } = await openAs(browser, admin, '/things');
    await page.route(/\/operations(\?|$)/, async (route) => {
      const answer = await route.fetch();
      const problem = { kind: 'disk_filling', advice: 'Look', section: 'disk' };
      const problems = [
        { ...problem, severity: 'warn', text: 'A disk fills' },
        { ...problem, severity: 'fail', text: 'A disk is full' },
      ];
      const body: object = await answer.json();
      await route.fulfill({ response: answer, json: { ...body, problems } });
    });
    await page.goto(`${system().apiUrl}/#${group}`);
    const wrong = page.locator('.panel', { hasText: 'What is wrong now' }).locator('.told a');
    await wrong.first().waitFor();
    await eventually(async () =>
      expect(await wrong.allInnerTexts()).toEqual([
        'A disk is full',
        'org',
        'On fire',
        'Too warm',
        'Pager',
        'A disk fills',
      ]),
    );
    await context.close();
  });

  it('shows what changed in all orgs that one looks after, each change with its org', async () => {
    const someone = await people.register();
    const { groupId } = await createEstate(someone.as);
    const content = { range: { last: '24h' }, panels: [] };
    const dashboard = { name: 'Wells', content };
    const id = await createdAt(`/groups/${groupId}/dashboards`, someone.as, dashboard);
    await createdAt('/orgs', someone.as, { name: 'Second' });
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/');
    const changes = page.locator('.panel', { hasText: 'What changed lately' });
    const row = (name: string) => changes.getByRole('listitem').filter({ hasText: name });
    await row('Second').first().waitFor();
    expect(await row('Wells').innerText()).toMatch(/\norg\n/);
    expect(await row('Wells').getByRole('link').getAttribute('href')).toBe(`#/dashboards/${id}`);
    await row('profile').getByRole('link').click();
    await page.getByRole('heading', { name: 'profile', level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('leads who is new to the next step', async () => {
    const someone = await people.register();
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/');
    await page.getByRole('link', { name: 'Make an org' }).waitFor();
    await expectNoFindings(page);
    const { as } = someone;
    const orgId = await createdAt('/orgs', as, { name: `Org ${randomUUID()}` });
    await page.reload();
    const next = page.locator('[aria-current=step]').getByRole('link');
    const leadsTo = async (name: string) => {
      await next.filter({ hasText: name }).waitFor();
      await expectNoFindings(page);
    };
    await leadsTo('Invite people');
    await next.click();
    await page.getByRole('button', { name: 'Invite' }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: 'Make a group' }).click();
    await page.getByRole('button', { name: 'New group' }).waitFor();
    // Nobody was invited: that holds up no other step.
    const groupId = await createdAt(`/orgs/${orgId}/groups`, as, { name: 'Wells' });
    await page.goBack();
    await leadsTo('Make a profile');
    await next.click();
    await page.getByRole('link', { name: 'New profile' }).waitFor();
    const profileId = await createdAt(`/groups/${groupId}/profiles`, as, [{ name: 'Pump' }]);
    const [pump] = await createThings(as, profileId, [{ name: 'Pump 1', type: 'device' }]);
    await page.goBack();
    await leadsTo('Send a first message');
    await sendMessage(pump?.key ?? '');
    await eventually(async () => at(await call('GET', '/reader/senml', { as }), 'total') === 1);
    await page.reload();
    await leadsTo('Look at a chart');
    await page.setViewportSize({ width: 390, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoFindings(page);
    await next.click();
    await page.getByRole('button', { name: /^level/ }).click();
    await page.getByRole('img', { name: /level/ }).first().waitFor();
    await page.locator('.drawing .nothing').waitFor({ state: 'detached' });
    await page.goto(`${system().apiUrl}/#/`);
    await page.locator('.fleet li', { hasText: /^1\s*Active/ }).waitFor();
    expect(await page.getByRole('heading', { name: 'Next steps' }).count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('leads nowhere who dismisses the steps', async () => {
    const someone = await people.register();
    await createdAt('/orgs', someone.as, { name: 'Alone' });
    const { page, context } = await openAs(browser, { email: someone.email, password }, '/');
    const steps = page.getByRole('heading', { name: 'Next steps' });
    await steps.waitFor();
    await page.getByRole('button', { name: 'Dismiss' }).click();
    await steps.waitFor({ state: 'detached' });
    await page.reload();
    await page.locator('.fleet li').first().waitFor();
    expect(await steps.count()).toBe(0);
    await context.close();
  });

  it('tells a member who is in no group whom to ask', async () => {
    const viewer = await people.register();
    await people.join('org', estate.orgId, viewer, 'viewer');
    const { page, context } = await openAs(browser, { email: viewer.email, password }, '/');
    await page.getByRole('heading', { name: /^You are in no group of .+ yet$/ }).waitFor();
    await page.clock.install();
    await page.reload();
    await page.getByText(owner.email).first().waitFor();
    expect(await page.getByRole('heading', { name: 'What changed lately' }).count()).toBe(0);
    // Its usage is for admins.
    await page.getByText('No messages left this month').waitFor();
    expect(await page.locator('.wrong a').count()).toBe(0);
    await people.join('group', estate.groupId, viewer, 'viewer');
    await page.clock.fastForward(15_000);
    await page.locator('.fleet li', { hasText: /^1\s*Active/ }).waitFor();
    expect(await page.getByRole('heading', { name: /^You are in no group/ }).count()).toBe(0);
    await context.close();
  });
});
