import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import {
  at,
  deploy,
  entries,
  environment,
  filesUnder,
  isThere,
  list,
  readEnvFile,
  readYaml,
  root,
} from './files.ts';
import { mqttPorts, probePaths, processNamed, processes, unknownSettings } from './processes.ts';

/*
 * Each manifest against Kubernetes' own schemas, as the package kubernetes-models carries them, and against our code.
 * `kustomize build` is in no package that can be had: what it puts together is looked at piece by piece.
 */

const base = 'kubernetes/base';
const overlay = 'kubernetes/example';
const yamlFiles = filesUnder('kubernetes').filter((path) => path.endsWith('.yaml'));
const isKustomization = (path: string) => path.endsWith('/kustomization.yaml');

/** Every object of the cluster, with the file it is in. */
const objects = yamlFiles
  .filter((path) => !isKustomization(path))
  .flatMap((path) => readYaml(path).map((object) => ({ path, object })));
const named = objects.map(({ path, object }): [string, unknown] => [
  `${path}: ${String(at(object, 'kind'))} ${String(at(object, 'metadata', 'name'))}`,
  object,
]);
const ofKind = (kind: string) =>
  objects.map(({ object }) => object).filter((object) => at(object, 'kind') === kind);

/** Where the package has what is of an API and a kind. */
const modelOf = (object: unknown) =>
  `kubernetes-models/${String(at(object, 'apiVersion'))}/${String(at(object, 'kind'))}`;

const kustomizations = [base, overlay].map((directory) => ({
  directory,
  kustomization: readYaml(`${directory}/kustomization.yaml`)[0],
}));

/** What runs pods, with the one container of each. */
const workloads = ['StatefulSet', 'Deployment', 'Job'].flatMap(ofKind).map((object) => {
  const name = String(at(object, 'metadata', 'name'));
  const pod = at(object, 'spec', 'template', 'spec');
  return { name, object, pod, container: at(pod, 'containers', 0) };
});

/** The environment that the overlay gives a container, values of secrets as the examples have them. */
function environmentOf(container: unknown): Record<string, string> {
  const { kustomization } = kustomizations[1] ?? {};
  const generated = new Map<string, Record<string, string>>();
  for (const one of list(at(kustomization, 'secretGenerator'))) {
    const files = list(at(one, 'envs')).map((path) =>
      readEnvFile(`kubernetes/${String(path).replace('secrets/', 'secrets.example/')}`),
    );
    generated.set(`secret ${String(at(one, 'name'))}`, Object.assign({}, ...files));
  }
  for (const one of list(at(kustomization, 'configMapGenerator'))) {
    const pairs = list(at(one, 'literals')).map(
      (text) => /^([^=]+)=(.*)$/.exec(String(text)) ?? [],
    );
    const values = pairs.map(([, name = '', value = '']) => [name, value]);
    generated.set(`config ${String(at(one, 'name'))}`, Object.fromEntries(values));
  }
  const env: Record<string, string> = {};
  for (const from of list(at(container, 'envFrom'))) {
    const name =
      at(from, 'secretRef') === undefined
        ? `config ${String(at(from, 'configMapRef', 'name'))}`
        : `secret ${String(at(from, 'secretRef', 'name'))}`;
    const values = generated.get(name);
    if (values === undefined) throw new Error(`the overlay makes no ${name}`);
    Object.assign(env, values);
  }
  for (const one of list(at(container, 'env'))) {
    env[String(at(one, 'name'))] = String(at(one, 'value'));
  }
  return env;
}

/** The entries that the overlay's patches add to one of the lists of an edge's pod. */
function addedToEdges(to: string): unknown[] {
  return list(at(kustomizations[1]?.kustomization, 'patches'))
    .flatMap((one): unknown[] => list(parse(String(at(one, 'patch')))))
    .filter((change) => at(change, 'path') === `/spec/template/spec/${to}/-`)
    .map((change) => at(change, 'value'));
}

