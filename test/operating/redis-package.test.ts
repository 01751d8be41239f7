import { createHash } from 'node:crypto';
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ensureRedisServer } from '../../infra/local/embedded/redis-package.ts';
import { createSupervisor } from '../../infra/local/supervisor/supervisor.ts';

/*
 * Debian's own apt, over a machine of our own: its sources, its lists, what is installed on it, and an archive with
 * packages that are laid out as Debian's.
 */

let machine: string;
let said: string[];

const hasApt = existsSync('/usr/bin/apt-get');
/** All of the PATH: no Redis is among them. */
const programs = ['apt-get', 'dpkg', 'dpkg-deb', 'rm', 'sh', 'tar'];
const libraryDirectory = 'usr/lib/x86_64-linux-gnu';

beforeEach(() => {
  machine = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  said = [];
  for (const made of [
    'archive',
    'etc/apt/apt.conf.d',
    'etc/apt/preferences.d',
    'var/lib/apt/lists/partial',
    'var/cache/apt/archives/partial',
    'var/lib/dpkg',
    'bin',
  ]) {
    mkdirSync(join(machine, made), { recursive: true });
  }
  for (const program of programs) symlinkSync(`/usr/bin/${program}`, join(machine, 'bin', program));
  write('etc/apt/sources.list', `deb [trusted=yes] file:${machine}/archive ./\n`);
  write('apt.conf', `Dir "${machine}"; Dir::State::status "${machine}/var/lib/dpkg/status";\n`);
  write('var/lib/dpkg/status', '');
});

afterEach(() => rmSync(machine, { recursive: true }));

function write(path: string, text: string, mode = 0o644): void {
  const whole = join(machine, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, text);
  chmodSync(whole, mode);
}

type Package = {
  name: string;
  version?: string;
  depends?: string;
  scripts?: Record<string, string>;
  links?: Record<string, string>;
};

/** Puts packages into the archive, in place of those that were there. */
function publish(...packages: Package[]): void {
  rmSync(join(machine, 'archive'), { recursive: true });
  mkdirSync(join(machine, 'archive'));
  write('archive/Packages', packages.map(build).join('\n'));
}

function build({
  name,
  version = '5:7.0.15-1',
  depends,
  scripts = {},
  links = {},
}: Package): string {
  const fields = [
    `Package: ${name}`,
    `Version: ${version}`,
    'Architecture: all',
    'Maintainer: the test <test@example.com>',
    'Description: for the test',
    ...(depends === undefined ? [] : [`Depends: ${depends}`]),
  ];
  write(`build/${name}/DEBIAN/control`, `${fields.join('\n')}\n`);
  for (const [path, script] of Object.entries(scripts)) {
    write(`build/${name}/${path}`, `#!/bin/sh\n${script}\n`, 0o755);
  }
  for (const [path, target] of Object.entries(links)) {
    mkdirSync(dirname(join(machine, 'build', name, path)), { recursive: true });
    symlinkSync(target, join(machine, 'build', name, path));
  }
  const file = `${name}_${version.replace(':', '%3a')}_all.deb`;
  execFileSync('dpkg-deb', ['-b', join(machine, 'build', name), join(machine, 'archive', file)]);
  rmSync(join(machine, 'build'), { recursive: true });
  const bytes = readFileSync(join(machine, 'archive', file));
  const hash = createHash('sha256').update(bytes).digest('hex');
  const place = [`Filename: ./${file}`, `Size: ${bytes.length}`, `SHA256: ${hash}`];
  return `${[...fields, ...place].join('\n')}\n`;
}

/** As Debian lays them out: the server is a link to a program of the tools, which needs a library. */
const debians = (version = '5:7.0.15-1'): Package[] => [
  {
    name: 'redis-server',
    version,
    depends: 'redis-tools, adduser',
    links: { 'usr/bin/redis-server': 'redis-check-rdb' },
  },
  {
    name: 'redis-tools',
    version,
    depends: 'libc6, liblzf1',
    scripts: {
      'usr/bin/redis-check-rdb': `test -e "\${LD_LIBRARY_PATH%%:*}/liblzf.so.1" || exit 127
        echo "Redis server v=${version.slice(2, -2)} sha=00000000:0"`,
    },
  },
  { name: 'liblzf1', scripts: { [`${libraryDirectory}/liblzf.so.1`]: '' } },
  { name: 'libc6', scripts: { [`${libraryDirectory}/libc.so.6`]: '' } },
];

const valkeys: Package = {
  name: 'valkey-server',
  depends: 'valkey-tools',
  scripts: { 'usr/bin/valkey-server': 'echo "Valkey server v=8.1.1 sha=00000000:0"' },
};

/** Makes `dpkg` of the machine say that these are installed. */
function install(...names: string[]): void {
  const stanzas = names.map((name) =>
    [
      `Package: ${name}`,
      'Status: install ok installed',
      'Version: 5:7.0.15-1',
      'Architecture: all',
      'Maintainer: the test <test@example.com>',
      'Description: for the test',
      '',
    ].join('\n'),
  );
  write('var/lib/dpkg/status', stanzas.join('\n'));
}

const env = () => ({ PATH: join(machine, 'bin'), APT_CONFIG: join(machine, 'apt.conf') });

const updateMachine = () => execFileSync('apt-get', ['update'], { env: env(), stdio: 'pipe' });

