import type { Millrace } from './client/client.ts';

/** Only the total is wanted. */
const one = { limit: 1 };

/** `1 thing`, `2,000 things`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? what : `${what}s`}`;
}

/** What goes with an org, in words. */
export async function describeOrg(client: Millrace, id: string): Promise<string> {
  const [org, groups, profiles, things] = await Promise.all([
    client.orgs.view(id),
    client.groups.listOfOrg(id, one),
    client.profiles.list({ org: id }, one),
    client.things.list({ org: id }, one),
  ]);
  const within = [
    counted(groups.total, 'group'),
    counted(profiles.total, 'profile'),
    counted(things.total, 'thing'),
  ].join(', ');
  return `the org "${org.name}" with ${within}, and all their messages`;
}

/** What goes with a group, in words. */
export async function describeGroup(client: Millrace, id: string): Promise<string> {
  const [group, profiles, things] = await Promise.all([
    client.groups.view(id),
    client.profiles.list({ group: id }, one),
    client.things.list({ group: id }, one),
  ]);
  const within = `${counted(profiles.total, 'profile')}, ${counted(things.total, 'thing')}`;
  return `the group "${group.name}" with ${within}, and all their messages`;
}

/** What goes with a hierarchical group, in words. */
export async function describeTreeGroup(client: Millrace, id: string): Promise<string> {
  const [group, line] = await Promise.all([client.tree.view(id), client.tree.children(id, one)]);
  return `the hierarchical group "${group.name}" with ${counted(line.total - 1, 'group')} under it`;
}
