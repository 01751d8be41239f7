import { randomUUID } from 'node:crypto';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call } from '../support/api/http.ts';
import {
  createdAt,
  createThings,
  password,
  People,
  type Person,
  signIn,
} from '../support/api/people.ts';
import { eventually } from '../support/eventually.ts';
import { insertAlarm } from '../support/fixtures/alarms.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { openReceiver, type Receiver } from '../webhooks/receiver.ts';
import { everyView, type Exhibits, settled } from './every-page.ts';
import { findingsOf, openAs, overflowOf } from './open.ts';

/* Names that somebody chose who means harm, wherever one may choose a name, on every page of the console. */

/** Each page is measured as it is on a phone; the long run looks at all, with what opens over them, as everyone may. */
const isLong = process.env['LONG'] !== undefined;

type Look = [width: number, scheme: 'light' | 'dark'];

const looks: readonly Look[] = isLong
  ? [
      [390, 'light'],
      [390, 'dark'],
      [1280, 'light'],
      [1280, 'dark'],
    ]
  : [[390, 'light']];

const script = `<script>document.title='run'</script><img src=x onerror="document.title='run'">`;
const keyOfStates = `"><svg onload="document.title='run'">|:,${'w'.repeat(100)}`;
const wide = (length: number) => 'W'.repeat(length - 36) + randomUUID();

/** As long as may be, and each another one: scripts, from right to left, without a space. */
const hostile = (length: number): [string, string, string] => [
  `${script} ${wide(length - script.length - 1)}`,
  `\u202E${wide(length - 11)} \u2067evil \u200F`.padEnd(length, '\u05D0'),
  wide(length),
];

