import { useEffect, useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { useRead } from '../client/use-read.ts';
import { address, workIn } from '../router.ts';
import { placesTexts } from '../texts/places.ts';
import { Icon } from '../ui/icons.tsx';
import { Finder, type Offer } from '../ui/finder.tsx';

const words = placesTexts;

/** So many orgs and groups are offered; what is typed finds the others. */
const offeredMax = 50;
/** As many as a list gives at once. */
const orgsMax = 200;
const typedMs = 150;

/** The org and the group in which one works, by their names. */
function useNames(): { org: string | undefined; group: string | undefined } {
  const { org, group } = address.value.query;
  const isAnywhere = org === undefined && group === undefined;
  const { value } = useRead(isAnywhere ? undefined : `${org} ${group}`, async (signal) => {
    const [ofGroup, { orgs }] = await Promise.all([
      group === undefined ? undefined : call('viewGroup', { path: { id: group } }, signal),
      // Who is in a group may not be in its org: then it is not among these.
      call('listOrgs', { query: { limit: orgsMax, order: 'name', dir: 'asc' } }, signal),
    ]);
    const id = ofGroup?.org_id ?? org;
    return { org: orgs.find((one) => one.id === id)?.name, group: ofGroup?.name };
  });
  return isAnywhere || value === undefined ? { org: undefined, group: undefined } : value;
}

/** Says in which org and group one works, and leads to others. */
export function PlaceButton({ onClick }: { onClick: () => void }) {
  const { org, group } = useNames();
  const name = group ?? org ?? words.everywhere;
  return (
    <button type="button" class="place" aria-haspopup="dialog" onClick={onClick}>
      <Icon name="organization" />
      <span>
        {group !== undefined && org !== undefined && <bdi class="cut small muted">{org}</bdi>}
        <bdi class="cut">{name}</bdi>
      </span>
      <span class="hidden">{words.change}</span>
      <Icon name="choose" />
    </button>
  );
}

/** Finds an org or a group to work in. */
export function PlaceFinder({ user, onClose }: { user: User; onClose: () => void }) {
  const [typed, setTyped] = useState('');
  return (
    <Finder
      label={words.where}
      placeholder={words.placeholder}
      none={words.none}
      typed={typed}
      onType={setTyped}
      offers={usePlaceOffers(user, typed)}
      onClose={onClose}
    />
  );
}

/** All that one sees, then each org with its groups; of what is typed, the names that have it. */
function usePlaceOffers(user: User, typed: string): Offer[] {
  const [name, setName] = useState('');
  useEffect(() => {
    const timer = setTimeout(() => setName(typed.trim()), typedMs);
    return () => clearTimeout(timer);
  }, [typed]);
  const { value } = useRead(`${user.id} ${name}`, async (signal) => {
    const query = { name, limit: offeredMax, order: 'name', dir: 'asc' } as const;
    const [{ orgs }, { groups }] = await Promise.all([
      call('listOrgs', { query }, signal),
      call('listGroups', { query }, signal),
    ]);
    return { orgs, groups };
  });
  if (value === undefined) return [];
  const groupOffer = ({ id, name: text }: { id: string; name: string }, isInner: boolean) => ({
    key: id,
    text,
    kind: words.group,
    isInner,
    run: () => workIn({ group: id }),
  });
  const orgIds = new Set(value.orgs.map(({ id }) => id));
  return [
    ...(name === ''
      ? [{ key: '', text: words.everywhere, kind: words.all, run: () => workIn({}) }]
      : []),
    ...value.orgs.flatMap((org) => [
      { key: org.id, text: org.name, kind: words.org, run: () => workIn({ org: org.id }) },
      ...value.groups
        .filter(({ org_id: of }) => of === org.id)
        .map((group) => groupOffer(group, true)),
    ]),
    ...value.groups
      .filter(({ org_id: of }) => !orgIds.has(of))
      .map((group) => groupOffer(group, false)),
  ];
}
