import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createMetrics } from '../../../../infra/runtime/observability/metrics.ts';
import { at, list, readYaml, root } from '../files.ts';

/** By the name of each metric, the labels it has beside those that Prometheus adds. */
const known = new Map<string, Set<string>>();

const documented = readFileSync(join(root, 'infra/METRICS.md'), 'utf8').matchAll(
  /^\| `(\w+)` \| (\w+) \|([^|]*)\|/gm,
);
for (const [, name = '', type = '', labels = ''] of documented) {
  know(
    name,
    type,
    [...labels.matchAll(/`(\w+)`/g)].map(([, label = '']) => label),
  );
}
// Node's and the process's own, as ours have them.
const registry = createMetrics({ version: '', commit: '', description: '', build_time: '' });
for (const { name, type } of await registry.getMetricsAsJSON()) {
  if (!known.has(name)) know(name, type, ['kind']);
}
for (const group of list(at(readYaml('prometheus/rules.yml')[0], 'groups'))) {
  for (const rule of list(at(group, 'rules'))) {
    const by = /by \(([\w, ]+)\)/.exec(String(at(rule, 'expr')))?.[1] ?? '';
    known.set(String(at(rule, 'record')), new Set([...by.split(', '), 'job', 'instance']));
  }
}
// Prometheus' own.
known.set('up', new Set(['job', 'instance']));
known.set('ALERTS', new Set(['job', 'instance', 'alertname', 'alertstate', 'severity']));

function know(name: string, type: string, labels: string[]): void {
  const all = new Set([...labels, 'job', 'instance']);
  if (type !== 'histogram') known.set(name, all);
  else for (const part of ['sum', 'count']) known.set(`${name}_${part}`, all);
  if (type === 'histogram') known.set(`${name}_bucket`, new Set([...all, 'le']));
}

/** Words of PromQL that are no metric. */
const words =
  /^(and|or|unless|by|without|on|ignoring|bool|offset|group_left|group_right|inf|nan|le)$/i;

/** The metrics that an expression names, each with its selector. */
export function metricsIn(expression: string): { name: string; labels: string[] }[] {
  const bare = expression
    // Labels that something is grouped by are no metrics; they are checked apart.
    .replaceAll(/\b(by|without|on|ignoring) ?\([^)]*\)/g, ' ')
    .replaceAll(/\[[^\]]*\]/g, ' ');
  return [...bare.matchAll(/(?<![\w:$"])([a-zA-Z_][\w:]*)(?:\{([^}]*)\})?(?!\s*[\w:]*\()/g)]
    .filter(([, name = '']) => !words.test(name) && /[_:]|^up$|^ALERTS$/.test(name))
    .filter(([, name = '']) => !/^(label_values|histogram_quantile|predict_linear)$/.test(name))
    .map(([, name = '', selector = '']) => ({
      name,
      labels: [...selector.matchAll(/(\w+)(?:=~|!~|!=|=)/g)].map(([, label = '']) => label),
    }));
}

/** What an expression names and nothing has: metrics, and labels of them. */
export function unknownMetrics(expression: string): string[] {
  const metrics = metricsIn(expression.replaceAll(/"[^"]*"/g, '""'));
  const wrong = metrics.flatMap(({ name, labels }) => {
    const all = known.get(name);
    if (all === undefined) return [name];
    return labels.filter((label) => !all.has(label)).map((label) => `${name}{${label}}`);
  });
  const has = new Set(metrics.flatMap(({ name }) => [...(known.get(name) ?? [])]));
  const grouped = [...expression.matchAll(/\bby ?\(([^)]*)\)/g)].flatMap(([, text = '']) =>
    text.split(',').map((label) => label.trim()),
  );
  return [...wrong, ...grouped.filter((label) => !has.has(label)).map((label) => `by (${label})`)];
}
