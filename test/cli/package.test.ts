import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { system } from '../support/system.ts';

const root = join(import.meta.dirname, '../..');
const installed = join(root, 'node_modules');

/** A program of somebody else's: it knows the package, and nothing of its sources. */
const program = `
import { ApiError, Millrace, type Requests, type Thing } from 'millrace/client';

const [url = '', email = '', password = ''] = process.argv.slice(2);
const anyone = new Millrace({ url });
const millrace = new Millrace({ url, token: await anyone.login(email, password) });
const id = await millrace.create('createOrg', { body: { name: 'of a program' } });
const org = { path: { id } };
const { name } = await millrace.call('viewOrg', org);
const query = { silent_since: '2026-11-21T00:00:00Z', order: 'last_seen' } as const;
const things: Thing[] = (await millrace.call('listOrgThings', { ...org, query })).things;
// @ts-expect-error No list has such a parameter.
const wrong: Requests['listThings']['query'] = { colour: 'red' };
// @ts-expect-error An org has an id.
const incomplete = () => millrace.call('viewOrg', {});
await millrace.call('deleteOrg', org);
const gone = await millrace
  .call('viewOrg', org)
  .catch((error: unknown) => error instanceof ApiError && error.status);
console.log(JSON.stringify({ name, gone, things, wrong }));
void incomplete;
await Promise.all([anyone.close(), millrace.close()]);
`;

const compilerOptions = {
  strict: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  module: 'nodenext',
  target: 'es2022',
  types: ['node'],
};

const project = mkdtempSync(join(tmpdir(), 'millrace-package-'));
afterAll(() => rmSync(project, { recursive: true }));

it('the package, as npm packs it, gives a strict project a typed client, and the command', () => {
  const inProject = {
    cwd: project,
    encoding: 'utf8',
    env: { ...process.env, HOME: project },
  } as const;
  const pack = ['pack', '--silent', '--pack-destination', project];
  const file = execFileSync('npm', pack, { cwd: root, encoding: 'utf8' }).trim();
  // As installed, with what it depends on beside it.
  const modules = join(project, 'node_modules');
  mkdirSync(join(modules, 'millrace'), { recursive: true });
  execFileSync(
    'tar',
    ['xzf', file, '--strip-components=1', '-C', 'node_modules/millrace'],
    inProject,
  );
  for (const name of ['.bin', '@types', 'commander', 'node', 'typebox', 'undici', 'ws']) {
    symlinkSync(join(installed, name), join(modules, name));
  }
  writeFileSync(join(project, 'package.json'), '{"type":"module"}');
  writeFileSync(join(project, 'tsconfig.json'), JSON.stringify({ compilerOptions }));
  writeFileSync(join(project, 'main.ts'), program);
  execFileSync(join(installed, '.bin/tsc'), ['-p', '.'], inProject);
  const { apiUrl, adminEmail, adminPassword } = system();
  const who = [apiUrl, adminEmail, adminPassword];
  const out = execFileSync(process.execPath, ['main.js', ...who], inProject);
  const wrong = { colour: 'red' };
  expect(JSON.parse(out)).toEqual({ name: 'of a program', gone: 404, things: [], wrong });
  const help = execFileSync('node_modules/millrace/cli/millrace', ['things', '--help'], inProject);
  expect(help).toContain('millrace things create');
});
