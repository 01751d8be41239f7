import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, textAt } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, openAs } from './open.ts';

describe.runIf(hasBrowser())('commands in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let estate: Estate;

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  const as = ({ email }: Person) => ({ email, password });

  it('are sent from the page of a thing, which shows each state as it comes', async () => {
    const path = `/things/${estate.thingId}?tab=commands`;
    const { page, context, problems } = await openAs(browser, as(owner), path);
    await page.getByText('No commands yet').waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Send a command' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Command', { exact: false }).first().fill('open');
    await dialog.getByLabel('Parameters').fill('{"percent": 40');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.getByText('The parameters are not JSON').waitFor();
    await dialog.getByLabel('Parameters').fill('{"percent": 40}');
    await dialog.getByLabel('Subtopic').fill('valve.north');
    await dialog.getByLabel('Expires').selectOption('In an hour');
    await expectNoFindings(page);
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /open valve\.north \{"percent":40\} Queued/ }).waitFor();

    const key = `Thing ${estate.key}`;
    const got = await call('GET', '/http/commands', { as: key });
    expect(at(got, 'commands', 0, 'params')).toEqual({ percent: 40 });
    await page.getByRole('row', { name: /open .*Delivered/ }).waitFor();
    await call('POST', `/http/commands/${textAt(got, 'commands', 0, 'id')}/acknowledge`, {
      as: key,
    });
    await page.getByRole('row', { name: /open .*Acknowledged/ }).waitFor();
    await expectNoFindings(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are sent to all things of a group, and listed with the thing that each is for', async () => {
    const own = await createEstate(owner.as);
    await createThings(owner.as, own.profileId, [{ name: 'Gate', type: 'actuator' }]);
    const path = `/groups/${own.groupId}?tab=commands`;
    const { page, context, problems } = await openAs(browser, as(owner), path);
    await page.getByText('No commands yet').waitFor();
    await page.getByRole('button', { name: 'Send a command' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('Command', { exact: false }).first().fill('restart');
    await dialog.getByRole('button', { name: 'Send', exact: true }).click();
    await page.getByText('The command waits for 2 things.').waitFor();
    await page.getByRole('row', { name: /Gate restart/ }).waitFor();
    await expectNoFindings(page);
    await page.getByRole('link', { name: 'Gate' }).click();
    await page.getByRole('heading', { name: 'Gate', level: 1 }).waitFor();
    await page.getByRole('row', { name: /restart .*Queued/ }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are withdrawn while they are queued', async () => {
    await call('POST', `/things/${estate.thingId}/commands`, {
      as: owner.as,
      body: { command: 'never' },
    });
    const path = `/things/${estate.thingId}?tab=commands`;
    const { page, context, problems } = await openAs(browser, as(owner), path);
    const row = page.getByRole('row', { name: /never Queued/ });
    await row.getByRole('button', { name: 'Withdraw' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Withdraw' }).click();
    await row.waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are not for viewers', async () => {
    const viewer = await people.member('org', estate.orgId, 'viewer');
    await people.join('group', estate.groupId, viewer, 'viewer');
    const { page, context } = await openAs(browser, as(viewer), `/things/${estate.thingId}`);
    await page.getByRole('link', { name: 'Messages' }).waitFor();
    expect(await page.getByRole('link', { name: 'Commands' }).count()).toBe(0);
    await context.close();
  });
});
