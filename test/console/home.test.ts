import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { insertAlarm, insertRule } from '../support/fixtures/alarms.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, openAs } from './open.ts';

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
    for (const [at, ago] of hours.entries()) {
      await people.rows(
        `INSERT INTO things_seen (thing_id, seen_at) VALUES ($1, now() - make_interval(hours => $2))`,
        [things[at]?.id, ago],
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
    const wrong = page.locator('.wrong').first().locator('.told a');
    await wrong.first().waitFor();
    expect(await wrong.allInnerTexts()).toEqual(['On fire', 'Too warm', 'Pager']);
    await page.getByRole('heading', { name: 'What changed lately' }).waitFor();
    await expectNoFindings(page);
    await page.emulateMedia({ colorScheme: 'dark' });
    await page.setViewportSize({ width: 390, height: 900 });
    await expectNoFindings(page);
    await wrong.first().click();
    await page.getByRole('heading', { name: /On fire/, level: 1 }).waitFor();
    await page.goBack();
    await page.getByRole('link', { name: /Silent/ }).click();
    await page.getByRole('heading', { name: 'Things', level: 1 }).waitFor();
    expect(page.url()).toMatch(/#\/things\?state=silent&group=/);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('leads who is new to the next step', async () => {
    const someone = await people.register();
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/');
    await page.getByRole('link', { name: 'Make an org' }).waitFor();
    await expectNoFindings(page);
    const orgs = { orgs: [{ name: `Org ${randomUUID()}` }] };
    expect((await call('POST', '/orgs', { as: someone.as, body: orgs.orgs[0] })).status).toBe(201);
    await page.reload();
    await page.getByRole('link', { name: 'Make a group' }).click();
    await page.getByRole('button', { name: 'New group' }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('tells a member who is in no group whom to ask', async () => {
    const viewer = await people.register();
    await people.join('org', estate.orgId, viewer, 'viewer');
    const { page, context } = await openAs(browser, { email: viewer.email, password }, '/');
    await page.getByRole('heading', { name: /^You are in no group of .+ yet$/ }).waitFor();
    await page.getByText(owner.email).first().waitFor();
    expect(await page.getByRole('heading', { name: 'What changed lately' }).count()).toBe(0);
    await context.close();
  });
});
