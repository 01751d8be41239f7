import { includesRole } from '../../../../schemas/role-order.ts';
import { call } from '../client/call.ts';
import type { User } from '../client/session.ts';
import { linkTo } from '../router.ts';
import { type Standing, standingOf } from '../things/no-things.tsx';
import type { Glance } from './overview.ts';
import { beginSteps, type Progress } from '../progress.ts';

const steps = ['org', 'people', 'group', 'profile', 'thing', 'message', 'chart', 'rule'] as const;
/** An invite is a step of who has one. */
type Step = 'answer' | (typeof steps)[number];

/** The first steps with Millrace, and which of them are done. */
type Steps = readonly { step: Step; isDone: boolean; href: string }[];

/** Of who is new: what they may do and how far they are. A member who may make nothing has no steps. */
export type Beginning = { standing: Standing; steps?: Steps };

type Things = Glance['overview']['things'];

const one = { limit: 1, order: 'name', dir: 'asc' } as const;

/** Reads how far one has come; undefined once there is nothing left to lead to. */
export async function readBeginning(
  user: User,
  things: Things,
  progress: Progress | undefined,
  signal: AbortSignal,
): Promise<Beginning | undefined> {
  const standing = await standingOf(user, signal);
  const mayMake = standing.mayMake || mayMakeGroups(standing);
  if (progress === 'ended' && mayMake) return undefined;
  const found = await readSteps(user, things, signal);
  const isMember = found.some(({ step, isDone }) => step === 'org' && isDone);
  // Who may make nothing, and has things to look at, has nothing to be told.
  if (isMember && !mayMake) return things.total === 0 ? { standing } : undefined;
  if (progress === 'ended' && isMember) return undefined;
  beginSteps(user.id);
  return { standing, steps: found };
}

const mayMakeGroups = ({ orgs = [] }: Standing): boolean =>
  orgs.some(({ role }) => role !== undefined && includesRole(role, 'editor'));

async function readSteps(user: User, things: Things, signal: AbortSignal): Promise<Steps> {
  const pending = { path: { id: user.id }, query: { state: 'pending', limit: 1 } } as const;
  const [{ orgs }, { groups }, { invites }] = await Promise.all([
    call('listOrgs', { query: one }, signal),
    call('listGroups', { query: one }, signal),
    call('listReceivedInvites', pending, signal),
  ]);
  const [[org], [group]] = [orgs, groups];
  const [hasPeople, ofGroup] = await Promise.all([
    // Who is in a group alone was let in by others.
    org === undefined ? group !== undefined : hasAskedOthers(org.id, signal),
    group === undefined ? { profiles: 0, rules: 0 } : countsOf(group.id, signal),
  ]);
  const isDone: Readonly<Record<(typeof steps)[number], boolean>> = {
    org: org !== undefined || group !== undefined,
    people: hasPeople,
    group: group !== undefined,
    profile: things.total > 0 || ofGroup.profiles > 0,
    thing: things.total > 0,
    message: things.total > things.never,
    // Once one was looked at, there are no more steps.
    chart: false,
    rule: ofGroup.rules > 0,
  };
  const hrefs = hrefsIn(group?.id);
  return [
    ...invites.map(({ id }) => ({
      step: 'answer' as const,
      isDone: false,
      href: linkTo(`/invites/${id}`),
    })),
    ...steps.map((step) => ({ step, isDone: isDone[step], href: hrefs[step] })),
  ];
}

/** Where each step is done. */
function hrefsIn(group: string | undefined): Readonly<Record<(typeof steps)[number], string>> {
  const groups = linkTo('/organization', { tab: 'groups' });
  return {
    org: linkTo('/organization'),
    people: linkTo('/organization', { tab: 'invites' }),
    group: groups,
    profile: group === undefined ? groups : linkTo(`/groups/${group}`, { tab: 'profiles' }),
    thing: linkTo('/things'),
    message: linkTo('/things'),
    chart: linkTo('/explore'),
    rule: linkTo('/rules'),
  };
}

/** Whether others are in an org, or were asked into it. Who is in it alone is its owner, and may know. */
async function hasAskedOthers(id: string, signal: AbortSignal): Promise<boolean> {
  const request = { path: { id }, query: { limit: 1 } };
  const { total } = await call('listOrgMembers', request, signal);
  return total > 1 || (await call('listOrgInvites', request, signal)).total > 0;
}

async function countsOf(
  id: string,
  signal: AbortSignal,
): Promise<{ profiles: number; rules: number }> {
  const request = { path: { id }, query: { limit: 1 } };
  const [profiles, rules] = await Promise.all([
    call('listGroupProfiles', request, signal),
    call('listGroupRules', request, signal),
  ]);
  return { profiles: profiles.total, rules: rules.total };
}

/** The one to go on with: an invite first, then what follows the last that is done. A step that is left out holds up no other. */
export function nextOf(all: Steps): Step | undefined {
  const isOpen = ({ isDone }: Steps[number]) => !isDone;
  const first = all.find(isOpen);
  if (first?.step === 'answer') return first.step;
  const after = all.slice(all.findLastIndex(({ isDone }) => isDone) + 1);
  return (after.find(isOpen) ?? first)?.step;
}
