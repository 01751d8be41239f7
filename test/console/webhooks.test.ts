import { randomUUID } from 'node:crypto';
import type { Browser, Locator, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import { createEstate, type Estate, password, People, type Person } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
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
  let estate: Estate;
  let key: string;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    ({ key } = estate);
    receiver = await openReceiver();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
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
    const refused = dialog.locator('.field', { hasText: 'Secret' }).getByRole('alert');
    expect(await refused.innerText()).toBe('Must have at least 24 bytes.');
    expect(await dialog.getByRole('alert').count()).toBe(1);
    await dialog.getByLabel('Secret').fill('');
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();

    await page.getByText('Nothing was attempted').waitFor();
    await page.getByRole('button', { name: 'Send a ping' }).click();
    await page.getByText('A ping is under way.').waitFor();
    const tried = (status: number) => page.getByRole('row').filter({ hasText: `${status}` });
    await readUntilShown(page, tried(200));
    await sendMessage(key);
    const failed = tried(500);
    await readUntilShown(page, failed);
    await expectNoFindings(page);
    await page.setViewportSize({ width: 390, height: 900 });
    const overflow = 'document.querySelector(".tries .scroll").scrollWidth - innerWidth';
    expect(await page.evaluate(overflow)).toBeLessThan(0);
    await failed.getByRole('button').click();
    await dialog.getByText('answer 2 <script>alert(1)</script>').waitFor();
    await dialog.getByRole('region', { name: 'What was sent' }).getByText('"level"').waitFor();
    await dialog.getByRole('link', { name: 'thing' }).waitFor();
    await expectNoFindings(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    const over = `[...document.querySelectorAll('dialog .code')].filter((code) =>
      code.firstElementChild.getBoundingClientRect().right > code.lastElementChild.getBoundingClientRect().left).length`;
    expect(await page.evaluate(over)).toBe(0);
    await page.setViewportSize({ width: 390, height: 900 });
    await dialog.getByRole('button', { name: 'Deliver this message again' }).click();
    const question = page.getByRole('dialog', { name: 'Deliver this message again' });
    await question.getByRole('button', { name: 'Deliver again' }).click();
    await page.getByText('1 delivery is sent again.').waitFor();
    await page.getByLabel('Outcome').selectOption('Delivered');
    await readUntilShown(page, tried(200).nth(1));
    expect(await failed.count()).toBe(0);

    await page.getByText(/Delivered: \d+(\.\d)?% of \d attempts in the last day\.$/).waitFor();

    await page.getByRole('button', { name: 'Edit' }).click();
    await dialog.getByLabel('Headers').fill('X-Tenant: water\nHost: example.com');
    await dialog.getByRole('button', { name: 'Generate a secret' }).click();
    await dialog.getByRole('button', { name: 'Save' }).click();
    await dialog
      .getByRole('alert')
      .getByText('Host: Can not be set: it is that of the URL.')
      .waitFor();
    await dialog.getByLabel('Headers').fill('X-Tenant: water');
    await dialog.getByLabel('What it gets').selectOption('Notices of alarms only');
    await expectNoFindings(page);
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByText('X-Tenant').waitFor();
    await page.getByText('Notices of alarms only').waitFor();
    await page.getByRole('definition').getByRole('button', { name: 'Show' }).click();
    await page.getByText(/whsec_/).waitFor();

    await page.getByRole('button', { name: 'Deliver again' }).click();
    await dialog.getByLabel('Which messages').selectOption('Those of a time');
    await dialog.getByLabel('Received from').fill('2026-01-01T00:00');
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('button', { name: 'Disable' }).click();
    await dialog.getByText('Nothing is sent to it until it is enabled').waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
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

  it('show to members of a group as far as they are theirs to see', async () => {
    const { orgId, groupId, thingId } = estate;
    const make = async (path: string, name: string) => {
      const body = [{ name, url: receiver.url('/ok') }];
      expect((await call('POST', path, { as: owner.as, body })).status).toBe(201);
    };
    await make(`/orgs/${orgId}/webhooks`, 'Of the org');
    await make(`/groups/${groupId}/webhooks`, 'Of the group');
    await make(`/things/${thingId}/webhooks`, 'Of the thing');
    const [viewer, editor, nobody] = await Promise.all([
      people.member('group', groupId, 'viewer'),
      people.member('group', groupId, 'editor'),
      people.register(),
    ]);

    const as = ({ email }: Person) => ({ email, password });
    const seen = await openAs(browser, as(viewer), '/webhooks');
    await seen.page.getByText('The webhooks of this group and of its things.').waitFor();
    await seen.page.getByRole('link', { name: 'Of the group' }).waitFor();
    await seen.page.getByRole('link', { name: 'Of the thing' }).waitFor();
    expect(await seen.page.getByText('Of the org').count()).toBe(0);
    await expectNoFindings(seen.page);
    expect(await seen.page.getByRole('button', { name: 'Add webhook' }).count()).toBe(0);
    await seen.page.getByRole('link', { name: 'Of the group' }).click();
    await seen.page.getByText('Nothing was attempted').waitFor();
    await seen.page.getByRole('definition').getByRole('link', { name: 'group' }).waitFor();
    await expectNoFindings(seen.page);
    expect(await seen.page.getByRole('button', { name: 'Delete' }).count()).toBe(0);
    expect(seen.problems).toEqual([]);
    await seen.context.close();

    const changed = await openAs(browser, as(editor), '/webhooks');
    await changed.page.getByRole('button', { name: 'Add webhook' }).click();
    const dialog = changed.page.getByRole('dialog');
    await dialog.getByText('It gets the messages of all things of the group').waitFor();
    await dialog.getByLabel('Name').fill('Of an editor');
    await dialog.getByLabel('Sends to').fill(receiver.url('/ok'));
    await dialog.getByRole('button', { name: 'Add webhook' }).click();
    await changed.page.getByRole('heading', { name: 'Of an editor', level: 1 }).waitFor();
    await changed.page.getByRole('button', { name: 'Delete' }).waitFor();
    await changed.page.goto(`${system().apiUrl}/#/things/${thingId}?tab=about`);
    await changed.page.getByRole('link', { name: 'Of the thing' }).waitFor();
    await changed.page.getByRole('button', { name: 'Add webhook' }).click();
    await dialog.getByText('It gets the messages of the thing').waitFor();
    expect(changed.problems).toEqual([]);
    await changed.context.close();

    const { page, context } = await openAs(browser, as(nobody), '/webhooks');
    await page.getByText('There are no webhooks for you to see').waitFor();
    await context.close();
  });
});
