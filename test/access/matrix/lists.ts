import { type CallerName, callerKind, type PlaceName, roleAt } from './callers.ts';
import type { Listed, Sample } from './sample.ts';
import type { World } from './world.ts';

const standing = ['own', 'sibling', 'foreign'] as const;

type Item = { id: string; place: PlaceName; sees: (caller: CallerName) => boolean };

/** Everything that stands, of a kind, and who sees it in lists. */
function itemsOf(what: Listed, { places, persons }: World): Item[] {
  if (what === 'user') {
    const known = [...persons].map(
      ([name, { id }]): Item => ({
        id,
        place: 'own',
        sees: (caller: CallerName) =>
          persons.get(caller)?.id === id ||
          (callerKind(caller).org !== undefined && callerKind(name).org !== undefined),
      }),
    );
    const { id } = places.foreign.owner;
    return [...known, { id, place: 'foreign', sees: () => false }];
  }
  if (what === 'org') {
    return (['own', 'foreign'] as const).map((place) => ({
      id: places[place].orgId,
      place,
      sees: (caller) => roleAt(caller, place, 'org') !== undefined,
    }));
  }
  return standing.map((place) => ({
    id: places[place][`${what}Id`],
    place,
    sees: (caller) => roleAt(caller, place, 'group') !== undefined,
  }));
}

/** The ids of what stands that an answer holds, and those it must hold and no other. */
export function compareList(
  world: World,
  { what, within }: NonNullable<Sample['lists']>,
  caller: CallerName,
  place: PlaceName,
  text: string,
): { found: string[]; wanted: string[] } {
  const items = itemsOf(what, world);
  const isWithin = (item: Item) =>
    within === 'everything' ||
    (within === 'group'
      ? item.place === place
      : world.places[item.place].orgId === world.places[place].orgId);
  const isSeen = (item: Item) => callerKind(caller).platformAdmin === true || item.sees(caller);
  return {
    found: items.filter(({ id }) => text.includes(`"${id}"`)).map(({ id }) => id),
    wanted: items.filter((item) => isWithin(item) && isSeen(item)).map(({ id }) => id),
  };
}
