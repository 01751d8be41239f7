import type { AlarmEnding } from '../../../schemas/resources/alarm.ts';
import type { SeriesValue } from '../../../infra/runtime/alarms/history.ts';

/** An episode that is over, as records have it. Times are microseconds since 1970. */
export type PastEpisode = {
  beganUs: number;
  firedUs: number;
  endedUs: number;
  beganValues: readonly SeriesValue[];
  endedValues: readonly SeriesValue[];
};

/** An alarm of the rule and the thing, as PostgreSQL has it. */
export type KnownAlarm = {
  id: string;
  beganUs: number;
  firedUs: number;
  /** Null: it goes on. */
  endedUs: number | null;
  endedWhy: AlarmEnding | null;
  /** Nobody was told of it. */
  isHistory: boolean;
  /** It was noted before the rule was changed: records are no longer held against what it then was. */
  isOfFormerRule: boolean;
};

export type Plan = {
  changed: { id: string; episode: PastEpisode }[];
  added: PastEpisode[];
  removed: string[];
};

type Range = { fromUs: number; toUs: number };

/**
 * How the alarms of a range come to be those that all records have, without those that came late having been missed. The
 * present stays as it is, and so does an alarm that receivers were told of, but for its times.
 */
export function planCorrections(
  episodes: readonly PastEpisode[],
  known: readonly KnownAlarm[],
  late: Range,
): Plan {
  const range = widened(late, [...known, ...episodes]);
  const free = known.filter((alarm) => !isFixed(alarm) && isWithin(alarm, range));
  const fixedBeside = meetingEach(known.filter(isFixed));
  const freeBeside = meetingEach(free);
  const changed: Plan['changed'] = [];
  const added: PastEpisode[] = [];
  const matched = new Set<string>();
  for (const episode of episodes) {
    const isHeld = fixedBeside(episode).length > 0;
    const meeting = freeBeside(episode).filter(({ id }) => !matched.has(id));
    if (isHeld || !isWithin(episode, range)) continue;
    const match = meeting.find(({ isHistory }) => !isHistory) ?? meeting[0];
    if (match === undefined) {
      added.push(episode);
      continue;
    }
    matched.add(match.id);
    if (differ(match, episode)) changed.push({ id: match.id, episode });
  }
  const removed = free.filter(({ id, isHistory }) => isHistory && !matched.has(id));
  return { changed, added, removed: removed.map(({ id }) => id) };
}

/** Whether records leave it as it is: it goes on, ended otherwise, or is of what its rule was before. */
const isFixed = ({ endedWhy, isOfFormerRule }: KnownAlarm): boolean =>
  endedWhy !== 'cleared' || isOfFormerRule;

/** Gives the alarms that meet an episode: asked of one episode after the other, by their begins. */
function meetingEach(alarms: readonly KnownAlarm[]): (episode: PastEpisode) => KnownAlarm[] {
  const sorted = alarms.toSorted((one, other) => one.beganUs - other.beganUs);
  let next = 0;
  let open: KnownAlarm[] = [];
  return (episode) => {
    for (let alarm; (alarm = sorted[next]) && alarm.beganUs <= episode.endedUs; next++)
      open.push(alarm);
    open = open.filter((alarm) => endOf(alarm) >= episode.beganUs);
    return open;
  };
}

/** With all that lies partly in it: one record may make two alarms of one, or one of two. */
export function widened(range: Range, all: readonly Times[]): Range {
  let { fromUs, toUs } = range;
  // The next ones at either side are last. A line of alarms that meet may be long, so each is looked at twice at most.
  const later = all.toSorted((one, other) => other.beganUs - one.beganUs);
  const earlier = all.toSorted((one, other) => byNumber(endOf(one), endOf(other)));
  const take = (): Times | undefined => {
    const [right, left] = [later.at(-1), earlier.at(-1)];
    if (right !== undefined && right.beganUs <= toUs) return later.pop();
    return left !== undefined && endOf(left) >= fromUs ? earlier.pop() : undefined;
  };
  for (let next = take(); next !== undefined; next = take()) {
    if (!isWithin(next, { fromUs, toUs })) continue;
    fromUs = Math.min(fromUs, next.beganUs);
    toUs = Math.max(toUs, next.endedUs ?? toUs);
  }
  return { fromUs, toUs };
}

type Times = { beganUs: number; endedUs: number | null };

/** One that goes on has no end yet. */
const endOf = ({ endedUs }: Pick<Times, 'endedUs'>): number => endedUs ?? Infinity;
/** Also of two that are infinite. */
const byNumber = (one: number, other: number): number => (one === other ? 0 : one - other);

const isWithin = (one: Times, { fromUs, toUs }: Range): boolean =>
  one.beganUs <= toUs && endOf(one) >= fromUs;

const differ = (one: KnownAlarm, other: PastEpisode): boolean =>
  one.beganUs !== other.beganUs || one.firedUs !== other.firedUs || one.endedUs !== other.endedUs;
