import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { readStartConfig } from '../../../infra/local/installation/config.ts';
import { ourProcesses } from '../../../infra/local/installation/processes.ts';
import { deploy, read, root } from './files.ts';
import { processes } from './processes.ts';

/** The image's Dockerfile by rules such as hadolint's, and the script that becomes a process. No image is built here. */

type Instruction = { name: string; text: string };

/** The instructions, lines that go on put together, comments left out. */
const instructions: Instruction[] = read('image/Dockerfile')
  .replaceAll(/^\s*#.*\n/gm, '')
  .replaceAll(/\\\n\s*/g, ' ')
  .split('\n')
  .filter((line) => line.trim() !== '')
  .map((line) => {
    const [, name = '', text = ''] = /^([A-Z]+) (.*)$/.exec(line) ?? [];
    return { name, text };
  });
const texts = (name: string) =>
  instructions.filter((one) => one.name === name).map((one) => one.text);
/** What is in the image that comes out. */
const last = instructions.slice(instructions.findLastIndex(({ name }) => name === 'FROM'));
const lastTexts = (name: string) => last.filter((one) => one.name === name).map((one) => one.text);

const script = join(deploy, 'millrace-process');
/** What an operator runs once. */
const commands = ['copy', 'retire'];
const becomes = [...readFileSync(script, 'utf8').matchAll(/^ +(\w+)\) ?(?:exec (.+) ;;)?$/gm)];

