import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { deploy, environment, filesUnder, isThere, read, readEnvFile } from './files.ts';
import { mqttPorts, processNamed, processes, unknownSettings } from './processes.ts';

/*
 * The units of infra/deploy/systemd against our code, and by systemd's own tools where they are installed: the name says
 * so. No unit is started here.
 */

/** A unit's settings, each with the values it is given in turn; sections don't matter here. */
function settingsOf(...paths: string[]): Map<string, string[]> {
  const settings = new Map<string, string[]>();
  for (const line of paths.flatMap((path) => read(path).split('\n'))) {
    const [, name, value = ''] = /^(\w+)=(.*)$/.exec(line) ?? [];
    if (name !== undefined) settings.set(name, [...(settings.get(name) ?? []), value]);
  }
  return settings;
}

const common = 'systemd/millrace-.service.d/10-millrace.conf';
const units = filesUnder('systemd')
  .filter((path) => path.endsWith('.service'))
  .map((path) => {
    const settings = settingsOf(common, path);
    const [command = ''] = settings.get('ExecStart') ?? [];
    return {
      unit: path.replace('systemd/', ''),
      settings,
      process: command.split(' ').at(-1) ?? '',
    };
  });

/** As the unit gives it to its process; secrets as secrets.sh names them. */
function environmentOf(settings: Map<string, string[]>): Record<string, string> {
  const env: Record<string, string> = {};
  for (const path of settings.get('EnvironmentFile') ?? []) {
    const name = path.replace('/etc/millrace/', '');
    if (name !== 'secrets.env') Object.assign(env, readEnvFile(`systemd/env/${name}`));
  }
  const pairs = (settings.get('Environment') ?? []).flatMap((text) => text.split(' '));
  const given = pairs
    .map((pair) => pair.split('='))
    .map(([name = '', value = '']) => [name, value]);
  return environment({ ...env, ...Object.fromEntries(given) });
}

describe('the units of systemd', () => {
  it('start all four processes', () => {
    expect(units.map((one) => one.process).toSorted()).toEqual(Object.keys(processes).toSorted());
    for (const { settings } of units) {
      const [command = ''] = settings.get('ExecStart') ?? [];
      expect(isThere(command.split(' ')[0]?.replace('/opt/millrace/infra/deploy/', '') ?? '')).toBe(
        true,
      );
    }
  });

  it.each(units)('$unit gets settings that exist, and its process starts with them', (one) => {
    const { PATH: _, ...env } = environmentOf(one.settings);
    // common.env is for all of them.
    const { REDIS_URL: __, ...ofMigration } = env;
    expect(unknownSettings(one.process, one.process === 'migrate' ? ofMigration : env)).toEqual([]);
    const secret = 'as-secrets.sh-makes-it';
    const secrets = { SECRET_KEY: secret, JWT_SECRET: secret, ADMIN_PASSWORD: secret };
    const index = { INGEST_INDEX: '0' };
    expect(() => processNamed(one.process).start({ ...env, ...secrets, ...index })).not.toThrow();
  });

  it('name the ports of MQTT where edges are set', () => {
    expect(readEnvFile('systemd/env/edge.env')).toMatchObject({
      MQTT_PORT: String(mqttPorts.clear),
      MQTT_TLS_PORT: String(mqttPorts.tls),
    });
  });

  it('read every environment file of the folder', () => {
    const named = units.flatMap(({ settings }) => settings.get('EnvironmentFile') ?? []);
    const there = filesUnder('systemd/env').map((path) =>
      path.replace('systemd/env', '/etc/millrace'),
    );
    expect([...new Set(named)].toSorted()).toEqual(
      [...there, '/etc/millrace/secrets.env'].toSorted(),
    );
  });

  it.each(units.filter((one) => one.process !== 'migrate'))(
    '$unit writes its data where it may, and has time to stop',
    ({ settings, process: name }) => {
      const [directory = ''] = settings.get('StateDirectory') ?? [];
      expect(environmentOf(settings)['DATA_DIR']).toBe(`%S/${directory}`);
      const [seconds] = settings.get('TimeoutStopSec') ?? [];
      expect(Number(seconds)).toBeGreaterThan(processNamed(name).stopSeconds);
      expect(settings.get('Restart')).toEqual(['always']);
    },
  );

  it('start after the migration, which an upgrade restarts with all of them', () => {
    const migrate = units.find((one) => one.process === 'migrate');
    const others = units.filter((one) => one.process !== 'migrate');
    const required = (migrate?.settings.get('RequiredBy') ?? []).join(' ').split(' ');
    expect(required.toSorted()).toEqual(others.map(({ unit }) => unit).toSorted());
    for (const { settings } of others) {
      expect(settings.get('After')?.join(' ')).toContain('millrace-migrate.service');
      expect(settings.get('WantedBy')).toEqual(['millrace.target']);
    }
  });
});

