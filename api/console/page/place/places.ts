import { call, type Org } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import type { RolePlace } from '../roles.ts';

/** A group or an org: what is listed of it is its own, and that of all that is in it. */
export type ListPlace = RolePlace & {
  name: string;
  /** Of a group its org, of an org itself. */
  orgId: string;
};

/** As many as a list gives at once. */
const placesMax = 200;

/**
 * Where one may list something: in orgs, all that one is in or those that one owns, and in groups that one is in. That of the
 * address is among them, however many there are.
 */
export function usePlaces(user: User | undefined, inOrgs: 'all' | 'owned'): Reading<ListPlace[]> {
  const { org, group } = address.value.query;
  const key = user && `${user.id} ${org ?? ''} ${group ?? ''}`;
  return useRead(key, async (signal) => {
    const query = { limit: placesMax, order: 'name', dir: 'asc' } as const;
    const [{ orgs }, { groups }, wantedOrg, wantedGroup] = await Promise.all([
      call('listOrgs', { query }, signal),
      call('listGroups', { query }, signal),
      org === undefined ? [] : ifThere(call('viewOrg', { path: { id: org } }, signal)),
      group === undefined ? [] : ifThere(call('viewGroup', { path: { id: group } }, signal)),
    ]);
    const owns = ({ owner_id: owner }: Org) =>
      inOrgs === 'all' || user?.platform_admin === true || owner === user?.id;
    return [
      ...withoutRepeats([...orgs, ...wantedOrg])
        .filter(owns)
        .map(({ id, name }) => ({ of: 'org' as const, id, name, orgId: id })),
      ...withoutRepeats([...groups, ...wantedGroup]).map(({ id, name, org_id: orgId }) => ({
        of: 'group' as const,
        id,
        name,
        orgId,
      })),
    ];
  });
}

/** Nothing, where an old link names what is gone, or is not for this user. */
export const ifThere = <Found>(found: Promise<Found>): Promise<Found[]> =>
  found.then(
    (one) => [one],
    () => [],
  );

const withoutRepeats = <Entity extends { id: string }>(all: readonly Entity[]): Entity[] => [
  ...new Map(all.map((one) => [one.id, one])).values(),
];

/** The place in the address, if it is one of these; without one, all of them are meant. */
export function placeAmong(places: readonly ListPlace[]): ListPlace | undefined {
  const { org, group } = address.value.query;
  return places.find(({ of, id }) => id === (of === 'org' ? org : group));
}

/** The groups of a place; without one, all. */
export function groupsIn(
  places: readonly ListPlace[],
  place: RolePlace | undefined,
): readonly ListPlace[] {
  const groups = places.filter(({ of }) => of === 'group');
  if (place === undefined) return groups;
  return groups.filter(({ id, orgId }) => (place.of === 'org' ? orgId : id) === place.id);
}

/** Those that the address leaves to choose from: the place in it alone, if it is one of these; else those of its org, or all. */
export function placesHere(places: readonly ListPlace[]): readonly ListPlace[] {
  const place = placeAmong(places);
  if (place !== undefined) return [place];
  const { org } = address.value.query;
  return org === undefined ? places : places.filter(({ orgId }) => orgId === org);
}

/**
 * The place of a page that is about one: the only one here, or the org that all others here are in. Undefined, where one is to be
 * chosen: the first would pass for all.
 */
export function onlyPlace(places: readonly ListPlace[] | undefined): ListPlace | undefined {
  const here = placesHere(places ?? []);
  const [first] = here;
  const isWhole = first?.of === 'org' && here.every(({ orgId }) => orgId === first.id);
  return isWhole || here.length === 1 ? first : undefined;
}
