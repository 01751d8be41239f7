import { randomUUID } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createEstate, password, People, type Person } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { expectNoFindings, openAs } from './open.ts';

async function sendMessage(key: string): Promise<void> {
  const { status } = await fetch(`${system().ingestUrl}/http/messages`, {
    method: 'POST',
    headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
    body: '[{"n":"level","v":1}]',
  });
  expect(status).toBe(202);
}

/** As a person does who waits for it. */
async function readUntilShown(page: Page, locator: Locator): Promise<void> {
  await eventually(async () => {
    await page.getByRole('button', { name: 'Read again' }).click();
    await locator.waitFor({ timeout: 1_000 });
  });
}

describe.runIf(hasBrowser())('webhooks in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let receiver: Receiver;
  let key: string;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    ({ key } = await createEstate(owner.as));
    receiver = await openReceiver();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await browser?.close();
    await receiver.close();
    await people.close();
  });

  const me = () => ({ email: owner.email, password });

  it('one is added, tried, looked at, delivered again, and deleted', async () => {
    const path = `/${randomUUID()}`;
    receiver.treat(path, (response, nth) => {
      response.writeHead(nth === 2 ? 500 : 200).end(`answer ${nth} <script>alert(1)</script>`);
    });
    const name = `Alarms ${randomUUID()}`;
    const { page, context, problems } = await openAs(browser, me(), '/webhooks');
    await page.getByText('There are no webhooks').waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByLabel('Sends to').fill(receiver.url(path));
    await dialog.getByLabel('Secret').fill('short');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByRole('alert').waitFor();
    await dialog.getByLabel('Secret').fill('');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();

    await page.getByText('Nothing was tried').waitFor();
    await page.getByRole('button', { name: 'Send a ping' }).click();
    await page.getByText('A ping is under way.').waitFor();
    const tried = (status: number) => page.getByRole('row').filter({ hasText: `${status}` });
    await readUntilShown(page, tried(200));
    await sendMessage(key);
    const failed = tried(500);
    await readUntilShown(page, failed);
    await expectNoFindings(page);
    await failed.getByRole('button').click();
    await dialog.getByText('answer 2 <script>alert(1)</script>').waitFor();
    await expectNoFindings(page);
    await dialog.getByRole('button', { name: 'Deliver this message again' }).click();
    await page.getByText('1 copy is sent again.').waitFor();
    await page.getByLabel('Outcome').selectOption('Delivered');
    await readUntilShown(page, tried(200).nth(1));
    expect(await failed.count()).toBe(0);

    await page.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('disabled by a user').waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByRole('button', { name: 'Send a ping' }).waitFor();

    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel(`Type ${name} to go on`).fill('another');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByText('The name is another one.').waitFor();
    await dialog.getByLabel(`Type ${name} to go on`).fill(name);
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no webhooks').waitFor();
    // A refused form is told by its status, in the browser's own log.
    expect(problems.filter((problem) => !problem.includes('status of 400'))).toEqual([]);
    await context.close();
  });
});
