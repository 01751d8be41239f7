import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { endAlarm, insertAlarm, insertRule } from '../support/fixtures/alarms.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, expectNoFindingsInBoth, openAs } from './open.ts';

describe.runIf(hasBrowser())('alarms in the console', () => {
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
  const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
  const countIn = (page: Page) =>
    page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Alarms' });

  async function publish(key: string, body: unknown): Promise<void> {
    const headers = { 'content-type': 'application/senml+json' };
    const answer = await call('POST', '/http/messages', { as: `Thing ${key}`, body, headers });
    expect(answer.status).toBe(202);
  }

  /** A thing of its own, so that tests do not see each other's alarms by it. */
  async function makeThing(name: string): Promise<string> {
    const [thing] = await createThings(owner.as, estate.profileId, [{ name, type: 'sensor' }]);
    return thing?.id ?? '';
  }

  it('come and go without a reload, and are worked through by keyboard', async () => {
    const { page, context, problems } = await openAs(browser, as(owner), '/things');
    await page.keyboard.press('g');
    await page.keyboard.press('a');
    await page.getByText('No alarm is open').waitFor();
    await expectNoFindingsInBoth(page);

    const thing = await makeThing(`Freezer ${randomUUID()}`);
    const values = [{ name: 'temperature', value: 8.4, unit: 'Cel' }];
    const make = async (ruleName: string, severity: string, minutes: number) => {
      const ruleId = await insertRule(people, estate.groupId);
      const firedAt = minutesAgo(minutes);
      return insertAlarm(people, thing, { ruleId, ruleName, severity, values, firedAt });
    };
    const cold = await make('Cold room', 'critical', 95);
    await page.getByRole('row', { name: /Cold room/ }).waitFor();
    await make('Door', 'warning', 50);
    await make('Battery', 'info', 10);
    await page.getByRole('row', { name: /Battery/ }).waitFor();
    const row = page.getByRole('row', { name: /Cold room/ });
    expect(await row.innerText()).toMatch(
      /Critical[\s\S]*Cold room[\s\S]*Freezer[\s\S]*8\.4 °C[\s\S]*1 h 35 min[\s\S]*Firing/,
    );
    await eventually(async () => (await countIn(page).innerText()).includes('3'));
    await expectNoFindingsInBoth(page);

    // The newest stands first: the third one is the oldest.
    for (const key of ['j', 'j', 'ArrowDown', 'k', 'j']) await page.keyboard.press(key);
    await page.keyboard.press('a');
    const dialog = page.getByRole('dialog', { name: 'Acknowledge' });
    await dialog.getByText('Cold room').waitFor();
    await page.keyboard.type('door was open: jam');
    await expectNoFindingsInBoth(page);
    await page.keyboard.press('Enter');
    await row.getByText('door was open: jam').waitFor();
    await eventually(async () => (await countIn(page).innerText()).includes('2'));
    expect(textAt(await call('GET', `/alarms/${cold}`, { as: owner.as }), 'note')).toBe(
      'door was open: jam',
    );

    await page.keyboard.press('k');
    await page.keyboard.press('s');
    const silencing = page.getByRole('dialog', { name: 'Silence' });
    await silencing.getByText('Door').waitFor();
    await page.keyboard.type('the hinge is being mended');
    await expectNoFindingsInBoth(page);
    await silencing.getByLabel('For how long').selectOption('4 hours');
    await silencing.getByRole('button', { name: 'Silence' }).click();
    await page.getByText('They are silenced.').waitFor();
    const silences = await call('GET', `/groups/${estate.groupId}/silences`, { as: owner.as });
    expect(silences.text).toContain('the hinge is being mended');

    await page.getByLabel('Acknowledged').selectOption('By nobody yet');
    await row.waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Door' }).focus();
    await page.keyboard.press('a');
    await page.keyboard.press('Enter');
    await page.getByRole('row', { name: /Door/ }).waitFor({ state: 'detached' });
    // The next row takes the place of the one that left, so that one goes on with the keys alone.
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Battery', level: 1 }).waitFor();
    await expectNoFindingsInBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are told whole on a page of their own, which changes as they do', async () => {
    const name = `Tank ${randomUUID()}`;
    const thing = await makeThing(name);
    const values = [{ name: 'level', value: 3.25, unit: '%EL' }];
    const ruleId = await insertRule(people, estate.groupId);
    const id = await insertAlarm(people, thing, { ruleId, ruleName: 'Tank level', values });
    const { page, context, problems } = await openAs(browser, as(owner), `/alarms/${id}`);
    await page.getByRole('heading', { name: 'Tank level', level: 1 }).waitFor();
    await page.getByRole('link', { name }).waitFor();
    await page.getByText('It goes on').waitFor();
    await page.getByText('3.25 %', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByLabel('Note').fill('the pump is on');
    await page.getByRole('dialog').getByRole('button', { name: 'Acknowledge' }).click();
    await page.getByText('the pump is on').waitFor();
    await page.getByText(owner.email).first().waitFor();
    await endAlarm(people, id);
    await page.getByText('its conditions were over').waitFor();
    await expectNoFindingsInBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are shaded on the charts of what their rules watch, and told under the pointer', async () => {
    const estates = await createEstate(owner.as);
    const { groupId, thingId, key } = estates;
    const condition = { name: 'temperature', when: '>', value: 8 };
    const ruleId = await createdAt(`/groups/${groupId}/rules`, owner.as, {
      name: 'Warm',
      conditions: [condition],
    });
    const now = Math.floor(Date.now() / 1_000);
    await publish(
      key,
      Array.from({ length: 24 }, (_, i) => ({
        n: 'temperature',
        u: 'Cel',
        t: now - i * 3_600,
        v: i === 12 ? 9 : 5,
      })),
    );
    const id = await insertAlarm(people, thingId, {
      ruleId,
      ruleName: 'Warm',
      severity: 'warning',
      firedAt: minutesAgo(750),
      endedAt: minutesAgo(690),
    });
    const at = `/things/${thingId}?tab=alarms`;
    const { page, context, problems } = await openAs(browser, as(owner), at);
    const pointAtMiddle = async () => {
      const plot = page.locator('.u-over');
      const { width = 0 } = (await plot.boundingBox()) ?? {};
      await plot.hover({ position: { x: width / 2, y: 60 } });
      await page.locator('.episode-tip').getByText('Warm – thing').waitFor({ timeout: 2_000 });
    };
    await page.getByRole('img', { name: /^Chart of temperature/ }).waitFor();
    await page.getByRole('row', { name: /Warning[\s\S]*Warm/ }).waitFor();
    await eventually(pointAtMiddle);
    await expectNoFindingsInBoth(page);
    await page.getByRole('link', { name: 'Explore' }).last().click();
    await page.getByText('Shaded over the whole height: 1 alarm').waitFor();
    await eventually(pointAtMiddle);
    await page.goto(`${system().apiUrl}/#/alarms/${id}`);
    await page.getByRole('img', { name: /^Chart of temperature/ }).waitFor();
    await eventually(pointAtMiddle);
    await expectNoFindingsInBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are found by filters that stand in the address, and may be exported', async () => {
    const group = await createEstate(owner.as);
    const make = (ruleName: string, severity: string, endedAt?: string) =>
      insertAlarm(people, group.thingId, {
        ruleName,
        severity,
        firedAt: minutesAgo(30),
        ...(endedAt === undefined ? {} : { endedAt }),
      });
    await make('Heat', 'critical');
    await make('Dust', 'info');
    await make('Noise', 'critical', minutesAgo(5));
    const at = `/alarms?group=${group.groupId}`;
    const { page, context, problems } = await openAs(browser, as(owner), at);
    await page.getByRole('link', { name: 'Heat' }).waitFor();
    expect(await page.getByRole('link', { name: 'Noise' }).count()).toBe(0);
    await page.getByLabel('Severity').selectOption('Critical');
    await page.getByRole('link', { name: 'Dust' }).waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('Ended');
    await page.getByRole('row', { name: /Noise[\s\S]*25 min[\s\S]*Ended/ }).waitFor();
    await page.reload();
    await page.getByRole('link', { name: 'Noise' }).waitFor();
    expect(await page.getByRole('link', { name: 'Heat' }).count()).toBe(0);
    const download = page.waitForEvent('download');
    await page.getByRole('link', { name: 'Export as CSV' }).click();
    expect((await download).suggestedFilename()).toBe('alarms.csv');
    await page.getByLabel('State').selectOption('Clearing');
    await page.getByText('No alarm fits these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await page.getByRole('link', { name: 'Dust' }).waitFor();
    await page.getByLabel('Rule').selectOption('Dust');
    await page.getByRole('link', { name: 'Heat' }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show to a viewer, who is not led to what only editors may do', async () => {
    const { groupId, thingId } = await createEstate(owner.as);
    const viewer = await people.member('group', groupId, 'viewer');
    const ruleId = await insertRule(people, groupId);
    await insertAlarm(people, thingId, { ruleId, ruleName: 'Smoke' });
    const elsewhere = await createEstate(owner.as);
    await people.join('org', elsewhere.orgId, viewer, 'viewer');
    await people.join('group', elsewhere.groupId, viewer, 'viewer');
    await insertAlarm(people, elsewhere.thingId, { ruleName: 'Frost', firedAt: minutesAgo(5) });
    const seen = await openAs(browser, as(viewer), '/alarms');
    await seen.page.getByRole('link', { name: 'Smoke' }).waitFor();
    // Without a place: of all orgs, and as they change.
    await seen.page.getByRole('link', { name: 'Frost' }).waitFor();
    await eventually(async () => (await countIn(seen.page).innerText()).includes('2'));
    const flood = await insertAlarm(people, elsewhere.thingId, {
      ruleName: 'Flood',
      firedAt: minutesAgo(2),
    });
    await seen.page.getByRole('link', { name: 'Flood' }).waitFor();
    await endAlarm(people, flood);
    await seen.page.getByRole('link', { name: 'Flood' }).waitFor({ state: 'detached' });
    expect(seen.page.url()).not.toMatch(/org=|group=/);
    await expectNoFindings(seen.page);
    expect(await seen.page.getByRole('button', { name: /Acknowledge/ }).count()).toBe(0);
    await seen.page.keyboard.press('j');
    await seen.page.keyboard.press('a');
    await seen.page.keyboard.press('Enter');
    await seen.page.getByRole('heading', { level: 1, name: /Smoke|Frost/ }).waitFor();
    expect(await seen.page.getByRole('button', { name: 'Acknowledge' }).count()).toBe(0);
    await expectNoFindings(seen.page);
    expect(seen.problems).toEqual([]);
    await seen.context.close();

    const nobody = await openAs(browser, as(await people.register()), '/alarms');
    await nobody.page.getByText('There are no alarms for you to see').waitFor();
    await expectNoFindings(nobody.page);
    await nobody.context.close();
  });

  /** A day of records every ten minutes, of which an hour, half a day ago, is too warm. */
  async function publishDay(key: string): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    const records = Array.from({ length: 144 }, (_, i) => ({
      n: 'temperature',
      u: 'Cel',
      t: now - i * 600,
      v: i >= 72 && i <= 78 ? 9 : 5,
    }));
    await publish(key, [...records, { n: 'door_open', vb: false }]);
  }

  it('have rules, which are typed beside a chart of what they would have done', async () => {
    const { groupId, thingId, key } = await createEstate(owner.as);
    await publishDay(key);
    await eventually(async () => {
      const latest = await call('GET', `/reader/senml?publisher=${thingId}`, { as: owner.as });
      expect(latest.text).toContain('door_open');
    });
    const at = `/rules?group=${groupId}`;
    const { page, context, problems } = await openAs(browser, as(owner), at);
    await page.getByText('There are no rules yet').waitFor();
    await expectNoFindingsInBoth(page);
    await page.getByRole('link', { name: 'New rule' }).click();
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByText('Give it a name.').waitFor();
    await page.getByText('Which series?').waitFor();
    expect(await page.evaluate('document.activeElement.getAttribute("aria-invalid")')).toBe('true');
    await expectNoFindingsInBoth(page);
    await page.getByLabel('Name', { exact: false }).first().fill('Cold room');
    await page.locator('datalist option[value="temperature"]').waitFor({ state: 'attached' });
    await page.getByRole('combobox', { name: /^Series/ }).fill('temperature');
    const value = page.getByRole('textbox', { name: /^Value/ });
    await value.fill('8');
    await page.getByText('temperature > 8 for 5 min').waitFor();
    await page.getByText('It would have fired 1 time in the last 7 days.').waitFor();
    const over = page.getByRole('textbox', { name: /^Clears below/ });
    await over.fill('9');
    await page.getByText('Not more than the value at which it fires.').waitFor();
    await over.fill('');

    const slider = page.getByRole('slider', { name: /Condition 1, temperature/ });
    await slider.focus();
    for (let i = 0; i < 3; i++) await page.keyboard.press('PageUp');
    await eventually(async () => Number(await value.inputValue()) > 8);
    await value.fill('8');
    await eventually(async () => (await slider.getAttribute('aria-valuenow')) === '8');
    const { x = 0, y = 0, width = 0, height = 0 } = (await slider.boundingBox()) ?? {};
    await page.mouse.move(x + width / 2, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width / 2, y + height / 2 - 60, { steps: 5 });
    await page.mouse.up();
    expect(Number(await value.inputValue())).toBeGreaterThan(8.5);
    await value.fill('10');
    await page.getByText('It would not have fired in the last 7 days.').waitFor();
    await value.fill('8');
    await over.fill('6');
    await page.getByRole('button', { name: 'Try it on all its things' }).click();
    await page.getByText('1 alarm of 1 of 1 thing.').waitFor();
    await expectNoFindingsInBoth(page);
    await page.setViewportSize({ width: 390, height: 900 });
    await expectNoFindings(page);
    await page.setViewportSize({ width: 1280, height: 900 });
    await page.getByRole('button', { name: 'New rule' }).click();
    await page.getByText('The rule counts from now on.').waitFor();
    await page.getByRole('heading', { name: 'Cold room', level: 1 }).waitFor();

    await page.getByLabel('Severity').selectOption('Critical');
    await page.getByRole('button', { name: 'Add a condition' }).click();
    const second = page.getByRole('group', { name: 'Condition 2' });
    await second.getByRole('combobox', { name: /^Series/ }).fill('door_open');
    await second.getByLabel('Messages').selectOption('Of one subtopic');
    await page.getByRole('button', { name: 'Save' }).click();
    await second.getByText('Which subtopic?').waitFor();
    await second.getByRole('textbox', { name: /^Subtopic/ }).fill('hall');
    await page.getByText('temperature > 8 (clears < 6) and door_open (hall)').waitFor();
    await second.getByLabel('Messages').selectOption('Of every subtopic');
    await second.getByLabel('Comparison').selectOption('is');
    await second.getByLabel('Kind of value').selectOption('Yes or no');
    await second.getByRole('combobox', { name: /^Value/ }).selectOption('true');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The rule is saved.').waitFor();
    await page.goto(`${system().apiUrl}/#${at}`);
    const row = page.getByRole('row', { name: /Cold room/ });
    await page
      .getByRole('row', { name: /temperature > 8 \(clears < 6\) and door_open = true, for 5 min/ })
      .waitFor();
    await row.getByText('Critical').waitFor();
    await expectNoFindingsInBoth(page);
    await page.keyboard.press('j');
    await page.keyboard.press('Enter');

    await page.getByRole('button', { name: 'Disable' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Its alarms end').waitFor();
    await dialog.getByRole('button', { name: 'Disable' }).click();
    await page.getByText('Disabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Enable' }).click();
    await page.getByText('Enabled', { exact: true }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no rules yet').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('have silences that are looked at and ended, and receivers by default', async () => {
    const { groupId, thingId } = await createEstate(owner.as);
    const until = new Date(Date.now() + 3_600_000).toISOString();
    const body = { thing_id: thingId, reason: 'the pump is away', until };
    await createdAt(`/groups/${groupId}/silences`, owner.as, body);
    const { page, context, problems } = await openAs(
      browser,
      as(owner),
      `/silences?group=${groupId}`,
    );
    const row = page.getByRole('row', { name: /the pump is away/ });
    await row.waitFor();
    await expectNoFindingsInBoth(page);
    await row.getByRole('button', { name: 'End the silence: the pump is away' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'End' }).click();
    await page.getByText('Nothing is silenced').waitFor();
    await page.getByLabel('State').selectOption('Ended');
    await row.waitFor();

    await page.getByRole('link', { name: 'Receivers' }).click();
    await page.getByLabel('Receivers').selectOption('Webhooks and mails of its own');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Choose a webhook, or give an address.').waitFor();
    await page
      .getByRole('textbox', { name: /^Mails/ })
      .fill('night.shift@example.com, ana@example.com');
    await expectNoFindingsInBoth(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The receivers are saved.').waitFor();
    await page.reload();
    await eventually(async () =>
      (await page.getByRole('textbox', { name: /^Mails/ }).inputValue()).includes(
        'ana@example.com',
      ),
    );
    expect(problems).toEqual([]);
    await context.close();
  });

  it('have rules that a viewer looks at', async () => {
    const { groupId } = await createEstate(owner.as);
    const viewer = await people.member('group', groupId, 'viewer');
    await createdAt(`/groups/${groupId}/rules`, owner.as, {
      name: 'Silent sensor',
      conditions: [{ when: 'silent' }],
      for: 600,
    });
    const { page, context, problems } = await openAs(browser, as(viewer), '/rules');
    await page.getByRole('row', { name: /nothing heard for 10 min/ }).waitFor();
    expect(await page.getByRole('link', { name: 'New rule' }).count()).toBe(0);
    await page.getByRole('link', { name: 'Silent sensor' }).click();
    await page.getByText('It would not have fired in the last 7 days.').waitFor();
    expect(await page.getByRole('button', { name: /Save|Disable|Delete/ }).count()).toBe(0);
    expect(await page.getByLabel('It watches').isDisabled()).toBe(true);
    await expectNoFindingsInBoth(page);
    await page.goto(`${system().apiUrl}/#/receivers`);
    await page.getByText('This is for editors of groups').waitFor();

    // In several groups: all that one sees, each with its group, and a rule is made in one that is chosen.
    const other = await createEstate(owner.as);
    await people.join('org', other.orgId, viewer, 'viewer');
    await people.join('group', other.groupId, viewer, 'editor');
    const warm = { name: 'temperature', when: '>', value: 8 };
    const body = { name: 'Warm sensor', conditions: [warm] };
    await createdAt(`/groups/${other.groupId}/rules`, owner.as, body);
    await page.goto(`${system().apiUrl}/#/rules`);
    await page.reload();
    await page.getByRole('row', { name: /Silent sensor/ }).waitFor();
    await page.getByRole('row', { name: /Warm sensor/ }).waitFor();
    await page.getByRole('columnheader', { name: 'Group' }).waitFor();
    await expectNoFindingsInBoth(page);
    await page.goto(`${system().apiUrl}/#/rules?org=${other.orgId}`);
    await page.getByRole('row', { name: /Silent sensor/ }).waitFor({ state: 'detached' });
    await page.getByRole('row', { name: /Warm sensor/ }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });
});
