import { useState } from 'preact/hooks';
import { call } from '../client/call.ts';
import { type Reading, useRead } from '../client/use-read.ts';
import { thingsTexts } from '../texts/things.ts';
import { Choice, Field, Search } from '../ui/field.tsx';

/** A profile as it is chosen: `under` says the org and the group that it is in. */
type OfferedProfile = { id: string; name: string; groupId: string; under: string };

/** As many as a list gives at once. */
const offeredMax = 200;

/** The profiles that one may see, by org and group; those whose name holds a text, where there are many. */
function useProfiles(name: string): Reading<{ all: OfferedProfile[]; total: number }> {
  return useRead(name, async (signal) => {
    const query = { limit: offeredMax, order: 'name', dir: 'asc' } as const;
    const [{ profiles, total }, { groups }, { orgs }] = await Promise.all([
      call('listProfiles', { query: { ...query, name } }, signal),
      call('listGroups', { query }, signal),
      call('listOrgs', { query }, signal),
    ]);
    const orgNames = new Map(orgs.map(({ id, name: org }) => [id, org]));
    const groupNames = new Map(
      groups.map(({ id, name: group, org_id: org }) => {
        const inOrg = orgNames.get(org);
        return [id, inOrg === undefined ? group : `${inOrg} – ${group}`];
      }),
    );
    const all = profiles.map(({ id, name: profile, group_id: groupId }) => ({
      id,
      name: profile.slice(0, 80),
      groupId,
      under: (groupNames.get(groupId) ?? thingsTexts.otherGroup).slice(0, 80),
    }));
    return { all: all.toSorted(byPlace), total };
  });
}

const order = new Intl.Collator('en', { numeric: true }).compare;

function byPlace(one: OfferedProfile, other: OfferedProfile): number {
  return (
    order(one.under, other.under) ||
    order(one.groupId, other.groupId) ||
    order(one.name, other.name)
  );
}

/** Chooses a profile, and with it a group. Where there are more than are offered, a search leads to the others. */
export function ProfileField({
  label,
  hint,
  reading,
  search,
  onSearch,
  chosen,
  onChoose,
}: {
  label: string;
  hint: string;
  reading: Reading<{ all: OfferedProfile[]; total: number }>;
  search: string;
  onSearch: (text: string) => void;
  chosen: OfferedProfile | undefined;
  onChoose: (profile: OfferedProfile) => void;
}) {
  const { all = [], total = 0 } = reading.value ?? {};
  return (
    <>
      {(search !== '' || total > all.length) && (
        <Search label={thingsTexts.findProfile(total)} value={search} onSearch={onSearch} />
      )}
      <Field label={label} hint={hint}>
        <Choice
          label={label}
          value={chosen?.id ?? ''}
          options={all.map(({ id, name, under }) => ({ value: id, text: name, under }))}
          onChoose={(id) => {
            const profile = all.find((one) => one.id === id);
            if (profile !== undefined) onChoose(profile);
          }}
        />
      </Field>
    </>
  );
}

/** The profile that is chosen in a dialog: at first that of `id`, or one of `group`, or else the first. */
export function useChosenProfile(wish: { id?: string | undefined; group?: string | undefined }) {
  const [search, onSearch] = useState('');
  const [picked, onChoose] = useState<OfferedProfile>();
  const reading = useProfiles(search);
  const all = reading.value?.all ?? [];
  const chosen =
    all.find(({ id }) => id === picked?.id) ??
    all.find(({ id }) => id === wish.id) ??
    all.find(({ groupId }) => groupId === wish.group) ??
    all[0];
  return { reading, search, onSearch, chosen, onChoose };
}