describe('the Dockerfile', () => {
  it('has known instructions only', () => {
    const known = [
      'ARG',
      'FROM',
      'WORKDIR',
      'COPY',
      'RUN',
      'ENV',
      'VOLUME',
      'USER',
      'EXPOSE',
      'STOPSIGNAL',
      'ENTRYPOINT',
    ];
    expect(instructions.map(({ name }) => name).filter((name) => !known.includes(name))).toEqual(
      [],
    );
  });

  it('uses the Node.js version of package.json in each stage', () => {
    expect(texts('ARG')).toContain(`NODE_VERSION=${packageJson.dependencies.node}`);
    const stages = texts('FROM').map((text) => text.split(' ')[0]);
    expect(new Set(stages)).toEqual(new Set([`node:\${NODE_VERSION}-bookworm-slim`]));
    expect(stages).toHaveLength(2);
  });

  it('does not run as root, and names its user by number', () => {
    expect(lastTexts('USER')).toEqual(['1000:1000']);
    const afterUser = last.slice(last.findIndex(({ name }) => name === 'USER'));
    expect(afterUser.filter(({ name }) => name === 'RUN')).toEqual([]);
  });

  it('has one volume, and that is DATA_DIR', () => {
    const [volume = ''] = lastTexts('VOLUME');
    expect(lastTexts('ENV').join(' ')).toContain(`DATA_DIR=${volume}`);
  });

  it('has absolute directories, no ADD, no secret, and its command as a list', () => {
    for (const directory of texts('WORKDIR')) expect(directory).toMatch(/^\//);
    expect(`${texts('ARG').join(' ')} ${texts('ENV').join(' ')}`).not.toMatch(
      /SECRET|PASSWORD|TOKEN|KEY/,
    );
    expect(lastTexts('ENTRYPOINT')).toEqual(['["millrace-process"]']);
  });

  it('installs the locked packages, without development packages', () => {
    const [install = ''] = texts('RUN').filter((text) => text.includes('npm'));
    expect(install).toMatch(/^npm ci --omit=dev --ignore-scripts /);
    // `npm ci` ends the stage where it fails, and so does what follows.
    expect(install).not.toMatch(/;|\|\|/);
  });

  it('makes what an install makes, once the sources are there', () => {
    const made = last.findIndex(({ text }) => text === 'node api/server/write-openapi.ts');
    const sources = last.findLastIndex(({ name }) => name === 'COPY');
    expect(made).toBeGreaterThan(sources);
    expect(packageJson.scripts.openapi).toBe('node api/server/write-openapi.ts');
    expect(packageJson.scripts.prepare).toContain('openapi');
  });

  it('leaves out only packages that the processes do not import', () => {
    const [, removed = ''] =
      /rm -rf ((?:node_modules\/\S+ *)+)/.exec(texts('RUN').join('\n')) ?? [];
    const left = removed
      .trim()
      .split(/ +/)
      .map((path) => path.replace('node_modules/', ''));
    expect(left).toContain('chdb');
    const { stdout } = spawnSync(
      'git',
      [
        'grep',
        '-hoE',
        "(from|import\\() *'[^.'][^']*'",
        '--',
        'api',
        'ingest',
        'workers',
        'schemas',
        'infra/runtime',
        'infra/migrations',
      ],
      { cwd: root, encoding: 'utf8' },
    );
    const imported = new Set([...stdout.matchAll(/'([^']+)'/g)].map(([, name = '']) => name));
    expect(imported).toContain('fastify');
    expect(left.filter((name) => imported.has(name))).toEqual([]);
  });

  it('copies files that exist and are not ignored, and no tests', () => {
    const copied = lastTexts('COPY')
      .filter((text) => !text.startsWith('--from'))
      .map((text) => text.split(' ')[0] ?? '');
    expect(copied).toContain('ingest');
    for (const path of copied) expect([path, existsSync(join(root, path))]).toEqual([path, true]);
    const ignored = read('image/Dockerfile.dockerignore').split('\n');
    expect(ignored.find((line) => !line.startsWith('#'))).toBe('*');
    for (const path of copied) expect(ignored).toContain(`!${path}`);
    expect(ignored).toContain('**/*.test.ts');
  });
});

describe('millrace-process', () => {
  const run = (...args: string[]) =>
    spawnSync(script, args, {
      env: {
        MILLRACE_HOME: root,
        PATH: `${join(process.execPath, '..')}:/usr/bin:/bin`,
        NODE_ENV: 'production',
      },
      encoding: 'utf8',
    });

  it('is executable', () => {
    expect(() => accessSync(script, constants.X_OK)).not.toThrow();
  });

  it('knows every process, and the commands of operators', () => {
    expect(becomes.map(([, name]) => name)).toEqual([...Object.keys(processes), ...commands]);
  });

  it('starts each as `npm start` does', () => {
    const config = readStartConfig({ NODE_ENV: 'test' });
    const secrets = {
      secretKey: '',
      jwtSecret: '',
      adminPassword: '',
      clickhousePassword: '',
      postgresPassword: '',
      redisPassword: '',
    };
    const enginePorts = { postgres: 0, redis: 0, clickhouse: 0 };
    const addresses = {
      apiPort: 0,
      ingestPort: 0,
      workersPort: 0,
      mqttPort: 0,
      ingestOperatorPort: 0,
      databaseUrl: '',
      redisUrl: '',
      clickhouseUrl: '',
      enginePorts,
    };
    const start = ourProcesses(config, secrets, addresses);
    const [edge] = start.ingest();
    const lines = read('millrace-process')
      .split('\n')
      .flatMap((line) => /exec (node .*?)( ;;)?$/.exec(line)?.[1] ?? []);
    const same = [edge, start.api(), start.workers(), start.migrate()].map((one) =>
      ['node', ...(one?.args ?? [])].join(' ').replace(`${root}/`, ''),
    );
    const ofOperators = ['infra/migrations/copy.ts', 'ingest/barriers/retire.ts "$@"'];
    expect(lines).toEqual([...same, ...ofOperators.map((file) => `node ${file}`)]);
    expect(read('millrace-process')).toContain(
      `MALLOC_ARENA_MAX=${start.api().env['MALLOC_ARENA_MAX']}`,
    );
  });

  it.each([...Object.keys(processes), ...commands])(
    'starts %s, which reports its missing settings',
    (name) => {
      const { stdout, status } = run(name);
      expect(status).toBe(1);
      expect(stdout).toContain('DATABASE_URL');
    },
  );

  it.each([[], ['edge', 'api'], ['npm']])('refuses %j', (...args) => {
    expect(run(...args.flat())).toMatchObject({ status: 64, stdout: '' });
  });
});

describe('secrets.sh', () => {
  it('is an executable script', () => {
    expect(() => accessSync(join(deploy, 'secrets.sh'), constants.X_OK)).not.toThrow();
  });
});
