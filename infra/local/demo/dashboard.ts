import type { Millrace } from '../../../schemas/client/client.ts';
import type { DashboardContent } from '../../../schemas/dashboards/content.ts';
import type { Registered } from './register.ts';

const name = 'Cold chain';

/** A dashboard of the org, as whoever looks after both sites would make it. What an earlier run made stays as it is. */
export async function ensureDashboard(
  client: Millrace,
  orgId: string,
  things: readonly Registered[],
): Promise<string> {
  const path = { id: orgId };
  const { dashboards } = await client.call('listOrgDashboards', { path, query: { limit: 200 } });
  const found = dashboards.find((one) => one.name === name);
  if (found !== undefined) return found.id;
  const description =
    'Cold rooms and freezers of both sites, where they are, and what works for them';
  const body = { name, description, content: contentOf(things) };
  return client.create('createOrgDashboard', { path, body });
}

type Panel = DashboardContent['panels'][number];
type Place = readonly [x: number, y: number, w: number, h: number];

function panel(
  kind: Panel['kind'],
  title: string,
  [x, y, w, h]: Place,
  rest: Partial<Panel> = {},
): Panel {
  const id = title.toLowerCase().replaceAll(/\W+/g, '-');
  return { id, title, kind, series: [], x, y, w, h, ...rest };
}

function contentOf(things: readonly Registered[]): DashboardContent {
  const series = (thing: string, of = 'temperature', label = thing) => ({
    thing: things.find((one) => one.name === thing)?.id ?? '',
    name: of,
    label,
  });
  const tooWarm = (value: number): Partial<Panel> => ({
    thresholds: [{ value, tone: 'bad', label: 'too warm' }],
  });
  const now = (thing: string, limit: number, x: number) =>
    panel('value', thing, [x, 0, 3, 3], { series: [series(thing)], ...tooWarm(limit) });
  const rooms = ['Cold room 1', 'Cold room 2'].map((room) => series(room));
  const others = ['Freezer 1', 'Freezer 2', 'Compressor A', 'Roof weather'];
  const states = [series('Cold room 2, door', 'open', 'Door'), series('Compressor A', 'state')];
  return {
    range: { last: '7d' },
    refresh_s: 30,
    panels: [
      now('Cold room 1', 8, 0),
      now('Cold room 2', 6, 3),
      now('Freezer 1', -15, 6),
      now('Compressor A', 110, 9),
      panel('line', 'Cold rooms', [0, 3, 6, 5], { series: rooms, ...tooWarm(8) }),
      panel('map', 'Where things are', [6, 3, 6, 5]),
      panel('states', 'Door and compressor', [0, 8, 6, 4], { series: states }),
      panel('bars', 'Traffic at the yard gate, by hour', [6, 8, 6, 4], {
        series: [series('Yard gate', 'occupancy')],
        aggregation: 'avg',
        interval: '1h',
      }),
      panel('table', 'Newest temperatures', [0, 12, 12, 5], {
        series: [...rooms, ...others.map((thing) => series(thing))],
      }),
    ],
  };
}
