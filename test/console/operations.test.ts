import { randomUUID } from 'node:crypto';
import { Queue } from 'bullmq';
import { Redis } from 'ioredis';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';
import { call, json, textAt } from '../support/api/http.ts';
import {
  createdAt,
  createEstate,
  createThings,
  loginAdmin,
  password,
  People,
  type Person,
} from '../support/api/people.ts';
import { closePages, hasBrowser, openBrowser } from '../support/services/browser.ts';
import { system } from '../support/system.ts';
import { expectNoFindings, openAs } from './open.ts';

const widthHidden = `Math.max(...[...document.querySelectorAll('.scroll')].map((one) => one.scrollWidth - one.clientWidth))`;

describe.runIf(hasBrowser())('the operations in the console', () => {
  let browser: Browser;
  let people: People;
  let person: Person;
  let webhookId: string;
  let redis: Redis;
  let webhooks: Queue;
  const admin = () => ({ email: system().adminEmail, password: system().adminPassword });

  beforeAll(async () => {
    people = new People();
    redis = new Redis(system().redisUrl, { maxRetriesPerRequest: null });
    webhooks = new Queue('webhooks', { connection: redis });
    person = await people.register();
    // One that was killed an hour ago, with a message that its store refused.
    await people.rows(
      `INSERT INTO processes
         (id, kind, name, version, started_at, seen_at, checks, quarantine, seconds, figures)
       VALUES ('edge of a test', 'edge', 'mill-9:8081', '0.1.0', now() - interval '2 hours',
               now() - interval '1 hour', '{}', $1, 15, '{}')`,
      [
        JSON.stringify([
          {
            at: '2026-11-21T10:00:00.000Z',
            sink: 'senml',
            records: 2,
            code: '469',
            reason: '<script>alert(1)</script>',
            segment: 12,
            offset: 4096,
          },
        ]),
      ],
    );
    const org = await createdAt('/orgs', person.as, { name: 'Northwind of a test' });
    const ofOrg = `/svcwebhooks/orgs/${org}/webhooks`;
    const body = [{ name: 'dead end', url: 'https://example.com/hook' }];
    webhookId = textAt(await call('POST', ofOrg, { as: person.as, body }), 0, 'id');
    await people.rows(
      `UPDATE webhooks SET failing_since = now() - interval '20 minutes' WHERE id = $1`,
      [webhookId],
    );
    browser = await openBrowser();
  });

  afterAll(async () => {
    await closePages(browser);
    await people.rows(`DELETE FROM processes WHERE id = 'edge of a test'`, []);
    await people.rows('DELETE FROM webhooks WHERE id = $1', [webhookId]);
    await webhooks.close();
    redis.disconnect();
    await people.close();
  });

  it.each(['light', 'dark'] as const)(
    'tell an admin how all is, what was quarantined and why, and what to do (%s)',
    async (scheme) => {
      const { page, context, problems } = await openAs(browser, admin(), '/operations', { scheme });
      const region = (name: string) => page.getByRole('region', { name, exact: true });
      const needs = page.getByRole('list', { name: 'What needs attention' });
      await needs.getByText('Edge mill-9:8081 is silent.').waitFor();
      await needs.getByRole('button', { name: 'Runbook: Edge mill-9:8081 is silent.' }).click();
      const runbook = page.getByRole('dialog', { name: 'MillraceProcessDown' });
      await runbook.getByText('what it acknowledged is safe in its log').waitFor();
      await runbook.getByRole('button', { name: 'Close' }).click();
      const failing = needs.getByRole('link', {
        name: /^Webhook dead end of Northwind of a test: every attempt/,
      });
      expect(await failing.getAttribute('href')).toBe(`#/webhooks/${webhookId}`);
      expect(await page.getByText('All is well').count()).toBe(0);
      for (const title of [
        'Records',
        'Ack latency, p99',
        'Lag',
        'Webhook queue',
        'Disk',
        'Store',
        'API requests',
        'API errors',
        'API latency, p99',
      ]) {
        await region(title).getByRole('img').waitFor();
      }
      const disk = region('Disk');
      expect(await disk.locator('.figure').innerText()).toMatch(/^[\d.]+\s[MGT]B$/);
      for (const name of ['Edge', 'API', 'Workers']) {
        await page.getByRole('rowheader', { name }).first().waitFor();
      }
      await page.getByText('<script>alert(1)</script>').waitFor();
      await expectNoFindings(page);

      await page.getByRole('button', { name: 'The last 7d' }).click();
      await page.waitForURL(/range=7d/);
      await page.reload();
      const week = page.getByRole('button', { name: 'The last 7d', pressed: true });
      await week.waitFor();
      expect(await region('Records').locator('.over').innerText()).toMatch(/^mean of \d+ min$/);
      expect(problems).toEqual([]);
      await context.close();
    },
  );

  it('show the queues: a job that failed is found, tried again and removed', async () => {
    const job = await webhooks.add('message', { no: 'message' });
    await eventually(async () => (await job.getState()) === 'failed');
    const { page, context, problems } = await openAs(browser, admin(), '/operations/queues');
    await page
      .getByRole('row', { name: /^Webhooks/ })
      .getByText('Running')
      .waitFor();
    await expectNoFindings(page);
    await page
      .getByRole('row', { name: /^Webhooks/ })
      .getByLabel(/^Failed/)
      .click();
    const show = page.getByRole('button', { name: `Show job ${job.id}` });
    await show.click();
    await page.getByText('the job is malformed').last().waitFor();
    await page.emulateMedia({ colorScheme: 'dark' });
    await expectNoFindings(page);
    await page.getByRole('button', { name: 'Try again' }).click();
    await eventually(
      async () => ((await webhooks.getJob(job.id ?? ''))?.attemptsStarted ?? 0) >= 2,
    );

    await show.click();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    const question = page.getByRole('dialog', { name: 'Remove this job?' });
    await question.getByRole('button', { name: 'Cancel' }).click();
    expect(await webhooks.getJob(job.id ?? '')).toBeDefined();
    await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
    await question.getByRole('button', { name: 'Remove' }).click();
    await page.getByText('The job is removed.').waitFor();
    expect(await webhooks.getJob(job.id ?? '')).toBeUndefined();
    expect(problems).toEqual([]);
    await context.close();
  });

  it('pause a queue and let it go on, and ask before', async () => {
    const [mail, platform] = ['/operations/queues/mail', await loginAdmin()];
    const { page, context } = await openAs(browser, admin(), mail);
    await page.getByRole('button', { name: 'Pause' }).click();
    const sure = page.getByRole('dialog', { name: 'Pause the queue Mail?' });
    await sure.getByRole('button', { name: 'Pause' }).click();
    await page.getByText('This queue is paused').waitFor();
    expect(json(await call('GET', mail, { as: platform }))).toMatchObject({ is_paused: true });
    await page.getByRole('button', { name: 'Resume' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Resume' }).click();
    await page.getByText('Running').waitFor();
    expect(json(await call('GET', mail, { as: platform }))).toMatchObject({ is_paused: false });
    await context.close();
  });

  it('make an account, and find it', async () => {
    const { page, context, problems } = await openAs(browser, admin(), '/operations/users');
    const email = `new-${randomUUID()}@example.com`;
    await page.getByRole('button', { name: 'New user' }).click();
    const form = page.getByRole('dialog', { name: 'New user' });
    await form.getByLabel('E-mail').fill(person.email);
    await form.getByLabel('Password').fill(password);
    await form.getByRole('button', { name: 'Create' }).click();
    await form.getByRole('alert').waitFor();
    await form.getByLabel('E-mail').fill(email);
    await form.getByRole('button', { name: 'Create' }).click();
    await page.getByText(`${email} can sign in now.`).waitFor();
    await page.getByRole('searchbox', { name: 'Search by e-mail' }).fill(email);
    await page.getByRole('rowheader', { name: email }).waitFor();
    await page.getByRole('searchbox', { name: 'Search by e-mail' }).fill(system().adminEmail);
    await page.waitForURL(new RegExp(`email=${encodeURIComponent(system().adminEmail)}`));
    await page
      .getByRole('row', { name: system().adminEmail })
      .getByText('Platform admin')
      .waitFor();
    await expectNoFindings(page);
    expect(problems).toEqual([
      'Failed to load resource: the server responded with a status of 409 (Conflict)',
    ]);
    await context.close();
  });

  it('tell who changed what anywhere, many things at once as one row that opens', async () => {
    const estate = await createEstate(person.as);
    const three = ['one', 'two', 'three'].map((name) => ({ name, type: 'device' }));
    await createThings(person.as, estate.profileId, three);
    const at = `/operations/audit?actor=${encodeURIComponent(person.email)}`;
    const { page, context } = await openAs(browser, admin(), at);
    await page.getByRole('link', { name: '3 things' }).waitFor();
    const cut = `[...document.querySelectorAll('.log .cut')].filter((one) => one.scrollWidth > one.clientWidth).length`;
    expect(await page.evaluate(cut)).toBe(0);
    await expectNoFindings(page);
    await page.getByRole('link', { name: '3 things' }).click();
    for (const { name } of three) await page.getByRole('link', { name, exact: true }).waitFor();
    await page.getByRole('button', { name: 'Of one request' }).click();
    await page.getByRole('link', { name: '3 things' }).waitFor();
    expect(page.url()).not.toContain('request=');
    await context.close();
  });

  it('back all messages up into a file, restore it, and say why another is refused', async () => {
    const { page, context } = await openAs(browser, admin(), '/operations/backups');
    const download = page.waitForEvent('download');
    await page.getByRole('button', { name: 'Download a backup' }).click();
    const path = await (await download).path();
    await page.getByText('The backup is whole').waitFor();
    const restore = async (file: string) => {
      await page.getByLabel('Backup file').setInputFiles(file);
      await page.getByRole('button', { name: 'Restore' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Restore' }).click();
    };
    await restore(path);
    await page.getByText(/^The restore is done/).waitFor();
    await expectNoFindings(page);
    await restore('package.json');
    const refused = page.getByRole('alert').filter({ hasText: 'Nothing was restored.' });
    await refused.waitFor();
    expect(await refused.innerText()).toMatch(/^Nothing was restored\. .+/);
    await context.close();
  });

  it('fit a phone', async () => {
    const { page, context } = await openAs(browser, admin(), '/operations', { width: 390 });
    await page.getByRole('rowheader', { name: 'Edge' }).first().waitFor();
    await expectNoFindings(page);
    const chart = page.getByRole('region', { name: 'Records', exact: true }).getByRole('img');
    expect(await chart.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Charts' }).click();
    await chart.waitFor();
    await page.goto(`${system().apiUrl}/#/operations/users`);
    await page
      .getByRole('link', { name: /^Changes that / })
      .first()
      .waitFor();
    await expectNoFindings(page);
    // It may scroll in its card, which no page is too wide for.
    expect(await page.evaluate(widthHidden)).toBe(0);
    await context.close();
  });

  it('are there for nobody else', async () => {
    const me = { email: person.email, password };
    const { page, context } = await openAs(browser, me, '/operations');
    await page.getByText('This page is for the admins of the platform.').waitFor();
    await page.goto(`${system().apiUrl}/queues`);
    await page.waitForURL(/#\/operations\/queues$/);
    await page.getByText('This page is for the admins of the platform.').waitFor();
    expect(await page.getByRole('link', { name: 'Operations' }).count()).toBe(0);
    await context.close();
  });
});
