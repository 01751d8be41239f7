import { call, type Org } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { choose, address } from '../router.ts';
import { orgsTexts } from '../texts/orgs.ts';
import { Choice } from '../ui/field.tsx';
import { Empty, Loaded } from '../ui/states.tsx';
import type { ComponentChildren } from 'preact';

/** As many as a list gives at once. */
const orgsMax = 200;

/** The orgs to choose from, by name. */
export function useOrgs(): Reading<Org[]> {
  return useRead('orgs', async (signal) => {
    const query = { limit: orgsMax, order: 'name', dir: 'asc' } as const;
    return (await call('listOrgs', { query }, signal)).orgs;
  });
}

/** The org that the page is about: the one in its address, or else the first. */
export function chosenOrg(orgs: readonly Org[] | undefined): Org | undefined {
  const { org: id } = address.value.query;
  return orgs?.find((org) => org.id === id) ?? orgs?.[0];
}

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

/** Chooses another org. Nothing where there is only one. */
export function OrgChoice({ orgs = [] }: { orgs: readonly Org[] | undefined }) {
  if (orgs.length < 2) return null;
  return (
    <Choice
      label={orgsTexts.choose}
      value={chosenOrg(orgs)?.id ?? ''}
      options={orgs.map(({ id, name }) => ({ value: id, text: name }))}
      onChoose={(org) => choose({ org, offset: undefined })}
    />
  );
}
