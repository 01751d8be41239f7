import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { AlarmEnding } from '../../../schemas/resources/alarm.ts';
import type { Condition, Receivers } from '../../../schemas/resources/rule.ts';
import type { Rows } from '../stores/postgres.ts';
import { judge } from './conditions.ts';
import { isBreach, type Newest } from './machine.ts';
import { type ActiveRule, isAbout, isSilent, readConditions, readReceivers } from './rule.ts';
import { type KeptState, lockStatesBefore, type SomeStates } from './states.ts';
import { saveStates, type StateRow } from './writes.ts';

/*
 * A rule that is changed, disabled or deleted leaves states that were held against what it said before: those whose number
 * is before that of the change. Some are reviewed with the change, and the others by workers, in steps, so that the rule of a
 * hundred thousand alarms holds nobody up. Until then no edge takes them for states of the rule, and one that hears of their
 * thing reviews them first.
 */

/** A change of a rule, for the states that were there before. */
export type RuleEnding = {
  id: string;
  ruleId: string;
  why: AlarmEnding;
  /** The states were held against these. */
  conditions: readonly Condition[];
  /** Who heard that an alarm fired hears that it ends. */
  told: Receivers;
  /** States whose number is smaller are from before. */
  untilSequence: string;
};

/** A change of a rule that is locked: its states are from before. */
export async function beginEnding(
  rows: Rows,
  change: Pick<RuleEnding, 'ruleId' | 'why' | 'conditions' | 'told'>,
): Promise<RuleEnding> {
  const [made] = await rows<{ id: string; untilSequence: string }>(
    `INSERT INTO rule_endings (rule_id, why, conditions, told) VALUES ($1, $2, $3, $4)
     RETURNING id::text, until_sequence::text AS "untilSequence"`,
    [change.ruleId, change.why, JSON.stringify(change.conditions), JSON.stringify(change.told)],
  );
  assert(made);
  return { ...change, ...made };
}

/** All that are not done, in the order of the changes. Reads the table: they are few. */
export async function findEndings(rows: Rows): Promise<RuleEnding[]> {
  const found = await rows<
    Omit<RuleEnding, 'conditions' | 'told'> & { conditions: unknown; told: unknown }
  >(
    `SELECT id::text, rule_id AS "ruleId", why, conditions, told, until_sequence::text AS "untilSequence"
     FROM rule_endings ORDER BY rule_endings.id`,
    [],
    'find-endings',
  );
  return found.map((one) => ({
    ...one,
    conditions: readConditions(one.conditions) ?? [],
    told: readReceivers(one.told),
  }));
}

/** Holds one until the end of the transaction. False: another worker has it in hand, or it is done. Uses the primary key. */
export async function holdEnding(rows: Rows, { id }: RuleEnding): Promise<boolean> {
  const held = await rows('SELECT FROM rule_endings WHERE id = $1 FOR UPDATE SKIP LOCKED', [id]);
  return held.length > 0;
}

/** Uses the primary key. */
export async function endEnding(rows: Rows, { id }: RuleEnding): Promise<void> {
  await rows('DELETE FROM rule_endings WHERE id = $1', [id]);
}

/**
 * Reviews states that are older than a change of their rule: a step of those whose things come after one, or those of some
 * things. An alarm goes on if the newest values are in breach of what the rule says now; without a rule none does. Others end,
 * and things that were pending begin anew. The caller holds the rule. Gives how many states there were, and the last thing of a full step.
 */