async function mustBeValid(object: unknown): Promise<void> {
  const module: unknown = await import(modelOf(object));
  const model: unknown = at(module, String(at(object, 'kind')));
  if (typeof model !== 'function') throw new Error('no such kind');
  const made: unknown = Reflect.construct(model, [object]);
  const validate: unknown = Reflect.get(Object(made), 'validate');
  if (typeof validate !== 'function') throw new Error('nothing to validate with');
  expect(() => Reflect.apply(validate, made, [])).not.toThrow();
}

describe('the Kubernetes manifests', () => {
  it.each(named)('%s is valid by the schema of its API', async (_, object) => {
    await mustBeValid(object);
  });

  it('have no unknown fields', () => {
    // Kubernetes' schemas let unknown fields pass; the types made of them don't.
    const directory = mkdtempSync(join(tmpdir(), 'millrace-test-'));
    try {
      symlinkSync(join(root, 'node_modules'), join(directory, 'node_modules'));
      const text = objects.map(({ object }, index) => {
        const kind = `I${String(at(object, 'kind'))}`;
        return `import type { ${kind} as T${index} } from '${modelOf(object)}';\nexport const o${index}: T${index} = ${JSON.stringify(object)};\n`;
      });
      writeFileSync(join(directory, 'manifests.mts'), text.join(''));
      const { status, stdout } = spawnSync(
        process.execPath,
        [
          join(root, 'node_modules/.bin/tsc'),
          ...'--noEmit --strict --skipLibCheck --module nodenext --target es2024'.split(' '),
          'manifests.mts',
        ],
        { cwd: directory, encoding: 'utf8' },
      );
      expect([stdout, status]).toEqual(['', 0]);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });

  it.each(kustomizations)(
    'of $directory are all in its kustomization, which names no others',
    (one) => {
      const resources = list(at(one.kustomization, 'resources')).map(String);
      for (const path of resources) {
        const target = path.startsWith('..') ? `${path}/kustomization.yaml` : path;
        expect([path, isThere(join(one.directory, target))]).toEqual([path, true]);
      }
      const here = yamlFiles
        .filter((path) => dirname(path) === one.directory && !isKustomization(path))
        .map((path) => path.slice(one.directory.length + 1));
      expect(resources.filter((path) => !path.startsWith('..')).toSorted()).toEqual(here);
      for (const patch of list(at(one.kustomization, 'patches'))) {
        const { kind, name } = Object(at(patch, 'target'));
        expect(named.map(([title]) => title.split(': ')[1])).toContain(`${kind} ${name}`);
      }
    },
  );

  it('of the overlay name the image of the base', () => {
    const images = list(at(kustomizations[1]?.kustomization, 'images'));
    for (const { container } of workloads) {
      expect(images.map((image) => at(image, 'name'))).toContain(at(container, 'image'));
    }
  });

  it('start all four processes', () => {
    const started = workloads.map(({ container }) => String(at(container, 'args', 0)));
    expect(started.toSorted()).toEqual(Object.keys(processes).toSorted());
  });

  it.each(workloads)('$name gets settings that exist, and starts with them', ({ container }) => {
    const name = String(at(container, 'args', 0));
    const env = environmentOf(container);
    // All get the same file of addresses.
    const { REDIS_URL: _, ...own } = env;
    expect(unknownSettings(name, name === 'migrate' ? own : env)).toEqual([]);
    expect(() => processNamed(name).start(env)).not.toThrow();
  });

  it.each(workloads)(
    '$name runs as an unprivileged user, on a read-only root',
    ({ pod, container }) => {
      // What the level `restricted` of Kubernetes' pod security standards asks for, and more.
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
      });
      expect(container).toMatchObject({
        securityContext: {
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        },
        resources: { requests: expect.anything(), limits: { memory: expect.any(String) } },
      });
    },
  );

  it.each(workloads.filter(({ name }) => name !== 'migrate'))(
    '$name has probes on its port, and time to stop',
    ({ name, pod, container }) => {
      const { port, stopSeconds } = processNamed(name);
      const mqtt = { name: 'mqtt', containerPort: mqttPorts.clear };
      expect(at(container, 'ports')).toEqual([
        { name: 'http', containerPort: port },
        ...(name === 'edge' ? [mqtt] : []),
      ]);
      for (const [probe, path] of [
        ['startupProbe', probePaths.live],
        ['livenessProbe', probePaths.live],
        ['readinessProbe', probePaths.ready],
      ] as const) {
        expect(at(container, probe, 'httpGet')).toEqual({ path, port: 'http' });
      }
      const pause = Number(at(container, 'lifecycle', 'preStop', 'sleep', 'seconds') ?? 0);
      const grace = Number(at(pod, 'terminationGracePeriodSeconds'));
      expect(grace).toBeGreaterThan(pause + stopSeconds);
      // The first is Millrace's own wait for a neighbour; a probe that is shorter fails for it.
      expect(Number(at(container, 'readinessProbe', 'timeoutSeconds'))).toBeGreaterThan(5);
    },
  );

  it('mount every volume that they name, and no other', () => {
    for (const { object, pod, container } of workloads) {
      const volumes = [
        ...list(at(pod, 'volumes')).map((one) => String(at(one, 'name'))),
        ...list(at(object, 'spec', 'volumeClaimTemplates')).map((one) =>
          String(at(one, 'metadata', 'name')),
        ),
      ];
      const mounts = list(at(container, 'volumeMounts')).map((one) => String(at(one, 'name')));
      expect(mounts.toSorted()).toEqual(volumes.toSorted());
    }
  });

  it('give the edge a volume larger than its log and its reserve', () => {
    const [edge] = ofKind('StatefulSet');
    const claim = at(edge, 'spec', 'volumeClaimTemplates', 0, 'spec', 'resources', 'requests');
    const gibibytes = Number(/^(\d+)Gi$/.exec(String(at(claim, 'storage')))?.[1]);
    const env = environmentOf(at(edge, 'spec', 'template', 'spec', 'containers', 0));
    const reserved = 1024 ** 3;
    expect(Number(env['LOG_MAX_BYTES'])).toBeLessThan(gibibytes * 1024 ** 3 - reserved);
  });

  it('select pods that exist', () => {
    const pods = workloads.map(({ object }) =>
      environment({
        ...Object(at(object, 'spec', 'template', 'metadata', 'labels')),
        'app.kubernetes.io/part-of': 'millrace',
      }),
    );
    const matches = (labels: unknown) =>
      pods.some((pod) => entries(labels).every(([name, value]) => pod[name] === value));
    for (const service of ofKind('Service'))
      expect(service).toSatisfy((one: unknown) => matches(at(one, 'spec', 'selector')));
    for (const kind of ['PodDisruptionBudget', 'StatefulSet', 'Deployment']) {
      for (const object of ofKind(kind)) {
        expect([kind, matches(at(object, 'spec', 'selector', 'matchLabels'))]).toEqual([
          kind,
          true,
        ]);
      }
    }
    for (const policy of ofKind('NetworkPolicy')) {
      expect(matches(at(policy, 'spec', 'podSelector', 'matchLabels'))).toBe(true);
    }
    for (const scaler of ofKind('HorizontalPodAutoscaler')) {
      const target = at(scaler, 'spec', 'scaleTargetRef', 'name');
      expect(workloads.map(({ name }) => name)).toContain(target);
    }
    const services = new Map(ofKind('Service').map((one) => [at(one, 'metadata', 'name'), one]));
    const [ingress] = ofKind('Ingress');
    for (const path of list(at(ingress, 'spec', 'rules', 0, 'http', 'paths'))) {
      const { name, port } = Object(at(path, 'backend', 'service'));
      const ports = list(at(services.get(name), 'spec', 'ports'));
      expect(ports.map((one) => at(one, 'name'))).toContain(at(port, 'name'));
    }
  });

  it('lead each Service to a port of its containers', () => {
    const ports = [
      ...workloads.flatMap(({ container }) => list(at(container, 'ports'))),
      ...addedToEdges('containers/0/ports'),
    ];
    const names = ports.map((port) => at(port, 'name'));
    const targets = ofKind('Service').flatMap((one) => list(at(one, 'spec', 'ports')));
    expect(targets.map((one) => at(one, 'targetPort'))).toSatisfy((all: unknown[]) =>
      all.every((name) => names.includes(name)),
    );
    const published = new Set(targets.map((one) => at(one, 'port')));
    expect([...published]).toEqual(expect.arrayContaining([mqttPorts.clear, mqttPorts.tls]));
  });

  it('give edges a certificate in the overlay, where they find it', () => {
    const env = addedToEdges('containers/0/env');
    const names = Object.fromEntries(
      env.map((one): [string, string] => [String(at(one, 'name')), String(at(one, 'value'))]),
    );
    expect(unknownSettings('edge', names)).toEqual([]);
    const [mount] = addedToEdges('containers/0/volumeMounts');
    const [volume] = addedToEdges('volumes');
    expect(at(mount, 'name')).toBe(at(volume, 'name'));
    const paths = Object.values(names).filter((value) => value.startsWith('/'));
    expect(paths).toHaveLength(3);
    for (const path of paths) expect(dirname(path)).toBe(at(mount, 'mountPath'));
    const [port] = addedToEdges('containers/0/ports');
    expect(port).toEqual({ name: 'mqtts', containerPort: mqttPorts.tls });
  });

  it('open only ports that a container has', () => {
    const ours = [...Object.values(processes).map(({ port }) => port), ...Object.values(mqttPorts)];
    const neighbours = [53, 5432, 6379, 8123];
    for (const policy of ofKind('NetworkPolicy')) {
      const rules = [...list(at(policy, 'spec', 'ingress')), ...list(at(policy, 'spec', 'egress'))];
      for (const rule of rules) {
        for (const { port } of list(at(rule, 'ports')).map(Object)) {
          expect([...ours, ...neighbours]).toContain(port);
        }
      }
    }
  });
});

