import { call } from '../client/call.ts';
import { failureOf } from '../client/failure.ts';
import { importingTexts } from '../texts/importing.ts';
import { isId, type Place, type Wish, wishKey } from './check.ts';

const words = importingTexts.problems;

/** So many different profiles and groups may a file name. */
const placesMax = 500;
/** As many as a list gives at once. */
const namesMax = 200;

type Profile = { id: string; name: string; group_id: string };

/** Finds what rows name, by id or by name: each once. */
export async function findPlaces(
  wishes: readonly Wish[],
  signal: AbortSignal,
): Promise<ReadonlyMap<string, Place>> {
  const wanted = new Map(
    wishes
      .filter(({ profile, group }) => profile !== '' || group !== '')
      .map((wish) => [wishKey(wish), wish]),
  );
  if (wanted.size > placesMax) throw new Error(words.manyPlaces(placesMax));
  const found = new Map<string, Place>();
  const groups = new Map<string, ReadonlySet<string>>();
  for (const [key, wish] of wanted) {
    const inGroups =
      wish.group === ''
        ? undefined
        : (groups.get(wish.group) ?? (await groupsNamed(wish.group, signal)));
    if (inGroups !== undefined) groups.set(wish.group, inGroups);
    found.set(key, await placeOf(wish, inGroups, signal));
  }
  return found;
}

async function groupsNamed(group: string, signal: AbortSignal): Promise<ReadonlySet<string>> {
  if (isId(group)) return new Set([group.toLowerCase()]);
  const query = { name: group, limit: namesMax };
  const { groups } = await call('listGroups', { query }, signal);
  return new Set(groups.filter(({ name }) => same(name, group)).map(({ id }) => id));
}

async function placeOf(
  { profile, group }: Wish,
  inGroups: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<Place> {
  if (inGroups?.size === 0) return { kind: 'wrong', why: words.noGroup(group) };
  try {
    const all = profile === '' ? await profilesIn(inGroups, signal) : await named(profile, signal);
    const fitting = all.filter(({ group_id: id }) => inGroups === undefined || inGroups.has(id));
    const [only] = fitting;
    if (only === undefined) {
      return { kind: 'wrong', why: profile === '' ? words.emptyGroup : words.noProfile(profile) };
    }
    if (fitting.length === 1) return { kind: 'profile', id: only.id, groupId: only.group_id };
    return { kind: 'wrong', why: profile === '' ? words.severalIn(group) : words.several(profile) };
  } catch (error) {
    const { status } = failureOf(error);
    if (status !== 403 && status !== 404) throw error;
    return { kind: 'wrong', why: words.noProfile(profile === '' ? group : profile) };
  }
}

async function named(profile: string, signal: AbortSignal): Promise<Profile[]> {
  if (isId(profile)) return [await call('viewProfile', { path: { id: profile } }, signal)];
  const query = { name: profile, limit: namesMax };
  const { profiles } = await call('listProfiles', { query }, signal);
  return profiles.filter(({ name }) => same(name, profile));
}

async function profilesIn(
  groups: ReadonlySet<string> | undefined,
  signal: AbortSignal,
): Promise<Profile[]> {
  const lists = [...(groups ?? [])].map((id) =>
    call('listGroupProfiles', { path: { id }, query: { limit: 2 } }, signal),
  );
  return (await Promise.all(lists)).flatMap(({ profiles }) => profiles);
}

const same = (one: string, other: string) => one.trim() === other.trim();