export async function reviewStates(
  rows: Rows,
  ending: RuleEnding,
  rule: ActiveRule | undefined,
  some: SomeStates,
): Promise<{ count: number; next: string | undefined }> {
  const states = await lockStatesBefore(rows, ending.ruleId, ending.untilSequence, some);
  const kept = rule === undefined ? [] : await keptOf(rows, ending, rule, states);
  const saved = await saveStates(rows, kept, null);
  assert.equal(saved.length, kept.length, 'a state that is held stays as it is');
  const goOn = new Set(kept.map(({ thingId }) => thingId));
  const ended = states.map(({ thingId }) => thingId).filter((id) => !goOn.has(id));
  if (ended.length > 0) {
    await rows('SELECT end_alarms($1, $2, $3, $4, $5)', [
      ending.ruleId,
      ended,
      ending.why,
      JSON.stringify(ending.conditions),
      JSON.stringify(ending.told),
    ]);
  }
  const isFull = some.kind === 'after' && states.length === some.rowsMax;
  return { count: states.length, next: isFull ? states.at(-1)?.thingId : undefined };
}

/** Before the first one. */
export const beforeAllThings = '00000000-0000-0000-0000-000000000000';

/** The states of things whose alarms go on. */
async function keptOf(
  rows: Rows,
  ending: RuleEnding,
  rule: ActiveRule,
  states: readonly KeptState[],
): Promise<StateRow[]> {
  if (ending.why !== 'rule_changed' || states.length === 0) return [];
  const places = await findWhereabouts(
    rows,
    states.map(({ thingId }) => thingId),
  );
  const byId = new Map(places.map((place) => [place.id, place]));
  return states.flatMap((state) => {
    const row = rowIfFiring(rule, ending.conditions, state, byId.get(state.thingId));
    return row === undefined ? [] : [row];
  });
}

/** Where a thing is, and how long nothing was heard of it. */
type Whereabouts = { id: string; profile_id: string; silent_s: number };

/** Uses the primary keys of things and of when they were seen. */
async function findWhereabouts(rows: Rows, thingIds: readonly string[]): Promise<Whereabouts[]> {
  return rows<Whereabouts>(
    `SELECT things.id, profile_id,
            extract(epoch FROM now() - greatest(seen_at, created_at))::float8 AS silent_s
     FROM things LEFT JOIN things_seen ON thing_id = things.id
     WHERE things.id = ANY ($1::uuid[])`,
    [thingIds],
  );
}

/** The state of a thing whose alarm goes on; undefined: it does not. */
function rowIfFiring(
  rule: ActiveRule,
  before: readonly Condition[],
  { thingId, state, newest, sequence, alarmId, episode }: KeptState,
  place: Whereabouts | undefined,
): StateRow | undefined {
  if (state.kind !== 'firing' && state.kind !== 'clearing') return undefined;
  if (place === undefined || !isAbout(rule, thingId, place.profile_id)) return undefined;
  const now = newestUnder(rule.conditions, before, newest);
  const stays = isSilent(rule)
    ? before[0]?.when === 'silent' && place.silent_s * 1e6 >= rule.forUs
    : isBreach(rule, { state, newest: now });
  if (!stays) return undefined;
  return {
    ruleId: rule.id,
    thingId,
    state: 'firing',
    sinceUs: Math.round(state.kind === 'firing' ? state.sinceUs : state.firedUs),
    gapUs: 0,
    alarmId,
    episode,
    newest: now.map((one) => one ?? null),
    sequence,
    repeatInS: rule.repeatS ?? null,
  };
}

/** The newest record of each condition, as it is judged now: of the condition before that had the same series. */
function newestUnder(
  conditions: readonly Condition[],
  before: readonly Condition[],
  newest: readonly (Newest | undefined)[],
): (Newest | undefined)[] {
  return conditions.map((condition) => {
    const at = before.findIndex((one) => isSameSeries(one, condition));
    const [record, judgedBy] = [newest[at], before[at]];
    if (record === undefined || isDeepStrictEqual(condition, judgedBy)) return record;
    if (record.value === undefined) return undefined;
    const judged = judge(condition, record.value);
    return judged && { ...record, ...judged };
  });
}

const isSameSeries = (one: Condition, other: Condition): boolean =>
  one.name === other.name && one.path === other.path && one.subtopic === other.subtopic;
