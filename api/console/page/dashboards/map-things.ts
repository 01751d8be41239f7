import type { DashboardContent, Panel } from '../../../../schemas/dashboards/content.ts';
import { call, type Dashboard, type Thing } from '../client/call.ts';
import { coordinateNames, type Coordinates, coordinatesOf } from '../map/coordinates.ts';
import { valueOf } from './use-variables.ts';

/** Whose things a map has. */
export type MapSource = { of: 'org' | 'group' | 'thing'; id: string };

/** The things of a map: those that its series name, else all of where the dashboard is. */
export function mapSourcesOf(
  panel: Panel,
  { variables = [] }: DashboardContent,
  { org_id: orgId = '', group_id: groupId }: Pick<Dashboard, 'org_id' | 'group_id'>,
): MapSource[] {
  if (panel.series.length === 0) {
    return [groupId === undefined ? { of: 'org', id: orgId } : { of: 'group', id: groupId }];
  }
  return panel.series
    .map(({ thing, variable }): MapSource => {
      const named = variables.find(({ name }) => name === variable);
      if (named === undefined) return { of: 'thing', id: thing ?? '' };
      return { of: named.kind, id: valueOf(named) };
    })
    .filter(({ id }) => id !== '');
}

type MapThing = Pick<Thing, 'id' | 'name' | 'last_seen'> & { place?: Coordinates };
type MapThings = { things: MapThing[]; total: number };

const rowsMax = 200;
/** More on one map cannot be told apart. */
const thingsMax = 1_000;

/** The things, each with the place that it sent last, or else that in its metadata. */
export async function readMapThings(
  sources: readonly MapSource[],
  signal: AbortSignal,
): Promise<MapThings> {
  const pages = await Promise.all(sources.map(async (source) => readThings(source, signal)));
  const all = new Map(pages.flatMap(({ things }) => things).map((thing) => [thing.id, thing]));
  const sent = await readSent(sources, signal);
  const things = [...all.values()].map(({ id, name, last_seen, metadata }): MapThing => {
    const place = coordinatesOf(sent.get(id) ?? {}) ?? coordinatesOf(metadata);
    return { id, name, last_seen, ...(place === undefined ? {} : { place }) };
  });
  const left = pages.reduce((sum, page) => sum + page.total - page.things.length, 0);
  return { things, total: things.length + left };
}

async function readThings({ of, id }: MapSource, signal: AbortSignal) {
  const path = { id };
  if (of === 'thing') return { things: [await call('viewThing', { path }, signal)], total: 1 };
  const things: Thing[] = [];
  for (;;) {
    const query = { limit: rowsMax, offset: things.length, order: 'name', dir: 'asc' } as const;
    const page = await (of === 'group'
      ? call('listGroupThings', { path, query }, signal)
      : call('listOrgThings', { path, query }, signal));
    things.push(...page.things);
    const isLast = page.things.length < rowsMax || things.length >= thingsMax;
    if (isLast) return { things, total: page.total };
  }
}

/** The newest numbers that are called as coordinates are, by thing. */
async function readSent(
  sources: readonly MapSource[],
  signal: AbortSignal,
): Promise<Map<string, Record<string, unknown>>> {
  const names = [...new Set(coordinateNames.flat())];
  const body = sources.flatMap(({ of, id }) =>
    names.map((name) => ({
      name,
      latest: true,
      limit: thingsMax,
      ...(of === 'group' ? { group_id: id } : of === 'thing' ? { publisher: id } : {}),
    })),
  );
  const answer = await call('searchMessages_senml', { body }, signal);
  const sent = new Map<string, Record<string, unknown>>();
  for (const { messages } of [answer].flat()) {
    for (const { publisher = '', name = '', value } of messages) {
      sent.set(publisher, { ...sent.get(publisher), [name]: value });
    }
  }
  return sent;
}
