import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { closePages, openBrowser } from '../../support/services/browser.ts';
import { Fleet } from '../../support/fleet.ts';
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

it('after the login of an admin a browser shows the jobs of the queues, and acts on them', async () => {
  const fleet = await Fleet.login(own);
  const thing = await fleet.thing();
  const hooks = [{ name: 'dead', url: 'http://127.0.0.1:9/' }];
  const made = await fleet.call('POST', `/things/${thing.id}/webhooks`, hooks);
  const id = String(Object([made.body].flat()[0]).id);
  const ping = await fleet.call('POST', `/webhooks/${id}/ping`);
  const messageId = String(Object(ping.body).message_id);
  await fleet.close();

  const page = await browser.newPage();
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  const queue = `${own.apiUrl}/#/operations/queues/webhooks?state=delayed`;

  await page.goto(`${own.apiUrl}/queues`);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.fill('[name=email]', own.adminEmail);
  await page.fill('[name=password]', 'not the password');
  await page.click('button');
  await page.getByRole('alert').waitFor();

  await page.fill('[name=email]', own.adminEmail);
  await page.fill('[name=password]', own.adminPassword);
  await page.click('button');
  // The sign-in leads back to where one came from.
  await page.getByRole('link', { name: 'Webhooks' }).first().waitFor();

  await page.goto(queue);
  await page.getByText('dead').first().waitFor();
  await page.getByRole('button', { name: /^Show job/ }).click();
  await page.getByText(messageId).first().waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('dialog').last().getByRole('button', { name: 'Remove' }).click();
  await page.getByText('No jobs here').waitFor();

  await page.goto(own.apiUrl);
  await page.locator('.who').click();
  await page.getByRole('menuitem', { name: 'Sign out' }).click();
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  await page.goto(queue);
  await page.getByRole('button', { name: 'Sign in' }).waitFor();
  expect(failures).toEqual([]);
});
