import { counted } from '../terminal/progress.ts';
import type { Call, TakingAway } from './call.ts';

/**
 * The rule for removals: a command asks first, unless another command with the same arguments can undo it. On the server
 * nothing can be undone like this; a `logout` can. `--yes` answers for scripts; without it and without a terminal nothing
 * is done. Such commands have `removes`.
 */
export async function takeAway(
  call: Call,
  verb: TakingAway,
  what: string,
  act: () => Promise<unknown>,
): Promise<void> {
  await call.confirm(verb, what);
  await act();
  call.tell(`${verb}d ${what}`);
  await call.output.ok();
}

/** For the total only. */
const one = { limit: 1 };

/** An org with all that is deleted with it, in words. */
export async function describeOrg(call: Call, id: string): Promise<string> {
  const all = { path: { id }, query: one };
  const [org, groups, profiles, things] = await Promise.all([
    call.ask('viewOrg', { path: { id } }),
    call.ask('listOrgGroups', all),
    call.ask('listOrgProfiles', all),
    call.ask('listOrgThings', all),
  ]);
  const within = [
    counted(groups.total, 'group'),
    counted(profiles.total, 'profile'),
    counted(things.total, 'thing'),
  ].join(', ');
  return `the org "${org.name}" with ${within}, and all their messages`;
}

/** Groups with all that is deleted with them, in words. */
export async function describeGroups(call: Call, ids: readonly string[]): Promise<string> {
  let [profiles, things] = [0, 0];
  for (const id of ids) {
    const all = { path: { id }, query: one };
    profiles += (await call.ask('listGroupProfiles', all)).total;
    things += (await call.ask('listGroupThings', all)).total;
  }
  const what = await nameOrCount(call, ids, 'group', 'viewGroup');
  const within = `${counted(profiles, 'profile')}, ${counted(things, 'thing')}`;
  return `${what} with ${within}, and all their messages`;
}

/** One by its name, several by their number: `the thing "Press"`, `3 things`. */
export async function nameOrCount(
  call: Call,
  ids: readonly string[],
  what: string,
  view: 'viewGroup' | 'viewProfile' | 'viewThing',
): Promise<string> {
  const [id = ''] = ids;
  if (ids.length !== 1) return counted(ids.length, what);
  const { name } = await call.ask(view, { path: { id } });
  return `the ${what} "${name}"`;
}

/** A hierarchical group with all that is deleted with it, in words. */
export async function describeTreeGroup(call: Call, id: string): Promise<string> {
  const [group, line] = await Promise.all([
    call.ask('viewTreeGroup', { path: { id } }),
    call.ask('listTreeChildren', { path: { id }, query: one }),
  ]);
  return `the hierarchical group "${group.name}" with ${counted(line.total - 1, 'group')} under it`;
}
