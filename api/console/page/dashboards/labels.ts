import type { Panel } from '../../../../schemas/dashboards/content.ts';
import { call } from '../client/call.ts';
import { useRead } from '../client/use-read.ts';
import { dashboardsTexts } from '../texts/dashboards.ts';

/** Names of things, by their ids. */
export type Names = ReadonlyMap<string, string>;

/** The names of things do not change while one looks. */
const known = new Map<string, Promise<string>>();

function nameOf(id: string): Promise<string> {
  const asked = known.get(id);
  if (asked !== undefined) return asked;
  const asking = call('viewThing', { path: { id } }).then(({ name }) => name);
  known.set(id, asking);
  asking.catch(() => known.delete(id));
  return asking;
}

/** Notes names that a list has told. */
export function noteNames(things: readonly { id: string; name: string }[]): void {
  for (const { id, name } of things) known.set(id, Promise.resolve(name));
}

/** Names of panels, by their ids, for who does not see which is which: each is another one, also of the same title. */
export function panelNames(
  panels: readonly Pick<Panel, 'id' | 'title'>[],
): ReadonlyMap<string, string> {
  const names = new Map<string, string>();
  const taken = new Set<string>();
  for (const { id, title } of panels) {
    const first = dashboardsTexts.panelOf(title);
    let name = first;
    for (let nth = 2; taken.has(name.toLowerCase()); nth++) {
      name = dashboardsTexts.nthPanel(first, nth);
    }
    taken.add(name.toLowerCase());
    names.set(id, name);
  }
  return names;
}

/** The names of these things; of one that can't be seen the begin of its id. */
export function useNames(things: readonly string[]): Names {
  const ids = [...new Set(things)].toSorted();
  const { value } = useRead(ids.length === 0 ? undefined : ids.join(), async () =>
    Promise.all(
      ids.map(
        async (id): Promise<[string, string]> => [
          id,
          await nameOf(id).catch(() => dashboardsTexts.gone(id)),
        ],
      ),
    ),
  );
  return new Map(value);
}
