import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Browser, CDPSession, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type ClickHouseClient, openClickHouse } from '../../infra/runtime/stores/clickhouse.ts';
import { createdAt, createThings, password, People, type Person } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { fillStore } from '../support/messages/stored.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { percentile } from '../support/statistics.ts';
import { system } from '../support/system.ts';
import { openAs, openConsole, signIn } from './open.ts';

/* The console over a large fleet: what a person waits for, and what live mode costs a browser. A report, not a limit. */

const thingsMax = Number(process.env['TRIAL_THINGS'] ?? 10_000);
const recordsMax = Number(process.env['TRIAL_RECORDS'] ?? 100_000_000);
const liveMinutes = Number(process.env['TRIAL_LIVE_MINUTES'] ?? 30);

const groups = 20;
const thingsAtOnce = 500;
const names = 5;
const everySeconds = 20 * 60;
const roundsMax = (28 * 86_400) / everySeconds;
const charts = 10;
/** Of the thing that is followed. */
const liveEveryMs = 100;
const clickhouseMsMax = 3_600_000;
const mebibyte = 1024 * 1024;

type Thing = { id: string; key: string };

/** Milliseconds until `done` has come true after `act`. */
async function took(act: () => Promise<unknown>, done: () => Promise<unknown>): Promise<number> {
  const begin = performance.now();
  await act();
  await done();
  return Math.round(performance.now() - begin);
}

const spread = (times: number[]) => ({
  median: percentile(times, 0.5),
  most: Math.max(...times),
});

