import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { system } from '../system.ts';

const root = join(import.meta.dirname, '../..');

/** A program of somebody else's: it knows the package, and nothing of its sources. */
const program = `
import { ApiError, Millrace } from 'millrace/client';
const [url, email, password] = process.argv.slice(1);
const anyone = new Millrace({ url });
const millrace = new Millrace({ url, token: await anyone.users.login(email, password) });
const id = await millrace.orgs.create({ name: 'of a program' });
const { name } = await millrace.orgs.view(id);
await millrace.orgs.delete(id);
const gone = await millrace.orgs.view(id).catch((error) => error instanceof ApiError && error.status);
console.log(JSON.stringify({ name, gone }));
await Promise.all([anyone.close(), millrace.close()]);
`;

it('the client is an entry of the package, as plain JavaScript with its types', () => {
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', 'cli/client'], { cwd: root });
  const args = ['--input-type=module', '--eval', program];
  const { apiUrl, adminEmail, adminPassword } = system();
  const who = [apiUrl, adminEmail, adminPassword];
  const out = execFileSync(process.execPath, [...args, ...who], { cwd: root, encoding: 'utf8' });
  expect(JSON.parse(out)).toEqual({ name: 'of a program', gone: 404 });
});
