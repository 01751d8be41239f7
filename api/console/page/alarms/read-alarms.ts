import { type Answers, call, type Requests } from '../client/call.ts';
import type { RolePlace } from '../roles.ts';

/** Whose alarms: those of an org or a group; undefined: all that one sees. */
export type AlarmsOf = RolePlace | undefined;

/** Where the API has them, their file and their stream. */
export const alarmsPath = (place: AlarmsOf): string =>
  place === undefined ? '/alarms' : `/${place.of}s/${place.id}/alarms`;

export function readAlarms(
  place: AlarmsOf,
  query: NonNullable<Requests['listAlarms']['query']>,
  signal: AbortSignal,
): Promise<Answers['listAlarms']> {
  if (place === undefined) return call('listAlarms', { query }, signal);
  const request = { path: { id: place.id }, query };
  return call(place.of === 'org' ? 'listOrgAlarms' : 'listGroupAlarms', request, signal);
}