describe.runIf(hasBrowser())('the trial of the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let orgId: string;
  let clickhouse: ClickHouseClient;
  let things: Thing[];
  const report: Record<string, unknown> = {};

  const me = () => ({ email: owner.email, password });
  const seriesOf = ({ id }: Thing) => `senml:${id}:sensor1`;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    clickhouse = openClickHouse(system().clickhouseUrl, 'millrace-trial', clickhouseMsMax);
    ({ orgId, things } = await createFleet(owner.as));
    const perRound = things.length * names;
    const rounds = Math.max(1, Math.min(roundsMax, Math.floor(recordsMax / perRound)));
    const begin = Math.floor(Date.now() / 1_000) - rounds * everySeconds;
    const fleet = { things: things.map(({ id }) => id), names, everySeconds, rounds, begin };
    await fillStore(clickhouse, 'senml', fleet);
    report['things'] = things.length;
    report['records'] = perRound * rounds;
    browser = await openBrowser();
  }, 0);

  afterAll(async () => {
    await closePages(browser);
    // Other tests use this system.
    await clickhouse.command({ query: "ALTER TABLE senml DELETE WHERE log = 'bench'" });
    await clickhouse.command({ query: 'DROP TABLE IF EXISTS senml_things' });
    await clickhouse.close();
    await people.close();
    process.stdout.write(`${JSON.stringify({ trial: report })}\n`);
  }, 0);

  it('shows the first page, a chart of a month, and every kind of page', {
    timeout: 0,
  }, async () => {
    const { page, context, problems } = await openConsole(browser, '/things');
    report['sign-in page, ms'] = await took(
      () => page.reload(),
      () => page.getByLabel('E-mail').waitFor(),
    );
    report['first view after sign-in, ms'] = await took(
      () => signIn(page, owner.email, password),
      () => settled(page),
    );
    report['first view with a session, ms'] = await took(
      () => page.reload(),
      () => settled(page),
    );
    report['chart of a month after the click, ms'] = spread(await drawMonths(page, things));
    report['pages right after the import, ms'] = await visitAll(page, things[0]?.id ?? '', orgId);
    // PostgreSQL does so by itself, some minutes after many rows came.
    await people.rows('VACUUM (ANALYZE) things, things_seen, audit_entries', []);
    report['pages, ms'] = await visitAll(page, things[0]?.id ?? '', orgId);
    report['from clicks and keys to what they paint, ms'] = await interact(page, things);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('goes on live without end', { timeout: 0 }, async () => {
    const [thing] = things;
    if (thing === undefined) throw new Error('there are no things');
    const at = `/explore?series=${seriesOf(thing)}&range=15m&live=on`;
    const { page, context, problems } = await openAs(browser, me(), at);
    const devtools = await context.newCDPSession(page);
    const stop = new AbortController();
    const sending = send(thing, stop.signal);
    const legend = page.locator('.legend-table');
    await eventually(async () => /\d/.test((await legend.textContent()) ?? ''));
    const heaps = [await heapOf(devtools)];
    for (let minute = 0; minute < liveMinutes; minute++) {
      await delay(60_000);
      heaps.push(await heapOf(devtools));
    }
    stop.abort();
    await sending;
    await eventually(async () => {
      await publish(thing, 77.5);
      return (await legend.textContent())?.includes('77.5');
    });
    report['live, minutes'] = liveMinutes;
    report['live, heap, MiB'] = heaps.map(({ heap }) => heap);
    report['live, nodes'] = { first: heaps[0]?.nodes, last: heaps.at(-1)?.nodes };
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** Things in as many groups as they fill. */
async function createFleet(as: string): Promise<{ orgId: string; things: Thing[] }> {
  const orgId = await createdAt('/orgs', as, { name: `Trial ${randomUUID()}` });
  const things: Thing[] = [];
  const perGroup = Math.ceil(thingsMax / groups);
  for (let group = 0; group < groups; group++) {
    const groupId = await createdAt(`/orgs/${orgId}/groups`, as, { name: `Group ${group}` });
    const profileId = await createdAt(`/groups/${groupId}/profiles`, as, [{ name: 'Meters' }]);
    for (let at = 0; at < perGroup; at += thingsAtOnce) {
      const list = Array.from({ length: Math.min(thingsAtOnce, perGroup - at) }, (_, i) => ({
        name: `Meter ${group}-${String(at + i).padStart(5, '0')}`,
        type: 'sensor',
      }));
      things.push(...(await createThings(as, profileId, list)));
    }
  }
  return { orgId, things };
}

/** From the click on the range to the drawn chart, of a thing each time that was not asked for before. */
async function drawMonths(page: Page, things: readonly Thing[]): Promise<number[]> {
  const times: number[] = [];
  for (let at = 0; at < charts; at++) {
    const thing = things[Math.floor((at * things.length) / charts)];
    await page.goto(`${system().apiUrl}/#/explore?series=senml:${thing?.id}:sensor1&range=15m`);
    const month = page.getByRole('button', { name: 'The last 30d' });
    await month.waitFor();
    await settled(page);
    const drawn = page.getByText(/^Table of [\d,]+ points$/);
    times.push(
      await took(
        () => month.click(),
        () => drawn.waitFor(),
      ),
    );
  }
  return times;
}

/** How long each kind of page takes until nothing of it is still to come. */
async function visitAll(page: Page, thingId: string, orgId: string) {
  const last = Math.max(0, thingsMax - 40);
  const pages = {
    home: `/?org=${orgId}`,
    alarms: '/alarms',
    dashboards: '/dashboards',
    'the things': '/things',
    'things that have a name': '/things?name=Meter+7-',
    'the last things, by their offset': `/things?offset=${last}`,
    'things, last seen first': '/things?order=seen',
    'a thing': `/things/${thingId}`,
    'its messages': `/things/${thingId}?tab=messages`,
    'about it': `/things/${thingId}?tab=about`,
    explore: '/explore',
    webhooks: `/webhooks?org=${orgId}`,
    members: `/organization?org=${orgId}`,
    groups: `/organization?org=${orgId}&tab=groups`,
    usage: `/organization?org=${orgId}&tab=usage`,
    'the audit log': `/organization?org=${orgId}&tab=audit`,
  };
  const times: Record<string, number> = {};
  for (const [name, at] of Object.entries(pages)) {
    times[name] = await took(
      () => page.goto(`${system().apiUrl}/#${at}`),
      () => settled(page),
    );
    expect([name, await page.getByRole('alert').allTextContents()]).toEqual([name, []]);
  }
  return times;
}

/** Of those that take less the browser tells nothing. */
const shortestMs = 16;

/** How long clicks and keys take until the browser has painted what comes of them (the Event Timing API). */
async function interact(page: Page, things: readonly Thing[]) {
  await page.evaluate(`
    globalThis.took = {};
    new PerformanceObserver((list) => {
      for (const { interactionId: id, duration } of list.getEntries()) {
        if (id > 0) took[id] = Math.max(took[id] ?? 0, duration);
      }
    }).observe({ type: 'event', durationThreshold: ${shortestMs} })`);
  const { apiUrl } = system();
  const before = await page.evaluate<number>('performance.interactionCount');
  await page.goto(`${apiUrl}/#/things`);
  await settled(page);
  const boxes = page.getByRole('checkbox');
  for (let at = 1; at <= 10; at++) await boxes.nth(at).click();
  await page.getByRole('button', { name: 'Columns' }).click();
  await page.keyboard.press('Escape');
  await page.getByRole('searchbox').pressSequentially('Meter 7-00', { delay: 100 });
  await settled(page);
  await page.getByRole('searchbox').fill('');
  await settled(page);
  for (const { id } of things.slice(0, 3)) {
    await page.goto(`${apiUrl}/#/things/${id}`);
    for (const tab of ['Messages', 'About', 'Latest']) {
      await page.getByRole('link', { name: tab, exact: true }).click();
      await settled(page);
    }
    await page.goto(
      `${apiUrl}/#/explore?series=${['sensor1', 'sensor2'].map((name) => `senml:${id}:${name}`).join('|')}&range=30d`,
    );
    await settled(page);
    await page.getByRole('application').focus();
    for (const key of ['ArrowLeft', '+', '+', '-', 'ArrowRight']) {
      await page.keyboard.press(key);
      await settled(page);
    }
  }
  const count = (await page.evaluate<number>('performance.interactionCount')) - before;
  const told = Object.values(await page.evaluate<Record<string, number>>('took'));
  const all = [
    ...told,
    ...Array.from({ length: Math.max(0, count - told.length) }, () => shortestMs),
  ];
  return {
    count,
    median: percentile(all, 0.5),
    p95: percentile(all, 0.95),
    most: Math.max(...all),
  };
}

/**
 * Until the page has its title and all that it reads. It is looked at with each frame: after the first looks of a locator, its
 * next one comes half a second later.
 */
async function settled(page: Page): Promise<void> {
  // A page says that it reads with the next frame after an address or a key.
  await page.evaluate(`new Promise((done) => {
    const isWhole = () =>
      document.querySelector('main.content h1') !== null &&
      document.querySelector('main .loading, main .stale') === null;
    const look = () => (isWhole() ? done() : requestAnimationFrame(look));
    requestAnimationFrame(() => requestAnimationFrame(look));
  })`);
}

async function publish({ key }: Thing, value: number): Promise<void> {
  const { status } = await fetch(`${system().ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: JSON.stringify([{ n: 'sensor1', u: 'Cel', v: value }]),
  });
  expect(status).toBe(202);
}

/** Publishes until it is told to stop. */
async function send(thing: Thing, signal: AbortSignal): Promise<void> {
  for (let at = 0; !signal.aborted; at++) {
    await publish(thing, 20 + Math.sin(at / 50));
    await delay(liveEveryMs);
  }
}

/** What is in use once all that is not needed is gone. */
async function heapOf(devtools: CDPSession): Promise<{ heap: number; nodes: number }> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes } = await devtools.send('Memory.getDOMCounters');
  return { heap: Math.round((usedSize / mebibyte) * 10) / 10, nodes };
}
