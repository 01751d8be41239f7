import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import axe from 'axe-core';
import { type Browser, chromium, type Page } from 'playwright-core';
import { Type } from 'typebox';
import { Value } from 'typebox/value';

const executablePath = '/usr/bin/chromium';

/** Debian's Chromium, without a window. */
export function openBrowser(): Promise<Browser> {
  if (!existsSync(executablePath)) {
    execFileSync('apt-get', ['install', '--yes', 'chromium'], { stdio: 'ignore' });
  }
  return chromium.launch({ executablePath, args: ['--no-sandbox'] });
}

const Findings = Type.Array(
  Type.Object({
    id: Type.String(),
    impact: Type.Union([Type.String(), Type.Null()]),
    nodes: Type.Array(Type.Object({ html: Type.String() })),
  }),
);

/** What axe finds on the page that is serious or critical: rule and place of each. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(axe.source);
  const found: unknown = await page.evaluate('axe.run().then(({ violations }) => violations)');
  return Value.Parse(Findings, found)
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html.slice(0, 300)}`));
}
