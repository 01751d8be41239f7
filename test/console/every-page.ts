import type { Page } from 'playwright-core';
import { linkOf } from './open.ts';

type Series = { format: 'senml' | 'json'; name: string };

/** What there is to be shown, by its id. */
export type Exhibits = {
  orgId: string;
  groupId: string;
  thingId: string;
  webhookId: string;
  inviteId: string;
  alarmId: string;
  ruleId: string;
  dashboardId: string;
  /** Series of the thing in Explore: numbers, and states. */
  series: readonly Series[];
  states: readonly Series[];
};

/** A page of the console, or a dialog over one. */
export type View = { at: string; open?: (page: Page) => Promise<void>; isForAdmin?: true };

const press = (name: string | RegExp) => async (page: Page) => {
  await page.getByRole('button', { name }).first().click();
  await page.getByRole('dialog').waitFor();
};

const edit = async (page: Page) => {
  await page.getByRole('button', { name: 'Edit', exact: true }).click();
  await page.getByRole('button', { name: 'Add panel' }).waitFor();
};

/** The dialog that a key opens on the first row of a list. */
const key = (name: string) => async (page: Page) => {
  await page.locator('a[data-row]').first().waitFor();
  // Until the page knows that one may.
  await page.locator('.acts button').first().waitFor({ state: 'attached' });
  await page.keyboard.press('j');
  await page.keyboard.press(name);
  await page.getByRole('dialog').waitFor();
};

