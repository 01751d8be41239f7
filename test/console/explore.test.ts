import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, openAs } from './open.ts';

const records = 2_000;
const seconds = 60;

describe.runIf(hasBrowser())('explore in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let estate: Estate;
  let name: string;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    name = `Pump ${randomUUID()}`;
    const [made] = await createThings(owner.as, estate.profileId, [{ name, type: 'sensor' }]);
    estate = { ...estate, thingId: made?.id ?? '', key: made?.key ?? '' };
    const now = Math.floor(Date.now() / 1_000);
    await publish(
      Array.from({ length: records }, (_, i) => ({
        n: i % 2 === 0 ? 'temperature' : 'pressure',
        u: i % 2 === 0 ? 'Cel' : 'Pa',
        t: now - (records - i) * seconds,
        v: i % 2 === 0 ? 20 + Math.sin(i / 50) : 101_325 + i,
      })),
    );
    const path = `/reader/senml?publisher=${estate.thingId}`;
    await eventually(async () => {
      return at(await call('GET', path, { as: owner.as }), 'total') === records;
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await people.close();
  });

  async function publish(body: object[]): Promise<void> {
    const headers = { 'content-type': 'application/senml+json' };
    const ask = { as: `Thing ${estate.key}`, body, headers };
    expect((await call('POST', '/http/messages', ask)).status).toBe(202);
  }

  const me = () => ({ email: owner.email, password });
  const series = (...names: string[]) =>
    names.map((one) => `senml:${estate.thingId}:${one}`).join('|');
  const queryOf = (page: Page) => new URLSearchParams(page.url().split('?')[1]);

  /** Drags over the chart from one share of its width to another, once it stands still. */
  async function dragOver(page: Page, from: number, to: number): Promise<void> {
    const plot = page.locator('.u-over');
    await plot.hover();
    const box = await plot.boundingBox();
    if (box === null) throw new Error('the chart is not on the page');
    const { width, height } = box;
    const point = (share: number) => ({ x: width * share, y: height / 2 });
    await plot.dragTo(plot, { sourcePosition: point(from), targetPosition: point(to) });
  }

  it('draws what is picked, zooms by dragging, and keeps the view in its link', async () => {
    const { page, context, problems } = await openAs(browser, me(), '/explore');
    await page.getByRole('button', { name: 'Add series' }).click();
    await page.getByRole('searchbox').last().fill(name);
    await page.getByRole('button', { name }).click();
    await page.getByRole('checkbox', { name: /temperature/ }).check();
    await page.getByRole('checkbox', { name: /pressure/ }).check();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('img', { name: /temperature.*pressure/ }).waitFor();
    await page.getByRole('button', { name: 'The last 7d' }).click();
    await page.getByText(/^Table of 1,\d{3} points$|^Table of 2,000 points$/).waitFor();

    await page.locator('.drawing:not(.stale)').waitFor();
    await dragOver(page, 0.9, 0.95);
    await eventually(() => queryOf(page).has('from'));
    const [from, to] = ['from', 'to'].map((end) => Date.parse(queryOf(page).get(end) ?? ''));
    const hours = ((to ?? 0) - (from ?? 0)) / 3_600_000;
    expect(hours).toBeGreaterThan(7);
    expect(hours).toBeLessThan(10);

    const told = page.getByText(/^Table of \d+ points$/);
    await told.waitFor();
    const points = await told.textContent();
    await page.reload();
    await page.getByText(points ?? '').waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).first().click();
    const last = page.getByRole('row').nth(1);
    expect(await last.textContent()).toMatch(/2026|20\d\d/);
    await page.getByRole('button', { name: 'Wider' }).click();
    await eventually(() => Date.parse(queryOf(page).get('from') ?? '') < (from ?? 0));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('shows a range that is typed, aggregated, with its gaps filled, in another time zone', async () => {
    const link = `/explore?series=${series('temperature', 'pressure')}&range=24h`;
    const { page, context, problems } = await openAs(browser, me(), link);
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    await page.getByRole('button', { name: 'From … to' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('From').fill('2020-01-02T00:00:00');
    await dialog.getByLabel('To').fill('2020-01-01T00:00:00');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await dialog.getByText('The range must end after it begins.').waitFor();
    await dialog.getByLabel('To').fill('2020-01-03T00:00:00');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await page.getByText('No messages in this range.').waitFor();
    await page.getByRole('button', { name: 'The last 6h' }).click();
    await page.getByLabel('Aggregate').selectOption('Average');
    await page.getByLabel('Gaps').selectOption('Gaps are 0');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await eventually(() => queryOf(page).get('tz') === 'Asia/Tokyo');
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).first().click();
    const tokyo = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', day: '2-digit' });
    const first = page.getByRole('row').nth(1).getByRole('cell').first();
    expect(await first.textContent()).toContain(` ${tokyo.format(Date.now())},`);
    const client = page.getByRole('region', { name: 'millrace' });
    expect(await client.textContent()).toMatch(/--agg-type avg[\s\S]*--agg-fill zero/);
    const file = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(new URL(file ?? '').searchParams.get('tz')).toBe('Asia/Tokyo');
    await page.getByRole('button', { name: 'Copy link' }).click();
    await page.getByText('The link shows these times to whoever opens it.').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('exports exactly what is seen, and tells the same question for curl', async () => {
    const to = new Date().toISOString();
    const from = new Date(Date.now() - 3_600_000 * 6).toISOString();
    const query = `series=${series('temperature')}&from=${from}&to=${to}&aggregate=avg`;
    const { page, context, problems } = await openAs(browser, me(), `/explore?${query}`);
    const table = page.getByText(/^Table of \d+ points$/);
    await table.waitFor();
    const count = Number(/\d+/.exec((await table.textContent()) ?? '')?.[0]);
    expect(count).toBeGreaterThan(50);
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const file = readFileSync(await (await coming).path(), 'utf8');
    expect(file.trimEnd().split('\n')).toHaveLength(1 + count);
    const curl = (await page.getByRole('region', { name: 'curl' }).textContent()) ?? '';
    const asked = [...curl.matchAll(/--data-urlencode '?([^' \\\n]+)/g)].map(([, one]) => one);
    const answer = await call('GET', `/reader/senml?${asked.join('&')}`, { as: owner.as });
    expect(at(answer, 'total')).toBe(count);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('goes on live with what comes', async () => {
    const query = `series=${series('temperature')}&range=15m&live=on`;
    const { page, context, problems } = await openAs(browser, me(), `/explore?${query}`);
    await page.getByText(/^Table of \d+ points$/).waitFor();
    await eventually(async () => {
      await publish([{ n: 'temperature', u: 'Cel', v: 77.5 }]);
      return (await page.locator('.legend').textContent())?.includes('77.5');
    });
    await page.getByRole('button', { name: 'Live' }).click();
    await eventually(() => !queryOf(page).has('live'));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('has nothing that axe finds serious, and fits, light and dark', async () => {
    const query = `series=${series('temperature', 'pressure')}&range=30d`;
    const { page, context, problems } = await openAs(browser, me(), '/explore');
    await page.getByText('Nothing is drawn yet').waitFor();
    await expectNoFindings(page);
    for (const [width, scheme] of [
      [390, 'dark'],
      [1280, 'light'],
    ] as const) {
      await page.setViewportSize({ width, height: 900 });
      await page.emulateMedia({ colorScheme: scheme });
      await page.goto(`${page.url().split('#')[0]}#/explore?${query}`);
      await page.getByText(/^Table of [\d,]+ points$/).waitFor();
      await page.getByRole('button', { name: 'Show', exact: true }).first().click();
      await page.getByRole('cell').first().waitFor();
      await expectNoFindings(page);
      await page.getByRole('button', { name: 'Hide', exact: true }).first().click();
    }
    await page.getByRole('button', { name: 'Add series' }).click();
    await page.getByRole('dialog').getByRole('button', { name }).waitFor();
    await expectNoFindings(page);
    expect(problems).toEqual([]);
    await context.close();
  });
});
