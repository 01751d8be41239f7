import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, json } from '../support/api/http.ts';
import { createdAt, password, People, type Person, signIn } from '../support/api/people.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, openAs } from './open.ts';

/** Whether the tools of each box of code end where it does, or before. */
const heightsOfCode = `[...document.querySelectorAll('.code')].map((box) => {
  const bottom = (one) => one.getBoundingClientRect().bottom;
  return [...box.querySelectorAll('.tools, .tools *')].every((one) => bottom(one) <= bottom(box));
})`;

const schemeDrawn = 'getComputedStyle(document.body).colorScheme';

describe.runIf(hasBrowser())('your own page', () => {
  let browser: Browser;
  let people: People;
  let user: Person;

  beforeAll(async () => {
    people = new People();
    user = await people.register();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  it('makes an API key, which shows once, and revokes it', async () => {
    const me = { email: user.email, password };
    const { page, context, problems } = await openAs(browser, me, '/you?tab=keys');
    const dialog = page.getByRole('dialog');
    await page.getByText('You have no API keys').waitFor();
    await page.getByRole('button', { name: 'New API key' }).click();
    await dialog.getByRole('button', { name: 'New API key' }).click();
    const key = await page
      .getByRole('dialog', { name: 'Your new API key' })
      .locator('code')
      .innerText();
    expect((await call('GET', '/users/profile', { as: `Bearer ${key}` })).status).toBe(200);
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 900 });
      expect([width, await page.evaluate(heightsOfCode)]).toEqual([width, [true]]);
    }
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: /^Revoke / }).click();
    await dialog.getByText('Programs that use it are refused at once.').waitFor();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('You have no API keys').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('chooses a time zone, in which all pages show times, until one takes the browser’s again', async () => {
    const me = { email: user.email, password };
    const { page, context, problems } = await openAs(browser, me, '/you');
    const zone = page.getByLabel('Time zone');
    await Promise.all([page.waitForEvent('load'), zone.selectOption('Pacific/Kiritimati')]);
    await page.getByLabel('Time zone').waitFor();
    expect(await zone.inputValue()).toBe('Pacific/Kiritimati');
    await expectNoFindings(page);
    await page.getByRole('link', { name: 'Sessions' }).click();
    await page.getByText('this one').waitFor();
    expect(await page.locator('time').first().getAttribute('title')).toMatch(/GMT\+14$/);
    await page.getByRole('link', { name: 'Account' }).click();
    await Promise.all([page.waitForEvent('load'), zone.selectOption({ index: 0 })]);
    await page.getByLabel('Time zone').waitFor();
    expect(await page.evaluate(() => localStorage.getItem('millrace-time-zone'))).toBeNull();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows the sessions, ends one, and signs out everywhere', async () => {
    const elsewhere = await signIn(user.email, 'a browser elsewhere');
    const isOpen = async () =>
      (await call('GET', '/console/session', { headers: { cookie: elsewhere } })).status === 200;
    const at = '/you?tab=sessions';
    const { page, context, problems } = await openAs(browser, { email: user.email, password }, at);
    await page.getByText('this one').waitFor();
    await expectNoFindings(page);
    const dialog = page.getByRole('dialog');
    const end = page.getByRole('button', { name: 'End the session of a browser elsewhere' });
    await end.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await isOpen()).toBe(true);
    await end.click();
    await dialog.getByRole('button', { name: 'End session' }).click();
    await end.waitFor({ state: 'detached' });
    expect(await isOpen()).toBe(false);

    await page.getByRole('button', { name: 'Sign out everywhere' }).click();
    await dialog.getByRole('button', { name: 'Sign out everywhere' }).click();
    await page.getByLabel('Password').waitFor();
    await page.reload();
    await page.getByLabel('Password').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('lists the invites that one sent, of all orgs, and revokes one', async () => {
    const [inviter, guest] = [await people.register(), await people.register()];
    const body = { email: guest.email, role: 'viewer' };
    for (const name of ['North', 'South']) {
      const orgId = await createdAt('/orgs', inviter.as, { name });
      await call('POST', `/orgs/${orgId}/invites`, { as: inviter.as, body });
    }
    const me = { email: inviter.email, password };
    const { page, context, problems } = await openAs(browser, me, '/you?tab=invites');
    const row = (org: string) => page.getByRole('row', { name: org });
    await row('North').getByText('Pending').waitFor();
    await expectNoFindings(page);
    await row('South')
      .getByRole('button', { name: `Revoke the invite of ${guest.email}` })
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
    await row('South').getByText('Revoked').waitFor();
    await row('North').getByText('Pending').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('keeps one’s name beside what else is in one’s metadata, and shows it above the e-mail', async () => {
    const someone = await people.register();
    const { as } = someone;
    const metadata = async () => Object(json(await call('GET', '/users/profile', { as }))).metadata;
    await call('PUT', '/users', { as, body: { metadata: { team: 'water' } } });
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/you');
    const change = async (name: string) => {
      await page.getByRole('button', { name: 'Change name' }).click();
      await page.getByRole('dialog').getByLabel('Name').fill(name);
      await page.getByRole('dialog').getByRole('button', { name: 'Change name' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };
    await change(' Ada Lovelace ');
    await page.getByRole('button', { name: `Ada Lovelace ${someone.email}` }).waitFor();
    expect(await metadata()).toEqual({ team: 'water', name: 'Ada Lovelace' });
    await page.reload();
    await page.getByRole('button', { name: `Ada Lovelace ${someone.email}` }).click();
    const help = page.getByRole('group', { name: 'Help' }).getByRole('menuitem');
    expect(await help.allInnerTexts()).toEqual([
      'API documentation',
      'Benchmarks',
      'Keyboard shortcuts',
    ]);
    await expectNoFindings(page);
    await page.keyboard.press('Escape');
    await change('');
    await page.getByRole('button', { name: someone.email, exact: true }).waitFor();
    expect(await metadata()).toEqual({ team: 'water' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('changes the password and the theme', async () => {
    const someone = await people.register();
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/things');
    await page.getByRole('button', { name: someone.email }).click();
    await page.getByRole('menuitem', { name: 'You' }).click();
    await page.getByRole('button', { name: 'Change password' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Current password').fill('another one');
    await dialog.getByLabel('New password').fill(`${password} anew`);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    const current = dialog.locator('.field').filter({ hasText: 'Current password' });
    await current.getByText('Is wrong.').waitFor();
    await dialog.getByLabel('Current password').fill(password);
    await dialog.getByRole('button', { name: 'Change password' }).click();
    await page.getByText('Your password is changed').waitFor();
    await page.getByLabel('Theme').selectOption('Dark');
    await page.reload();
    await page.locator('html[data-theme="dark"]').waitFor();
    await expectNoFindings(page);
    for (const path of ['/docs', '/bench']) {
      await page.goto(system().apiUrl + path);
      expect([path, await page.evaluate(schemeDrawn)]).toEqual([path, 'dark']);
    }
    // The browser tells of the wrong password by its status.
    expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
    await context.close();
    const again = { email: someone.email, password: `${password} anew` };
    const { context: other, page: signedIn } = await openAs(browser, again, '/you');
    await signedIn.getByRole('heading', { name: 'You', level: 1 }).waitFor();
    await other.close();
  });
});
