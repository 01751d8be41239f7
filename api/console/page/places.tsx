import { call, type Org } from './client/call.ts';
import type { User } from './client/session.ts';
import { type Reading, useRead } from './client/use-read.ts';
import { address, choose } from './router.ts';
import type { RolePlace } from './roles.ts';
import { placesTexts } from './texts/places.ts';
import { Choice } from './ui/field.tsx';

/** A group or an org: what is listed of it is its own, and that of all that is in it. */
export type ListPlace = RolePlace & { name: string };

/** As many as a list gives at once. */
const placesMax = 200;

/**
 * Where one may list something: in orgs, all that one is in or those that one owns, and in groups that one is in. The same
 * name in two orgs is told apart by the org.
 */
export function usePlaces(user: User | undefined, inOrgs: 'all' | 'owned'): Reading<ListPlace[]> {
  return useRead(user?.id, async (signal) => {
    const query = { limit: placesMax, order: 'name', dir: 'asc' } as const;
    const [{ orgs }, { groups }] = await Promise.all([
      call('listOrgs', { query }, signal),
      call('listGroups', { query }, signal),
    ]);
    const names = new Map(orgs.map(({ id, name }) => [id, name]));
    const owns = ({ owner_id: owner }: Org) =>
      inOrgs === 'all' || user?.platform_admin === true || owner === user?.id;
    return [
      ...orgs.filter(owns).map(({ id, name }) => ({ of: 'org' as const, id, name })),
      ...groups.map(({ id, name, org_id: org }) => {
        const inOrg = names.size > 1 ? names.get(org) : undefined;
        return {
          of: 'group' as const,
          id,
          name: inOrg === undefined ? name : `${name} – ${inOrg}`,
        };
      }),
    ];
  });
}

/** The place in the address, or else the first. */
export function chosenPlace(places: readonly ListPlace[] | undefined): ListPlace | undefined {
  const { org, group } = address.value.query;
  return places?.find(({ of, id }) => (of === 'org' ? id === org : id === group)) ?? places?.at(0);
}

/** Chooses another org or group. Nothing where there is only one. */
export function PlaceChoice({ places = [] }: { places: readonly ListPlace[] | undefined }) {
  if (places.length < 2) return null;
  return (
    <Choice
      label={placesTexts.where}
      value={chosenPlace(places)?.id ?? ''}
      options={places.map(({ of, id, name }) => ({
        value: id,
        text: name,
        under: of === 'org' ? placesTexts.orgs : placesTexts.groups,
      }))}
      onChoose={(id) => {
        const isOrg = places.some((one) => one.of === 'org' && one.id === id);
        choose({
          org: isOrg ? id : undefined,
          group: isOrg ? undefined : id,
          offset: undefined,
        });
      }}
    />
  );
}
