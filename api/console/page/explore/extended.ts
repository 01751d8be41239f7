import { besideMax, usualStepsMax } from '../../../../schemas/messages/silences.ts';
import type { Value } from '../../../../schemas/json/leaf.ts';
import { holeAtEnd, usualStep } from '../chart/holes.ts';
import { hasStates, type Heard, isState, type Points } from './read-points.ts';

/** Points of one line that live mode holds at most. */
const livePointsMax = 20_000;

/**
 * The points with those that came, without those before `from`: what is held does not grow. Where the oldest had to go,
 * it says so for as long as the range has any of them.
 */
export function extended(
  all: readonly Points[],
  came: readonly (readonly [at: number, time: number, value: Value])[],
  from: number,
): Points[] {
  return all.map((one, at) => {
    const news = came.flatMap(([line, time, value]) =>
      line === at && fits(one, value) ? [[time, value] as const] : [],
    );
    const isOfStates = hasStates(one) || news.some(([, value]) => isState(value));
    const next = isOfStates ? withStates(one, news) : { ...one, points: [...one.points, ...news] };
    const sorted = next.points.toSorted(([a], [b]) => a - b);
    const kept = sorted.filter(([time]) => time >= from);
    const before = sorted[sorted.length - kept.length - 1];
    // A state from before goes on.
    const goesOn = isOfStates && before !== undefined && before[1] !== null;
    return held(next, [...(goesOn ? [before] : []), ...kept], from);
  });
}

function held({ wholeFrom, of, ...one }: Points, sorted: Points['points'], from: number): Points {
  const points = sorted.slice(-livePointsMax);
  const [first] = points;
  const isCut = first !== undefined && points.length < sorted.length;
  const whole = Math.max(wholeFrom ?? from, isCut ? first[0] : from);
  const isPart = whole > from;
  // The messages of changes are counted anew, whichever of them are drawn.
  const isCounted = one.isOfChanges === true || (isPart && points.length === 0);
  return {
    ...one,
    points,
    ...(isPart ? { wholeFrom: whole } : {}),
    ...(isCounted && of !== undefined ? { of } : {}),
  };
}

/** True if a value is of the kind that is drawn of its series; any is, before the first came. */
const fits = (one: Points, value: Value) =>
  one.points.length === 0 || isState(value) === hasStates(one);

/** States and those that came after them. One that is late is drawn when all is read again: only changes are known here. */
function withStates(one: Points, news: readonly (readonly [number, Value])[]): Points {
  const points = [...one.points];
  let heard: Heard = one.heard ?? { times: [], usualStep: 0 };
  for (const [time, value] of news.toSorted(([a], [b]) => a - b)) {
    const last = heard.times.at(-1);
    if (last !== undefined && time <= last) continue;
    const step = heard.usualStep === 0 ? usualStep(heard.times) : heard.usualStep;
    const isSilent = holeAtEnd(heard.times, time, usualStepsMax, step).length > 0;
    if (!isSilent && points.at(-1)?.[1] === null) points.pop();
    points.push([time, value], [time + (step ?? 0), null]);
    heard = { ...heard, times: [...heard.times.slice(-besideMax), time] };
  }
  return { ...one, points, heard, isOfChanges: true };
}
