import { randomUUID } from 'node:crypto';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { closePages, hasBrowser, openBrowser, plainHost } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, openAs, openConsole, signIn } from './open.ts';

/** Of scripts and styles, as they are sent, beside the font. */
const firstPageBytesMax = 60 * 1024;

it('the files of the console are kept for good, and its page is asked for anew', async () => {
  const index = await call('GET', '/', { headers: { accept: 'text/html' } });
  expect(index.headers['cache-control']).toBe('no-cache');
  const names = [...index.text.matchAll(/"console\/([^"]+)"/g)].map(([, name = '']) => name);
  expect(names.map((name) => name.replace(/.*\./, '')).toSorted()).toEqual(['css', 'js', 'woff2']);
  for (const name of names.filter((one) => !one.endsWith('.woff2'))) {
    const headers = { 'accept-encoding': 'gzip' };
    expect((await call('GET', `/console/${name}`, { headers })).headers).toMatchObject({
      'content-encoding': 'gzip',
      'cache-control': 'public, max-age=31536000, immutable',
    });
  }
  expect((await call('GET', '/console/main-00000000.js')).status).toBe(404);
});

it.each(['/docs', '/bench'])('%s has the font of the console, served for good', async (path) => {
  const tokens = await call('GET', '/console/tokens.css');
  const fonts = [...tokens.text.matchAll(/url\("\.\/([^"]+)"\)/g)].map(([, font]) => font);
  expect(fonts).toEqual([expect.stringMatching(/latin-wght/), expect.stringMatching(/latin-ext/)]);
  for (const font of fonts) {
    const answer = await call('GET', `/console/${font}`);
    expect([answer.status, answer.headers]).toMatchObject([
      200,
      { 'content-type': 'font/woff2', 'cache-control': 'public, max-age=31536000, immutable' },
    ]);
  }
  expect((await call('GET', path)).headers['content-security-policy']).toContain("font-src 'self'");
});

describe.runIf(hasBrowser())('the console', () => {
  let browser: Browser;
  let people: People;
  let user: Person;
  let name: string;

  beforeAll(async () => {
    people = new People();
    user = await people.register();
    const { profileId } = await createEstate(user.as);
    name = `Pump ${randomUUID()}`;
    await createThings(user.as, profileId, [
      { name, type: 'sensor' },
      { name: `Valve ${randomUUID()}`, type: 'actuator' },
    ]);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  const me = () => ({ email: user.email, password });

  it('asks who it is, opens what the link names, and stays there after a reload', async () => {
    const { page, context, problems } = await openConsole(browser, `/things?name=${name}`);
    await signIn(page, user.email, 'not the password');
    await page.getByText('This e-mail and password don’t match.').waitFor();
    await signIn(page, user.email, password);
    const row = page.getByRole('link', { name });
    await row.waitFor();
    expect(await page.getByRole('link', { name: 'Valve' }).count()).toBe(0);
    await page.reload();
    await row.waitFor();
    expect(await page.getByRole('searchbox').inputValue()).toBe(name);
    await row.click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.goBack();
    await row.waitFor();
    await page.getByRole('button', { name: user.email }).click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    expect(await context.cookies()).toEqual([]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('stays in an org or a group from page to page, as its address says', async () => {
    const { page, context, problems } = await openAs(browser, me(), '/alarms');
    const chosen = page.getByRole('button', { name: /choose another org or group$/ });
    const address = () => new URL(page.url()).hash;
    await chosen.click();
    const finder = page.getByRole('dialog', { name: 'Work in an org or a group' });
    await finder
      .getByRole('option', { name: /Group$/ })
      .first()
      .waitFor();
    await expectNoFindings(page);
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await expect.poll(address).toMatch(/^#\/alarms\?group=/);
    const place = address().replace(/.*\?/, '');
    await page.getByRole('link', { name: 'Things' }).click();
    await page.getByRole('link', { name }).waitFor();
    expect(address()).toBe(`#/things?${place}`);
    await page.reload();
    await page.getByRole('link', { name }).waitFor();
    expect(address()).toBe(`#/things?${place}`);
    await chosen.click();
    await finder.getByRole('option', { name: 'All orgs and groups' }).click();
    await expect.poll(address).toBe('#/things');
    await page.getByRole('link', { name: 'Webhooks' }).click();
    await page.getByText('There are no webhooks').waitFor();
    expect(address()).toBe('#/webhooks');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('asks for one of several orgs where a page is of one, and chooses none by itself', async () => {
    const someone = await people.register();
    const [estate] = await Promise.all([createEstate(someone.as), createEstate(someone.as)]);
    const body = { webhooks: [{ name: 'Pager', url: 'https://example.com/' }] };
    await call('POST', `/orgs/${estate.orgId}/webhooks`, { as: someone.as, body });
    const signedIn = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, signedIn, '/');
    const address = () => new URL(page.url()).hash;
    const choice = page.getByLabel('Org or group');
    for (const at of ['dashboards', 'dashboards/new', 'silences', 'receivers', 'organization']) {
      await page.goto(`${system().apiUrl}/#/${at}`);
      await choice.waitFor();
      expect(address()).toBe(`#/${at}`);
      await page.getByRole('link', { name: 'Webhooks' }).click();
      await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
      await choice.waitFor();
    }
    await expectNoFindings(page);
    await page.getByRole('button', { name: /^All orgs and groups/ }).waitFor();
    await choice.selectOption(estate.orgId);
    await page.getByRole('link', { name: 'Pager' }).waitFor();
    await page.getByRole('link', { name: 'Dashboards' }).click();
    await page.getByText('There are no dashboards yet').waitFor();
    expect(address()).toBe(`#/dashboards?org=${estate.orgId}`);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('loads little before its first page shows', async () => {
    const { page, context } = await openConsole(browser, '/');
    let bytes = 0;
    const hosts = new Set<string>();
    const fonts: number[] = [];
    page.on('response', (response) => {
      hosts.add(new URL(response.url()).origin);
      if (response.url().endsWith('.woff2')) fonts.push(response.status());
      else if (response.url().includes('/console/')) {
        bytes += Number(response.headers()['content-length'] ?? 0);
      }
    });
    await page.reload();
    await signIn(page, user.email, password);
    await page.getByRole('navigation').first().waitFor();
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(bytes).toBeGreaterThan(10_000);
    expect(bytes).toBeLessThan(firstPageBytesMax);
    expect([[...hosts], fonts]).toEqual([[new URL(page.url()).origin], [200]]);
    await page.goto(`${system().apiUrl}/docs`);
    await page.getByRole('heading', { level: 1 }).waitFor();
    expect(
      await page.evaluate(`document.fonts.ready.then(() => document.fonts.check('16px Inter'))`),
    ).toBe(true);
    expect([...hosts]).toHaveLength(1);
    await context.close();
  });

  it('leads by keyboard to pages and things', async () => {
    const { page, context, problems } = await openAs(browser, me(), '/things');
    await page.getByRole('link', { name }).waitFor();
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('combobox').fill(name.slice(0, 12));
    await page.getByRole('dialog').getByRole('option', { name }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    await page.keyboard.press('g');
    await page.keyboard.press('t');
    await page.getByRole('heading', { name: 'Things', level: 1 }).waitFor();
    await page.keyboard.press('/');
    await page.keyboard.type('Valve');
    await page.getByRole('link', { name }).waitFor({ state: 'detached' });
    await page.keyboard.press('Escape');
    await page.getByRole('heading', { name: 'Things' }).click();
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await page.keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('copies what is to be copied where there is no TLS, too', async () => {
    const { page, context, problems } = await openConsole(browser, '/things');
    const url = new URL(system().apiUrl);
    url.hostname = plainHost;
    await page.goto(`${url.href}#/things?name=${encodeURIComponent(name)}`);
    await signIn(page, user.email, password);
    await page.getByRole('link', { name }).click();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Copy', exact: true }).first().click();
    await page.getByText('Copied').waitFor();
    await page.goto(`${url.href}#/things`);
    const search = page.getByRole('searchbox');
    await search.focus();
    await page.keyboard.press('Control+v');
    expect(await search.inputValue()).toMatch(/^[\da-f]{8}-[\da-f-]{27}$/);
    // What the browser says of a header that counts with TLS only.
    expect(problems.filter((one) => !one.includes('Cross-Origin-Opener-Policy'))).toEqual([]);
    await context.close();
  });

  it('has a head on a page whose address names what is not there', async () => {
    const { page, context } = await openAs(browser, me(), '/things');
    const kinds = ['things', 'groups', 'profiles', 'webhooks', 'alarms', 'rules', 'dashboards'];
    for (const kind of kinds) {
      await page.goto(`${system().apiUrl}/#/${kind}/00000000-0000-4000-8000-000000000000`);
      await page.getByRole('alert').waitFor();
      await page.getByRole('heading', { name: 'It is not there', level: 1 }).waitFor();
      await expectNoFindings(page);
    }
    await context.close();
  });

  it('asks by itself again for what the service could not answer', async () => {
    const { page, context } = await openAs(browser, me(), '/alarms');
    let isAway = true;
    await page.route(/\/things\b/, (route) =>
      isAway
        ? route.fulfill({ status: 503, headers: { 'retry-after': '1' }, json: {} })
        : route.fallback(),
    );
    await page.getByRole('link', { name: 'Things' }).click();
    await page.getByText('This page asks again by itself.').waitFor();
    isAway = false;
    await page.getByRole('link', { name }).waitFor();
    expect(await page.getByRole('alert').count()).toBe(0);
    await context.close();
  });

  it('whose session has ended asks again, and goes on where one was', async () => {
    const { page, context, problems } = await openAs(browser, me(), `/things?name=${name}`);
    const address = await page.getByRole('link', { name }).getAttribute('href');
    await context.clearCookies();
    // By its address: the list still reads, and what it reads may have ended the session before a click.
    await page.goto(`${system().apiUrl}/${address}`);
    await page.getByText('Your session has ended.').waitFor();
    await signIn(page, user.email, password);
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('has nothing that axe finds serious, and fits, on a phone and on a desk, light and dark', async () => {
    const { page, context, problems } = await openConsole(browser, '/things', { width: 390 });
    const look = async (width: number, colorScheme: 'light' | 'dark') => {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme });
      await expectNoFindings(page);
    };
    await page.getByRole('button', { name: 'Sign in' }).waitFor();
    await look(390, 'light');
    await look(1280, 'dark');
    await signIn(page, user.email, password);
    await page.getByRole('link', { name }).waitFor();
    await look(1280, 'light');
    await look(390, 'dark');
    await page.keyboard.press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await look(390, 'light');
    await page.keyboard.press('Escape');
    await page.getByRole('button', { name: 'Menu' }).click();
    await page.getByRole('navigation', { name: 'Main' }).waitFor();
    await look(390, 'dark');
    expect(problems).toEqual([]);
    await context.close();
  });
});