const has = spawnSync('systemd-analyze', ['--version']).status === 0;

describe.runIf(has)('systemd-analyze, where it is installed,', () => {
  const tree = mkdtempSync(join(tmpdir(), 'millrace-test-'));
  afterAll(() => rmSync(tree, { recursive: true }));
  const etc = join(tree, 'etc/systemd/system');
  const own = join(tree, 'opt/millrace/infra/deploy');
  for (const directory of [etc, own]) mkdirSync(directory, { recursive: true });
  for (const path of filesUnder('systemd').filter((one) => /\.(service|target)$/.test(one))) {
    copyFileSync(join(deploy, path), join(etc, path.replace('systemd/', '')));
  }
  cpSync(join(deploy, 'systemd/millrace-.service.d'), join(etc, 'millrace-.service.d'), {
    recursive: true,
  });
  copyFileSync(join(deploy, 'millrace-process'), join(own, 'millrace-process'));
  // A system's own, as far as ours name them.
  const targets = 'sysinit basic shutdown network-online multi-user'.split(' ');
  for (const unit of [...targets.map((one) => `${one}.target`), 'system.slice', '-.slice']) {
    writeFileSync(join(etc, unit), '[Unit]\nDescription=Of the system\n');
  }
  const names = units.map(({ unit }) => unit.replace('@', '@0'));
  const analyze = (...args: string[]) => {
    const { stdout, stderr, status } = spawnSync('systemd-analyze', [`--root=${tree}`, ...args], {
      encoding: 'utf8',
    });
    return { said: `${stdout}${stderr}`, status };
  };

  it('finds nothing wrong with what the guide says of `retire`', () => {
    const [said = ''] =
      /systemd-run[\s\S]*?"\$@"/.exec(read('../guide/operating/machines.md')) ?? [];
    const words = said.replaceAll('\\\n', ' ').split(/\s+/);
    const after = (flag: string) => words.filter((_, at) => words[at - 1] === flag);
    const property = (flag: string) => words.find((word) => word.startsWith(`${flag}=`)) ?? '';
    const [command = ''] = words.filter((word) => word.endsWith('/millrace-process'));
    const settings = [
      property('--uid').replace('--uid', 'User'),
      property('--working-directory').replace('--working-directory', 'WorkingDirectory'),
      ...after('-p'),
      ...after('-E').map((pair) => `Environment=${pair}`),
      `ExecStart=${command} retire`,
    ];
    writeFileSync(join(etc, 'retire.service'), `[Service]\n${settings.join('\n')}\n`);
    const { said: found, status } = analyze('verify', '--man=no', 'retire.service');
    expect([found, status]).toEqual(['', 0]);
    const edge = units.find(({ unit }) => unit.startsWith('millrace-edge'));
    expect(after('-p')).toEqual(
      edge?.settings.get('EnvironmentFile')?.map((path) => `EnvironmentFile=${path}`),
    );
  });

  it('finds nothing wrong with them', () => {
    const { said, status } = analyze('verify', '--man=no', ...names, 'millrace.target');
    expect([said, status]).toEqual(['', 0]);
  });

  it.each(names)('rates %s as hardened', (name) => {
    // Of 10: what is left is the network, and code that V8 compiles.
    const { said, status } = analyze(
      'security',
      '--offline=true',
      '--threshold=20',
      '--no-pager',
      name,
    );
    expect([said.split('\n').filter((line) => line.startsWith('→')), status]).toEqual([
      [expect.stringContaining(name)],
      0,
    ]);
  });
});
