import type { Call, TakingAway } from './call.ts';
import type { Millrace } from '../client/client.ts';

/**
 * The rule of what is taken away: a command asks first, unless its opposite, typed with the same arguments,
 * brings back what was there. None on the server is such a command; `logout` is one. `--yes` answers for
 * scripts; where it is not given and nobody can be asked, nothing is done. Such commands have `removes`.
 */
export async function takeAway(
  call: Call,
  verb: TakingAway,
  what: string,
  act: () => Promise<void>,
): Promise<void> {
  await call.confirm(verb, what);
  await act();
  call.tell(`${verb}d ${what}`);
  await call.output.ok();
}

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
    client.groups.list({ org: id }, one),
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

/** What goes with groups, in words. */
export async function describeGroups(client: Millrace, ids: readonly string[]): Promise<string> {
  let [profiles, things] = [0, 0];
  for (const group of ids) {
    profiles += (await client.profiles.list({ group }, one)).total;
    things += (await client.things.list({ group }, one)).total;
  }
  const what = await nameOrCount(ids, 'group', (id) => client.groups.view(id));
  const within = `${counted(profiles, 'profile')}, ${counted(things, 'thing')}`;
  return `${what} with ${within}, and all their messages`;
}

/** One by its name, several by their number: `the thing "Press"`, `3 things`. */
export async function nameOrCount(
  ids: readonly string[],
  what: string,
  view: (id: string) => Promise<{ name: string }>,
): Promise<string> {
  const [only = ''] = ids;
  return ids.length === 1 ? `the ${what} "${(await view(only)).name}"` : counted(ids.length, what);
}

/** What goes with a hierarchical group, in words. */
export async function describeTreeGroup(client: Millrace, id: string): Promise<string> {
  const [group, line] = await Promise.all([client.tree.view(id), client.tree.children(id, one)]);
  return `the hierarchical group "${group.name}" with ${counted(line.total - 1, 'group')} under it`;
}
