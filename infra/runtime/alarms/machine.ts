import { judge, type Value, type Judged } from './conditions.ts';
import type { ActiveRule } from './rule.ts';

/*
 * The states of a thing under a rule. Time is that of the records, in microseconds since 1970: no clock of ours moves
 * anything here. So the same records in the same order always lead to the same alarms.
 */

/** The newest record of the series of a condition. */
export type Newest = {
  timeUs: number;
  /** Since the record before it, and of that one: 0 if there was none. */
  intervalUs: number;
  intervalBeforeUs: number;
  breach: boolean;
  clears: boolean;
  /** Undefined: it is not remembered. */
  value: Value | undefined;
};

export type RuleState =
  | { kind: 'ok' }
  /** In breach since then, and not for long enough. */
  | { kind: 'pending'; sinceUs: number; gapUs: number }
  /** Since it fired. */
  | { kind: 'firing'; sinceUs: number }
  /** Over since then, and not for long enough. */
  | { kind: 'clearing'; sinceUs: number; gapUs: number; firedUs: number };

/** A thing under a rule. */
export type Pair = {
  state: RuleState;
  /** For each condition, in their order. */
  newest: (Newest | undefined)[];
};

/** Values of one time, each for a condition by its number. */
export type Update = { condition: number; value: Value };

/** The outcome of a record: `late` ones, older than what was taken of their series, change nothing. */
type Step =
  | { kind: 'none' }
  | { kind: 'late' }
  | { kind: 'moved' }
  | { kind: 'fired'; beganUs: number; firedUs: number }
  | { kind: 'ended'; endedUs: number };

const none: Step = { kind: 'none' };
const late: Step = { kind: 'late' };
const moved: Step = { kind: 'moved' };

export const newPair = ({ conditions }: ActiveRule): Pair => ({
  state: { kind: 'ok' },
  newest: conditions.map(() => undefined),
});

/**
 * Takes the values that one time has. Of two records of a series and a time, the worse one counts, in whatever order
 * they come.
 */
export function take(
  rule: ActiveRule,
  pair: Pair,
  timeUs: number,
  updates: readonly Update[],
): Step {
  const noted = note(rule, pair, timeUs, updates);
  switch (noted) {
    case 'none':
      return none;
    case 'late':
      return late;
    case 'newer':
    case 'afterHole':
      return advance(rule, pair, noted === 'afterHole');
    default:
      return noted satisfies never;
  }
}

/** Makes values the newest of their series, if they are, and leaves the state as it is. */
export function note(
  rule: ActiveRule,
  pair: Pair,
  timeUs: number,
  updates: readonly Update[],
): 'none' | 'late' | 'newer' | 'afterHole' {
  let isTaken = false;
  let isLate = false;
  let hasHole = false;
  const gapUs = gapOf(pair.state);
  for (const { condition, value } of updates) {
    const judged = judgeBy(rule, condition, value);
    if (judged === undefined) continue;
    const before = pair.newest[condition];
    if (before !== undefined && timeUs < before.timeUs) {
      isLate = true;
      continue;
    }
    if (before !== undefined && timeUs === before.timeUs) {
      if (!isWorse(judged, before)) continue;
      pair.newest[condition] = { ...before, ...judged, value };
    } else {
      const sinceUs = before === undefined ? 0 : timeUs - before.timeUs;
      if (sinceUs > gapUs) hasHole = true;
      // Edges remember the intervals of a million things as floats, and all must come to the same.
      const intervalUs = Math.fround(sinceUs);
      const intervalBeforeUs = before?.intervalUs ?? 0;
      pair.newest[condition] = { timeUs, intervalUs, intervalBeforeUs, ...judged, value };
    }
    isTaken = true;
  }
  if (!isTaken) return isLate ? 'late' : 'none';
  return hasHole ? 'afterHole' : 'newer';
}

const isWorse = (one: Judged, other: Judged): boolean =>
  one.breach === other.breach ? !one.clears && other.clears : one.breach;

