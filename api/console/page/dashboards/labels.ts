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
