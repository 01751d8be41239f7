import { type Answers, call, type Operations } from '../client/call.ts';
import type { User } from '../client/session.ts';
import type { RolePlace } from '../roles.ts';

export type Overview = Answers['viewOverview'];

/** How things are, and what is wrong with them and, for a platform admin, with the installation. */
export type Glance = { overview: Overview; problems: Operations['problems'] };

/** Of a place. Without one: of all that one sees. */
export function readOverview(place: RolePlace | undefined, signal: AbortSignal): Promise<Overview> {
  if (place === undefined) return call('viewOverview', {}, signal);
  const request = { path: { id: place.id } };
  if (place.of === 'org') return call('viewOrgOverview', request, signal);
  return call('viewGroupOverview', request, signal);
}

export async function readGlance(
  user: User,
  place: RolePlace | undefined,
  signal: AbortSignal,
): Promise<Glance> {
  const [overview, problems] = await Promise.all([
    readOverview(place, signal),
    user.platform_admin ? problemsNow(signal) : [],
  ]);
  return { overview, problems };
}

/** Those of webhooks stand with the webhooks. */
async function problemsNow(signal: AbortSignal): Promise<Operations['problems']> {
  const { problems } = await call('viewOperations', { query: {} }, signal);
  return problems.filter(({ webhook_id: webhook }) => webhook === undefined);
}