const judgeBy = ({ conditions }: ActiveRule, at: number, value: Value) => {
  const condition = conditions[at];
  return condition === undefined ? undefined : judge(condition, value);
};

function advance(rule: ActiveRule, pair: Pair, hasHole: boolean): Step {
  const { state } = pair;
  const nowUs = presentOf(pair);
  switch (state.kind) {
    case 'ok':
      if (!isBreach(rule, pair)) return none;
      if (rule.forUs === 0) return fire(pair, nowUs, nowUs);
      pair.state = { kind: 'pending', sinceUs: nowUs, gapUs: gapFor(rule, rule.forUs, pair) };
      return moved;
    case 'pending':
      if (!isBreach(rule, pair)) {
        pair.state = { kind: 'ok' };
        return moved;
      }
      if (hasHole) {
        pair.state = { kind: 'pending', sinceUs: nowUs, gapUs: gapFor(rule, rule.forUs, pair) };
        return moved;
      }
      if (nowUs - state.sinceUs >= rule.forUs) return fire(pair, state.sinceUs, nowUs);
      return none;
    case 'firing':
      if (!isOver(rule, pair)) return none;
      if (rule.clearForUs === 0) return end(pair, nowUs);
      pair.state = clearingOf(rule, pair, nowUs, state.sinceUs);
      return moved;
    case 'clearing':
      if (!isOver(rule, pair)) {
        pair.state = { kind: 'firing', sinceUs: state.firedUs };
        return moved;
      }
      if (hasHole) {
        pair.state = clearingOf(rule, pair, nowUs, state.firedUs);
        return moved;
      }
      return nowUs - state.sinceUs >= rule.clearForUs ? end(pair, nowUs) : none;
    default:
      return state satisfies never;
  }
}

function fire(pair: Pair, beganUs: number, firedUs: number): Step {
  pair.state = { kind: 'firing', sinceUs: firedUs };
  return { kind: 'fired', beganUs, firedUs };
}

function end(pair: Pair, endedUs: number): Step {
  pair.state = { kind: 'ok' };
  return { kind: 'ended', endedUs };
}

const clearingOf = (rule: ActiveRule, pair: Pair, sinceUs: number, firedUs: number): RuleState => ({
  kind: 'clearing',
  sinceUs,
  gapUs: gapFor(rule, rule.clearForUs, pair),
  firedUs,
});

const gapOf = (state: RuleState): number =>
  state.kind === 'pending' || state.kind === 'clearing' ? state.gapUs : Infinity;

/** The newest time that was taken of any of its series. */
const presentOf = ({ newest }: Pair): number =>
  newest.reduce((latest, one) => Math.max(latest, one?.timeUs ?? -Infinity), -Infinity);

/** Whether the conditions of a rule hold, by the newest value of each series. */
export const isBreach = ({ match }: ActiveRule, { newest }: Pair): boolean =>
  match === 'any'
    ? newest.some((one) => one?.breach === true)
    : newest.every((one) => one?.breach === true);

/** Whether they are over, once they held. */
const isOver = ({ match }: ActiveRule, { newest }: Pair): boolean =>
  match === 'any'
    ? newest.every((one) => one?.clears !== false)
    : newest.some((one) => one?.clears !== false);

/** How many times the usual interval a hole is. */
const intervalsPerHole = 3;

/** The shorter of the last two intervals is the usual one: a thing that was away, or sends twice, does not count. */
function gapFor({ gapUs }: ActiveRule, lastsUs: number, { newest }: Pair): number {
  if (gapUs !== undefined) return gapUs;
  let usualUs = 0;
  for (const one of newest) {
    if (one === undefined) continue;
    const { intervalUs, intervalBeforeUs } = one;
    const shorter =
      intervalBeforeUs === 0 ? intervalUs : Math.min(intervalUs || Infinity, intervalBeforeUs);
    usualUs = Math.max(usualUs, shorter);
  }
  return Math.max(lastsUs, intervalsPerHole * usualUs);
}
