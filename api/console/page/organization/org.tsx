import { call, type Org } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { ifThere } from '../place/places.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { Empty, Loaded } from '../ui/states.tsx';
import type { ComponentChildren } from 'preact';

/** As many as a list gives at once. */
const orgsMax = 200;

/** The orgs that one is in, by name; first the one in which one works, in it or in a group of it. */
export function useOrgs(): Reading<Org[]> {
  const { org, group } = address.value.query;
  return useRead(`${org ?? ''} ${group ?? ''}`, async (signal) => {
    const query = { limit: orgsMax, order: 'name', dir: 'asc' } as const;
    const groups =
      group === undefined ? [] : await ifThere(call('viewGroup', { path: { id: group } }, signal));
    const id = groups[0]?.org_id ?? org;
    const [{ orgs }, wanted] = await Promise.all([
      call('listOrgs', { query }, signal),
      id === undefined ? [] : ifThere(call('viewOrg', { path: { id } }, signal)),
    ]);
    return [...wanted, ...orgs.filter((one) => one.id !== id)];
  });
}

/** The org that the page is about. */
export const chosenOrg = (orgs: readonly Org[] | undefined): Org | undefined => orgs?.[0];

/** Draws a page of an org; tells a user who is in none what to do. */
export function OfOrg({
  reading,
  children,
}: {
  reading: Reading<Org[]>;
  children: (org: Org) => ComponentChildren;
}) {
  return (
    <Loaded reading={reading}>
      {(orgs) => {
        const org = chosenOrg(orgs);
        if (org === undefined) return <Empty title={orgsTexts.none} text={orgsTexts.noneText} />;
        return children(org);
      }}
    </Loaded>
  );
}
