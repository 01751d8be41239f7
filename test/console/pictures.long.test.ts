import { mkdirSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import {
  createdAt,
  createThings,
  loginAdmin,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { insertAlarm } from '../support/fixtures/alarms.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { everyView, type Exhibits, settled, type View } from './every-page.ts';
import { linkOf, openAs, openConsole } from './open.ts';

/* A picture of every page, on a phone, a desk and a wide screen, light and dark, over a small fleet: to look at. */

const folder = process.env['PICTURES_DIR'] ?? join(tmpdir(), 'millrace-pictures');
/** Those of which the name holds this. */
const only = process.env['PICTURES_ONLY'] ?? '';
const widths = [390, 1280, 1920] as const;
const schemes = ['light', 'dark'] as const;

const minute = 60;
const day = 24 * 60 * minute;

describe.runIf(hasBrowser())('pictures of the console', () => {
  let browser: Browser;
  let people: People;
  let receiver: Receiver;
  let owner: Person;
  let newcomer: Person;
  let exhibits: Exhibits;
  /** The thing that was silent for two days. */
  let silentId: string;

  beforeAll(async () => {
    mkdirSync(folder, { recursive: true });
    people = new People();
    receiver = await openReceiver();
    owner = await people.register('grace.hopper@waterworks.example');
    newcomer = await people.register('katherine@waterworks.example');
    exhibits = await makeFleet();
    browser = await openBrowser();
  }, 0);

  afterAll(async () => {
    await closePages(browser);
    await receiver.close();
    await people.rows(`DELETE FROM processes WHERE id LIKE 'picture %'`, []);
    await people.rows(`DELETE FROM process_history WHERE process_id LIKE 'picture %'`, []);
    await people.close();
  });

  /** An org as one may be: wells and tanks, with who looks after them. */
  async function makeFleet(): Promise<Exhibits> {
    const { as } = owner;
    const orgId = await createdAt('/orgs', as, {
      name: 'Waterworks',
      description: 'Wells, tanks and pumps of the valley',
    });
    await createdAt('/orgs', as, { name: 'Laboratory', description: 'Trials' });
    const group = (name: string, description: string, days?: number) =>
      createdAt(`/orgs/${orgId}/groups`, as, {
        name,
        description,
        ...(days === undefined ? {} : { retention_days: days }),
      });
    const groupId = await group('Wells', 'Deep wells north of the river', 365);
    await group('Tanks', 'Storage above the town');
    await group('Pumping stations', '');
    const profile = (name: string, config: object) =>
      createdAt(`/groups/${groupId}/profiles`, as, [{ name, config }]);
    const profileId = await profile('Level meter', {});
    await profile('Pump controller', {
      content_type: 'application/json',
      transformer: { data_field: 'data', time_field: 'at', time_format: 'rfc3339' },
    });
    await profile('Camera', { write: false });
    const things = await createThings(as, profileId, fleet());
    const [first] = things;
    if (first === undefined) throw new Error('there are no things');
    for (const [at, { key }] of things.entries()) if (at % 4 !== 3) await send(key, at);
    await sendJson(first.key);
    const silent = things[4];
    silentId = silent?.id ?? '';
    await sendWithOutage(silent?.key ?? '');
    await makePeople(orgId, groupId);
    await makeCommands(first.id);
    const webhookId = await makeWebhooks(orgId, groupId, first.id, first.key);
    const [alarmId, ruleId] = await makeAlarms(
      groupId,
      things.map(({ id }) => id),
    );
    const invite = { email: newcomer.email, role: 'editor' };
    const inviteId = await createdAt(`/orgs/${orgId}/invites`, as, invite);
    await call('POST', '/certs', {
      as,
      body: { thing_id: first.id, ttl: '8760h', key_type: 'ecdsa', key_bits: 256 },
    });
    for (const duration of [0, 90 * day]) {
      await call('POST', '/keys', { as, body: { type: 2, duration } });
    }
    await call('PUT', `/orgs/${orgId}/quota`, {
      as: await loginAdmin(),
      body: { things: 60, messages_per_month: 1_000_000, webhooks: 4 },
    });
    await makeHistory();
    return {
      orgId,
      groupId,
      thingId: first.id,
      webhookId,
      inviteId,
      alarmId,
      ruleId,
      dashboardId: await makeDashboard(
        groupId,
        things.map(({ id }) => id),
      ),
      series: [
        { format: 'senml', name: 'level' },
        { format: 'senml', name: 'temperature' },
      ],
      // outageViews() has them.
      states: [],
    };
  }

  const fleet = () =>
    Array.from({ length: 47 }, (_, i) => ({
      name: `${['Well', 'Tank', 'Pump', 'Valve'][i % 4]} ${String(Math.floor(i / 4) + 1).padStart(2, '0')}`,
      type: ['sensor', 'sensor', 'controller', 'actuator'][i % 4],
      metadata: { site: 'north', depth_m: 40 + i, serial: `WL-${1_000 + i}` },
    }));

  async function post(path: string, key: string, body: unknown, type: string): Promise<void> {
    const headers = { 'content-type': type };
    const { status } = await call('POST', path, { as: `Thing ${key}`, body, headers });
    if (status !== 202) throw new Error(`${path}: ${status}`);
  }

  /** A day of values, until now or until some hours ago. */
  async function send(key: string, nth: number): Promise<void> {
    const now = Math.floor(Date.now() / 1_000) - ([0, 5, 0, 0, 30][nth % 5] ?? 0) * 60 * minute;
    const steps = nth === 0 ? 1_440 : 96;
    const every = day / steps;
    const body = Array.from({ length: steps }, (_, i) => {
      const t = now - (steps - 1 - i) * every;
      const turn = (t / day) * 2 * Math.PI;
      const noise = Math.sin(i * 12.9898) * 0.03;
      return [
        { n: 'level', u: 'm', t, v: round(3.2 + Math.sin(turn * 2) * 0.6 + noise) },
        { n: 'temperature', u: 'Cel', t, v: round(11 + Math.cos(turn) * 2.4 + noise * 4) },
      ];
    }).flat();
    body.push({ n: 'battery', u: '%EL', t: now, v: 83 });
    await post(`/http/messages/plant/north`, key, body, 'application/senml+json');
    const words = [
      { n: 'state', t: now, vs: 'pumping' },
      { n: 'door', t: now, vb: false },
    ];
    await post(`/http/messages/plant/north`, key, words, 'application/senml+json');
  }

  /** A week of numbers and states with two days of silence in it, in which two single messages came through. */
  async function sendWithOutage(key: string): Promise<void> {
    const now = Math.floor(Date.now() / 1_000);
    const records = [];
    for (let t = now - 7 * day; t <= now; t += 10 * minute) {
      const age = now - t;
      const isSilent = age > 2 * day && age < 4 * day;
      const isLone = Math.abs(age - 3 * day) < 5 * minute || Math.abs(age - 2.4 * day) < 5 * minute;
      if (isSilent && !isLone) continue;
      const turn = (t / day) * 2 * Math.PI;
      records.push({ n: 'inflow', u: 'l/s', t, v: round(40 + Math.sin(turn) * 12) });
      if (Math.round(age / 600) % 3 !== 0) continue;
      records.push({ n: 'door_open', t, vb: Math.sin(turn * 3) > 0.7 });
      const mode = Math.sin(turn) > 0.5 ? 'pumping' : Math.sin(turn) < -0.6 ? 'standby' : 'filling';
      records.push({ n: 'mode', t, vs: mode });
    }
    await post(`/http/messages/plant/north`, key, records, 'application/senml+json');
  }

  /** Explore over an outage: lines, states, both, and a series that is not there. */
  function outageViews(): Record<string, View> {
    const of = (names: string[], more: Record<string, string> = {}, ids: string[] = []) => {
      const series = [
        ...names.map((name) => `senml:${silentId}:${name}`),
        ...ids.map((id) => `senml:${id}:level`),
      ];
      return { at: linkOf('/explore', { series: series.join('|'), range: '7d', ...more }) };
    };
    const open = async (page: Page) => {
      await page.locator('.u-over').hover({ position: { x: 150, y: 40 } });
    };
    return {
      'explore-outage': of(['inflow']),
      'explore-outage-connected': of(['inflow'], { gaps: 'connect' }),
      'explore-outage-hourly': of(['inflow'], { aggregate: 'avg' }),
      'explore-outage-month': of(['inflow', 'door_open'], { range: '30d' }),
      'explore-states': of(['door_open', 'mode']),
      'explore-mixed': { ...of(['inflow', 'door_open', 'mode', 'battery']), open },
      'explore-missing': of(['inflow'], {}, ['00000000-0000-4000-8000-000000000000']),
    };
  }

  const round = (value: number) => Math.round(value * 1_000) / 1_000;

  async function sendJson(key: string): Promise<void> {
    for (let i = 0; i < 12; i++) {
      const body = { motor: { rpm: 1_480 + i, current: 12.4 }, valve: 'open', firmware: '4.2.1' };
      await post('/http/messages/plant/north/pump', key, body, 'application/json');
    }
  }

  /** One of each kind of panel. */
  async function makeDashboard(groupId: string, ids: readonly string[]): Promise<string> {
    const [first, second, third] = ids;
    const level = (thing: string | undefined) => ({ thing, name: 'level' });
    const panel = (id: string, title: string, kind: string, place: object, more: object = {}) => ({
      id,
      title,
      kind,
      series: [level(first)],
      ...place,
      ...more,
    });
    const thresholds = [{ value: 3, tone: 'warn' }];
    const panels = [
      panel('now', 'Level now', 'value', { x: 0, y: 0, w: 3, h: 3 }, { thresholds }),
      panel(
        'wells',
        'Wells',
        'value',
        { x: 3, y: 0, w: 9, h: 3 },
        {
          series: [first, second, third].map(level),
        },
      ),
      panel(
        'lines',
        'Levels over the day',
        'line',
        { x: 0, y: 3, w: 8, h: 5 },
        {
          series: [{ variable: 'wells', name: 'level' }],
        },
      ),
      panel(
        'table',
        'Newest',
        'table',
        { x: 8, y: 3, w: 4, h: 5 },
        {
          series: [{ variable: 'wells', name: 'temperature' }],
        },
      ),
      panel(
        'bars',
        'Mean of each hour',
        'bars',
        { x: 0, y: 8, w: 6, h: 4 },
        {
          aggregation: 'avg',
          interval: '1h',
        },
      ),
      panel(
        'states',
        'Pump',
        'states',
        { x: 6, y: 8, w: 6, h: 4 },
        {
          series: [{ thing: first, name: 'pump' }],
        },
      ),
    ];
    const content = {
      panels,
      variables: [{ name: 'wells', kind: 'group', default: groupId }],
      range: { last: '24h' },
    };
    const description = 'Levels of the valley';
    const body = { name: 'Wells at a glance', description, content };
    return createdAt(`/groups/${groupId}/dashboards`, owner.as, body);
  }

  async function makePeople(orgId: string, groupId: string): Promise<void> {
    const names = ['ada.lovelace', 'alan.turing', 'edsger', 'barbara.liskov', 'donald.knuth'];
    const roles = ['admin', 'editor', 'viewer', 'editor', 'viewer'] as const;
    for (const [at, name] of names.entries()) {
      const person = await people.register(`${name}@waterworks.example`);
      await people.join('org', orgId, person, roles[at] ?? 'viewer');
      if (at < 3) await people.join('group', groupId, person, roles[at] ?? 'viewer');
    }
    const changed = { org_memberships: [{ email: `edsger@waterworks.example`, role: 'editor' }] };
    await call('PUT', `/orgs/${orgId}/memberships`, { as: owner.as, body: changed });
  }

  /** One in each state. */
  async function makeCommands(thingId: string): Promise<void> {
    const commands = [
      { command: 'calibrate', expires_in: 1 },
      { command: 'open', subtopic: 'valve.north', params: { percent: 40, within_s: 90 } },
      { command: 'report', params: { every_s: 60 } },
      { command: 'update-firmware', params: { version: '4.2.2' } },
    ];
    for (const body of commands) {
      await call('POST', `/things/${thingId}/commands`, { as: owner.as, body });
    }
    await people.rows(
      `UPDATE commands SET delivered_at = now(), delivered_by = 'mqtt', deliveries = 1,
         acknowledged_at = CASE WHEN command = 'open' THEN now() END
       WHERE thing_id = $1 AND command IN ('open', 'report')`,
      [thingId],
    );
  }

  async function makeWebhooks(
    orgId: string,
    groupId: string,
    thingId: string,
    key: string,
  ): Promise<string> {
    receiver.treat('/alarms', (response, nth) => {
      if (nth % 3 === 0) response.writeHead(503).end('{"error":"the queue is full"}');
      else response.writeHead(200).end('{"taken":true}');
    });
    const make = async (place: string, name: string, url: string) => {
      const secret = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw';
      const headers = { 'x-team': 'operations' };
      const body = [{ name, url, secret, headers }];
      const answer = await call('POST', `${place}/webhooks`, { as: owner.as, body });
      const [made]: { id: string }[] = JSON.parse(answer.text);
      return made?.id ?? '';
    };
    const alarms = await make(`/things/${thingId}`, 'Alarms', receiver.url('/alarms'));
    const archive = await make(`/orgs/${orgId}`, 'Archive', 'https://archive.example/in');
    await make(`/groups/${groupId}`, 'Dashboard of the wells', receiver.url('/dashboard'));
    await call('PUT', `/webhooks/${archive}`, { as: owner.as, body: { disabled: true } });
    for (let i = 0; i < 9; i++) {
      const records = [{ n: 'level', u: 'm', v: round(3 + i / 10) }];
      await post('/http/messages/plant/north', key, records, 'application/senml+json');
    }
    await eventually(() => receiver.at('/alarms').length >= 9);
    return alarms;
  }

  /** Some that are open, of which one was seen to, and some of the days before. */
  async function makeAlarms(groupId: string, things: readonly string[]): Promise<[string, string]> {
    const rules = [
      ['Water above the weir', 'critical', 'level', 3.81],
      ['Pump runs dry', 'critical', 'inflow', 0.02],
      ['Water is warm', 'warning', 'temperature', 13.24],
      ['Battery is low', 'info', 'battery', 9],
    ] as const;
    const ago = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();
    const made: string[] = [];
    const ids = new Map<string, string>();
    for (const [name, severity, series, value] of rules) {
      const low = name === 'Battery is low' || name === 'Pump runs dry';
      const condition = low
        ? { name: series, when: '<', value: value + 1, clear: { when: '>=', value: value + 2 } }
        : { name: series, when: '>', value: value - 0.1, clear: { when: '<', value: value - 0.4 } };
      const body = {
        name,
        severity,
        conditions: [condition],
        for: 300,
        enabled: series !== 'inflow',
      };
      ids.set(name, await createdAt(`/groups/${groupId}/rules`, owner.as, body));
    }
    for (let i = 0; i < 14; i++) {
      const [ruleName, severity, name, value] = rules[i % 4] ?? rules[0];
      const ruleId = ids.get(ruleName) ?? '';
      const given = { ruleId, ruleName, severity, episode: i + 1, values: [{ name, value }] };
      const times =
        i < 8
          ? { firedAt: ago(3 + i * i * 37) }
          : { firedAt: ago(i * 300), endedAt: ago(i * 300 - 17 * i) };
      made.push(
        await insertAlarm(people, things[(i * 5) % things.length] ?? '', { ...given, ...times }),
      );
    }
    const [first = '', seen = ''] = made;
    const body = { note: 'The gate is stuck half open; Edsger drives there.' };
    await call('POST', `/alarms/${seen}/acknowledge`, { as: owner.as, body });
    const until = ago(-300);
    await call('POST', `/groups/${groupId}/silences`, {
      as: owner.as,
      body: {
        rule_id: ids.get('Pump runs dry'),
        thing_id: things[2],
        reason: 'Pump 03 is at the workshop',
        until,
      },
    });
    await call('POST', `/groups/${groupId}/silences`, {
      as: owner.as,
      body: { reason: 'Fire drill', until: ago(-30) },
    });
    return [first, ids.get('Water above the weir') ?? ''];
  }

  /** Hours of a system that runs, and one process that does not. */
  async function makeHistory(): Promise<void> {
    const quarantine = [
      {
        at: new Date(Date.now() - 3 * 3_600_000).toISOString(),
        sink: 'senml',
        records: 2,
        code: '469',
        reason: 'Constraint `names_are_text` for table millrace.senml is violated at row 2.',
        segment: 12,
        offset: 4_096,
      },
    ];
    await people.rows(
      `INSERT INTO processes
         (id, kind, name, version, started_at, seen_at, checks, quarantine, seconds, figures)
       VALUES ('picture edge', 'edge', 'mill-2:8081', '0.1.0', now() - interval '9 days',
               now() - interval '20 minutes', '{}', $1, 15, '{}')`,
      [JSON.stringify(quarantine)],
    );
    const end = Math.floor(Date.now() / 15_000) * 15;
    const rows = Array.from({ length: 240 }, (_, i) => historyAt(end - i * 15)).flat();
    await people.rows(
      `INSERT INTO process_history (span, at, process_id, kind, seconds, figures)
       SELECT 15, to_timestamp(at), 'picture ' || kind, kind, 15, figures
       FROM jsonb_to_recordset($1) AS row (at float8, kind text, figures jsonb)
       ON CONFLICT DO NOTHING`,
      [JSON.stringify(rows)],
    );
  }

  function historyAt(at: number) {
    const wave = 1 + Math.sin(at / 400) * 0.3 + Math.sin(at * 12.9) * 0.05;
    const count = (value: number) => Math.round(value * wave);
    const acks = count(18_000);
    return [
      {
        at,
        kind: 'edge',
        figures: {
          messages: acks,
          records: acks * 10,
          'refused:malformed': at % 90 === 0 ? 12 : 0,
          'ack:0.0025': Math.round(acks * 0.62),
          'ack:0.005': Math.round(acks * 0.97),
          'ack:0.01': acks,
          'ack:+Inf': acks,
          'unsent_seconds:senml': 0.3 * wave,
          'unsent_seconds:webhook': 0.1 * wave,
          log_bytes: 180e6 * wave,
          log_max_bytes: 10e9,
          disk_free_bytes: 212e9 - at / 1e3,
        },
      },
      {
        at,
        kind: 'api',
        figures: {
          'answers:200': count(600),
          'answers:201': count(20),
          'answers:404': count(4),
          'answers:503': at % 600 === 0 ? 3 : 0,
          'answer:0.01': count(300),
          'answer:0.05': count(560),
          'answer:0.25': count(620),
          'answer:+Inf': count(620),
          store_bytes: 48e9 + (at % 3_600) * 1e5,
          store_parts: count(120),
          store_merges: Math.round(wave),
        },
      },
      {
        at,
        kind: 'workers',
        figures: {
          'attempts:delivered': count(400),
          'attempts:refused': count(9),
          'queue_jobs:wait': count(30),
          'queue_jobs:delayed': 12,
          queue_seconds: 0.4 * wave,
          queue_waiting: 0,
        },
      },
    ];
  }

  /** At each width, light and dark. */
  async function take(page: Page, name: string): Promise<void> {
    for (const width of widths) {
      await page.setViewportSize({ width, height: width === 390 ? 844 : 900 });
      for (const colorScheme of schemes) {
        await page.emulateMedia({ colorScheme });
        await page.locator('.stale').first().waitFor({ state: 'detached' });
        const path = join(folder, `${name}-${width}-${colorScheme}.png`);
        await page.screenshot({ path, fullPage: true, animations: 'disabled' });
      }
    }
  }

  const isWanted = (name: string) => name.includes(only);

  it('show every page of it', { timeout: 0 }, async () => {
    const { adminEmail, adminPassword } = system();
    const own = await openAs(browser, { email: owner.email, password }, '/things');
    const admin = await openAs(browser, { email: adminEmail, password: adminPassword }, '/things');
    const views = { ...everyView(exhibits), ...outageViews() };
    for (const [name, view] of Object.entries(views)) {
      if (!isWanted(name)) continue;
      const { page } = view.isForAdmin === true ? admin : own;
      // The one before may have left the same address with something open.
      if (view.open !== undefined) await page.goto('about:blank');
      await page.goto(`${system().apiUrl}/#${view.at}`);
      await settled(page);
      await view.open?.(page);
      await settled(page);
      await take(page, name);
      await page.keyboard.press('Escape');
    }
    for (const name of ['docs', 'bench']) {
      if (!isWanted(name)) continue;
      await admin.page.goto(`${system().apiUrl}/${name}`, { waitUntil: 'networkidle' });
      await take(admin.page, name.replaceAll('/', '-'));
    }
    expect(own.problems.filter((problem) => !problem.includes('status of 404'))).toEqual([]);
    await own.context.close();
    await admin.context.close();
  });

  it('show who comes for the first time, and what goes wrong', { timeout: 0 }, async () => {
    const { page, context, problems } = await openConsole(browser, '/things');
    const empty = { things: '/things', webhooks: '/webhooks', organization: '/organization' };
    await page.getByLabel('E-mail').waitFor();
    if (isWanted('sign-in')) await take(page, 'sign-in');
    await page.getByLabel('E-mail').fill(newcomer.email);
    await page.getByLabel('Password').fill('another one');
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.getByRole('alert').waitFor();
    if (isWanted('sign-in-wrong')) await take(page, 'sign-in-wrong');
    await page.getByLabel('Password').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await settled(page);
    for (const [name, at] of Object.entries({ ...empty, keys: '/you?tab=keys' })) {
      if (!isWanted(`empty-${name}`)) continue;
      await page.goto(`${system().apiUrl}/#${at}`);
      await settled(page);
      await take(page, `empty-${name}`);
    }
    if (isWanted('invite-pending')) {
      await page.goto(`${system().apiUrl}/#/invites/${exhibits.inviteId}`);
      await settled(page);
      await take(page, 'invite-pending');
    }
    if (isWanted('away')) {
      await page.route('**/webhooks*', (route) => route.abort());
      await page.route('**/orgs*', (route) => route.abort());
      await page.goto(`${system().apiUrl}/#/webhooks`);
      await page.getByRole('alert').waitFor();
      await take(page, 'away');
    }
    expect(problems.filter((problem) => !problem.includes('ERR_FAILED'))).toEqual([]);
    await context.close();
  });
});
