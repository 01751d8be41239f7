import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call, json, textAt } from '../support/api/http.ts';
import {
  createEstate,
  createThings,
  type Estate,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { expectNoFindingsInBoth, linkOf, openAs, openConsole } from './open.ts';

const senml = { 'content-type': 'application/senml+json' };

describe.runIf(hasBrowser())('dashboards in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let viewer: Person;
  let estate: Estate;

  beforeAll(async () => {
    people = new People();
    [owner, viewer] = await Promise.all([people.register(), people.register()]);
    estate = await createEstate(owner.as);
    await people.join('org', estate.orgId, viewer, 'viewer');
    await people.join('group', estate.groupId, viewer, 'viewer');
    const body = [
      { n: 'temperature', u: 'Cel', v: 20.5, t: -60 },
      { n: 'temperature', u: 'Cel', v: 21.5 },
      { n: 'door', vb: true },
    ];
    await call('POST', '/http/messages', { as: `Thing ${estate.key}`, body, headers: senml });
    await eventually(async () => {
      const read = await call('GET', '/reader/senml', { as: owner.as });
      return at(read, 'total') === 3;
    });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  const as = ({ email }: Person) => ({ email, password });
  const stored = async (id: string) => call('GET', `/dashboards/${id}`, { as: owner.as });

  it('are made, filled, arranged by keys and by the mouse, and saved', async () => {
    const { groupId } = estate;
    const list = `/dashboards?group=${groupId}`;
    const { page, context, problems } = await openAs(browser, as(owner), list);
    await page.getByText('There are no dashboards yet').waitFor();
    await page.getByRole('link', { name: 'New dashboard' }).click();
    // The list has a field of this name too.
    await page.getByRole('heading', { name: 'New dashboard', level: 1 }).waitFor();
    await page.getByLabel('Name').fill('Cold chain');
    await page.getByRole('button', { name: 'Create' }).click();
    await page.getByRole('heading', { name: 'Cold chain', level: 1 }).waitFor();
    const id = /dashboards\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';

    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Add panel' }).click();
    const form = page.getByRole('dialog', { name: 'New panel' });
    await form.getByLabel('Title').fill('Hall');
    await form.getByLabel('Shows', { exact: true }).last().selectOption('Newest value');
    await form.getByRole('button', { name: 'Add series' }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    await form.getByText('choose a thing or a variable').waitFor();
    await form.getByLabel('Series 1: Thing or variable').selectOption('thing');
    await form.getByLabel('Series 1: Value').fill('temperature');
    await form.getByLabel('Series 1: Value').press('Tab');
    await form.getByText('21.5').waitFor();
    await form.getByRole('button', { name: 'Add series' }).click();
    await form.getByRole('button', { name: 'Remove series 2' }).waitFor();
    await expectNoFindingsInBoth(page);
    await form.getByRole('button', { name: 'Remove series 2' }).click();
    await form.getByRole('button', { name: 'Apply' }).click();
    const panel = page.getByRole('region', { name: 'Hall' });
    await panel.getByText('21.5 °C').waitFor();

    await page.getByRole('button', { name: 'Duplicate Hall' }).click();
    const [first, second] = [panel.first(), panel.nth(1)];
    const grip = first.getByRole('button', { name: /^Move Hall/ });
    await grip.focus();
    await grip.press('Shift+ArrowLeft');
    await first.getByText('Hall: column 1, row 1, 5 wide, 4 high').waitFor({ state: 'attached' });
    const box = await second.getByRole('button', { name: /^Move Hall/ }).boundingBox();
    if (box === null) throw new Error('there is no grip');
    await page.mouse.move(box.x + 8, box.y + 8);
    await page.mouse.down();
    await page.mouse.move(box.x + 700, box.y - 340, { steps: 8 });
    await page.mouse.up();
    await expectNoFindingsInBoth(page);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const saved = await stored(id);
    expect(at(saved, 'version')).toBe(2);
    expect(at(saved, 'content', 'panels')).toMatchObject([
      { title: 'Hall', kind: 'value', x: 0, y: 0, w: 5, h: 4 },
      { title: 'Hall', y: 0, w: 6, h: 4 },
    ]);
    expect(at(saved, 'content', 'panels', 1, 'x')).toBeGreaterThanOrEqual(5);
    await expectNoFindingsInBoth(page);

    await page.getByRole('button', { name: 'Share' }).click();
    await page.getByRole('button', { name: 'New link' }).click();
    await page.getByLabel('For whom').fill('The landlord');
    await page.getByRole('button', { name: 'Create' }).click();
    const link = await page.getByRole('region', { name: 'Link' }).innerText();
    await page.getByRole('row', { name: /The landlord/ }).waitFor();
    await expectNoFindingsInBoth(page);
    expect(problems).toEqual([]);
    await context.close();

    const guest = await openConsole(browser, link.split('#')[1] ?? '', { width: 390 });
    await guest.page.getByRole('heading', { name: 'Cold chain', level: 1 }).waitFor();
    await guest.page.getByRole('region', { name: 'Hall' }).first().getByText('21.5 °C').waitFor();
    expect(await guest.page.getByRole('navigation').count()).toBe(0);
    expect(await guest.page.getByRole('button').count()).toBe(0);
    await expectNoFindingsInBoth(guest.page);
    expect(guest.problems).toEqual([]);
    const shares = await call('GET', `/dashboards/${id}/shares`, { as: owner.as });
    await call('DELETE', `/shares/${textAt(shares, 'shares', 0, 'id')}`, { as: owner.as });
    await guest.page.reload();
    await guest.page.getByText('This link was revoked or has ended').waitFor();
    expect(await guest.page.getByRole('button').count()).toBe(0);
    await expectNoFindingsInBoth(guest.page);
    await guest.context.close();
  });

  it('are scrolled by keys where a panel holds more than it shows, and only there', async () => {
    const { groupId, thingId } = estate;
    const panelOf = (kind: 'line' | 'table', y: number, h: number) => ({
      id: `${kind}${h}`,
      title: `${kind} of ${h} rows`,
      kind,
      series: Array.from({ length: 12 }, (_, i) => ({
        thing: thingId,
        name: 'temperature',
        label: `Temperature of the hall beside window ${i}`,
      })),
      x: 0,
      y,
      w: 6,
      h,
    });
    const panels = [panelOf('line', 0, 4), panelOf('table', 4, 3), panelOf('table', 7, 12)];
    const body = { name: 'Windows', content: { panels, range: { last: '1h' } } };
    const made = await call('POST', `/groups/${groupId}/dashboards`, { as: owner.as, body });
    const path = `/dashboards/${textAt(made, 'id')}`;
    const { page, context, problems } = await openAs(browser, as(owner), path);
    const region = (name: string) => page.getByRole('region', { name });
    const [low, high] = [region('table of 3 rows'), region('table of 12 rows')];
    await low.getByText('window 11').waitFor();
    await high.getByText('window 11').waitFor();
    const legend = region('line of 4 rows').locator('.panel-legend');
    await legend.getByText('window 11').waitFor();
    for (const one of [legend, low.locator('.panel-body')]) {
      await one.focus();
      await page.keyboard.press('End');
      await eventually(async () => (await one.evaluate('(one) => one.scrollTop')) !== 0);
    }
    expect(await high.locator('.panel-body[tabindex]').count()).toBe(0);
    await expectNoFindingsInBoth(page);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show on a map where things are, and lead to them', async () => {
    const { groupId, profileId, thingId, key } = await createEstate(owner.as);
    const place = { latitude: 47.07, longitude: 15.44 };
    const [name, moving] = ['Fixed thing', 'Moving thing'];
    await createThings(owner.as, profileId, [
      { name, type: 'sensor', metadata: place },
      { name: 'Thing without a place', type: 'sensor' },
    ]);
    await call('PUT', `/things/${thingId}`, { as: owner.as, body: { name: moving } });
    const body = [
      { n: 'lat', v: -33.87 },
      { n: 'lon', v: 151.21 },
    ];
    await call('POST', '/http/messages', { as: `Thing ${key}`, body, headers: senml });
    const content = { panels: [], range: { last: '1h' }, refresh_s: 5 };
    const path = `/groups/${groupId}/dashboards`;
    const made = await call('POST', path, { as: owner.as, body: { name: 'Places', content } });
    const id = textAt(made, 'id');
    const { page, context, problems } = await openAs(browser, as(owner), `/dashboards/${id}`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Add panel' }).click();
    const form = page.getByRole('dialog', { name: 'New panel' });
    await form.getByLabel('Title').fill('Where');
    await form.getByLabel('Shows', { exact: true }).last().selectOption('Map of things');
    await form.getByRole('link', { name }).waitFor();
    await form.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    const panel = page.getByRole('region', { name: 'Where' });
    // The page asks again until the record is stored.
    await panel.getByRole('link', { name: `${moving} Active` }).waitFor();
    await panel.getByRole('link', { name: `${name} New` }).waitFor();
    await panel.getByText('1 other thing has no place').waitFor();
    await expectNoFindingsInBoth(page);
    await panel.getByRole('button', { name: 'Nearer' }).click();
    await panel.getByRole('button', { name: 'Show all' }).click();
    const dots = panel.locator('a.map-dot');
    expect(await dots.count()).toBe(2);
    await panel.getByRole('link', { name: `${name} New` }).focus();
    await page.locator('a.map-dot[data-near="true"]').click();
    await page.getByRole('heading', { name, level: 1 }).waitFor();
    expect(problems).toEqual([]);
    await context.close();

    const share = { name: 'Guest', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const shares = `/dashboards/${id}/shares`;
    const token = textAt(await call('POST', shares, { as: owner.as, body: share }), 'token');
    const whole = await call('GET', `/shared/${token}`);
    const shown = textAt(whole, 'panels', 0, 'id');
    expect(json(await call('GET', `/shared/${token}/panels/${shown}`))).toMatchObject({
      lines: [],
    });
    const guest = await openConsole(browser, `/shared/${token}`);
    await guest.page.getByText('A map is for members only').waitFor();
    await guest.context.close();
  });

  it('take over what Explore draws', async () => {
    const { groupId, thingId } = estate;
    const explore = linkOf('/explore', {
      series: `senml:${thingId}:temperature`,
      range: '1h',
      aggregate: 'max',
      group: groupId,
    });
    const { page, context, problems } = await openAs(browser, as(owner), explore);
    await page.getByRole('button', { name: 'Export' }).click();
    await page.getByRole('menuitem', { name: 'Add to a dashboard' }).click();
    await page.getByLabel('Name').fill('From Explore');
    await page.getByRole('button', { name: 'Add to a dashboard' }).click();
    await page.getByRole('heading', { name: 'From Explore', level: 1 }).waitFor();
    const id = /dashboards\/([0-9a-f-]{36})/.exec(page.url())?.[1] ?? '';
    expect(at(await stored(id), 'content', 'panels')).toMatchObject([
      { kind: 'line', aggregation: 'max', series: [{ thing: thingId, name: 'temperature' }] },
    ]);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('show the whole history of states by their changes, and say where these are cut', async () => {
    const { groupId, thingId, key } = await createEstate(owner.as);
    const now = Math.floor(Date.now() / 1_000);
    const records = 130_000;
    const begin = now - records * 60;
    // A record each minute for 90 days, and a change each 650: 200 of them.
    const whole = Array.from({ length: records }, (_, i) => ({
      n: 'whole',
      t: begin + i * 60,
      vb: i % 1_300 < 650,
    }));
    // Of 5,000 the newest are drawn.
    const cut = Array.from({ length: 5_200 }, (_, i) => ({
      n: 'cut',
      t: now - 6_000 + i,
      vb: i % 2 === 0,
    }));
    for (const all of [whole, cut]) {
      for (let i = 0; i < all.length; i += 10_000) {
        const body = all.slice(i, i + 10_000);
        const sent = { as: `Thing ${key}`, body, headers: senml };
        expect((await call('POST', '/http/messages', sent)).status).toBe(202);
      }
    }
    await eventually(async () => {
      const read = await call('GET', `/reader/senml?publisher=${thingId}`, { as: owner.as });
      return at(read, 'total') === records + cut.length;
    });
    const panelOf = (name: string, y: number) => ({
      id: name,
      title: name,
      kind: 'states',
      series: [{ thing: thingId, name, label: name }],
      x: 0,
      y,
      w: 6,
      h: 4,
    });
    const content = { panels: [panelOf('whole', 0), panelOf('cut', 4)], range: { last: '91d' } };
    const path = `/groups/${groupId}/dashboards`;
    const made = await call('POST', path, { as: owner.as, body: { name: 'Busy doors', content } });
    const id = textAt(made, 'id');
    const share = { name: 'Guest', expires_at: new Date(Date.now() + 3_600_000).toISOString() };
    const shared = await call('POST', `/dashboards/${id}/shares`, { as: owner.as, body: share });
    const token = textAt(shared, 'token');

    const one = await openAs(browser, as(owner), `/dashboards/${id}`);
    const guest = await openConsole(browser, `/shared/${token}`);
    for (const { page, context, problems } of [one, guest]) {
      const panel = page.getByRole('region', { name: 'cut' });
      await panel.getByText('cut: the newest 5,000 of 5,200 changes are drawn.').waitFor();
      const all = page.getByRole('region', { name: 'whole' });
      await all.getByRole('img', { name: /whole: chart of/ }).waitFor();
      expect(await all.getByText('are drawn').count()).toBe(0);
      await expectNoFindingsInBoth(page);
      expect(problems).toEqual([]);
      await context.close();
    }
    const linesOf = async (panel: string) =>
      Object(json(await call('GET', `/shared/${token}/panels/${panel}`))).lines;
    const changes = Array.from({ length: 200 }, (_, i) => ({
      time: begin + i * 650 * 60,
      value: i % 2 === 0,
    }));
    const last = begin + (records - 1) * 60;
    // A usual step after its last message nothing is known of the door.
    const end = [
      { time: last, value: false },
      { time: last + 60, value: null },
    ];
    expect(await linesOf('whole')).toEqual([
      { label: 'whole', unit: '', points: [...changes, ...end] },
    ]);
    const newest = cut.slice(200).map(({ t, vb }) => ({ time: t, value: vb }));
    expect(await linesOf('cut')).toEqual([
      {
        label: 'cut',
        unit: '',
        points: [...newest, { time: now - 800, value: null }],
        cut: { drawn: 5_000, of: 5_200 },
      },
    ]);
  });

  it('tell who was quicker, and go back to what they were', async () => {
    const { groupId, thingId } = estate;
    const one = (title: string) => ({
      panels: [
        {
          id: 'a',
          title,
          kind: 'states',
          series: [{ thing: thingId, name: 'door' }],
          x: 0,
          y: 0,
          w: 6,
          h: 4,
        },
        {
          id: 'b',
          title: 'All',
          kind: 'table',
          series: [{ variable: 'room', name: 'temperature' }],
          x: 6,
          y: 0,
          w: 6,
          h: 4,
        },
      ],
      variables: [{ name: 'room', kind: 'group', default: groupId }],
      range: { last: '1h' },
    });
    const body = { name: 'Doors', content: one('First') };
    const made = await call('POST', `/groups/${groupId}/dashboards`, { as: owner.as, body });
    const id = textAt(made, 'id');
    const { page, context, problems } = await openAs(browser, as(owner), `/dashboards/${id}`);
    const panel = (title: string) => page.getByRole('region', { name: title });
    await panel('First')
      .getByRole('img', { name: /First: chart of/ })
      .waitFor();
    await panel('All')
      .getByRole('row', { name: /temperature 21\.5 °C/ })
      .waitFor();
    await expectNoFindingsInBoth(page);

    await page.evaluate(`document.querySelector('.grid [role=img]').dataset.held = ''`);
    await page.getByRole('button', { name: 'Edit', exact: true }).click();
    await page.getByRole('button', { name: 'Remove All' }).click();
    const change = { version: 1, content: one('Second') };
    await call('PUT', `/dashboards/${id}`, { as: owner.as, body: change });
    await page.getByRole('button', { name: 'Save' }).click();
    const late = page.getByRole('dialog', { name: 'Somebody was quicker' });
    await late.getByText(`${owner.email} saved version 2`).waitFor();
    await expectNoFindingsInBoth(page);
    await late.getByRole('button', { name: 'Save mine over it' }).click();
    await page.getByText('Saved', { exact: true }).waitFor();
    await panel('All').waitFor({ state: 'detached' });
    // Neither what opens the editor nor what saves draws it anew.
    expect(await page.locator('[data-held]').count()).toBe(1);
    expect(at(await stored(id), 'version')).toBe(3);

    await page.getByRole('button', { name: 'Versions' }).click();
    await page.getByRole('button', { name: 'Look: Version 2' }).click();
    await panel('Second').waitFor();
    await page.getByRole('button', { name: 'Restore' }).click();
    await page.getByText('Restored', { exact: true }).waitFor();
    expect(at(await stored(id), 'content')).toEqual(one('Second'));
    // The browser notes that the API refused what was late.
    expect(problems.filter((text) => !text.includes('409'))).toEqual([]);
    await context.close();

    const read = await openAs(browser, as(viewer), `/dashboards/${id}`, { width: 390 });
    await read.page.getByLabel('Choose room').waitFor();
    await read.page.getByRole('region', { name: 'All' }).getByText('21.5').waitFor();
    expect(await read.page.getByRole('button', { name: 'Edit', exact: true }).count()).toBe(0);
    await read.page.getByLabel('Range', { exact: true }).selectOption('From … to …');
    await read.page.getByLabel('From').fill('2020-01-01T00:00');
    await read.page.getByLabel('To', { exact: true }).fill('2020-01-02T00:00');
    await read.page.getByRole('button', { name: 'Show' }).click();
    await read.page
      .getByRole('region', { name: 'All' })
      .getByText('21.5')
      .waitFor({ state: 'detached' });
    await read.page.reload();
    await read.page.getByRole('button', { name: 'Change the range' }).waitFor();
    await expectNoFindingsInBoth(read.page);
    await read.page.getByLabel('Range', { exact: true }).selectOption('Last hour');
    await read.page.getByRole('region', { name: 'All' }).getByText('21.5').waitFor();
    await read.page.getByRole('button', { name: 'Full screen' }).click();
    await read.page.getByRole('heading', { level: 1 }).waitFor({ state: 'detached' });
    expect(await read.page.locator('main').getByRole('combobox').count()).toBe(0);
    await read.page.keyboard.press('Escape');
    await read.page.getByRole('heading', { name: 'Doors', level: 1 }).waitFor();

    const search = '**/reader/senml/search';
    await read.page.route(search, async (route) => route.fulfill({ status: 503 }));
    await read.page.clock.install();
    await read.page.reload();
    await read.page.getByRole('region', { name: 'All' }).getByRole('alert').waitFor();
    await read.page.unroute(search);
    await read.page.clock.fastForward(5_000);
    await read.page.getByRole('region', { name: 'All' }).getByText('21.5').waitFor();
    await read.context.close();
  });
});
