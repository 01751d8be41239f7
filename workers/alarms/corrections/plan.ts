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
  const fixed = known.filter(
    ({ endedWhy, isOfFormerRule }) => endedWhy !== 'cleared' || isOfFormerRule,
  );
  const free = known.filter((alarm) => !fixed.includes(alarm) && isWithin(alarm, range));
  const wanted = episodes.filter(
    (episode) => isWithin(episode, range) && !fixed.some((alarm) => meet(alarm, episode)),
  );
  const changed: Plan['changed'] = [];
  const added: PastEpisode[] = [];
  const matched = new Set<string>();
  for (const episode of wanted) {
    const meeting = free.filter((alarm) => !matched.has(alarm.id) && meet(alarm, episode));
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

/** With all that lies partly in it: one record may make two alarms of one, or one of two. */
export function widened(range: Range, all: readonly Times[]): Range {
  const within = all.filter((one) => isWithin(one, range));
  const fromUs = Math.min(range.fromUs, ...within.map(({ beganUs }) => beganUs));
  const toUs = Math.max(range.toUs, ...within.map(({ endedUs }) => endedUs ?? range.toUs));
  const isSame = fromUs === range.fromUs && toUs === range.toUs;
  return isSame ? range : widened({ fromUs, toUs }, all);
}

type Times = { beganUs: number; endedUs: number | null };

const isWithin = ({ beganUs, endedUs }: Times, { fromUs, toUs }: Range): boolean =>
  beganUs <= toUs && (endedUs ?? Infinity) >= fromUs;

const meet = (one: Times, other: Times): boolean =>
  one.beganUs <= (other.endedUs ?? Infinity) && other.beganUs <= (one.endedUs ?? Infinity);

const differ = (one: KnownAlarm, other: PastEpisode): boolean =>
  one.beganUs !== other.beganUs || one.firedUs !== other.firedUs || one.endedUs !== other.endedUs;
