import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  desk,
  openBrowser,
  seriousFindings,
  findingsOn,
  phone,
} from '../../support/services/browser.ts';
import { Fleet } from '../../support/fleet.ts';
import { type OwnSystem, startSystem } from '../../support/system.ts';

/** Bull Board's own, which only a patch of it could mend: icons without a name, and how it writes `null`. */
const knownOfBoard = /^(?:button-name|svg-img-alt): |class="nullValue/;

let own: OwnSystem;
let browser: Browser;
/** Of a delayed job of the webhooks' queue, as its page has it. */
let jobPath: string;

beforeAll(async () => {
  own = await startSystem();
  browser = await openBrowser();
  const fleet = await Fleet.login(own);
  const thing = await fleet.thing();
  const hooks = [{ name: 'dead', url: 'http://127.0.0.1:9/' }];
  const made = await fleet.call('POST', `/things/${thing.id}/webhooks`, hooks);
  const id = String(Object([made.body].flat()[0]).id);
  const ping = await fleet.call('POST', `/webhooks/${id}/ping`);
  await fleet.close();
  jobPath = `/queues/queue/webhooks/${String(Object(ping.body).message_id)}_${id}`;
});

afterAll(async () => {
  await browser?.close();
  await own?.stop();
});

async function logIn(page: Page): Promise<void> {
  await page.goto(`${own.apiUrl}/queues`);
  await page.fill('[name=email]', own.adminEmail);
  await page.fill('[name=password]', own.adminPassword);
  await page.click('button');
  await page.getByText('Millrace queues').first().waitFor();
}

describe.each([phone, desk])('at a width of %i', (width) => {
  it.each([
    ['/bench#figures', 'Figure', 'light'],
    ['/bench#figures', 'Figure', 'dark'],
  ] as const)('%s has no serious finding of axe, and fits (%s, %s)', async (path, text, scheme) => {
    const url = own.apiUrl + path;
    expect(await findingsOn(browser, url, { width, text, scheme })).toEqual([]);
  });

  it('/queues names things and destinations, and has no serious finding but known ones', async () => {
    const context = await browser.newContext({ viewport: { width, height: 800 } });
    const page = await context.newPage();
    await logIn(page);
    for (const [path, text] of [
      ['/queues', /^\d+ Jobs$/],
      ['/queues/queue/webhooks?status=delayed', 'dead (http://127.0.0.1:9/)'],
      [jobPath, 'dead (http://127.0.0.1:9/)'],
    ] as const) {
      await page.goto(own.apiUrl + path);
      await page.getByText(text).first().waitFor();
      const found = await seriousFindings(page);
      const others = found.filter((one) => !knownOfBoard.test(one));
      expect([path, others]).toEqual([path, []]);
    }
    await context.close();
  });
});
