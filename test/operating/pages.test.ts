import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { desk, findingsOn, hasBrowser, openBrowser, phone } from '../support/services/browser.ts';
import { system } from '../support/system.ts';

describe.runIf(hasBrowser())('in a browser', () => {
  let browser: Browser;

  beforeAll(async () => {
    browser = await openBrowser();
  });

  afterAll(() => browser?.close());

  it.each([
    ['/docs', 'Find an operation', phone, 'light'],
    ['/docs', 'Find an operation', desk, 'dark'],
  ] as const)(
    '%s has no serious finding of axe, and fits (%s, %i, %s)',
    async (path, text, width, scheme) => {
      const url = system().apiUrl + path;
      expect(await findingsOn(browser, url, { width, text, scheme })).toEqual([]);
    },
  );
});
