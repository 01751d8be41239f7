import type { Browser, CDPSession, Page, Request } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import {
  createdAt,
  createEstate,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { openAs } from './open.ts';

/* Pages that are left open for a working day, whose clock runs as fast as the service answers. */

const hours = Number(process.env['OPEN_HOURS'] ?? 8);
/** Nothing on a page is read more often, but by a stream. */
const stepMs = 15_000;
const stepsPerHour = 3_600_000 / stepMs;
const mebibyte = 1024 * 1024;

type Use = { heapMiB: number; nodes: number; listeners: number };

describe.runIf(hasBrowser())('a page that is left open for eight hours', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let estate: Estate;
  let dashboardId: string;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    const { thingId: thing, groupId } = estate;
    const panel = { id: 'p', title: 'Level', kind: 'line', x: 0, y: 0, w: 6, h: 4 };
    dashboardId = await createdAt(`/groups/${groupId}/dashboards`, owner.as, {
      name: 'Levels',
      content: {
        panels: [{ ...panel, series: [{ thing, name: 'level' }] }],
        range: { last: '24h' },
        refresh_s: 15,
      },
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  it.each([
    ['home', () => '/'],
    ['things', () => '/things'],
    ['a thing', () => `/things/${estate.thingId}`],
    ['alarms', () => '/alarms'],
    ['a dashboard', () => `/dashboards/${dashboardId}`],
    ['live values', () => `/explore?series=senml:${estate.thingId}:level&range=15m&live=on`],
    ['operations', () => '/operations'],
  ])('%s uses no more than after one', { timeout: 0 }, async (name, path) => {
    const { adminEmail, adminPassword } = system();
    const who =
      name === 'operations'
        ? { email: adminEmail, password: adminPassword }
        : { email: owner.email, password };
    const { page, context, problems } = await openAs(browser, who, '/you');
    await page.clock.install();
    await page.goto(`${system().apiUrl}/#${path()}`);
    await page.reload();
    await page.locator('main.content h1').waitFor();
    const devtools = await context.newCDPSession(page);
    const idle = watchRequests(page);
    const uses: Use[] = [];
    for (let hour = 0; hour < hours; hour++) {
      for (let step = 0; step < stepsPerHour; step++) {
        await publish(estate.key, step);
        await page.clock.runFor(stepMs);
        await idle();
      }
      uses.push(await useOf(devtools));
    }
    process.stdout.write(`${JSON.stringify({ page: name, uses })}\n`);
    const [first, last] = [uses.at(0), uses.at(-1)];
    expect(last?.nodes).toBeLessThan(1.2 * (first?.nodes ?? 0));
    expect(last?.listeners).toBeLessThan(1.2 * (first?.listeners ?? 0));
    expect(last?.heapMiB).toBeLessThan(1.2 * (first?.heapMiB ?? 0));
    expect(problems).toEqual([]);
    await context.close();
  });
});

/** Gives how to wait until nothing that the page has asked for is still to come, but its streams. */
function watchRequests(page: Page): () => Promise<void> {
  let pending = 0;
  page.on('request', (request) => {
    if (isWaitedFor(request)) pending++;
  });
  const ended = (request: Request) => {
    if (isWaitedFor(request)) pending--;
  };
  page.on('requestfinished', ended);
  page.on('requestfailed', ended);
  return async () => {
    if (pending > 0) await eventually(() => pending <= 0);
  };
}

const isWaitedFor = (request: Request) => ['fetch', 'script'].includes(request.resourceType());

async function publish(key: string, value: number): Promise<void> {
  const { status } = await fetch(`${system().ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: JSON.stringify([{ n: 'level', v: value }]),
  });
  expect(status).toBe(202);
}

/** In use once all that is not needed is gone. */
async function useOf(devtools: CDPSession): Promise<Use> {
  await devtools.send('HeapProfiler.collectGarbage');
  const { usedSize } = await devtools.send('Runtime.getHeapUsage');
  const { nodes, jsEventListeners: listeners } = await devtools.send('Memory.getDOMCounters');
  return { heapMiB: Math.round((usedSize / mebibyte) * 100) / 100, nodes, listeners };
}
