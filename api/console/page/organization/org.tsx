import { call, type Org } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { address } from '../router.ts';
import { PlaceChoice } from '../place/choice.tsx';
import { ifThere } from '../place/places.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { Empty, Loaded } from '../ui/states.tsx';
import type { ComponentChildren } from 'preact';

/** As many as a list gives at once. */
const orgsMax = 200;

/** The orgs that one is in, by name, and the one that the page is about; undefined, where one is to be chosen. */
type Orgs = { all: Org[]; org: Org | undefined };

/** The page is about the org in which one works, in it or in a group of it, or else about the only one. */
export function useOrgs(): Reading<Orgs> {
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
    return { all: orgs, org: wanted[0] ?? (orgs.length === 1 ? orgs[0] : undefined) };
  });
}

/** Draws a page of an org; asks for one of several, and tells a user who is in none what to do. */
export function OfOrg({
  reading,
  children,
}: {
  reading: Reading<Orgs>;
  children: (org: Org) => ComponentChildren;
}) {
  return (
    <Loaded reading={reading}>
      {({ all, org }) =>
        org === undefined ? (
          <PlaceChoice places={all.map(({ id, name }) => ({ of: 'org', id, name, orgId: id }))}>
            <Empty title={orgsTexts.none} text={orgsTexts.noneText} />
          </PlaceChoice>
        ) : (
          children(org)
        )
      }
    </Loaded>
  );
}
