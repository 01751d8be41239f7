import type { DashboardContent, DashboardRange, Panel, PanelSeries } from './content.ts';
import { gridColumns } from './members.ts';

/**
 * Says what is wrong with a dashboard whose members are each as they must be: what a schema can't check. It names the
 * member, and its first mistake.
 */
export function problemOfContent(content: DashboardContent): string | undefined {
  const { panels, variables = [], range } = content;
  const names = variables.map(({ name }) => name);
  const twice = firstTwice(names);
  if (twice !== undefined) return `variables.${twice}.name is that of another variable`;
  const ids = firstTwice(panels.map(({ id }) => id));
  if (ids !== undefined) return `panels.${ids}.id is that of another panel`;
  for (const [at, panel] of panels.entries()) {
    const problem = problemOfPanel(panel, names);
    if (problem !== undefined) return `panels.${at}.${problem}`;
  }
  const problem = problemOfRange(range);
  return problem === undefined ? undefined : `range.${problem}`;
}

function firstTwice(names: readonly string[]): number | undefined {
  const at = names.findIndex((name, i) => names.indexOf(name) !== i);
  return at === -1 ? undefined : at;
}

function problemOfPanel(panel: Panel, variables: readonly string[]): string | undefined {
  if (panel.x + panel.w > gridColumns) {
    return `w: x and w are more than the ${gridColumns} columns together`;
  }
  for (const [at, one] of panel.series.entries()) {
    const problem = problemOfSeries(one, variables, panel.kind);
    if (problem !== undefined) return `series.${at}.${problem}`;
  }
  return undefined;
}

function problemOfSeries(
  { thing, variable, name }: PanelSeries,
  variables: readonly string[],
  kind: Panel['kind'],
): string | undefined {
  if (thing === undefined && variable === undefined) return 'thing: thing or variable is needed';
  if (thing !== undefined && variable !== undefined) {
    return 'variable: thing and variable exclude each other';
  }
  if (variable !== undefined && !variables.includes(variable)) {
    return 'variable is none of the dashboard';
  }
  return name === undefined && kind !== 'map' ? 'name is missing' : undefined;
}

const instant = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/;

function problemOfRange({ last, from, to }: DashboardRange): string | undefined {
  if (last !== undefined) {
    return from === undefined && to === undefined ? undefined : 'last: it excludes from and to';
  }
  if (from === undefined) return 'last: last, or from and to, is needed';
  if (to === undefined) return 'to is missing';
  for (const [name, text] of Object.entries({ from, to })) {
    if (!instant.test(text) || Number.isNaN(Date.parse(text))) {
      return `${name} is no time with a zone, such as 2026-11-21T10:00:00Z`;
    }
  }
  return Date.parse(from) < Date.parse(to) ? undefined : 'to is not after from';
}