/** Every page of the console, with what is opened over them, by a name for a file. */
export function everyView(exhibits: Exhibits): Record<string, View> {
  const { orgId, groupId, thingId, webhookId, inviteId, alarmId, ruleId, series, states } =
    exhibits;
  const dashboard = `/dashboards/${exhibits.dashboardId}`;
  const thing = `/things/${thingId}`;
  const organization = (tab: string) => ({ at: `/organization?org=${orgId}&tab=${tab}` });
  const group = (tab: string) => ({ at: `/groups/${groupId}?tab=${tab}` });
  const explore = (shown: readonly Series[]) => {
    const text = ({ format, name }: Series) => `${format}:${thingId}:${encodeURIComponent(name)}`;
    return linkOf('/explore', { series: shown.map(text).join('|'), range: '24h' });
  };
  return {
    things: { at: '/things' },
    'things-none': { at: '/things?name=no+such+thing' },
    'things-new': { at: '/things', open: press('New thing') },
    'things-import': { at: `/things/import?group=${groupId}` },
    'things-import-preview': {
      at: `/things/import?group=${groupId}`,
      open: async (page) => {
        const rows = 'name,type,floor\nPump 1,actuator,2\n,robot,3';
        await page.getByLabel('Or paste rows here').fill(rows);
        await page.getByRole('button', { name: 'Read the rows' }).click();
        await page.getByRole('heading', { name: 'Preview' }).waitFor();
      },
    },
    'thing-latest': { at: thing },
    'thing-messages': { at: `${thing}?tab=messages` },
    'thing-messages-delete': {
      at: `${thing}?tab=messages`,
      open: press('Delete messages'),
    },
    'thing-messages-json': { at: `${thing}?tab=messages&format=json` },
    'thing-alarms': { at: `${thing}?tab=alarms` },
    'thing-commands': { at: `${thing}?tab=commands` },
    'thing-commands-send': { at: `${thing}?tab=commands`, open: press('Send a command') },
    'thing-connect': { at: `${thing}?tab=connect` },
    'thing-about': { at: `${thing}?tab=about` },
    'thing-absent': { at: '/things/00000000-0000-4000-8000-000000000000' },
    'explore-empty': { at: '/explore' },
    explore: { at: explore(series) },
    'explore-states': { at: explore(states) },
    'explore-annotate': { at: explore(series), open: press(/^Annotate/) },
    'explore-options': {
      at: explore(series),
      open: async (page) => page.getByRole('button', { name: 'Options' }).click(),
    },
    'explore-take': {
      at: explore(series),
      open: async (page) => {
        await page.getByRole('button', { name: 'Export' }).click();
        await page.getByRole('menuitem').last().click();
        await page.getByRole('dialog').waitFor();
      },
    },
    'explore-picker': { at: '/explore', open: press('Add series') },
    dashboards: { at: `/dashboards?org=${orgId}` },
    'dashboard-new': { at: `/dashboards/new?group=${groupId}` },
    dashboard: { at: dashboard },
    'dashboard-edit': { at: dashboard, open: async (page) => edit(page) },
    'dashboard-panel': {
      at: dashboard,
      open: async (page) => {
        await edit(page);
        await press(/^Edit /)(page);
      },
    },
    'dashboard-settings': {
      at: dashboard,
      open: async (page) => {
        await edit(page);
        await press('Settings')(page);
      },
    },
    'dashboard-versions': { at: dashboard, open: press('Versions') },
    'dashboard-share': { at: dashboard, open: press('Share') },
    'dashboard-json': { at: dashboard, open: press('JSON') },
    alarms: { at: `/alarms?org=${orgId}` },
    'alarms-ended': { at: `/alarms?org=${orgId}&state=ended` },
    'alarms-none': { at: `/alarms?group=${groupId}&state=clearing` },
    'alarms-acknowledge': { at: `/alarms?org=${orgId}`, open: key('a') },
    'alarms-silence': { at: `/alarms?org=${orgId}`, open: key('s') },
    alarm: { at: `/alarms/${alarmId}` },
    rules: { at: `/rules?group=${groupId}` },
    rule: { at: `/rules/${ruleId}` },
    'rule-new': { at: `/rules/new?group=${groupId}` },
    'rule-delete': { at: `/rules/${ruleId}`, open: press('Delete') },
    silences: { at: `/silences?group=${groupId}` },
    'silence-end': { at: `/silences?group=${groupId}`, open: press(/^End the silence/) },
    receivers: { at: `/receivers?group=${groupId}` },
    webhooks: { at: `/webhooks?org=${orgId}` },
    'webhooks-group': { at: `/webhooks?group=${groupId}` },
    'webhooks-new': { at: `/webhooks?org=${orgId}`, open: press('Add webhook') },
    webhook: { at: `/webhooks/${webhookId}` },
    'webhook-try': {
      at: `/webhooks/${webhookId}`,
      open: async (page) => page.locator('.tries .button').first().click(),
    },
    'webhook-delete': { at: `/webhooks/${webhookId}`, open: press('Delete') },
    members: organization('members'),
    invites: organization('invites'),
    groups: organization('groups'),
    usage: organization('usage'),
    audit: organization('audit'),
    'audit-entry': { ...organization('audit'), open: press(/^Show entry/) },
    organization: organization('about'),
    home: { at: '/' },
    'home-org': { at: `/?org=${orgId}` },
    you: { at: '/you' },
    'you-menu': { at: '/things', open: async (page) => page.locator('.who').click() },
    'you-password': { at: '/you', open: press('Change password') },
    keys: { at: '/you?tab=keys' },
    sessions: { at: '/you?tab=sessions' },
    'invites-sent': { at: '/you?tab=invites' },
    'sessions-end': { at: '/you?tab=sessions', open: press('Sign out everywhere') },
    place: { at: `/things?group=${groupId}`, open: async (page) => page.locator('.place').click() },
    'organization-delete': { ...organization('about'), open: press('Delete this org') },
    'members-add': { ...organization('members'), open: press('Add member') },
    'group-profiles': group('profiles'),
    profile: {
      ...group('profiles'),
      open: async (page) => {
        await page.getByRole('rowheader').getByRole('link').first().click();
        await page.getByLabel('The same as JSON').waitFor();
      },
    },
    'profile-new': { at: `/profiles/new?group=${groupId}` },
    'group-delete': { ...group('about'), open: press('Delete this group') },
    'group-members': group('members'),
    'group-commands': group('commands'),
    group: group('about'),
    invite: { at: `/invites/${inviteId}` },
    palette: { at: '/things', open: async (page) => page.keyboard.press('Control+k') },
    shortcuts: { at: '/things', open: async (page) => page.keyboard.press('?') },
    operations: { at: '/operations', isForAdmin: true },
    queues: { at: '/operations/queues', isForAdmin: true },
    queue: { at: '/operations/queues/webhooks?state=delayed', isForAdmin: true },
    users: { at: '/operations/users', isForAdmin: true },
    'users-new': { at: '/operations/users', open: press('New user'), isForAdmin: true },
    backups: { at: '/operations/backups', isForAdmin: true },
    'platform-audit': { at: '/operations/audit', isForAdmin: true },
    'queue-pause': { at: '/operations/queues/mail', open: press('Pause'), isForAdmin: true },
    'no-such-page': { at: '/nowhere' },
  };
}

/** Until the page has its head and all that it reads. */
export async function settled(page: Page): Promise<void> {
  await page.locator('main.content h1, main.content .state h2').first().waitFor();
  await page.locator('.loading, .stale').first().waitFor({ state: 'detached' });
}
