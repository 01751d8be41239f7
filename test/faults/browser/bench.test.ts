import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { eventually } from '../../support/eventually.ts';
import { closePages, openBrowser } from '../../support/services/browser.ts';
import { type OwnSystem, startSystem } from '../../support/system.ts';

let own: OwnSystem;
let browser: Browser;
const failures: string[] = [];

beforeAll(async () => {
  own = await startSystem();
  browser = await openBrowser();
});

afterAll(async () => {
  await closePages(browser);
  await own?.stop();
});

function figure(name: string, value: number, unit: string, goal = '', reached = true) {
  return { name, value, unit, goal, reached };
}

function run(commit: string, acknowledged: number) {
  const systems = ['millrace', 'influxdb', 'victoria-metrics'];
  return {
    at: '2026-11-21T10:37:45.118Z',
    commit,
    machine: '2 x of a kind',
    node: 'v22.23.3',
    clickhouse: '26.7.2.1',
    jsonParseMBs: 72,
    results: {
      packs: [
        figure('S10 acknowledged', acknowledged, 'records/s', '>= 1500', acknowledged >= 1500),
        { ...figure('longest wait', 0.1, 's', '<= 0.16666666666', true), spread: [0.05, 0.15] },
      ],
      peers: systems.map((system, i) => figure(`S10 points / ${system}`, 500 * i + 1, 'points/s')),
      growth: [1_000, 10_000].map((things) => figure(`memory by things / ${things}`, 9, 'MiB')),
    },
  };
}

/** The page, of a phone's width, with these runs as its results. */
async function open(runs: unknown[]): Promise<Page> {
  const page = await browser.newPage({ viewport: { width: 360, height: 740 } });
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  await page.route('**/bench/results', (route) => route.fulfill({ json: { runs } }));
  await page.goto(`${own.apiUrl}/bench#figures`);
  return page;
}

it('a phone shows the figures, their goals and the charts, and a keyboard leads to the history', async () => {
  const page = await open([run('aaaaaaa', 1_000), run('bbbbbbb', 2_000)]);
  await page.getByText('2 of 2 goals are reached').waitFor();
  expect(await page.getByRole('row', { name: 'longest wait' }).textContent()).toContain('≤ 0.167');
  expect(await page.getByRole('row', { name: 'longest wait' }).textContent()).toContain(
    'rounds: 0.05 to 0.15',
  );
  const row = page.getByRole('row', { name: 'S10 acknowledged' });
  expect(await row.textContent()).toMatch(/2,000 records\/s.*reached.*≥ 1,500/);
  // Of the peers, of the growth, and of the history.
  await eventually(async () => (await page.locator('canvas').count()) === 3);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);

  await page.getByText('The 3 figures drawn here as a table').click();
  await page.getByRole('link', { name: 'S10 points / influxdb' }).focus();
  await page.keyboard.press('Enter');
  const select = page.getByRole('combobox', { name: 'Figure' });
  await eventually(() => page.evaluate<boolean>('document.activeElement.tagName === "SELECT"'));
  expect(await select.locator('option:checked').textContent()).toBe('S10 points / influxdb');
  await page.getByText('The 2 runs as a list').click();
  expect(await page.getByRole('cell', { name: 'aaaaaaa' }).isVisible()).toBe(true);

  await select.selectOption('S10 acknowledged');
  await page.getByText('The 2 runs as a list').click();
  const older = page.getByRole('row').filter({ hasText: 'aaaaaaa' });
  expect(await older.textContent()).toMatch(/1,000 records\/s.*missed.*≥ 1,500/);
  await page.reload();
  expect(await select.locator('option:checked').textContent()).toBe('S10 acknowledged');
  expect(failures).toEqual([]);
});

it('without results the page says how to make some', async () => {
  const page = await open([]);
  await page.getByText('There are no results yet').waitFor();
  expect(await page.getByRole('main').textContent()).toContain('npm run bench');
  expect(failures).toEqual([]);
});
