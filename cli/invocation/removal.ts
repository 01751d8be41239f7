import type { Call, TakingAway } from './call.ts';
import type { Millrace } from '../../schemas/client/client.ts';

/**
 * The rule for removals: a command asks first, unless another command with the same arguments can undo it. On the server
 * nothing can be undone like this; a `logout` can. `--yes` answers for scripts; without it and without a terminal nothing
 * is done. Such commands have `removes`.
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

/** For the total only. */
const one = { limit: 1 };

/** `1 thing`, `2,000 things`. */
export function counted(count: number, what: string): string {
  return `${count.toLocaleString('en')} ${count === 1 ? what : `${what}s`}`;
}

/** What is deleted with an org, in words. */
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

/** What is deleted with groups, in words. */
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

/** What is deleted with a hierarchical group, in words. */
export async function describeTreeGroup(client: Millrace, id: string): Promise<string> {
  const [group, line] = await Promise.all([client.tree.view(id), client.tree.children(id, one)]);
  return `the hierarchical group "${group.name}" with ${counted(line.total - 1, 'group')} under it`;
}
