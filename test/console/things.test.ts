import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { connectMqtt } from '../support/messages/mqtt.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, linkOf, openAs } from './open.ts';

/** The numbers and lines of the list that their cells do not show in full. */
const cutParts = `[...document.querySelectorAll('td :is(.amount, .sparkline)')]
  .filter((part) => {
    const [inner, outer] = [part, part.closest('td')].map((one) => one.getBoundingClientRect());
    return inner.left < outer.left || inner.right > outer.right;
  })
  .map((part) => part.textContent + part.classList.value)`;

const leftOfNames = `document.querySelector('tbody th').getBoundingClientRect().left`;

/** More than a page of the list, and than a window shows. */
const fleetSize = 62;

describe.runIf(hasBrowser())('things in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let estate: Estate;
  const mark = randomUUID().slice(0, 8);

  beforeAll(async () => {
    people = new People();
    owner = await people.register();
    estate = await createEstate(owner.as);
    await createThings(
      owner.as,
      estate.profileId,
      Array.from({ length: fleetSize }, (_, i) => ({
        name: `Meter ${mark} ${String(i).padStart(2, '0')}`,
        type: i === 0 ? 'gateway' : 'sensor',
        metadata: { floor: i },
      })),
    );
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  const as = ({ email }: Person) => ({ email, password });

  async function publish(key: string, records: object[], subtopic = ''): Promise<number> {
    const headers = { 'content-type': 'application/senml+json' };
    const ask = { as: `Thing ${key}`, body: records, headers };
    return (await call('POST', `/http/messages${subtopic}`, ask)).status;
  }

  it('are found by name, type, state and metadata, and show as one scrolls', async () => {
    const { page, context, problems } = await openAs(browser, as(owner), `/things?name=${mark}`);
    await page.getByText(`${fleetSize} things`).waitFor();
    await page.getByRole('link', { name: `Meter ${mark} 00` }).waitFor();
    await expectNoFindings(page);
    // The heads that sort show it, whether or not by them.
    expect(await page.locator('thead .sorts > [aria-hidden=true]').count()).toBe(2);
    await page.mouse.wheel(0, 20_000);
    await page.getByRole('link', { name: `Meter ${mark} ${fleetSize - 1}` }).waitFor();
    expect(await page.getByRole('link', { name: `Meter ${mark} 00` }).count()).toBe(0);
    await page.getByRole('button', { name: 'Name' }).click();
    await page
      .getByRole('columnheader', { name: 'Name' })
      .and(page.locator('[aria-sort=descending]'))
      .waitFor();
    await page.getByRole('link', { name: `Meter ${mark} ${fleetSize - 1}` }).waitFor();
    expect(page.url()).toContain('dir=desc');
    await page.getByLabel('Type').selectOption('Gateways');
    await page.getByText('1 thing', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('Never heard');
    await page.getByText('1 thing', { exact: true }).waitFor();
    await page.getByLabel('State').selectOption('Heard within 15 minutes');
    await page.getByText('No thing fits these filters').waitFor();
    await page.getByRole('button', { name: 'Clear filters' }).click();
    await expect.poll(() => page.getByRole('searchbox').inputValue()).toBe('');
    await page.getByRole('searchbox').fill('floor=7');
    await page.getByText('1 thing', { exact: true }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are chosen, one by one or all that match, and changed together', async () => {
    const link = `/things?name=Meter+${mark}`;
    const { page, context, problems } = await openAs(browser, as(owner), link);
    const dialog = page.getByRole('dialog');
    await page.getByLabel(`Choose Meter ${mark} 00`).check();
    await page.getByText('1 chosen').waitFor();
    await page.getByLabel('Choose all that show').check();
    await page.getByRole('button', { name: `Choose all ${fleetSize} that match` }).click();
    await page.getByText(`${fleetSize} chosen`).waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Set metadata' }).click();
    await dialog.getByLabel('Key').fill('batch');
    await dialog.getByLabel('Value').fill('9');
    await dialog.getByRole('button', { name: `Set it in ${fleetSize} things` }).click();
    await dialog.getByText(`${fleetSize} things done.`).waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    const filter = encodeURIComponent('{"batch":9}');
    const changed = await call('GET', `/things?metadata=${filter}`, { as: owner.as });
    expect(at(changed, 'total')).toBe(fleetSize);

    await page.getByRole('button', { name: 'Columns' }).click();
    await dialog.getByLabel('A column of').selectOption('a key of metadata');
    await dialog.getByLabel('Name, path or key').fill('batch');
    await dialog.getByRole('button', { name: 'Add the column' }).click();
    await page.keyboard.press('Escape');
    await page.getByRole('columnheader', { name: 'batch' }).waitFor();
    await page.getByRole('cell', { name: '9', exact: true }).first().waitFor();
    await page.getByRole('button', { name: 'Save view' }).click();
    await dialog.getByLabel('Name').fill('By batch');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByLabel('Saved views').selectOption('Saved views …');
    await page.getByLabel('Saved views').selectOption('By batch');
    await page.getByRole('columnheader', { name: 'batch' }).waitFor();

    await page.getByRole('searchbox').fill(`Meter ${mark} 6`);
    await page.getByText('2 things', { exact: true }).waitFor();
    await page.getByLabel('Choose all that show').check();
    await page.getByRole('button', { name: 'Rotate keys' }).click();
    await dialog.getByRole('button', { name: 'Rotate the keys of 2 things' }).click();
    await dialog.getByText('2 things done.').waitFor();
    const saving = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Save the new keys' }).click();
    const saved = readFileSync(await (await saving).path(), 'utf8')
      .trim()
      .split('\n');
    const [, id = '', key = ''] = /^"([^"]+)","[^"]+","([^"]+)"$/.exec(saved[1] ?? '') ?? [];
    expect(saved).toHaveLength(3);
    expect(at(await call('GET', `/things/${id}`, { as: owner.as }), 'key')).toBe(key);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('2 things', { exact: true }).waitFor();
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Export CSV' }).click();
    expect((await download).suggestedFilename()).toBe('things.csv');
    await page.getByLabel('Choose all that show').check();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByLabel('Type 2 to confirm').fill('3');
    await dialog.getByRole('button', { name: 'Delete 2 things' }).click();
    await dialog.locator('.field').getByText('That is not their number.').waitFor();
    await dialog.getByLabel('Type 2 to confirm').fill('2');
    await dialog.getByRole('button', { name: 'Delete 2 things' }).click();
    await dialog.getByText('2 things done.').waitFor();
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByText('No thing fits these filters').waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show how many messages came in the last hour', async () => {
    const name = `Talker ${mark}`;
    const [talker] = await createThings(owner.as, estate.profileId, [{ name, type: 'sensor' }]);
    const records = [
      { bn: 'hall:', n: 'a', v: 1 },
      { n: 'b', v: 2 },
      { n: 'c', v: 3 },
    ];
    expect(await publish(talker?.key ?? '', records)).toBe(202);
    const { page, context } = await openAs(browser, as(owner), `/things?name=Talker%20${mark}`);
    await eventually(async () => {
      await page.reload();
      const cell = page.getByRole('row', { name }).getByRole('cell', { name: '3', exact: true });
      await cell.waitFor({ timeout: 2_000 });
    });
    await context.close();
  });

  it('show a series that was chosen, its last day and what is older, each in a column with room', async () => {
    const name = `Freezer ${mark}`;
    const given = [
      { name, type: 'sensor', metadata: { hall: 'Long name of a hall in the north' } },
    ];
    const [freezer] = await createThings(owner.as, estate.profileId, given);
    const now = Date.now() / 1_000;
    const sleeping = [{ name: `Sleeper ${name}`, type: 'sensor' }];
    const [sleeper] = await createThings(owner.as, estate.profileId, sleeping);
    const old = [{ n: 'temperature', u: 'Cel', t: now - 3 * 86_400, v: 6 }];
    expect(await publish(sleeper?.key ?? '', old)).toBe(202);
    const records = [3, 2, 1].map((hours) => ({
      n: 'temperature',
      u: 'Cel',
      t: now - hours * 3_600,
      v: -20.1234 - hours * 100,
    }));
    expect(await publish(freezer?.key ?? '', records)).toBe(202);
    const columns = 'state,type,seen,rate,group,value:senml:temperature,metadata:hall';
    const link = linkOf('/things', { name: `Freezer ${mark}`, columns });
    const { page, context, problems } = await openAs(browser, as(owner), link);
    const row = page
      .getByRole('row')
      .filter({ has: page.getByRole('link', { name, exact: true }) });
    await eventually(async () => {
      await page.reload();
      await row.getByRole('cell', { name: '-120.123 °C' }).waitFor({ timeout: 2_000 });
    });
    await page
      .getByRole('row', { name: 'Sleeper' })
      .getByRole('cell', { name: /^6 °C .*3 days ago$/ })
      .waitFor();
    await page.getByRole('button', { name: 'Columns' }).click();
    const dialog = page.getByRole('dialog');
    await dialog.getByLabel('A column of').selectOption('the last 24 hours of a SenML name');
    await dialog.getByLabel('Name, path or key').fill('temperature');
    await dialog.getByRole('button', { name: 'Add the column' }).click();
    await page.keyboard.press('Escape');
    await row.getByRole('img', { name: /temperature/ }).waitFor();
    for (const width of [1280, 390]) {
      await page.setViewportSize({ width, height: 900 });
      await expectNoFindings(page);
      expect(await page.getByRole('columnheader').count()).toBe(9);
      expect(await page.evaluate(cutParts)).toEqual([]);
    }
    await row.getByRole('img', { name: /temperature/ }).scrollIntoViewIfNeeded();
    expect(await page.evaluate(leftOfNames)).toBeGreaterThanOrEqual(0);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are made, send a first message that lights up, and show their values live', async () => {
    const { page, context, problems } = await openAs(browser, as(owner), '/things');
    await page.getByRole('button', { name: 'New thing' }).click();
    const name = `Boiler ${mark}`;
    await page.getByLabel('Name', { exact: true }).fill(name);
    await page.getByRole('dialog').getByRole('button', { name: 'New thing' }).click();
    await page.getByText('Waiting for the first message.').waitFor();
    const lines = page.getByRole('region', { name: 'curl' });
    expect(await lines.textContent()).toContain('••••');
    await page.getByRole('button', { name: 'Show', exact: true }).click();
    const [, key = ''] = /Thing (\S+)'/.exec((await lines.textContent()) ?? '') ?? [];
    expect(await publish(key, [{ n: 'temperature', u: 'Cel', v: 21.5 }])).toBe(202);
    await page.getByText('Connected: messages of this thing arrive.').waitFor();

    await page.getByText('over http').waitFor();
    await publish(key, [{ n: 'temperature', u: 'Cel', v: 21.5 }], '/plant/north');
    await page.getByText('over http, subtopic plant.north').waitFor();
    await page.reload();
    await page.getByText('over http, subtopic plant.north').waitFor();

    await page.getByRole('link', { name: 'Latest' }).click();
    await page.getByRole('row', { name: /temperature 21\.5 °C/ }).waitFor();
    await page.locator('.rate .amount:not([height="0"])').first().waitFor();
    await page.getByText('Active', { exact: true }).hover();
    await page.getByRole('tooltip', { name: /^Active: its last message/ }).waitFor();
    await expectNoFindings(page);
    await publish(key, [{ n: 'temperature', u: 'Cel', v: 22.25 }]);
    await page.getByRole('row', { name: /temperature 22\.25 °C/ }).waitFor();
    await expectNoFindings(page);
    // The trend ends with the newest value, which is the highest.
    await page.reload();
    expect(await page.locator('.sparkline circle').first().getAttribute('cy')).toBe('2');
    await page.getByRole('link', { name: 'Messages' }).click();
    await page
      .getByRole('row', { name: /temperature 21\.5 °C/ })
      .first()
      .waitFor();
    await page.getByRole('row', { name: /temperature plant\.north 21\.5 °C/ }).waitFor();
    expect(await page.getByRole('row').count()).toBe(4);
    await page.getByLabel('Name begins with').fill('temp');
    await page.getByLabel('Range').selectOption('Last hour');
    await eventually(() => page.url().includes('name=temp'));
    expect(await page.getByRole('row').count()).toBe(4);
    await page.getByLabel('Name begins with').fill('emp');
    await page.getByText('No messages yet').waitFor();

    await page.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('button', { name: 'Rotate' }).click();
    await page.getByRole('button', { name: 'Rotate the key' }).click();
    await page.getByText('The key was changed.').waitFor();
    const fresh = page.getByRole('dialog', { name: 'The new key' });
    expect(await fresh.locator('code').textContent()).toMatch(/^[0-9a-f]{64}$/);
    await fresh.getByRole('button', { name: 'Close' }).click();
    await eventually(async () => (await publish(key, [{ n: 'late', v: 1 }])) === 401);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('are renamed, described, moved, given a certificate and deleted on their page', async () => {
    const name = `Plain ${mark}`;
    const [thing] = await createThings(owner.as, estate.profileId, [{ name, type: 'sensor' }]);
    const path = `/things/${thing?.id}`;
    const { page, context, problems } = await openAs(browser, as(owner), `${path}?tab=about`);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await dialog.getByLabel('Name').fill(`Renamed ${mark}`);
    await dialog.getByLabel('Type').selectOption('Gateway');
    await dialog.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: `Renamed ${mark}` }).waitFor();

    await page.getByRole('button', { name: 'Edit metadata' }).click();
    await page.getByLabel('Key', { exact: true }).fill('floor');
    await page.getByLabel('Type of the value').selectOption('Number');
    await page.getByLabel('Value', { exact: true }).fill('two');
    await page.getByText('This is not a number.').waitFor();
    await page.getByLabel('Value', { exact: true }).fill('2');
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'JSON' }).click();
    const text = page.getByLabel('Metadata as JSON');
    expect(JSON.parse(await text.inputValue())).toEqual({ floor: 2 });
    await text.fill('{ "floor": 2, "place": }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText(/This is not JSON: line 1, column 24/).waitFor();
    await text.and(page.locator('[aria-invalid=true]')).waitFor();
    expect(await page.locator('.notice').count()).toBe(0);
    await text.fill('{ "floor": 2, "place": "hall" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('The metadata was changed.').waitFor();
    const kept = await call('GET', path, { as: owner.as });
    expect(at(kept, 'type')).toBe('gateway');
    expect(at(kept, 'metadata')).toEqual({ floor: 2, place: 'hall' });

    const other = await createEstate(owner.as);
    await page.reload();
    await page.getByRole('button', { name: 'Move' }).click();
    await dialog.getByRole('combobox').selectOption(other.profileId);
    await page.getByText(/all its messages: who is in .* reads them/).waitFor();
    await dialog.getByRole('button', { name: 'Move the thing' }).click();
    await page.getByText(/The thing was moved to/).waitFor();
    expect(at(await call('GET', path, { as: owner.as }), 'group_id')).toBe(other.groupId);

    await page.getByRole('button', { name: 'Issue a certificate' }).click();
    await dialog.getByRole('button', { name: 'Issue a certificate' }).click();
    const download = page.waitForEvent('download');
    await dialog.getByRole('button', { name: 'Private key' }).click();
    expect((await download).suggestedFilename()).toMatch(/\.key\.pem$/);
    await dialog.getByRole('button', { name: 'Close' }).click();
    await page.getByRole('button', { name: 'Revoke' }).click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    await page.getByText('The certificate was revoked.').waitFor();

    await page.getByRole('button', { name: 'Delete', exact: true }).click();
    await dialog.getByLabel('Type its name to confirm').fill('Another');
    await dialog.getByRole('button', { name: 'Delete the thing' }).click();
    await dialog.locator('.field').getByText('That is not its name.').waitFor();
    await dialog.getByLabel('Type its name to confirm').fill(`Renamed ${mark}`);
    await dialog.getByRole('button', { name: 'Delete the thing' }).click();
    await page.getByText('The thing was deleted.').waitFor();
    expect((await call('GET', path, { as: owner.as })).status).toBe(404);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('say how many of their messages were refused without a word, since when and why', async () => {
    const given = [{ name: `Mute ${mark}`, type: 'sensor' }];
    const [mute] = await createThings(owner.as, estate.profileId, given);
    // Version 3.1.1 has no word for it: each is acknowledged.
    const { client, end } = await connectMqtt(mute?.key ?? '', 4);
    const bad = '[{"n":"a","v":"x"}]';
    for (let i = 0; i < 41; i++) await client.publishAsync('readings', bad, { qos: 1 });
    await end();
    const path = `/things/${mute?.id}`;
    await eventually(async () => {
      const refused = at(await call('GET', path, { as: owner.as }), 'refused', 'messages');
      expect(refused).toBe(41);
    });
    const { page, context, problems } = await openAs(browser, as(owner), path);
    const notice = page.getByRole('status').filter({ hasText: 'refused' });
    await notice.waitFor();
    expect(await notice.textContent()).toMatch(
      /^41 messages were refused since .*\d.*: record 0: v: must be a finite number$/,
    );
    await expectNoFindings(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('keep their keys from viewers', async () => {
    const viewer = await people.register();
    const members = { group_memberships: [{ member_id: viewer.id, role: 'viewer' }] };
    const path = `/groups/${estate.groupId}/memberships`;
    expect((await call('POST', path, { as: owner.as, body: members })).status).toBe(201);
    const address = `/things/${estate.thingId}?tab=connect`;
    const { page, context } = await openAs(browser, as(viewer), address);
    await page.getByText('Keys show to editors of the group and above.').waitFor();
    expect(await page.content()).not.toContain(estate.key);
    await page.getByRole('link', { name: 'Things' }).first().click();
    await page.getByText(/^\d+ things$/).waitFor();
    await page.locator('.loading, .stale').first().waitFor({ state: 'detached' });
    expect(await page.locator('main').getByRole('button', { name: 'New thing' }).count()).toBe(0);
    await context.close();
  });
});