describe.runIf(hasBrowser())('names meant to harm', () => {
  let browser: Browser;
  let people: People;
  let owner: Person;
  let receiver: Receiver;
  let exhibits: Exhibits;
  const quarantined = `edge ${randomUUID()}`;

  beforeAll(async () => {
    people = new People();
    receiver = await openReceiver();
    owner = await people.register(`${wide(240)}@x.example`);
    exhibits = await makeAll();
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await receiver.close();
    await people.rows('DELETE FROM processes WHERE id = $1', [quarantined]);
    await people.close();
  });

  /** All that has a name, with such names. */
  async function makeAll(): Promise<Exhibits> {
    const { as } = owner;
    const metadata = Object.fromEntries(hostile(900).map((name) => [name, name]));
    const described = (name: string, at: number) => ({
      name,
      description: hostile(1_024)[at] ?? '',
      metadata,
    });
    const orgs = await inTurn(hostile(254), (name, at) =>
      createdAt('/orgs', as, described(name, at)),
    );
    const orgId = orgs[0] ?? '';
    const groups = await inTurn(hostile(254), (name, at) =>
      createdAt(`/orgs/${orgId}/groups`, as, described(name, at)),
    );
    const groupId = groups[0] ?? '';
    const config = { transformer: { data_field: wide(1_024) } };
    const profiles = await inTurn(hostile(1_024), (name, at) =>
      createdAt(`/groups/${groupId}/profiles`, as, [
        { name, metadata, ...(at === 0 ? {} : { config }) },
      ]),
    );
    const things = await createThings(
      as,
      profiles[0] ?? '',
      hostile(1_024).map((name, at) => ({
        name,
        type: 'sensor',
        metadata,
        external_key: hostile(1_024)[at],
      })),
    );
    const [{ id: thingId, key } = { id: '', key: '' }] = things;
    const [member, guest] = [await people.member('org', orgId, 'viewer'), await people.register()];
    await people.rename(member, `${script}${randomUUID()}${'w'.repeat(90)}@x.example`);
    await people.join('group', groupId, member, 'viewer');
    const invite = { email: guest.email, role: 'viewer' };
    const inviteId = await createdAt(`/orgs/${orgId}/invites`, as, invite);
    await call('POST', '/keys', { as, body: { type: 2 } });
    const webhookId = await makeWebhooks(orgId, groupId, thingId);
    await publish(key);
    await quarantine();
    const [alarmId, ruleId] = await makeAlarms(groupId, thingId);
    const dashboardId = await makeDashboards(orgId, groupId, thingId);
    const exhibited = {
      orgId,
      groupId,
      thingId,
      webhookId,
      inviteId,
      alarmId,
      ruleId,
      dashboardId,
    };
    await eventually(async () => {
      const tries = await call('GET', `/webhooks/${webhookId}/deliveries`, { as });
      return tries.text.includes('"answer":"<');
    });
    await eventually(async () => {
      const { text } = await call('GET', `/webhooks/${webhookId}`, { as });
      expect(text).toContain('"failing_since"');
    });
    await signIn(owner.email, script + wide(400));
    return {
      ...exhibited,
      series: [
        { format: 'senml', name: `level${'n'.repeat(995)}` },
        { format: 'senml', name: 'level' },
        { format: 'json', name: script },
      ],
      states: [
        { format: 'senml', name: 'note' },
        { format: 'json', name: keyOfStates },
      ],
    };
  }

  async function makeWebhooks(orgId: string, groupId: string, thingId: string): Promise<string> {
    const path = `/${'W'.repeat(1_900)}`;
    receiver.treat(path, (response) => {
      response.writeHead(500).end(script + 'W'.repeat(3_000));
    });
    const headers = { [`x-${'W'.repeat(100)}`]: wide(1_000) };
    const body = hostile(254).map((name) => ({ name, url: receiver.url(path), headers }));
    for (const place of [`/things/${thingId}`, `/groups/${groupId}`]) {
      const { status } = await call('POST', `${place}/webhooks`, { as: owner.as, body });
      expect(status).toBe(201);
    }
    const made = await call('POST', `/orgs/${orgId}/webhooks`, { as: owner.as, body });
    expect(made.status).toBe(201);
    const [first]: { id: string }[] = JSON.parse(made.text);
    return first?.id ?? '';
  }

  /** Rules with such names, about such series and texts; alarms of them, with such notes; and silences for such reasons. */
  async function makeAlarms(groupId: string, thingId: string): Promise<[string, string]> {
    const { as } = owner;
    await inTurn(hostile(1_024), (text) =>
      createdAt(`/groups/${groupId}/annotations`, as, { text, from: '-1h', thing_id: thingId }),
    );
    const rules = await inTurn(hostile(254), async (name, at) => {
      const series = [script, `level${'n'.repeat(995)}`, wide(1_024)][at];
      const compared = at === 1 ? { when: '>', value: 1e300 } : { when: '==', value: wide(1_000) };
      const others = hostile(1_024).map((path) => ({ path, when: '==', value: path }));
      const conditions = [{ name: series, ...compared }, ...others.slice(at)];
      return createdAt(`/groups/${groupId}/rules`, as, {
        name,
        conditions,
        thing_ids: [thingId],
        receivers: { mails: [`${'w'.repeat(60)}@${'x'.repeat(60)}.example`] },
      });
    });
    const ids = await inTurn([...hostile(254), ...hostile(254)], async (ruleName, at) => {
      const id = await insertAlarm(people, thingId, {
        ruleId: rules[at % 3] ?? '',
        ruleName,
        episode: at + 1,
        severity: ['critical', 'warning', 'info'][at % 3] ?? 'info',
        values: hostile(1_024).map((name) => ({ name, value: name })),
        ...(at < 3 ? {} : { endedAt: new Date(Date.now() + 1_000).toISOString() }),
      });
      const body = { note: hostile(1_024)[at % 3] };
      const { status } = await call('POST', `/alarms/${id}/acknowledge`, { as, body });
      expect(status).toBe(200);
      return id;
    });
    const until = new Date(Date.now() + 3_600_000).toISOString();
    await inTurn(hostile(1_024), (reason, at) =>
      createdAt(`/groups/${groupId}/silences`, as, {
        reason,
        until,
        ...(at === 0 ? { rule_id: rules[0], thing_id: thingId } : {}),
      }),
    );
    return [ids[3] ?? '', rules[1] ?? ''];
  }

  /** Dashboards with such names, and one whose panels, series and variables have them. */
  async function makeDashboards(orgId: string, groupId: string, thingId: string): Promise<string> {
    const names = [script, `level${'n'.repeat(995)}`, 'note'];
    const kinds = ['line', 'bars', 'states', 'value', 'table', 'map'];
    const panels = kinds.map((kind, at) => ({
      id: `p${at}`,
      title: hostile(254)[at % 3],
      kind,
      series: names.map((name, i) => ({
        ...(i === 1 ? { variable: 'w'.repeat(32) } : { thing: thingId }),
        name,
        label: hostile(254)[i],
      })),
      unit: 'W'.repeat(32),
      x: (at % 2) * 6,
      y: at * 2,
      w: 6,
      h: 4,
    }));
    const variables = [{ name: 'w'.repeat(32), kind: 'group', default: groupId }];
    const content = { panels, variables, range: { last: '24h' } };
    const ids = await inTurn(hostile(254), (name, at) =>
      createdAt(
        at === 0 ? `/orgs/${orgId}/dashboards` : `/groups/${groupId}/dashboards`,
        owner.as,
        {
          name,
          description: hostile(1_024)[at],
          content,
        },
      ),
    );
    return ids[2] ?? '';
  }

  async function publish(key: string): Promise<void> {
    const as = `Thing ${key}`;
    const send = async (subtopic: string, body: unknown, type: string) => {
      const headers = { 'content-type': type };
      const path = `/http/messages/${encodeURIComponent(subtopic)}`;
      expect((await call('POST', path, { as, body, headers })).status).toBe(202);
    };
    const name = `level${'n'.repeat(995)}`;
    for (const text of hostile(1_024)) {
      const records = [
        { n: 'note', vs: text },
        { n: 'lat', v: 47 },
        { n: 'lon', v: 15 },
        { n: 'level', u: 'W'.repeat(200), v: 1e300 },
        { n: name, u: script, v: -1e-300 },
      ];
      await send('W'.repeat(254), records, 'application/senml+json');
      const payload = { [text]: text, [keyOfStates]: text, [script]: 1 };
      await send(`<svg onload=alert(1) ${wide(200)}`, payload, 'application/json');
    }
  }

  /** What only an operator sees. */
  async function quarantine(): Promise<void> {
    const [reason] = hostile(2_000);
    const entry = { at: '2026-11-21T10:00:00.000Z', sink: wide(254), code: wide(60), reason };
    const rows = [{ ...entry, segment: 12, offset: 4096, records: 2 }];
    await people.rows(
      `INSERT INTO processes
         (id, kind, name, version, started_at, seen_at, checks, quarantine, seconds, figures)
       VALUES ($1, 'edge', $2, $2, now(), now(), $3, $4, 15, '{}')`,
      [
        quarantined,
        `${script}${wide(200)}`,
        JSON.stringify({ clickhouse: { status: 'fail', output: `${script}${wide(900)}` } }),
        JSON.stringify(rows),
      ],
    );
  }

  /** What is wrong with a view: at a width, in a scheme. */
  async function look(page: Page, [width, colorScheme]: Look): Promise<string[]> {
    await page.setViewportSize({ width, height: 900 });
    await page.emulateMedia({ colorScheme });
    const found = isLong ? await findingsOf(page) : await overflowOf(page);
    const hasRun = (await page.title()) === 'run';
    return [...found, ...(hasRun ? ['a script has run'] : [])].map(
      (finding) => `${width} ${colorScheme}: ${finding}`,
    );
  }

  /** Clicks each button of the page once, chooses something else in each list, and tells what that changed. */
  async function sentByOneClick(page: Page): Promise<string[]> {
    const sent: string[] = [];
    const isChange = (method: string) => method !== 'GET';
    await page.route('**', async (route, request) => {
      if (!isChange(request.method())) return route.fallback();
      sent.push(`one click sends ${request.method()} ${new URL(request.url()).pathname}`);
      return route.fulfill({ status: 204 });
    });
    await page.evaluate(clickAll);
    await page.unroute('**');
    // A ping is asked for by one click, and changes nothing; a rule that is tried is not made; a search reads.
    return sent.filter(
      (request) =>
        !/\/(?:ping|rules\/preview|(?:reader\/\w+|things\/values)\/search)$/.test(request),
    );
  }

  it('do none on any page, and no button changes anything by one click', async () => {
    const { adminEmail, adminPassword } = system();
    const me = { email: owner.email, password };
    const admin = { email: adminEmail, password: adminPassword };
    const [own, other] = [
      await openAs(browser, me, '/things', { width: 390 }),
      await openAs(browser, admin, '/operations', { width: 390 }),
    ];
    const findings: Record<string, string[]> = {};
    for (const [name, view] of Object.entries(everyView(exhibits))) {
      if (view.open !== undefined && !isLong) continue;
      const { page } = view.isForAdmin === true ? other : own;
      // A dialog opens over a page on which nothing was clicked.
      if (view.open !== undefined) await page.goto('about:blank');
      await page.goto(`${system().apiUrl}/#${view.at}`);
      await settled(page);
      await view.open?.(page);
      const found = [];
      for (const one of looks) found.push(...(await look(page, one)));
      if ((await page.getByRole('alert').count()) > 0 && name !== 'thing-absent') {
        found.push(await page.getByRole('alert').first().innerText());
      }
      found.push(...(await sentByOneClick(page)));
      if (found.length > 0) findings[name] = found;
      await page.keyboard.press('Escape');
    }
    expect(findings).toEqual({});
    // One thing is absent on purpose, and its answer is told by the browser itself.
    const problems = [...own.problems, ...other.problems];
    expect(problems.filter((problem) => !problem.includes('status of 404'))).toEqual([]);
    await own.context.close();
    await other.context.close();
  }, 240_000);
});

/** In the page. Dialogs are closed again; what a button leads to stays. Rows of a table are alike: one is enough. */
const clickAll = `(async () => {
  const isWanted = (one) => {
    const row = one.closest('tbody tr');
    const isOpen = one.closest('dialog') === null && !one.disabled;
    // Another one loads the page anew.
    if (one.getAttribute('aria-label') === 'Time zone') return false;
    // A form that was filled in is saved by its button.
    return isOpen && one.type !== 'submit' && (row === null || row.rowIndex === 1);
  };
  const found = [...document.querySelectorAll('main.content :is(button, select)')].filter(isWanted);
  for (const one of found) {
    if (one.tagName === 'SELECT') {
      one.selectedIndex = (one.selectedIndex + 1) % one.options.length;
      one.dispatchEvent(new Event('change', { bubbles: true }));
    } else one.click();
    await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
    for (const dialog of document.querySelectorAll('dialog[open]')) dialog.close();
  }
})()`;

/** One after the other: what they are created in counts names. */
async function inTurn<Of, Result>(
  list: readonly Of[],
  make: (one: Of, at: number) => Promise<Result>,
): Promise<Result[]> {
  const made: Result[] = [];
  for (const [at, one] of list.entries()) made.push(await make(one, at));
  return made;
}
