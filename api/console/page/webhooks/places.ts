import { call, type Org } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import type { RolePlace } from '../roles.ts';

/** A group or an org: it has webhooks of its own, and those of all that is in it. */
export type ListPlace = RolePlace & { name: string };

/** As many as a list gives at once. */
const placesMax = 200;

/**
 * Where one may list webhooks: in orgs that one owns, and in groups that one is in. The same name in two orgs is told
 * apart by the org.
 */
export function usePlaces(user: User | undefined): Reading<ListPlace[]> {
  return useRead(user?.id, async (signal) => {
    const query = { limit: placesMax, order: 'name', dir: 'asc' } as const;
    const [{ orgs }, { groups }] = await Promise.all([
      call('listOrgs', { query }, signal),
      call('listGroups', { query }, signal),
    ]);
    const names = new Map(orgs.map(({ id, name }) => [id, name]));
    const owns = ({ owner_id: owner }: Org) => user?.platform_admin === true || owner === user?.id;
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
