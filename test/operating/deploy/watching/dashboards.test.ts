import { describe, expect, it } from 'vitest';
import { at, filesUnder, list, read, readYaml } from '../files.ts';
import { unknownMetrics } from './known-metrics.ts';

/** Grafana's dashboards: of metrics that exist, and readable. No Grafana is here: what it draws, nobody looked at. */

const variables = (dashboard: unknown) => list(at(dashboard, 'templating', 'list'));
const all = filesUnder('grafana/dashboards').map((path) => {
  const dashboard: unknown = JSON.parse(read(path));
  return { path, dashboard, panels: list(at(dashboard, 'panels')) };
});
const ofSource = (source: string) =>
  all.filter(({ dashboard }) =>
    variables(dashboard).some(
      (one) => at(one, 'type') === 'datasource' && at(one, 'query') === source,
    ),
  );
/** Of metrics, and of messages: those are tried on a running system (test/reading/influx/grafana.test.ts). */
const dashboards = ofSource('prometheus');
const ofMessages = ofSource('influxdb');

describe('the dashboards', () => {
  it('are one for each part of the system', () => {
    expect(dashboards.map(({ dashboard }) => at(dashboard, 'uid'))).toEqual(
      ['api', 'edge', 'fleet', 'store', 'webhooks'].map((name) => `millrace-${name}`),
    );
    expect(ofMessages.map(({ dashboard }) => at(dashboard, 'uid'))).toEqual(
      ['thing', 'things'].map((name) => `millrace-${name}`),
    );
    expect(all).toHaveLength(dashboards.length + ofMessages.length);
  });

  it.each(dashboards)('$path: each panel has a title, a unit, and metrics that exist', (one) => {
    const titles = one.panels.map((panel) => String(at(panel, 'title')));
    expect(new Set(titles).size).toBe(titles.length);
    for (const panel of one.panels) {
      expect(panel).toMatchObject({
        title: expect.stringMatching(/\S/),
        fieldConfig: { defaults: { unit: expect.stringMatching(/^[a-z]+$/) } },
      });
      const targets = list(at(panel, 'targets'));
      expect(targets).not.toEqual([]);
      for (const target of targets) {
        expect(at(target, 'datasource', 'uid')).toBe('${datasource}');
        expect(at(target, 'legendFormat')).toMatch(/\S/);
        const expr = String(at(target, 'expr'));
        expect([expr, unknownMetrics(expr)]).toEqual([expr, []]);
      }
    }
  });

  it.each(dashboards)('$path: uses variables that it defines', ({ path, dashboard }) => {
    const has = new Set(variables(dashboard).map((one) => String(at(one, 'name'))));
    const text = read(path);
    const used = [...text.matchAll(/\$\{?(datasource|instance)\b/g)].map(([, name = '']) => name);
    expect(new Set(used)).toEqual(has);
    for (const variable of variables(dashboard)) {
      const query: unknown = at(variable, 'query', 'query');
      if (typeof query !== 'string') continue;
      const [, series = ''] = /^label_values\((.+), \w+\)$/.exec(query) ?? [];
      expect([series, unknownMetrics(series)]).toEqual([expect.stringMatching(/\S/), []]);
    }
  });

  it.each(all)('$path: no panels overlap', ({ panels }) => {
    const cells = panels.flatMap((panel) => {
      const { x, y, w, h } = Object(at(panel, 'gridPos'));
      expect(x + w).toBeLessThanOrEqual(24);
      return Array.from(
        { length: w * h },
        (_, cell) => `${x + (cell % w)},${y + Math.floor(cell / w)}`,
      );
    });
    expect(new Set(cells).size).toBe(cells.length);
  });

  it('show each metric of infra/METRICS.md that changes over time', () => {
    const shown = dashboards.map(({ path }) => read(path)).join('');
    const rules = ['rules', 'alerts'].map((name) => read(`prometheus/${name}.yml`)).join('');
    const unseen = documentedMetrics().filter(
      (name) => !shown.includes(name) && !rules.includes(name),
    );
    expect(unseen).toEqual([]);
  });

  it('are in the folder that Grafana reads', () => {
    const [provider] = list(at(readYaml('grafana/dashboards.yaml')[0], 'providers'));
    const path = String(at(provider, 'options', 'path'));
    const mounts = list(at(readYaml('compose.yaml')[0], 'services', 'grafana', 'volumes'));
    expect(mounts).toContain(`./grafana/dashboards:${path}:ro`);
  });
});

function documentedMetrics(): string[] {
  const rows = read('../METRICS.md').matchAll(/^\| `(millrace_\w+)` \|/gm);
  return [...rows].map(([, name = '']) => name);
}
