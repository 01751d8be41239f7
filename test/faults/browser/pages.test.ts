import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  closePages,
  desk,
  openBrowser,
  findingsOn,
  phone,
} from '../../support/services/browser.ts';
import { type OwnSystem, startSystem } from '../../support/system.ts';

let own: OwnSystem;
let browser: Browser;

beforeAll(async () => {
  own = await startSystem();
  browser = await openBrowser();
});

afterAll(async () => {
  await closePages(browser);
  await own?.stop();
});

describe.each([phone, desk])('at a width of %i', (width) => {
  it.each([
    ['/bench#figures', 'Figure', 'light'],
    ['/bench#figures', 'Figure', 'dark'],
  ] as const)('%s has no serious finding of axe, and fits (%s, %s)', async (path, text, scheme) => {
    const url = own.apiUrl + path;
    expect(await findingsOn(browser, url, { width, text, scheme })).toEqual([]);
  });
});
