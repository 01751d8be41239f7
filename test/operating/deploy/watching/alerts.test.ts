import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { at, deploy, entries, filesUnder, list, read, readYaml, root } from '../files.ts';
import { metricsIn, unknownMetrics } from './known-metrics.ts';
import { processNamed } from '../processes.ts';

/*
 * Prometheus' rules: of metrics that exist, each alert with its runbook and a test of its own. promtool runs those
 * tests where it is installed, and the name says so: `apt-get install prometheus`.
 */

const rulesOf = (path: string) =>
  list(at(readYaml(path)[0], 'groups')).flatMap((group) => list(at(group, 'rules')));
const recorded = rulesOf('prometheus/rules.yml');
const alerts = rulesOf('prometheus/alerts.yml').map((rule) => ({
  name: String(at(rule, 'alert')),
  rule,
}));
const tests = readYaml('prometheus/alerts.test.yml')[0];
const runbooks = readFileSync(join(root, 'infra/guide/operating/runbooks.md'), 'utf8');
const sections = [...runbooks.matchAll(/^## (\w+)\n([^]*?)(?=^## |$(?![^]))/gm)];

/** Where a test expects an alert to fire, or not to. */
const expectations = list(at(tests, 'tests')).flatMap((test) => list(at(test, 'alert_rule_test')));
const expected = (name: string, firing: boolean) =>
  expectations.filter(
    (one) => at(one, 'alertname') === name && (at(one, 'exp_alerts', 0) !== undefined) === firing,
  );

describe('the rules of Prometheus', () => {
  it('name metrics that exist, with labels that they have', () => {
    for (const rule of [...recorded, ...alerts.map((alert) => alert.rule)]) {
      const expr = String(at(rule, 'expr'));
      expect(metricsIn(expr)).not.toEqual([]);
      expect([expr, unknownMetrics(expr)]).toEqual([expr, []]);
    }
  });

  it.each(alerts)('$name has a severity and a runbook', ({ name, rule }) => {
    expect(['critical', 'warning']).toContain(at(rule, 'labels', 'severity'));
    expect(at(rule, 'annotations')).toEqual({
      summary: expect.stringMatching(/\S/),
      runbook: `infra/guide/operating/runbooks.md#${name.toLowerCase()}`,
    });
  });

  it.each(alerts)('$name has tests: one that fires and one that does not', ({ name }) => {
    expect(expected(name, true)).not.toEqual([]);
    expect(expected(name, false)).not.toEqual([]);
  });

  it('have a runbook for each alert: what it means, what to look at and what to do', () => {
    expect(sections.map(([, name]) => name)).toEqual(alerts.map(({ name }) => name));
    for (const [, name, text = ''] of sections) {
      const parts = [...text.matchAll(/^- \*\*(.+)\*\*: \S/gm)].map(([, part]) => part);
      expect([name, parts]).toEqual([name, ['Means', 'Look at', 'Do']]);
    }
  });

  it('link runbooks that exist', () => {
    const anchors = [...runbooks.matchAll(/\]\(#(millrace\w+)\)/g)].map(([, anchor]) => anchor);
    const known = alerts.map(({ name }) => name.toLowerCase());
    expect(anchors.filter((anchor) => !known.includes(anchor ?? ''))).toEqual([]);
  });
});

describe('the scrape configuration', () => {
  const jobs = list(at(readYaml('prometheus/prometheus.yml')[0], 'scrape_configs'));

  it('scrapes each process on its port, as a job of its own', () => {
    const targets = jobs.flatMap((job) =>
      list(at(job, 'static_configs')).map((one) => ({ job: String(at(job, 'job_name')), one })),
    );
    const names = targets.map(({ one }) => at(one, 'labels', 'instance'));
    expect(new Set(names).size).toBe(targets.length);
    for (const { job, one } of targets) {
      const name = job.replace('millrace-', '');
      expect(at(one, 'targets')).toEqual([`${name}:${processNamed(name).port}`]);
    }
    expect(targets.map(({ job }) => job)).toEqual([
      'millrace-edge',
      'millrace-api',
      'millrace-workers',
    ]);
  });

  it('loads the same rules in Kubernetes', () => {
    const [there] = readYaml('prometheus/kubernetes.yml');
    const [here] = readYaml('prometheus/prometheus.yml');
    expect(at(there, 'rule_files')).toEqual(at(here, 'rule_files'));
  });

  it('has the metric of the autoscaler', () => {
    const [rule] = list(at(readYaml('prometheus/adapter.yaml')[0], 'rules', 'external'));
    expect(unknownMetrics(String(at(rule, 'seriesQuery')))).toEqual([]);
    const scaler = read('kubernetes/example/workers-by-lag.yaml');
    expect(scaler).toContain(`metric: { name: ${String(at(rule, 'name', 'as'))} }`);
  });
});

const promtool = (...args: string[]) => {
  const { stdout, stderr, status } = spawnSync('promtool', args, {
    cwd: join(deploy, 'prometheus'),
    encoding: 'utf8',
  });
  return { said: `${stdout}${stderr}`, status };
};

describe.runIf(promtool('--version').status === 0)('promtool, where it is installed,', () => {
  it('accepts the configuration and its rules', () => {
    expect(promtool('check', 'config', 'prometheus.yml')).toMatchObject({ status: 0 });
  });

  it('runs the tests of the alerts', () => {
    expect(promtool('test', 'rules', 'alerts.test.yml')).toEqual({
      said: expect.stringContaining('SUCCESS'),
      status: 0,
    });
  });

  it('knows every file of rules', () => {
    const known = entries(readYaml('prometheus/prometheus.yml')[0]).find(
      ([name]) => name === 'rule_files',
    );
    for (const path of filesUnder('prometheus').filter((one) => /(rules|alerts)\.yml$/.test(one))) {
      expect(list(known?.[1])).toContain(path.replace('prometheus/', ''));
    }
  });
});