async function ensure(path = env().PATH): Promise<string> {
  const line = (_name: string, text: unknown) => said.push(JSON.stringify(text));
  const supervisor = createSupervisor(
    { line, say: (name, _level, text) => line(name, text) },
    { started: () => undefined, ended: () => undefined },
  );
  const { command } = await ensureRedisServer({
    env: { ...env(), PATH: path },
    dataDir: join(machine, 'data'),
    run: (asked, stopMsMax) => supervisor.run(asked, stopMsMax),
    tell: (text) => said.push(text),
    directories: [join(machine, 'sbin')],
    places: [join(machine, 'packages/redis'), join(machine, 'data/redis')],
  });
  return command;
}

function versionOf(command: string): string {
  const libraries = join(machine, 'packages/redis', libraryDirectory);
  return execFileSync(command, ['--version'], { env: { LD_LIBRARY_PATH: libraries } }).toString();
}

describe.runIf(hasApt)('a machine without a Redis server', () => {
  it.each([
    ['neither of the packages', []],
    ['redis-tools', ['redis-tools']],
    ['redis-server, removed by hand', ['redis-server', 'redis-tools', 'liblzf1']],
  ])('gets one that runs where dpkg knows %s', async (_, names) => {
    publish(...debians());
    install(...names);
    updateMachine();
    const command = await ensure();
    expect(command).toBe(join(machine, 'packages/redis/usr/bin/redis-server'));
    expect(readdirSync(join(machine, 'packages/redis', libraryDirectory))).toEqual(['liblzf.so.1']);
    expect(readdirSync(join(machine, 'packages')).toSorted()).toEqual(['redis', 'redis.lock']);
    // Nothing was installed, and nothing is left on the machine.
    expect(readdirSync(join(machine, 'var/cache/apt/archives'))).toEqual(['partial']);
  });

  it('gets it with fresh lists where the machine has none, or its lists are too old', async () => {
    publish(...debians());
    await ensure();
    rmSync(join(machine, 'packages'), { recursive: true });
    updateMachine();
    publish(...debians('5:7.0.16-1'));
    expect(versionOf(await ensure())).toContain('v=7.0.16');
  });

  it('gets Valkey where there is no Redis, or it does not run', async () => {
    publish(valkeys, { name: 'valkey-tools' });
    expect(await ensure()).toMatch(/packages\/redis\/usr\/bin\/valkey-server$/);
    rmSync(join(machine, 'packages'), { recursive: true });
    const [server, tools] = debians();
    if (server === undefined || tools === undefined) throw new Error('there are two');
    publish(
      server,
      { ...tools, depends: 'libc6' },
      valkeys,
      { name: 'valkey-tools' },
      {
        name: 'libc6',
      },
    );
    expect(await ensure()).toMatch(/packages\/redis\/usr\/bin\/valkey-server$/);
  });

  it('needs no network once it has it', async () => {
    publish(...debians());
    const command = await ensure();
    rmSync(join(machine, 'archive'), { recursive: true });
    said = [];
    expect(await ensure()).toBe(command);
    expect(said).toEqual([]);
  });

  it.each([
    ['a link to nothing', (at: string) => symlinkSync('redis-check-rdb', at)],
    ['a program that does not run', (at: string) => writeFileSync(at, 'x', { mode: 0o755 })],
  ])('replaces %s that an earlier start left', async (_, leave) => {
    const kept = join(machine, 'packages/redis/usr/bin');
    mkdirSync(kept, { recursive: true });
    leave(join(kept, 'redis-server'));
    publish(...debians());
    expect(versionOf(await ensure())).toContain('v=7.0.15');
  });

  it('keeps it with the data where it may not write beside the packages', async () => {
    write('packages', 'a file where a directory should be');
    publish(...debians());
    expect(await ensure()).toBe(join(machine, 'data/redis/usr/bin/redis-server'));
  });

  it('is fetched for once by starts that come at once', async () => {
    publish(...debians());
    await Promise.all([ensure(), ensure(), ensure()]);
    expect(said.filter((text) => text.includes('fetching'))).toHaveLength(1);
  });

  it('takes one that is off the PATH, and not one that is too old', async () => {
    write('sbin/redis-server', '#!/bin/sh\necho v=5.0.14\n', 0o755);
    write('sbin/valkey-server', '#!/bin/sh\necho v=8.1.1\n', 0o755);
    expect(await ensure()).toBe(join(machine, 'sbin/valkey-server'));
  });

  it('is told what was tried, what came of it, and the command that helps', async () => {
    write('sbin/redis-server', '#!/bin/sh\necho v=5.0.14\n', 0o755);
    publish({ name: 'redis-tools', depends: 'libmissing' });
    const message = await ensure().catch((error: unknown) => String(error));
    expect(message.split('\n')).toEqual([
      'ConfigError: REDIS_URL: not set, and there is no redis-server or valkey-server here that runs. What was tried:',
      `  the PATH, ${machine}/sbin`,
      `  ${machine}/sbin/redis-server: is version 5.0.14, and 7.0 is needed`,
      expect.stringMatching(/^ {2}apt-get, redis-server by the lists of this machine: E: /),
      expect.stringMatching(/^ {2}apt-get, valkey-server by the lists of this machine: E: /),
      expect.stringMatching(/^ {2}apt-get, redis-server: E: /),
      expect.stringMatching(/^ {2}apt-get, valkey-server: E: /),
      expect.stringMatching(/^Run (sudo )?apt-get install redis-server, or set REDIS_URL\.$/),
    ]);
    expect(readdirSync(join(machine, 'packages'))).toEqual(['redis.lock']);
  });

  it('is told so without apt as well', async () => {
    await expect(ensure(join(machine, 'nothing'))).rejects.toThrow(
      /apt-get, to fetch one: is not on the PATH\nInstall redis-server or valkey-server, or set REDIS_URL\.$/,
    );
  });
});
