import { call } from '../client/call.ts';
import type { ListPlace } from '../place/places.ts';
import { linkTo } from '../router.ts';
import { readOverview } from './overview.ts';

const steps = ['org', 'group', 'thing', 'message', 'rule'] as const;
type Step = (typeof steps)[number];

/** The first steps with Millrace, and which of them are done. */
export type Steps = readonly { step: Step; isDone: boolean; href: string }[];

/** Reads how far one has come; undefined once there is nothing left to lead to. */
export async function readSteps(
  places: readonly ListPlace[],
  signal: AbortSignal,
): Promise<Steps | undefined> {
  const groups = places.filter(({ of }) => of === 'group');
  const [group] = groups;
  const [{ things }, rules] = await Promise.all([
    readOverview(undefined, signal),
    group === undefined ? 0 : rulesIn(group.id, signal),
  ]);
  const isDone: Readonly<Record<Step, boolean>> = {
    org: places.length > 0,
    group: groups.length > 0,
    thing: things.total > 0,
    message: things.total > things.never,
    rule: rules > 0,
  };
  // Whoever has things that send knows the way.
  if (isDone.message) return undefined;
  const org = places.find(({ of }) => of === 'org')?.id;
  const hrefs: Readonly<Record<Step, string>> = {
    org: linkTo('/organization'),
    group: linkTo('/organization', { org, tab: 'groups' }),
    thing: linkTo('/things'),
    message: linkTo('/things'),
    rule: linkTo('/rules', { group: group?.id }),
  };
  return steps.map((step) => ({ step, isDone: isDone[step], href: hrefs[step] }));
}

async function rulesIn(id: string, signal: AbortSignal): Promise<number> {
  return (await call('listGroupRules', { path: { id }, query: { limit: 1 } }, signal)).total;
}
