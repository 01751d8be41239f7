import { readFileSync } from 'node:fs';
import { randomUUID } from 'node:crypto';
import { parse } from 'csv-parse/sync';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json } from '../support/api/http.ts';
import { createEstate, type Estate, password, People, type Person } from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindings, openAs } from './open.ts';

describe.runIf(hasBrowser())('an import of things', () => {
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

  const open = async () =>
    openAs(browser, { email: owner.email, password }, `/things/import?group=${estate.groupId}`);

  const choose = (page: Page, text: string | Buffer) =>
    page.getByLabel('File').setInputFiles({
      name: 'things.csv',
      mimeType: 'text/csv',
      buffer: Buffer.from(text),
    });

  /** The cells of a file that a button saves. */
  async function saved(page: Page, button: string): Promise<string[][]> {
    const coming = page.waitForEvent('download');
    await page.getByRole('button', { name: button }).click();
    const path = await (await coming).path();
    return parse(readFileSync(path), { bom: true });
  }

  const things = async (text: string) =>
    [
      at(
        await call('GET', `/things?limit=200&text=${encodeURIComponent(text)}&order=name&dir=asc`, {
          as: owner.as,
        }),
        'things',
      ),
    ].flat();

  it('maps columns, shows what is wrong where, makes the others, and gives back what failed', async () => {
    const { page, context, problems } = await open();
    const mark = randomUUID().slice(0, 8);
    const taken = `taken ${mark}`;
    const first = { body: [{ name: taken, type: 'sensor' }], as: owner.as };
    expect((await call('POST', `/profiles/${estate.profileId}/things`, first)).status).toBe(201);
    const template = await saved(page, 'Template');
    expect(template[0]).toContain('external_key');
    // Saved by a spreadsheet of a country that writes decimals with commas.
    const file = [
      '\uFEFFDevice name;Type;External key;floor;Remarks;last_seen',
      `"Pump ""A""; ${mark}";ACTUATOR;key-${mark};2;"two`,
      `lines";2026`,
      '',
      `<img src=x onerror=alert(1)> ${mark};;;007;'=1+1;`,
      `\u202Eevil ${mark};sensor;;true;;`,
      ';sensor;;1;;',
      `robot ${mark};robot;abc;1;;`,
      `Pump twice ${mark};sensor;key-${mark};1;;`,
      `${taken};sensor;;1;;`,
    ].join('\r\n');
    await choose(page, file);
    await page.getByText('4 things can be made; 3 rows are wrong.').waitFor();
    const row = (line: number) => page.getByRole('row', { name: new RegExp(`^${line} `) });
    expect(await row(7).innerText()).toContain('it has no name');
    expect(await row(8).innerText()).toMatch(/the type is none of .*the external key has not 5/);
    expect(await row(9).innerText()).toContain('line 2 has the same');
    expect(await row(8).locator('td[data-wrong=true]').count()).toBe(2);
    await page.getByLabel('Only rows that are wrong').check();
    await page.getByText('The first 3 of 3 rows that are wrong').waitFor();
    await page.getByLabel('Remarks', { exact: true }).first().selectOption('Left out');
    await page.getByLabel('Remarks', { exact: true }).first().selectOption('Metadata: Remarks');
    await expectNoFindings(page);
    await page.setViewportSize({ width: 390, height: 900 });
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Make 4 things' }).click();
    await page.getByText('3 things were made.').waitFor();
    await page.getByText('4 rows failed.').waitFor();
    const failed = await saved(page, 'Save the rows that failed');
    expect(failed.map(([line]) => line)).toEqual(['line', '7', '8', '9', '10']);
    expect(failed.at(-1)).toEqual(expect.arrayContaining([taken, 'sensor']));
    const keys = await saved(page, 'Save the keys of the devices');
    expect(keys).toHaveLength(4);
    const made = await things(mark);
    const pump = made.find((one) => String(Object(one).name).startsWith('Pump'));
    expect(pump).toMatchObject({
      name: `Pump "A"; ${mark}`,
      type: 'actuator',
      external_key: `key-${mark}`,
      metadata: { floor: 2, Remarks: 'two\r\nlines' },
    });
    const image = made.find((one) => String(Object(one).name).startsWith('<img'));
    expect(image).toMatchObject({ metadata: { floor: '007', Remarks: '=1+1' } });
    expect(keys.find(([id]) => id === Object(pump).id)?.[2]).toBe(Object(pump).key);
    expect(problems.filter((text) => !text.includes('409'))).toEqual([]);
    await context.close();
  });

  it('finds profiles and groups by their names, and says which there are not', async () => {
    const { page, context, problems } = await open();
    const mark = randomUUID().slice(0, 8);
    const other = await createEstate(owner.as);
    const profiles = { as: owner.as, body: [{ name: `Cold ${mark}` }] };
    await call('POST', `/groups/${other.groupId}/profiles`, profiles);
    const group = String(
      at(await call('GET', `/groups/${other.groupId}`, { as: owner.as }), 'name'),
    );
    const text = [
      'name\tprofile\tgroup\tmetadata',
      `one ${mark}\tCold ${mark}\t\t{"a":{"b":1}}`,
      `two ${mark}\t${other.profileId}\t${other.groupId}\t`,
      `three ${mark}\tNo such ${mark}\t\t`,
      `four ${mark}\t\t${group}\t`,
      `five ${mark}\t\t\t[1]`,
    ].join('\n');
    await page.getByLabel('Or paste rows here').fill(text);
    await page.getByRole('button', { name: 'Read the rows' }).click();
    await page.getByText('2 things can be made; 3 rows are wrong.').waitFor();
    await page.getByText(`there is no profile No such ${mark} that you see`).waitFor();
    await page.getByText(/^group .* has several profiles: name one$/).waitFor();
    await page.getByText('the metadata is no JSON object').waitFor();
    await page.getByRole('button', { name: 'Make 2 things' }).click();
    await page.getByText('2 things were made.').waitFor();
    const made = await things(mark);
    expect(made.map((one) => Object(one).group_id)).toEqual([other.groupId, other.groupId]);
    expect(made[0]).toMatchObject({ metadata: { a: { b: 1 } } });
    await page.getByRole('button', { name: 'Another file' }).click();
    for (const [bad, why] of [
      ['', 'There is nothing in it.'],
      ['name,type\n', 'It has the names of columns alone'],
      ['name\n"never closed', 'a quote is never closed'],
    ] as const) {
      await choose(page, bad);
      await page.getByText(why).waitFor();
    }
    expect(problems).toEqual([]);
    await context.close();
  });

  it('of 10,000 rows is stopped and goes on, and makes each of them once', async () => {
    const { page, context, problems } = await open();
    const mark = randomUUID().slice(0, 8);
    const rows = 10_000;
    const lines = Array.from({ length: rows }, (_, i) => `bulk ${mark} ${i},sensor,${i % 9}`);
    await choose(page, ['name,type,floor', ...lines].join('\n'));
    await page.getByRole('button', { name: 'Make 10,000 things' }).click();
    await page.getByText(/^(?!0 )[\d,]+ of 10,000 things (is|are) made …/).waitFor();
    await page.getByRole('button', { name: 'Stop' }).click();
    await page.getByText(/^Stopped: [\d,]+ of 10,000 things were made\./).waitFor();
    const count = async () => {
      const path = `/groups/${estate.groupId}/things?limit=1&text=${mark}`;
      return at(await call('GET', path, { as: owner.as }), 'total');
    };
    const stoppedAt = Number(await count());
    expect(stoppedAt).toBeLessThan(rows);
    await page.getByRole('button', { name: 'Go on' }).click();
    await eventually(async () => expect(await count()).toBe(rows), 120_000);
    await page.getByText('10,000 things were made.').waitFor();
    expect(json(await call('GET', `/things?limit=1&text=${mark}`, { as: owner.as }))).toMatchObject(
      { things: [{ metadata: { floor: expect.any(Number) } }] },
    );
    expect(problems).toEqual([]);
    await context.close();
  });
});
