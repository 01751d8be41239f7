import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { eventually } from '../support/eventually.ts';

const cli = join(import.meta.dirname, '../../cli');
const launcher = join(cli, 'millrace');
const home = mkdtempSync(join(tmpdir(), 'millrace-start-'));
const env = { PATH: process.env['PATH'], HOME: home };
afterAll(() => rmSync(home, { recursive: true }));

/** How a run without a server ends. */
async function end(...args: string[]): Promise<{ code: number; out: string; error: string }> {
  try {
    const { stdout, stderr } = await promisify(execFile)(launcher, args, { env });
    return { code: 0, out: stdout, error: stderr };
  } catch (error) {
    const { code, stdout, stderr }: { code: number; stdout: string; stderr: string } =
      Object(error);
    return { code, out: stdout, error: stderr };
  }
}

const groups =
  'certs group_memberships groups health invites keys messages orgs org_memberships platform_invites profiles provision things tree_groups users webhooks';

describe('the command', () => {
  it('lists its groups on the first page of its help, and its flags on one of their own', async () => {
    const { code, out: page } = await end('--help');
    expect(code).toBe(0);
    for (const group of groups.split(' ')) expect(page).toMatch(new RegExp(`^  ${group} `, 'm'));
    const { out } = await end('help', 'flags');
    for (const flag of '-a, -c, -t, -u, -w, -p, -i, -l, -n, -e, -m, -f, -s, -o, -r, -y,'.split(
      ' ',
    )) {
      expect(out).toContain(`  ${flag} --`);
    }
    expect((await end('help', 'things', 'get')).out).toContain('by-profile <profile_id> [token]');
    expect(await end()).toMatchObject({ code: 0, out: expect.stringContaining('Groups:') });
    expect(await end('certs')).toMatchObject({ code: 0, out: expect.stringContaining('renew') });
  });

  it.each([
    [['nothing']],
    [['things', 'create']],
    [['things', 'get', 'by-id', 'not-an-id', 'token']],
    [['orgs', 'create', '{', 'token']],
    [['orgs', 'get', 'all', 'token', 'and', 'more']],
    [['orgs', 'get', 'all', '--limit', 'many']],
    [['orgs', 'get', 'all', '-o', 'xml']],
    [['orgs', 'get', 'all', '--url', 'ftp://x']],
    [['orgs', 'get', 'all']],
    [['messages', 'send', '[]']],
    [['messages', 'tail', 'senml', 'token', '-o', 'json']],
    [['provision', 'things', 'absent.csv', 'token']],
    [['completion', 'tcsh']],
  ])('%j is wrong usage: 2, a message, and nothing on standard output', async (args) => {
    const { code, out, error } = await end(...args);
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(error).toMatch(/^error: ./);
  });

  it('a server that is away is reported with what to do: 1', async () => {
    expect(await end('health', '--url', 'http://127.0.0.1:9')).toMatchObject({
      code: 1,
      error: expect.stringMatching(/ECONNREFUSED.*\n.*start Millrace.*--url/),
    });
  });

  it('no error shows a token, wherever it stands', async () => {
    const token = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJlMTIzNDU2Nzg5';
    const key = `mrk_${'a1'.repeat(20)}`;
    for (const args of [
      [token],
      ['orgs', token],
      ['orgs', 'get', 'by-id', token],
      ['orgs', 'get', 'all', 'x', token],
      ['orgs', 'get', 'all', '-l', token],
      ['orgs', 'get', 'all', `--tokn=${token}`],
      ['orgs', 'create', key, key],
      ['--url', key, 'health'],
    ]) {
      const { code, error } = await end(...args);
      expect(code).toBe(2);
      expect(error).not.toMatch(/eyJ|mrk_/);
    }
  });

  it('hides its arguments in the list of processes', async () => {
    const child = spawn(launcher, ['login', 'secret@example.com'], { env });
    const started = `/proc/${child.pid}/cmdline`;
    await eventually(() => !readFileSync(started, 'utf8').includes('secret@example.com'));
    child.stdin.end();
    await once(child, 'close');
    expect(child.exitCode).toBe(2);
  });

  it('runs through links, caches the stripped code, and runs without the cache', async () => {
    symlinkSync(launcher, join(home, 'link'));
    const version = /^\d+\.\d+\.\d+\n$/;
    expect(execFileSync(join(home, 'link'), ['--version'], { env }).toString()).toMatch(version);
    expect(readdirSync(join(home, '.cache/millrace')).length).toBeGreaterThan(5);
    const bare = execFileSync(process.execPath, ['cli/main.ts', '--version'], {
      cwd: join(cli, '..'),
      env: { ...env, HOME: '/dev/null' },
    });
    expect(bare.toString()).toMatch(version);
  });
});

describe('completion', () => {
  it.each(['bash', 'zsh', 'fish', 'powershell'])(
    'of %s knows every group and flag',
    async (shell) => {
      const { code, out } = await end('completion', shell);
      expect(code).toBe(0);
      for (const word of [...groups.split(' '), 'by-profile', 'external-key', 'login']) {
        expect(out).toContain(word);
      }
      expect(out).toMatch(/(--|-l )agg-interval/);
    },
  );

  it('completes in bash: commands, what follows a flag, values and files', async () => {
    const script = `
      source <('${launcher}' completion bash)
      try() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _millrace; echo "\${COMPREPLY[*]}"; }
      try millrace thi
      try millrace -o table things get by-p
      try millrace --output ''
      try millrace --agg-t
      cd '${cli}'
      try millrace provision things millr
    `;
    const { stdout } = await promisify(execFile)('bash', ['-c', script], { env });
    expect(stdout.split('\n')).toEqual([
      'things',
      'by-profile',
      'json table ndjson csv',
      '--agg-type',
      'millrace',
      '',
    ]);
  });
});
