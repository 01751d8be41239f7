import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createEstate, type Estate, loginAdmin } from '../support/api/people.ts';
import { system } from '../support/system.ts';

/* What the documents say to type, typed: only addresses, passwords and ids are this system's. */

const root = join(import.meta.dirname, '../..');
const dir = mkdtempSync(join(tmpdir(), 'millrace-documents-'));
afterAll(() => rmSync(dir, { recursive: true }));

let as: string;
let estate: Estate;

beforeAll(async () => {
  as = await loginAdmin();
  estate = await createEstate(as);
});

/** The shell blocks under these headings of a document. */
function blocks(document: string, headings: readonly string[]): string {
  const sections = readFileSync(join(root, document), 'utf8').split(/^## /m);
  const found = headings.map((heading) => {
    const section = sections.find((text) => text.startsWith(`${heading}\n`)) ?? '';
    const [, block] = /^```sh\n(.*?)^```$/ms.exec(section) ?? [];
    if (block === undefined) throw new Error(`${document} has no block under ${heading}`);
    return block;
  });
  return found.join('\n');
}

/** An export of everything has what all tests before this one sent. */
const outputBytesMax = 64 * 1024 * 1024;

/** Runs a block as it is typed; the first command that fails ends it. Gives what it printed. */
async function type(block: string, cwd: string): Promise<string> {
  const { apiUrl, ingestUrl, adminEmail, adminPassword } = system();
  const typed = block
    .replaceAll('http://localhost:8080', apiUrl)
    .replaceAll('http://localhost:8081', ingestUrl)
    .replaceAll('admin@example.com', adminEmail)
    .replaceAll('<the printed password>', adminPassword)
    .replaceAll('<thing id>', estate.thingId);
  // A deletion of nothing waits for all that was acknowledged: on a busy machine that takes longer than a sleep.
  const script = `
    set -euo pipefail
    millrace() { ${root}/cli/millrace "$@"; }
    sleep() { curl -sf -X DELETE "${apiUrl}/reader/senml/${estate.thingId}?from=2001-01-01&to=2001-01-02" -H "Authorization: ${as}"; }
    ${typed}`;
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: dir,
    MILLRACE_URL: apiUrl,
    MILLRACE_PASSWORD: adminPassword,
  };
  const options = { cwd, env, maxBuffer: outputBytesMax };
  const { stdout } = await promisify(execFile)('bash', ['-c', script], options);
  return stdout;
}

it('the README’s first message arrives, and can be read', async () => {
  // npx takes a second each time: once is enough.
  const block = blocks('README.md', ['The first message']).replaceAll('npx millrace', 'millrace');
  const [told, ...page] = (await type(block, root)).split('\n');
  expect(told).toBe('202');
  expect(JSON.parse(page.join('\n'))).toMatchObject({
    messages: [{ name: 'temperature', unit: 'Cel', value: 21.5 }],
  });
});

it('the guide’s webhook can be created', async () => {
  const made = JSON.parse(await type(blocks('infra/guide/webhooks.md', ['Create one']), root));
  expect(made).toMatchObject([{ name: 'Alarms', thing_id: estate.thingId }]);
});

/** A member of the API's JSON. In CSV, where messages of other tests may have one, its quotes are doubled. */
const unquotedError = /(?<!")"error":/;

it('the guide’s first rule raises its alarm, and the client does the same', async () => {
  const guide = 'infra/guide/alarms.md';
  const first = blocks('infra/guide/api.md', ['The first message with curl']);
  const rule = blocks(guide, ['A first rule']);
  const alarm = blocks(guide, ['The alarm that it raises']);
  const client = blocks(guide, ['The same by the client']).replaceAll('npx millrace', 'millrace');
  // An edge knows of the rule within a second, or later on a busy machine.
  const raised = `until out=$(\n${alarm}) && [[ $out == *'"state":"firing"'* ]]; do :; done; echo "$out"`;
  const login = 'millrace login admin@example.com';
  const out = await type([first, rule, raised, login, `${client}cat alarms.csv`].join('\n'), dir);
  expect(out).toContain('"rule_name":"Cold room"');
  expect(out).toMatch(/^"id",.*\n[^\n]*,"Cold room",/m);
  expect(out).not.toMatch(unquotedError);
});

it('the guide’s requests are answered, from the login to the restore of a backup', async () => {
  const first = blocks('infra/guide/api.md', ['The first message with curl']);
  const reading = ['Read', 'Export', 'Follow, delete, back up'];
  const out = await type(`${first}${blocks('infra/guide/reading.md', reading)}`, dir);
  expect(out).toMatch(/^HTTP\/1\.1 202 Accepted\r\n/);
  expect(out).toContain('"name":"temperature"');
  expect(out).toContain('"subtopic","publisher",');
  expect(out).not.toMatch(unquotedError);
});

it('the commands of the client’s README work', async () => {
  const document = readFileSync(join(root, 'cli/README.md'), 'utf8');
  const [, first = ''] = /```sh\n(.*?)```/s.exec(document) ?? [];
  const out = await type(
    `${first}${blocks('cli/README.md', ['Messages', 'Many at once'])}cat messages.csv made.csv`,
    dir,
  );
  expect(out).toContain('temperature');
  expect(out).toContain('press-2');
});
