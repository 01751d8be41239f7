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
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, linkOf, openAs } from './open.ts';

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
    const silent = silentRecords();
    await publish(silent);
    const path = `/reader/senml?publisher=${estate.thingId}`;
    await eventually(async () => {
      return at(await call('GET', path, { as: owner.as }), 'total') === records + silent.length;
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  /** Two days ago: ten hours of a number and two states each ten minutes; five of them silent but for one message. */
  function silentRecords(): object[] {
    return Array.from({ length: 61 }, (_, i) => silentFrom + i * 600)
      .filter((_, i) => i <= 15 || i === 30 || i >= 45)
      .flatMap((t, i) => [
        { n: 'flow', u: 'l/s', t, v: 40 + i / 100 },
        { n: 'door', t, vb: i % 8 === 0 },
        { n: 'mode', t, vs: i < 10 ? 'filling' : 'pumping' },
      ]);
  }

  const silentFrom = Math.floor(Date.now() / 1_000) - 2 * 86_400;
  const silentRange = {
    from: new Date(silentFrom * 1_000).toISOString(),
    to: new Date((silentFrom + 36_000) * 1_000).toISOString(),
    tz: 'Asia/Tokyo',
  };

  /** Counts the pixels of the first line's colour that stand one above the other, at a share of the chart's width. */
  async function colouredAt(page: Page, share: number): Promise<number> {
    const count = await page.evaluate(`(() => {
      const canvas = document.querySelector('.chart canvas');
      const over = document.querySelector('.u-over');
      const ratio = canvas.width / canvas.clientWidth;
      const x = Math.round((over.offsetLeft + over.clientWidth * ${share}) * ratio);
      const column = canvas.getContext('2d').getImageData(x, 0, 1, canvas.height).data;
      let coloured = 0;
      for (let at = 0; at < column.length; at += 4) {
        const [red, , blue, alpha] = column.slice(at, at + 4);
        if (alpha > 120 && blue - red > 80) coloured++;
      }
      return coloured;
    })()`);
    return Number(count);
  }

  async function publish(body: object[], key = estate.key): Promise<void> {
    const headers = { 'content-type': 'application/senml+json' };
    const ask = { as: `Thing ${key}`, body, headers };
    expect((await call('POST', '/http/messages', ask)).status).toBe(202);
  }

  /** The number of messages that the line of curl on the page asks for. */
  async function totalOfCurl(page: Page): Promise<unknown> {
    const curl = (await page.getByRole('region', { name: 'curl' }).textContent()) ?? '';
    const asked = [...curl.matchAll(/--data-urlencode '?([^' \\\n]+)/g)].map(([, one]) => one);
    return at(await call('GET', `/reader/senml?${asked.join('&')}`, { as: owner.as }), 'total');
  }

  const me = () => ({ email: owner.email, password });
  const series = (...names: string[]) =>
    names.map((one) => `senml:${estate.thingId}:${one}`).join('|');
  const queryOf = (page: Page) => new URLSearchParams(page.url().split('?')[1]);

  const pointsOf = (page: Page) => page.getByRole('region', { name: 'Points of the chart' });

  async function chooseIn(page: Page, menu: string, entry: string): Promise<void> {
    await page.getByRole('button', { name: menu }).click();
    await page.getByRole('menuitem', { name: entry }).click();
  }

  /** The dialog with the files of a series, and its question for a terminal. */
  async function openTake(page: Page): Promise<void> {
    await chooseIn(page, 'Export', 'Files, curl and millrace…');
    await page.getByRole('dialog').waitFor();
  }

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
    await page.getByRole('searchbox').last().fill('temperature');
    await page.getByRole('checkbox', { name: `${name} · temperature` }).check();
    await page.getByRole('searchbox').last().fill(name);
    await page.getByRole('dialog').getByRole('button', { name }).click();
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
    const last = pointsOf(page).getByRole('row').nth(1);
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
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Gaps').selectOption('Gaps are 0');
    await page.getByLabel('Time zone').selectOption('Asia/Tokyo');
    await eventually(() => queryOf(page).get('tz') === 'Asia/Tokyo');
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    await page.getByRole('button', { name: 'Show', exact: true }).first().click();
    const tokyo = new Intl.DateTimeFormat('en', { timeZone: 'Asia/Tokyo', day: '2-digit' });
    const first = pointsOf(page).getByRole('row').nth(1).getByRole('cell').first();
    expect(await first.textContent()).toContain(` ${tokyo.format(Date.now())},`);
    await openTake(page);
    const client = page.getByRole('region', { name: 'millrace' });
    expect(await client.textContent()).toMatch(/--agg-type avg[\s\S]*--agg-fill zero/);
    const file = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    expect(new URL(file ?? '').searchParams.get('tz')).toBe('Asia/Tokyo');
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('button', { name: 'From … to' }).click();
    await dialog.getByText('Both times are in Asia/Tokyo').waitFor();
    await dialog.getByLabel('From').fill('2026-01-02T09:00:00');
    await dialog.getByLabel('To').fill('2026-01-03T09:00:00');
    await dialog.getByRole('button', { name: 'Show' }).click();
    await eventually(() => queryOf(page).get('from') === '2026-01-02T00:00:00.000Z');
    await chooseIn(page, 'Copy link', 'Link to these times');
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
    await openTake(page);
    const coming = page.waitForEvent('download');
    await page.getByRole('link', { name: 'CSV' }).click();
    const file = readFileSync(await (await coming).path(), 'utf8');
    expect(file.trimEnd().split('\n')).toHaveLength(1 + count);
    expect(await totalOfCurl(page)).toBe(count);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('breaks a line where nothing came, shades that time, and shows a point that is alone there', async () => {
    const link = linkOf('/explore', { series: series('flow'), ...silentRange });
    const { page, context, problems } = await openAs(browser, me(), link);
    await page
      .getByText('Shaded: no message for more than three times as long as usual.')
      .waitFor();
    await page.locator('.drawing:not(.stale)').waitFor();
    expect(await colouredAt(page, 0.1)).toBeGreaterThan(0);
    expect(await colouredAt(page, 0.4)).toBe(0);
    expect(await colouredAt(page, 0.5)).toBeGreaterThan(2);
    const plot = page.locator('.u-over');
    const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
    const legend = page.locator('.legend-table');
    const clock = new Intl.DateTimeFormat('en', {
      timeZone: 'Asia/Tokyo',
      hour: '2-digit',
      minute: '2-digit',
      hourCycle: 'h23',
    });
    await plot.hover({ position: { x: width * 0.5, y: height / 2 } });
    const alone = clock.format((silentFrom + 18_000) * 1_000);
    await eventually(async () => (await legend.textContent())?.includes(`${alone}:`));
    expect(await legend.textContent()).toMatch(/Asia\/Tokyo.*40\.16l\/s/);
    await plot.hover({ position: { x: width * 0.4, y: height / 2 } });
    await eventually(async () => (await legend.textContent())?.includes('–'));
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Gaps').selectOption('Connect gaps');
    await page.getByText('Shaded:').waitFor({ state: 'detached' });
    await eventually(async () => (await colouredAt(page, 0.4)) > 0);
    await page.getByLabel('Gaps').selectOption('Show gaps');
    await page.getByLabel('Aggregate').selectOption('Average');
    await page.getByText('Shaded: intervals without messages.').waitFor();
    // Nothing has come since: that is shaded up to the end.
    const since = {
      from: new Date((silentFrom + 27_000) * 1_000).toISOString(),
      to: new Date((silentFrom + 72_000) * 1_000).toISOString(),
    };
    await page.goto(
      `${page.url().split('#')[0]}#${linkOf('/explore', { series: series('flow'), ...since })}`,
    );
    await page.getByText('Table of 16 points').waitFor();
    await page
      .getByText('Shaded: no message for more than three times as long as usual.')
      .waitFor();
    await plot.hover({ position: { x: width * 0.1, y: height / 2 } });
    await eventually(async () => (await legend.textContent())?.includes('40.'));
    await plot.hover({ position: { x: width * 0.7, y: height / 2 } });
    await eventually(async () => (await legend.textContent())?.includes('–'));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('draws texts and booleans as bands of time, and tells them in legend and table', async () => {
    const drawn = series('flow', 'door', 'mode');
    const link = linkOf('/explore', { series: drawn, ...silentRange });
    const { page, context, problems } = await openAs(browser, me(), link);
    await page.getByText('Between two bands, or after the last: no message').waitFor();
    await page.getByText('Table of 33 points').waitFor();
    await page.locator('.drawing:not(.stale)').waitFor();
    const plot = page.locator('.u-over');
    const { width = 0, height = 0 } = (await plot.boundingBox()) ?? {};
    await plot.hover({ position: { x: width * 0.005, y: height - 10 } });
    const legend = page.locator('.legend-table');
    await eventually(async () => /true.*filling/.test((await legend.textContent()) ?? ''));
    await plot.hover({ position: { x: width * 0.9, y: height - 10 } });
    await eventually(async () => /false.*pumping/.test((await legend.textContent()) ?? ''));
    await page.getByRole('button', { name: 'Show', exact: true }).first().click();
    const last = await pointsOf(page).getByRole('row').nth(1).getByRole('cell').allTextContents();
    expect(last.slice(1)).toEqual(['40.32', 'true', 'pumping']);
    await page.getByLabel('Aggregate').selectOption('Average');
    await page.getByText('Shaded: intervals without messages.').waitFor();
    await openTake(page);
    await page.getByRole('combobox', { name: 'Series' }).selectOption({ index: 2 });
    // By their changes: it fills, it pumps, and it pumps after each of two silences.
    expect(await totalOfCurl(page)).toBe(4);
    const href = await page.getByRole('link', { name: 'CSV' }).getAttribute('href');
    const file = await (await page.request.get(href ?? '')).text();
    expect(file.match(/pumping|filling/g)).toHaveLength(33);
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Done' }).click();
    await page.goto(`${page.url().split('#')[0]}#${link.replace(/flow%7Csenml%3A[^%]*%3A/, '')}`);
    // Of states these are the changes, and the last before a silence and before the end.
    await page.getByText('Table of 11 points').waitFor();
    const row = page.getByRole('region', { name: 'Series' }).getByRole('row', { name: /door/ });
    expect(await row.getByRole('cell').allTextContents()).toEqual(expect.arrayContaining(['33']));
    expect(await page.getByText('No messages in this range.').count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('is moved by wheel and keys, reads values out, and shows lines by its legend', async () => {
    const drawn = series('temperature', 'pressure');
    const { page, context, problems } = await openAs(
      browser,
      me(),
      linkOf('/explore', { series: drawn, range: '24h', y: 'Pa:0:200000', style: 'steps' }),
    );
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    const table = page.getByRole('region', { name: 'Series' });
    expect(await table.getByRole('columnheader').allTextContents()).toEqual(
      expect.arrayContaining(['Series', 'Last', 'Min', 'Mean', 'Max', 'Points']),
    );
    const told = await table.getByRole('row', { name: /pressure/ }).textContent();
    expect(told).toMatch(/10[23],\d{3}.*Pa.*10[23],\d{3}/);
    await page.locator('.drawing:not(.stale)').waitFor();
    const spanOf = () => {
      const [from = 0, to = 0] = ['from', 'to'].map((end) =>
        Date.parse(queryOf(page).get(end) ?? ''),
      );
      return to - from;
    };
    const chart = page.getByRole('application');
    await chart.focus();
    await page.keyboard.press('+');
    await eventually(() => Math.abs(spanOf() - 43_200_000) < 1_000);
    await page.keyboard.press('ArrowLeft');
    await page.keyboard.press('.');
    const said = chart.locator('[aria-live]');
    await eventually(async () =>
      /temperature: \d.*pressure: /.test((await said.textContent()) ?? ''),
    );
    await page.locator('.u-over').hover();
    await page.mouse.wheel(0, -240);
    await eventually(() => spanOf() < 40_000_000);
    await page.locator('.u-over').dblclick();
    await eventually(() => queryOf(page).get('range') === '24h');

    await page
      .getByRole('button', { name: /· temperature/ })
      .first()
      .click();
    await eventually(() => /temperature:hidden\|/.test(queryOf(page).get('series') ?? ''));
    await page
      .getByRole('button', { name: /· temperature/ })
      .first()
      .click({ modifiers: ['Alt'] });
    await eventually(() =>
      /temperature\|.*pressure:hidden$/.test(queryOf(page).get('series') ?? ''),
    );
    await page.locator('.drawing:not(.stale)').waitFor();
    const file = page.waitForEvent('download');
    await chooseIn(page, 'Export', 'Table of what is seen (CSV)');
    const seen = readFileSync(await (await file).path(), 'utf8')
      .trimEnd()
      .split('\r\n');
    expect(seen[0]).toBe(`\uFEFFtime,${name} · temperature (Cel)`);
    expect(seen.length).toBeGreaterThan(600);
    expect((await file).suggestedFilename()).toMatch(/^Pump-[\w-]+-temperature_\d{4}-.*\.csv$/);
    const picture = page.waitForEvent('download');
    await chooseIn(page, 'Export', 'Picture (PNG)');
    const png = readFileSync(await (await picture).path());
    expect(png.subarray(1, 4).toString()).toBe('PNG');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('tells the least, mean and greatest of all values, also of those that are not drawn', async () => {
    const begin = Math.floor(Date.now() / 1_000) - 20 * 86_400;
    const count = 3_000;
    const peak = 1_500;
    // Beside a trough that much deeper a line has no room for the peak.
    const valueAt = (i: number) => (i === peak ? 11 : Math.abs(i - peak) === 1 ? -100 : 10);
    await publish(
      Array.from({ length: count }, (_, i) => ({
        n: 'level',
        u: 'm',
        t: begin + i,
        v: valueAt(i),
      })),
    );
    const path = `/reader/senml?publisher=${estate.thingId}&name=level`;
    await eventually(async () => at(await call('GET', path, { as: owner.as }), 'total') === count);
    const [from, to] = [begin, begin + count].map((time) => new Date(time * 1_000).toISOString());
    const query = { series: series('level'), from: from ?? '', to: to ?? '' };
    const { page, context, problems } = await openAs(browser, me(), '/explore');
    const held = Promise.withResolvers<void>();
    await page.route('**/reader/senml/search', async (route) => {
      await held.promise;
      await route.continue();
    });
    await page.goto(`${page.url().split('#')[0]}#${linkOf('/explore', query)}`);
    await page.getByText(/level: [\d,]+ of 3,000 messages are drawn/).waitFor();
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    const row = page.getByRole('region', { name: 'Series' }).getByRole('row', { name: /level/ });
    const told = async () => (await row.getByRole('cell').allTextContents()).slice(1, 5);
    expect(await told()).toEqual(['', '', '', '']);
    held.resolve();
    await eventually(async () => (await told()).join(' ') === '-100 9.927 11 3,000');
    expect(problems).toEqual([]);
    await context.close();
  });

  it('compares with the time before, by the interval and on the scale that are chosen', async () => {
    const query = { series: series('pressure'), range: '6h', aggregate: 'avg' };
    const { page, context, problems } = await openAs(browser, me(), linkOf('/explore', query));
    await page.getByText(/^Average of each \d+ minutes?: as short/).waitFor();
    await page.getByRole('button', { name: 'Options' }).click();
    await page.getByLabel('Interval').selectOption('15 minutes');
    await page.getByText('Average of each 15 minutes.').waitFor();
    await page.getByLabel('Interval').selectOption('1 second');
    await page.getByText(/^1 second would make too many points: shown by 30 seconds/).waitFor();
    await page.getByLabel('Compare').selectOption('With as long before');
    await page.getByText('Pale: the same series as long before').waitFor();
    await page.getByLabel('Scale').selectOption('Powers of ten');
    await page.getByLabel('Draw as').selectOption('Bars');
    await page.getByRole('button', { name: 'Axes…' }).click();
    await page.getByLabel('From', { exact: true }).fill('0');
    await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click();
    await page.getByText('By powers of ten an axis begins above 0.').waitFor();
    await page.getByLabel('From', { exact: true }).fill('100');
    await page.getByRole('dialog').getByRole('button', { name: 'Show' }).click();
    await eventually(() => queryOf(page).get('y') === 'Pa:100:');
    await page.reload();
    await page.getByText('Pale: the same series as long before').waitFor();
    expect(await page.getByRole('button', { name: /· pressure/ }).count()).toBe(2);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('annotates the time under the pointer, in place, and marks it on the chart', async () => {
    const drawn = series('temperature');
    const link = linkOf('/explore', { series: drawn, range: '6h' });
    const { page, context, problems } = await openAs(browser, me(), link);
    await page.getByText(/^Table of [\d,]+ points$/).waitFor();
    await page.getByRole('button', { name: /^Annotate/ }).waitFor();
    await page.locator('.drawing:not(.stale)').waitFor();
    await page.locator('.u-over').hover();
    await page.keyboard.press('n');
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Text').fill('Door <b>was</b> open');
    await dialog.getByRole('button', { name: 'Save' }).click();
    const list = page.locator('.annotations');
    await list.getByText('Door <b>was</b> open').waitFor();
    await page.locator('.u-over').hover();
    await eventually(async () =>
      (await page.locator('.episode-tip').textContent())?.startsWith('Door <b>was</b> open ('),
    );
    await page.getByRole('button', { name: 'Change: Door' }).click();
    await dialog.getByLabel('Text').fill('Door was ajar');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await list.getByText('Door was ajar').waitFor();
    await expectNoFindings(page);
    const ofGroup = `senml-group:${estate.groupId}:temperature`;
    const goTo = (query: Record<string, string>) =>
      page.goto(`${page.url().split('#')[0]}#${linkOf('/explore', query)}`);
    await goTo({ series: ofGroup, range: '6h' });
    await page.getByText(/^Average of each/).waitFor();
    expect(await list.count()).toBe(0);
    await goTo({ series: [drawn, ofGroup].join('|'), range: '6h' });
    await list.getByText('Door was ajar').waitFor();
    await eventually(async () => (await list.textContent())?.includes(name));
    await goTo({ series: drawn, ...silentRange });
    await list.waitFor({ state: 'detached' });
    await goTo({ series: drawn, range: '6h' });
    await page.getByRole('button', { name: 'Delete: Door was ajar' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await list.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('names what of a link is not there, and draws the rest of it', async () => {
    const [gone] = await createThings(owner.as, estate.profileId, [
      { name: `Gone ${name}`, type: 'sensor' },
    ]);
    expect((await call('DELETE', `/things/${gone?.id}`, { as: owner.as })).status).toBe(204);
    const other = await createEstate((await people.register()).as);
    const drawn = [
      series('temperature'),
      `senml:${gone?.id}:level`,
      `senml:${other.thingId}:level`,
    ].join('|');
    const link = linkOf('/explore', { series: drawn, range: '7d' });
    const { page, context } = await openAs(browser, me(), link);
    const [first = '', second = ''] = [gone?.id, other.thingId].map((id) => id?.slice(0, 8));
    await page.getByText(`${first} · level is not drawn: its thing was deleted`).waitFor();
    await page.getByText(`${second} · level is not drawn: it is not for you to see`).waitFor();
    await page.getByText(/temperature: \d+ of 1,000 messages are drawn/).waitFor();
    await page.getByText(/^Table of \d+ points$/).waitFor();
    await context.close();
  });

  it('goes on live with what comes', async () => {
    const query = `series=${series('temperature')}&range=15m&live=on`;
    const { page, context, problems } = await openAs(browser, me(), `/explore?${query}`);
    await page.getByText(/^Table of \d+ points$/).waitFor();
    await eventually(async () => {
      await publish([{ n: 'temperature', u: 'Cel', v: 77.5 }]);
      return (await page.locator('.legend-table').textContent())?.includes('77.5');
    });
    await page.getByRole('button', { name: 'Live' }).click();
    await eventually(() => !queryOf(page).has('live'));
    expect(problems).toEqual([]);
    await context.close();
  });

  it('says of a live line that it draws the newest of more, with statistics of all', async () => {
    const [made] = await createThings(owner.as, estate.profileId, [
      { name: `Mill ${randomUUID()}`, type: 'sensor' },
    ]);
    const { id = '', key = '' } = made ?? {};
    const link = `/explore?series=senml:${id}:burst&range=1h&live=on`;
    const { page, context, problems } = await openAs(browser, me(), link);
    await page.getByText('No messages in this range.').waitFor();
    // One that is drawn tells that the line follows.
    await eventually(async () => {
      await publish([{ n: 'burst', v: 0, t: -1_000 }], key);
      return (await page.getByText(/^Table of \d+ points?$/).count()) > 0;
    });
    const began = Date.now() / 1_000 - 900;
    for (const first of [0, 8_000, 16_000]) {
      const values = Array.from({ length: 8_000 }, (_, i) => first + i + 1);
      await publish(
        values.map((v) => ({ n: 'burst', v, t: began + v / 100 })),
        key,
      );
    }
    await page.getByText(/: the newest 20,000 messages are drawn\./).waitFor();
    await page.getByText('Table of 20,000 points', { exact: true }).waitFor();
    const statistics = page.locator('.legend-table tbody td.number.muted');
    await eventually(async () => {
      const [min, , max, count] = await statistics.allInnerTexts();
      return min === '0' && max === '24,000' && Number(count?.replace(',', '')) > 24_000;
    });
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
      await pointsOf(page).getByRole('cell').first().waitFor();
      await expectNoFindings(page);
      await page.getByRole('button', { name: 'Hide', exact: true }).first().click();
    }
    await page.getByRole('button', { name: 'Add series' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name }).first().waitFor();
    await expectNoFindings(page);
    await dialog.getByRole('button', { name }).first().click();
    await dialog
      .getByLabel('Of', { exact: true })
      .selectOption('Of all things of its group, put together');
    await dialog.getByRole('checkbox', { name: 'temperature' }).check();
    await dialog.getByRole('button', { name: 'Done' }).click();
    await page.getByText('All of group · temperature').first().waitFor();
    await page.getByText(/^Average of each/).waitFor();
    const weight = page.getByText('The average of a group is of all messages:');
    await weight.waitFor();
    await page.getByLabel('Aggregate').selectOption('Maximum');
    await weight.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });
});
