import { type Alarm, call, type Operations, type Webhook } from '../client/call.ts';
import type { User } from '../client/session.ts';
import type { ListPlace } from '../place/places.ts';
import type { RolePlace } from '../roles.ts';
import { countThings, type ThingCount } from './fleet.tsx';

/** So many alarms, webhooks and places are looked at. */
const alarmsMax = 5;
const webhooksMax = 100;
const placesMax = 10;

/** All that is wrong in a place, or in all that one sees. */
export type Wrong = {
  alarms: { total: number; worst: readonly Alarm[] };
  webhooks: readonly Webhook[];
  refused: ThingCount;
  problems: Operations['problems'];
};

/** Reads it, of the places one by one. */
export async function readWrong(
  user: User,
  place: RolePlace | undefined,
  places: readonly ListPlace[],
  signal: AbortSignal,
): Promise<Wrong> {
  const asked = place === undefined ? outermost(places) : [place];
  const [alarms, webhooks, refused, problems] = await Promise.all([
    Promise.all(asked.map((one) => alarmsIn(one, signal))),
    Promise.all(asked.map((one) => webhooksIn(one, signal))),
    countThings(place, { refused: true }, signal),
    user.platform_admin ? problemsNow(signal) : [],
  ]);
  const all = alarms.flatMap(({ alarms: some }) => some);
  return {
    alarms: {
      total: alarms.reduce((sum, { total }) => sum + total, 0),
      worst: all.toSorted(worstFirst).slice(0, alarmsMax),
    },
    webhooks: webhooks.flat(),
    refused,
    problems,
  };
}

/** The orgs that one is in; of who is in none, the groups. */
function outermost(places: readonly ListPlace[]): readonly ListPlace[] {
  const orgs = places.filter(({ of }) => of === 'org');
  return (orgs.length > 0 ? orgs : places).slice(0, placesMax);
}

const ranks: Readonly<Record<Alarm['severity'], number>> = { critical: 0, warning: 1, info: 2 };

const worstFirst = (one: Alarm, other: Alarm): number =>
  ranks[one.severity] - ranks[other.severity] || other.fired_at.localeCompare(one.fired_at);

function alarmsIn({ of, id }: RolePlace, signal: AbortSignal) {
  const query = { state: 'open', order: 'severity', dir: 'desc', limit: alarmsMax } as const;
  const operation = of === 'org' ? 'listOrgAlarms' : 'listGroupAlarms';
  return call(operation, { path: { id }, query }, signal);
}

/** Those that don't reach their receiver. Who may not see webhooks is told of none. */
async function webhooksIn({ of, id }: RolePlace, signal: AbortSignal): Promise<Webhook[]> {
  const query = { limit: webhooksMax } as const;
  const operation = of === 'org' ? 'listOrgWebhooks' : 'listGroupWebhooks';
  const found = await call(operation, { path: { id }, query }, signal).catch(() => undefined);
  signal.throwIfAborted();
  return (found?.webhooks ?? []).filter(
    ({ failing_since: failing, disabled_at: disabled }) =>
      failing !== undefined || disabled !== undefined,
  );
}

/** Those of webhooks stand with the webhooks. */
async function problemsNow(signal: AbortSignal): Promise<Operations['problems']> {
  const { problems } = await call('viewOperations', { query: {} }, signal);
  return problems.filter(({ webhook_id: webhook }) => webhook === undefined);
}
