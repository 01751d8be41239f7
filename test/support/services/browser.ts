import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

/** Debian's Chromium: without windows at all, which takes half the CPU seconds, and the one that people have. */
const browsers = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'] as const;

/** Widths. */
export const phone = 360;
export const desk = 1280;

/** Another name of this machine for the browser: no loopback, so that nothing is allowed there that needs TLS. */
export const plainHost = 'plain.example';

export const hasBrowser = (): boolean => browsers.some((path) => existsSync(path));

let opened: Browser | undefined;

/** One browser for all files of a process, since each start takes seconds of a core. */
export async function openBrowser(): Promise<Browser> {
  // One that has crashed fails the file that it was open for, and no other.
  if (opened?.isConnected() === true) return opened;
  if (!hasBrowser()) {
    execFileSync('apt-get', ['install', '--yes', 'chromium-headless-shell'], { stdio: 'ignore' });
  }
  const args = [
    '--no-sandbox',
    '--disable-gpu',
    `--host-resolver-rules=MAP ${plainHost} 127.0.0.1`,
  ];
  opened = await chromium.launch({
    executablePath: browsers.find((path) => existsSync(path)) ?? '',
    args,
  });
  return opened;
}

/** Closes the pages that a file has open. The browser ends with its process. */
export async function closePages(browser: Browser | undefined): Promise<void> {
  for (const context of browser?.contexts() ?? []) await context.close();
}

const Findings = Type.Array(
  Type.Object({
    id: Type.String(),
    nodes: Type.Array(Type.Object({ html: Type.String() })),
  }),
);

/** Rules of axe that look at colors. */
export const ofColors = ['color-contrast', 'link-in-text-block'];

/** Findings of axe of whatever impact, of all its rules or of these: rule and place of each. */
export async function axeFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(axe.source);
  const options = JSON.stringify({
    resultTypes: ['violations'],
    ...(rules === undefined ? {} : { runOnly: rules }),
  });
  const found: unknown = await page.evaluate(
    `axe.run(${options}).then(({ violations }) => violations)`,
  );
  return Value.Parse(Findings, found).flatMap(({ id, nodes }) =>
    nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`),
  );
}

/** What is wrong with a page as somebody opens it: what axe finds, and that it does not fit. */
export async function findingsOn(
  browser: Browser,
  url: string,
  { width, text, scheme }: { width: number; text: string; scheme: 'light' | 'dark' },
): Promise<string[]> {
  const viewport = { width, height: 800 };
  const context = await browser.newContext({ viewport, colorScheme: scheme });
  try {
    const page = await context.newPage();
    await page.goto(url);
    await page.getByText(text).first().waitFor();
    // What is folded is not looked at.
    await page.evaluate(
      '[...document.querySelectorAll("details")].slice(0, 40).forEach((one) => (one.open = true))',
    );
    const isWider = await page.evaluate('document.documentElement.scrollWidth > window.innerWidth');
    return [...(await axeFindings(page)), ...(isWider === true ? ['it scrolls sideways'] : [])];
  } finally {
    await context.close();
  }
}
