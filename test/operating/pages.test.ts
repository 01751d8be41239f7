import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closePages,
  desk,
  findingsOn,
  hasBrowser,
  openBrowser,
  phone,
} from '../support/services/browser.ts';
import { system } from '../support/system.ts';

describe.runIf(hasBrowser())('in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => closePages(browser));

  it.each([
    ['/docs', 'Find an operation', phone, 'light'],
    ['/docs', 'Find an operation', desk, 'dark'],
    ['/bench', 'Beside other stores', phone, 'dark'],
  ] as const)(
    '%s has no serious finding of axe, and fits (%s, %i, %s)',
    async (path, text, width, scheme) => {
      const url = system().apiUrl + path;
      expect(await findingsOn(browser, url, { width, text, scheme })).toEqual([]);
    },
  );

  it('the documentation has samples, choices for words, and takes who is signed in at the console', async () => {
    const { apiUrl, adminEmail, adminPassword } = system();
    const page = await browser.newPage();
    await page.goto(apiUrl);
    await page.getByLabel('E-mail').fill(adminEmail);
    await page.getByLabel('Password').fill(adminPassword);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.locator('main.content').waitFor();
    await page.goto(`${apiUrl}/docs#changeQueue`);
    const credential = page.getByLabel('Credential');
    await credential.getByRole('option', { name: `Signed in as ${adminEmail}` }).waitFor({
      state: 'attached',
    });
    expect((await page.locator('p').allTextContents()).join('\n')).not.toMatch(/\*\*|`/);
    const change = page.locator('#changeQueue');
    const sample = change.getByRole('group', { name: 'Sample' });
    expect(await sample.innerText()).toContain("--data-binary '{");
    await change.getByRole('button', { name: 'Python' }).click();
    expect(await sample.innerText()).toContain('urllib.request.Request(');
    await change.getByRole('button', { name: 'Command line' }).click();
    expect(await sample.innerText()).toBe('npx millrace admin queues pause mail');
    await change.getByRole('button', { name: 'Millrace client' }).click();
    expect(await sample.innerText()).toContain('millrace.call("changeQueue", { path: { name:');
    await change.getByRole('combobox', { name: 'name' }).selectOption('mail');
    await change.getByLabel(/^Body/).fill('{"is_paused":false}');
    await change.getByRole('button', { name: 'Send PUT' }).click();
    await change.getByText(/^200 OK ·/).waitFor();
    expect(
      await findingsOn(browser, `${apiUrl}/docs#changeQueue`, {
        width: desk,
        text: 'Samples',
        scheme: 'light',
      }),
    ).toEqual([]);
    await page.close();
  });

  it('the benchmarks tell a newcomer what was measured last, and a developer all of it', async () => {
    const at = '2026-11-21T10:00:00.000Z';
    const about = { commit: 'abc', machine: '2 x of a kind', node: '22', clickhouse: '26' };
    const figure = (name: string, value: number) => ({
      name,
      value,
      unit: '',
      goal: '',
      reached: true,
    });
    const packs = (records: number) => [
      figure('S10 acknowledged', records),
      figure('S10 requests', records / 10),
    ];
    const peers = [figure('S10 points/s / millrace', 300), figure('S10 points/s / influxdb', 100)];
    const runs = [{ packs: packs(90_000) }, { packs: packs(120_000), peers }].map((results) => ({
      ...about,
      at,
      jsonParseMBs: 100,
      results,
    }));
    const page = await browser.newPage();
    await page.route('**/bench/results', (route) => route.fulfill({ json: { runs } }));
    await page.goto(`${system().apiUrl}/bench`);
    const told = page.getByRole('listitem').filter({ hasText: '120,000 a second' });
    await told.getByText('a fleet of 720,000 things').waitFor();
    await page.getByText('Millrace: 3 times InfluxDB.').waitFor();
    expect(await page.getByRole('main').textContent()).not.toMatch(/NaN|undefined|until/);
    await told.getByRole('link', { name: 'How it was measured' }).click();
    await page.getByRole('row', { name: 'S10 acknowledged' }).waitFor();
    await page.getByRole('link', { name: 'In words' }).click();
    await told.waitFor();
    await page.close();
  });
});
