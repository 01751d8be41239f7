import type { Fleet } from '../fleet.ts';
import { groupNames, orgName, type SiteThing } from './site.ts';

/** A thing of the site, as it is registered. */
export type Registered = SiteThing & { id: string; key: string };

type Found = { id: string; name: string; key?: string };

/** Registers the site; what an earlier run made stays as it is. */
export async function register(fleet: Fleet, all: readonly SiteThing[]): Promise<Registered[]> {
  const org = await ensure(fleet, { list: '/orgs', member: 'orgs', name: orgName }, async () => {
    const description = 'The site of npm run demo';
    await fleet.call('POST', '/orgs', { name: orgName, description });
  });
  const things: Registered[] = [];
  for (const groupName of groupNames) {
    const groups = `/orgs/${org.id}/groups`;
    const group = await ensure(fleet, { list: groups, member: 'groups', name: groupName }, () =>
      fleet.call('POST', groups, { name: groupName }),
    );
    const profiles = `/groups/${group.id}/profiles`;
    const profile = await ensure(
      fleet,
      { list: profiles, member: 'profiles', name: 'SenML sensors' },
      () => fleet.call('POST', profiles, [{ name: 'SenML sensors' }]),
    );
    for (const thing of all.filter((one) => one.group === groupName)) {
      const path = `/profiles/${profile.id}/things`;
      const { name, type, metadata } = thing;
      const made = await ensure(fleet, { list: path, member: 'things', name }, () =>
        fleet.call('POST', path, [{ name, type, metadata }]),
      );
      things.push({ ...thing, id: made.id, key: made.key ?? '' });
    }
  }
  return things;
}

/** The one of this name in a list, which is made if it is not there. */
export async function ensure(
  fleet: Fleet,
  { list, member, name }: { list: string; member: string; name: string },
  make: () => Promise<unknown>,
): Promise<Found> {
  const found = await find(fleet, list, member, name);
  if (found !== undefined) return found;
  await make();
  const made = await find(fleet, list, member, name);
  if (made === undefined) throw new Error(`"${name}" was not made at ${list}`);
  return made;
}

async function find(
  fleet: Fleet,
  list: string,
  member: string,
  name: string,
): Promise<Found | undefined> {
  const query = new URLSearchParams({ name, limit: '200' });
  const { status, body } = await fleet.call('GET', `${list}?${query.toString()}`);
  if (status !== 200) throw new Error(`${list} answered ${status}`);
  const rows: unknown = Object(body)[member];
  const all = Array.isArray(rows) ? rows.filter(isFound) : [];
  // Lists find parts of names.
  return all.find((one) => one.name === name);
}

function isFound(value: unknown): value is Found {
  return typeof value === 'object' && value !== null && 'id' in value && 'name' in value;
}
