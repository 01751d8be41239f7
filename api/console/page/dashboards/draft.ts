import type { DashboardContent, Panel } from '../../../../schemas/dashboards/content.ts';
import { isObject, membersOf } from '../../../../schemas/members.ts';
import { bottom } from './grid.ts';

/** A dashboard that is not saved: from an empty one on. */
export type Draft = { name: string; description: string; content: DashboardContent };

/** The parts of a dashboard that can be changed. */
export const partsOf = ({ name, description, content }: Draft): Draft => ({
  name,
  description,
  content,
});

export const emptyContent: DashboardContent = {
  panels: [],
  variables: [],
  range: { last: '24h' },
  refresh_s: 30,
};

/** An id that no other panel of the dashboard has. */
function freeId(panels: readonly Panel[]): string {
  const ids = new Set(panels.map(({ id }) => id));
  let at = panels.length + 1;
  while (ids.has(`panel-${at}`)) at++;
  return `panel-${at}`;
}

/** A panel below all others. */
export function panelBelow(panels: readonly Panel[], given: Partial<Panel>): Panel {
  return {
    title: '',
    kind: 'line',
    series: [],
    w: 6,
    h: 4,
    ...given,
    id: freeId(panels),
    x: 0,
    y: bottom(panels),
  };
}

/**
 * The dashboard in a JSON text: what `Save as JSON` and the command line give, or its content alone. The API says what is
 * wrong in it. Undefined where it is none at all.
 */
export function draftIn(text: string): (Partial<Draft> & Pick<Draft, 'content'>) | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (!isObject(value)) return undefined;
    const content = isObject(value['content']) ? value['content'] : value;
    if (!isContent(content)) return undefined;
    const { name, description } = value;
    return {
      content,
      ...(typeof name === 'string' ? { name } : {}),
      ...(typeof description === 'string' ? { description } : {}),
    };
  } catch {
    return undefined;
  }
}

/** As far as it must be to be drawn. */
function isContent(value: object): value is DashboardContent {
  const { panels, range } = membersOf(value);
  return Array.isArray(panels) && panels.every(isPanel) && isObject(range);
}

function isPanel(panel: unknown): boolean {
  return (
    isObject(panel) &&
    ['id', 'title', 'kind'].every((name) => typeof panel[name] === 'string') &&
    ['x', 'y', 'w', 'h'].every((name) => typeof panel[name] === 'number') &&
    Array.isArray(panel['series']) &&
    panel['series'].every(
      (one) => isObject(one) && Object.values(one).every((text) => typeof text === 'string'),
    )
  );
}
