import { randomUUID } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { at, call } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  loginAdmin,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { plain } from '../support/services/mailbox.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, openAs, openConsole } from './open.ts';

/** Where the mails to somebody lead in the console, once all of them have come. */
function linksMailedTo(email: string, mailsMax: number): Promise<(string | undefined)[]> {
  const outbox = join(system().dataDir, 'outbox');
  return eventually(() => {
    const mails = readdirSync(outbox).map((file) => readFileSync(join(outbox, file), 'utf8'));
    const own = mails.filter((mail) => mail.includes(email)).map(plain);
    if (own.length !== mailsMax) throw new Error('a mail is still to come');
    return own.map((mail) => /\/#(\/\w+\/\S+)/.exec(mail)?.[1]);
  });
}

/** A refused form is told by its status, in the browser's own log. */
const butRefusals = (problems: readonly string[]) =>
  problems.filter((problem) => !/status of 4(?:00|03|04)/.test(problem));

describe.runIf(hasBrowser())('an organization in the console', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let member: Person;
  let guest: Person;
  let added: Person;
  let orgId: string;
  let thingId: string;
  let key: string;

  beforeAll(async () => {
    people = new People();
    [owner, member, guest, added] = await Promise.all([
      people.register(),
      people.register(),
      people.register(),
      people.register(),
    ]);
    ({ orgId, thingId, key } = await createEstate(owner.as));
    await call('PUT', `/orgs/${orgId}/quota`, { as: await loginAdmin(), body: { things: 4 } });
    const body = { org_memberships: [{ email: member.email, role: 'viewer' }] };
    await call('POST', `/orgs/${orgId}/memberships`, { as: owner.as, body });
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.close();
  });

  it('is looked after by its owner: members, invites, groups, how long messages are kept', async () => {
    const me = { email: owner.email, password };
    const { page, context, problems } = await openAs(browser, me, '/organization');
    const role = page.getByLabel(`Role of ${member.email}`);
    await role.waitFor();
    await expectNoFindings(page);
    const dialog = page.getByRole('dialog');
    await role.selectOption('Admin');
    await dialog.getByText('Changes the org, invites and removes people').waitFor();
    await expectNoFindings(page);
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    expect(await role.inputValue()).toBe('viewer');
    const changed = page.waitForResponse((answer) => answer.request().method() === 'PUT');
    await role.selectOption('Editor');
    await dialog.getByRole('button', { name: 'Change the role' }).click();
    await changed;
    await page.reload();
    await role.waitFor();
    expect(await role.inputValue()).toBe('editor');
    await page.getByRole('heading', { name: 'Who may do what in the org' }).waitFor();
    const add = async (email: string) => {
      await dialog.getByLabel('E-mail').fill(email);
      await dialog.getByRole('button', { name: 'Add member' }).click();
    };
    await page.getByRole('button', { name: 'Add member' }).click();
    await add(`not-${added.email}`);
    await dialog.getByRole('alert').getByText('Names no user.').waitFor();
    await add(added.email);
    await page.getByLabel(`Role of ${added.email}`).waitFor();
    await page.getByRole('heading', { name: 'Who may do what in a group' }).waitFor();
    await page.getByText('makes and changes profiles, things').click();
    await page.getByText('createThings').waitFor();
    expect(await page.getByText('createGroups').isVisible()).toBe(false);

    await page.getByRole('link', { name: 'Invites' }).click();
    await page.getByText('Nobody was invited').waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('E-mail').fill(guest.email);
    await expectNoFindings(page);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    const revoke = page.getByRole('button', { name: `Revoke the invite of ${guest.email}` });
    await revoke.click();
    await dialog.getByRole('button', { name: 'Cancel' }).click();
    await page.getByText('Pending').waitFor();
    await revoke.click();
    await dialog.getByRole('button', { name: 'Revoke' }).click();
    // Until the row itself says it: a notice does at once.
    await page.getByRole('row').nth(1).filter({ hasText: 'Revoked–' }).waitFor();
    await page.getByRole('button', { name: 'Invite' }).click();
    await dialog.getByLabel('E-mail').fill(guest.email);
    await dialog.getByRole('button', { name: 'Invite' }).click();
    await page.getByText('Pending').waitFor();

    await page.getByRole('link', { name: 'Groups' }).click();
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog.getByLabel('Name').fill('Wells');
    await dialog.getByRole('button', { name: 'New group' }).click();
    await page.getByRole('link', { name: 'Wells' }).click();
    await page.getByText('There are no profiles').waitFor();
    await expectNoFindings(page);
    await page.getByRole('link', { name: 'Members' }).click();
    await page.getByRole('button', { name: 'Add member' }).click();
    await dialog.getByLabel('E-mail').fill(`not-${member.email}`);
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await dialog.getByText('Nobody who is in an org with you has that e-mail.').waitFor();
    await dialog.getByLabel('E-mail').fill(member.email);
    await dialog.getByLabel('Role').selectOption('Editor');
    await dialog.getByRole('button', { name: 'Add member' }).click();
    await page.getByLabel(`Role of ${member.email}`).waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: `Remove ${member.email}` }).click();
    await dialog.getByRole('button', { name: 'Remove' }).click();
    await page.getByLabel(`Role of ${member.email}`).waitFor({ state: 'detached' });
    await page.getByRole('link', { name: 'Groups' }).click();

    await page.getByRole('link', { name: 'Usage' }).click();
    const things = page.getByRole('meter', { name: 'Things' });
    expect(await things.getAttribute('aria-valuetext')).toMatch(/^\d of 4$/);
    await page.getByText('Records stored').waitFor();
    await expectNoFindings(page);

    await page.getByRole('link', { name: 'Audit log' }).click();
    await page.getByLabel('By whom').fill(owner.email);
    await page.waitForURL(/actor=/);
    await page.getByLabel('Kind').selectOption('Member');
    const change = page.getByRole('row').filter({ hasText: 'viewer → editor' });
    await change.waitFor();
    await expectNoFindings(page);
    const href = await page.getByRole('link', { name: 'as CSV' }).getAttribute('href');
    const file = await (await page.request.get(href ?? '')).text();
    expect(file).toContain('"changeOrgRoles"');
    expect(file).not.toContain('"createGroups"');
    await change.getByRole('button').click();
    await dialog.getByText('changeOrgRoles').waitFor();
    await page.keyboard.press('Escape');

    await page.getByRole('link', { name: 'About' }).click();
    await page.getByLabel('Days that messages are kept').fill('30');
    await page.getByLabel('Metadata').fill('{"site":"north"}x');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('alert').getByText('That is not JSON: line 1, column 17').waitFor();
    await page.getByLabel('Metadata').fill('{"site":"north"}');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Saved.').waitFor();
    await page.reload();
    const days = page.getByLabel('Days that messages are kept');
    await days.waitFor();
    expect(await days.inputValue()).toBe('30');
    expect(await page.getByLabel('Metadata').inputValue()).toContain('"site": "north"');
    expect(butRefusals(problems)).toEqual([]);
    await context.close();
  });

  it('lets its owner delete messages of a thing that fit some filters, counted first', async () => {
    await fetch(`${system().ingestUrl}/http/messages`, {
      method: 'POST',
      headers: { authorization: `Thing ${key}`, 'content-type': 'application/senml+json' },
      body: '[{"n":"level","v":1},{"n":"depth","v":2}]',
    });
    const stored = async () =>
      at(await call('GET', `/reader/senml?publisher=${thingId}`, { as: owner.as }), 'total');
    await eventually(async () => (await stored()) === 2);
    const me = { email: owner.email, password };
    const link = `/things/${thingId}?tab=messages`;
    const { page, context, problems } = await openAs(browser, me, link);
    const dialog = page.getByRole('dialog');
    await page.getByRole('button', { name: 'Delete messages' }).click();
    await dialog.getByText('2 records fit.').waitFor();
    await dialog.getByLabel('Name of the series').fill('depth');
    await dialog.getByText('1 record fits.').waitFor();
    await expectNoFindings(page);
    await dialog.getByLabel(/^Type .+ to go on$/).fill('another');
    await dialog.getByRole('button', { name: 'Delete messages' }).click();
    await dialog.getByText('The name is another one.').waitFor();
    await dialog.getByLabel(/^Type .+ to go on/).fill('thing');
    await dialog.getByRole('button', { name: 'Delete messages' }).click();
    await page.getByText('The messages are deleted.').waitFor();
    expect(await stored()).toBe(1);
    expect(problems).toEqual([]);
    await context.close();
  });

  it('takes in who was invited, as they answer', async () => {
    const linkMailed = await linksMailedTo(guest.email, 2);
    const me = { email: guest.email, password };
    const { page, context, problems } = await openAs(browser, me, '/');
    await page.getByRole('link', { name: 'Make an org' }).waitFor();
    const next = page.locator('[aria-current=step]').getByRole('link');
    await next.filter({ hasText: 'Answer the invite' }).click();
    await eventually(() => linkMailed.includes(page.url().split('#')[1]));
    await page.getByText('The invite is open until').waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Accept' }).click();
    await page.getByText('You are a member now.').waitFor();
    await page.getByText(owner.email).waitFor();
    await page.getByRole('link', { name: 'Answer' }).waitFor({ state: 'detached' });
    expect(problems).toEqual([]);
    await context.close();
  });

  it('takes in, by an admin of the platform, who has no account yet', async () => {
    const { adminEmail, adminPassword } = system();
    const admin = { email: adminEmail, password: adminPassword };
    const invites = `/organization?org=${orgId}&tab=invites`;
    const { page, context } = await openAs(browser, admin, invites);
    const email = `${randomUUID()}@example.com`;
    await page.getByRole('button', { name: 'Invite' }).click();
    await page.getByRole('dialog').getByLabel('E-mail').fill(email);
    await page.getByRole('dialog').getByRole('button', { name: 'Invite' }).click();
    await page.getByText(`${email} gets a mail with a link.`).waitFor();
    await context.close();

    const [link = ''] = await linksMailedTo(email, 1);
    const own = await openConsole(browser, link);
    await own.page.getByRole('heading', { name: 'Make your account' }).waitFor();
    await expectNoFindings(own.page);
    await own.page.getByLabel('E-mail').fill(email);
    await own.page.getByLabel('Password').fill(password);
    await own.page.getByRole('button', { name: 'Make the account' }).click();
    await own.page.getByRole('link', { name: 'Answer', exact: true }).waitFor();
    expect(own.problems).toEqual([]);
    await own.context.close();
  });

  it('is made by somebody new, with all that a first message needs', async () => {
    const someone = await people.register();
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, '/things', { width: 390 });
    const dialog = page.getByRole('dialog');
    await page.getByText('There are no things yet').waitFor();
    await page.goto(`${system().apiUrl}/#/organization`);
    await page.getByText('You are in no org').waitFor();
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'New org' }).click();
    await dialog.getByLabel('Name').fill('Waterworks');
    await dialog.getByRole('button', { name: 'New org' }).click();
    await page.getByRole('heading', { name: 'Waterworks', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'New group' }).click();
    await dialog.getByLabel('Name').fill('Wells');
    await dialog.getByRole('button', { name: 'New group' }).click();
    await page.getByRole('link', { name: 'Wells' }).click();
    await page.getByRole('link', { name: 'New profile' }).click();
    await page.getByLabel('Name', { exact: true }).fill('Pump');
    const settings = page.getByLabel('The same as JSON');
    await settings.fill('{ write: no }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('column 3 (byte 2): the name write has no double quotes').waitFor();
    await settings.fill('{ "transformer": { "data_filters": 5 } }');
    const wrong = page.getByText('transformer.data_filters must be a list of texts');
    await wrong.waitFor();
    await settings.and(page.locator('[aria-invalid=true]')).waitFor();
    await page.getByRole('button', { name: 'Save' }).click();
    await wrong.waitFor();
    expect(await page.getByLabel('Part to keep').isVisible()).toBe(true);
    await settings.fill('{ "colour": "red" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Colour: Is not known').waitFor();
    await settings.fill('{ "transformer": { "data_field": "data" } }');
    await page.getByText('"level": 3.2').waitFor();
    await page.getByLabel('Its path. Empty: the time of receipt.').fill('at');
    await page.getByText('2026-11-21T10:00:00.000Z').waitFor();
    await page.getByLabel('Part to keep').fill('values');
    await page.getByText('record 0: data_field "values" is missing').waitFor();
    expect(await settings.inputValue()).toContain('"data_field": "values"');
    await expectNoFindings(page);
    const zone = page.locator('.field').filter({ hasText: 'Time zone' });
    await zone.getByRole('textbox').fill('Mars/One');
    await page.getByRole('button', { name: 'Save' }).click();
    await zone.getByText('Is no known time zone').waitFor();
    await settings.fill('{ "content_type": "application/senml+json" }');
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('link', { name: 'Copy' }).click();
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByRole('heading', { name: 'Pump, copy', level: 1 }).waitFor();
    await page.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('link', { name: 'Pump', exact: true }).waitFor();
    await expectNoFindings(page);
    await page.getByRole('link', { name: 'Things' }).click();
    await page.getByText('No thing fits these filters').waitFor();
    await page.getByRole('button', { name: 'New thing' }).click();
    await dialog.getByLabel('Name', { exact: true }).fill('Pump 1');
    await dialog.getByRole('button', { name: 'New thing' }).click();
    await page.getByText('Waiting for the first message.').waitFor();

    await page.goto(`${system().apiUrl}/#/organization?tab=groups`);
    await page.getByRole('link', { name: 'Wells' }).click();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Delete this group' }).click();
    await dialog.getByText('1 thing', { exact: true }).waitFor();
    await dialog.getByLabel('Type Wells to go on').fill('wells');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await dialog.getByRole('alert').getByText('The name is another one.').waitFor();
    await dialog.getByLabel('Type Wells to go on').fill('Wells');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('There are no groups').waitFor();
    await page.getByRole('link', { name: 'About' }).click();
    await page.getByRole('button', { name: 'Delete this org' }).click();
    await dialog.getByText('0 groups').waitFor();
    await expectNoFindings(page);
    await dialog.getByLabel('Type Waterworks to go on').fill('Waterworks');
    await dialog.getByRole('button', { name: 'Delete' }).click();
    await page.getByText('You are in no org').waitFor();
    expect(butRefusals(problems)).toEqual([]);
    await context.close();
  });

  it('tries a profile on what a thing sent, and says where there is none of it', async () => {
    const someone = await people.register();
    const { groupId, profileId, thingId: plainId, key: whole } = await createEstate(someone.as);
    const config = { content_type: 'application/json', transformer: { data_field: 'data' } };
    const parts = [{ name: 'Parts', config }];
    const partsId = await createdAt(`/groups/${groupId}/profiles`, someone.as, parts);
    const [part] = await createThings(someone.as, partsId, [{ name: 'A part', type: 'sensor' }]);
    const others = Array.from({ length: 50 }, (_, i) => ({ name: `B ${i}`, type: 'sensor' }));
    await createThings(someone.as, profileId, others);
    // Beyond the integers of a double.
    const serial = '12345678901234567891';
    const messages = [
      { by: whole, body: `{"level":7,"serial":${serial}}` },
      { by: part?.key ?? '', body: '{"data":{"level":8}}' },
    ];
    for (const { by, body } of messages) {
      const headers = { authorization: `Thing ${by}`, 'content-type': 'application/json' };
      const url = `${system().ingestUrl}/http/messages`;
      expect((await fetch(url, { method: 'POST', headers, body })).status).toBe(202);
    }
    await eventually(async () => {
      const stored = await call('GET', `/reader/json?group_id=${groupId}`, { as: someone.as });
      expect(at(stored, 'total')).toBe(2);
    });

    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, `/profiles/${profileId}`);
    const message = page.getByLabel(/^Message/).and(page.locator('textarea'));
    const from = page.getByLabel('Message of');
    const outcome = page.locator('.outcome');
    await outcome.getByText('"level": 3.2').waitFor();
    await from.selectOption('B 0');
    await page.getByText('No JSON of this thing is stored').waitFor();
    await outcome.waitFor({ state: 'detached' });
    expect(await message.inputValue()).toBe('');
    expect(await page.getByRole('alert').count()).toBe(0);
    await from.selectOption('A part');
    await page.getByText('stores a part of each message').waitFor();
    await expect.poll(() => message.inputValue()).toBe('');
    expect(await outcome.count()).toBe(0);
    await expectNoFindings(page);
    await page.getByLabel('Find one of 52 things by name').fill('thing');
    await from.selectOption('thing');
    await outcome.getByText('"level": 7').waitFor();
    await outcome.getByText(`"serial": ${serial}`).waitFor();
    expect(await message.inputValue()).toContain(`"serial": ${serial}`);
    await expectNoFindings(page);
    await message.fill(' ');
    await outcome.waitFor({ state: 'detached' });
    await message.fill('{"count":-9007199254740993}');
    await outcome.getByText('"count": -9007199254740993').waitFor();
    await page.goto(`${system().apiUrl}/#/things/${plainId}?tab=messages&format=json`);
    await page.getByRole('cell', { name: serial }).waitFor();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('takes the next message of a thing as it came, taken or refused, or stops waiting', async () => {
    const someone = await people.register();
    const { groupId } = await createEstate(someone.as);
    const config = { content_type: 'application/json', transformer: { data_field: 'data' } };
    const profile = [{ name: 'Parts', config }];
    const profileId = await createdAt(`/groups/${groupId}/profiles`, someone.as, profile);
    const [part] = await createThings(someone.as, profileId, [{ name: 'A part', type: 'sensor' }]);
    const send = async (body: string | Uint8Array<ArrayBuffer>) => {
      const headers = { authorization: `Thing ${part?.key}`, 'content-type': 'application/json' };
      await fetch(`${system().ingestUrl}/http/messages`, { method: 'POST', headers, body });
    };
    const me = { email: someone.email, password };
    const { page, context, problems } = await openAs(browser, me, `/profiles/${profileId}`);
    const message = page.getByLabel(/^Message/).and(page.locator('textarea'));
    const outcome = page.locator('.outcome');
    await outcome.getByText('"level": 3.2').waitFor();
    const take = page.getByRole('button', { name: 'Take the next message' });
    expect(await take.count()).toBe(0);
    await page.getByLabel('Message of').selectOption('A part');
    await page.getByText('No JSON of this thing is stored').waitFor();
    const status = page.getByRole('status').filter({ hasText: /part|over http/ });
    for (const [body, told, shown] of [
      ['{"data": {"level": 8}}', 'It was taken.', '"level": 8'],
      ['{"level": 9}', 'It was refused with 400: malformed', 'An edge would refuse it'],
    ] as const) {
      await take.click();
      await status.getByText('Waits for what A part sends next…').waitFor();
      await expectNoFindings(page);
      await eventually(async () => {
        await send(body);
        expect(await message.inputValue()).toBe(body);
      });
      await status.getByText(told).waitFor();
      await status.getByText(`as application/json, ${body.length} bytes`).waitFor();
      await outcome.getByText(shown).waitFor();
      await expectNoFindings(page);
    }

    await take.click();
    await eventually(async () => {
      await send(Uint8Array.from([0x81, 0xff]));
      expect(await message.inputValue()).toBe('gf8=');
    });
    await status.getByText('It is no text, and stands here in base64').waitFor();
    expect(await outcome.count()).toBe(0);
    await take.click();
    const stop = page.getByRole('button', { name: 'Stop waiting' });
    const left = page.waitForEvent('requestfailed');
    await stop.click();
    expect((await left).url()).toContain('/next-message');
    await take.waitFor();
    await message.fill('{"data":{"level":1}}');
    await outcome.getByText('"level": 1').waitFor();
    expect(await take.count()).toBe(0);
    expect(problems).toEqual([]);
    await context.close();

    const viewer = await people.member('group', groupId, 'viewer');
    const their = { email: viewer.email, password };
    const other = await openAs(browser, their, `/profiles/${profileId}`);
    await other.page.getByLabel('Message of').selectOption('A part');
    await other.page.getByText('stores a part of each message').waitFor();
    expect(await other.page.getByRole('button', { name: 'Take the next message' }).count()).toBe(0);
    await other.context.close();
  });

  it('tells a member who is in no group whom to ask, and shows no page that is for others', async () => {
    const viewer = await people.register();
    await people.join('org', orgId, viewer, 'viewer');
    const me = { email: viewer.email, password };
    const { page, context } = await openAs(browser, me, '/things');
    await page.getByRole('heading', { name: /^You are in no group of .+ yet$/ }).waitFor();
    await page.getByText(/ask one of the admins of .+ to take you into one/).waitFor();
    await page.getByText(owner.email).waitFor();
    expect(await page.locator('main').getByRole('button', { name: 'New thing' }).count()).toBe(0);
    await expectNoFindings(page);
    await page.goto(`${system().apiUrl}/queues`);
    await page.getByText('This page is for the admins of the platform.').waitFor();
    await expectNoFindings(page);
    await context.close();
  });

  it('is shown to a viewer without what is not theirs to see or to change', async () => {
    const me = { email: member.email, password };
    const as = { scheme: 'dark' } as const;
    const { page, context } = await openAs(browser, me, '/organization?tab=about', as);
    const name = page.getByLabel('Name');
    await name.waitFor();
    expect(await name.getAttribute('readonly')).not.toBe(null);
    const views = page.getByRole('navigation', { name: 'Organization' }).getByRole('link');
    await views.filter({ hasText: 'Members' }).click();
    await page.getByText(member.email).nth(1).waitFor();
    expect(await views.allInnerTexts()).toEqual(['Members', 'Groups', 'About']);
    expect(await page.getByRole('combobox').count()).toBe(0);
    await expectNoFindings(page);
    for (const tab of ['invites', 'usage', 'audit']) {
      await page.goto(`${system().apiUrl}/#/organization?tab=${tab}`);
      await page.getByText('This is not for you').waitFor();
    }
    await context.close();
  });
});