describe.runIf(spawnSync('jq', ['--version']).status === 0)(
  'retire.jq, where jq is installed,',
  () => {
    // As `kubectl get pod edge-0 -o json` gives it: what the set's template says, and what the cluster adds.
    const [edge] = workloads.filter(({ name }) => name === 'edge');
    const claimed = { name: 'data', persistentVolumeClaim: { claimName: 'data-edge-0' } };
    const running = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'edge-0', namespace: 'millrace', uid: 'of-edge-0', ownerReferences: [] },
      spec: {
        ...Object(edge?.pod),
        nodeName: 'a-node',
        volumes: [claimed, ...list(at(edge?.pod, 'volumes'))],
      },
      status: { phase: 'Running' },
    };
    const { stdout } = spawnSync(
      'jq',
      ['--arg', 'claim', 'data-edge-2', '-f', join(deploy, 'kubernetes/retire.jq')],
      { input: JSON.stringify(running), encoding: 'utf8' },
    );
    const made: unknown = JSON.parse(stdout);
    const container = at(made, 'spec', 'containers', 0);

    it('makes a pod that is valid, and as closed as an edge', async () => {
      await mustBeValid(made);
      expect(at(made, 'spec', 'securityContext')).toEqual(at(edge?.pod, 'securityContext'));
      expect(at(container, 'securityContext')).toEqual(at(edge?.container, 'securityContext'));
    });

    it('retires the log of that volume, with the settings of an edge, and is none of the edges', () => {
      expect(at(container, 'args')).toEqual(['retire', '/var/lib/millrace/log/0']);
      expect(environmentOf(container)).toEqual(environmentOf(edge?.container));
      expect(list(at(made, 'spec', 'volumes'))).toEqual([
        { name: 'data', persistentVolumeClaim: { claimName: 'data-edge-2' } },
        ...list(at(edge?.pod, 'volumes')),
      ]);
      const labels = environment({ ...Object(at(made, 'metadata', 'labels')) });
      for (const service of ofKind('Service')) {
        const selector = entries(at(service, 'spec', 'selector'));
        expect(selector.every(([name, value]) => labels[name] === value)).toBe(false);
      }
    });
  },
);
