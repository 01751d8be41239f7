import type { Browser, BrowserContext, Page } from 'playwright-core';
import { expect } from 'vitest';
import { ofColors, axeFindings } from '../support/services/browser.ts';
import { system } from '../support/system.ts';

type Look = { width?: number; scheme?: 'light' | 'dark' };

/** A console in a browser, and what went wrong in it that no person would see. */
type Opened = { page: Page; context: BrowserContext; problems: string[] };

/** The address of a page, after the `#`. */
export const linkOf = (path: string, query: Record<string, string>) =>
  `${path}?${new URLSearchParams(query).toString()}`;

/** Opens the console at an address after the `#`. */
export async function openConsole(
  browser: Browser,
  at: string,
  { width = 1280, scheme = 'light' }: Look = {},
): Promise<Opened> {
  const context = await browser.newContext({
    viewport: { width, height: 900 },
    colorScheme: scheme,
    reducedMotion: 'reduce',
    // A browser without a window asks nobody, and refuses.
    permissions: ['clipboard-write'],
  });
  const page = await context.newPage();
  const problems: string[] = [];
  page.on('pageerror', (error) => problems.push(error.message));
  // Who is not signed in is told so with a 401: that is no problem.
  page.on('console', (message) => {
    if (message.type() === 'error' && !message.text().includes('401')) {
      problems.push(message.text());
    }
  });
  await page.goto(`${system().apiUrl}/#${at}`);
  return { page, context, problems };
}

/** Fills in the sign-in, as a person does. */
export async function signIn(page: Page, email: string, password: string): Promise<void> {
  await page.getByLabel('E-mail').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
}

/** Opens the console signed in as somebody. */
export async function openAs(
  browser: Browser,
  { email, password }: { email: string; password: string },
  at: string,
  look: Look = {},
): Promise<Opened> {
  const opened = await openConsole(browser, at, look);
  await signIn(opened.page, email, password);
  await opened.page.locator('main.content').waitFor();
  return opened;
}

const widerParts = `[...document.querySelectorAll('html, dialog[open], tbody > tr > *')]
  .filter((one) => one.scrollWidth > one.clientWidth + (one.matches('tr > *') ? 1 : 0))
  .map((one) => one.matches('tr > *') ? 'The cell “' + one.innerText + '”' : one.tagName)`;

/** Names all of the page that is wider than its room, once nothing of it is still to come. */
export async function overflowOf(page: Page): Promise<string[]> {
  await page.locator('.loading, .stale').first().waitFor({ state: 'detached' });
  return [await page.evaluate(widerParts)].flat().map((name) => `${String(name)} is too wide`);
}

const doubledNames = `[...document.querySelectorAll('main [data-kind=primary]')]
  .filter((one) => one.closest('dialog') === null)
  .map((one) => one.textContent.trim()).filter((name, at, all) => all.indexOf(name) !== at)`;

/** Names the buttons that a page offers twice: of two that do the same, one says nothing. */
async function doubledOn(page: Page): Promise<string[]> {
  return [await page.evaluate(doubledNames)].flat().map((name) => `${String(name)} stands twice`);
}

/** All that is wrong with how it fits and what it offers, and what axe finds. */
export async function findingsOf(page: Page): Promise<string[]> {
  return [...(await overflowOf(page)), ...(await doubledOn(page)), ...(await axeFindings(page))];
}

export async function expectNoFindings(page: Page): Promise<void> {
  expect([page.url(), await findingsOf(page)]).toEqual([page.url(), []]);
}

/** In light and dark, which differ in their colors alone: so the rules that look at colors are enough for the second. */
export async function expectNoFindingsInBoth(page: Page): Promise<void> {
  await page.emulateMedia({ colorScheme: 'dark' });
  const findings = [...(await overflowOf(page)), ...(await axeFindings(page, ofColors))];
  expect([page.url(), findings]).toEqual([page.url(), []]);
  await page.emulateMedia({ colorScheme: 'light' });
  await expectNoFindings(page);
}
