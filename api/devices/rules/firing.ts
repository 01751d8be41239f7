import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import { isBreach, type Newest } from '../../../infra/runtime/alarms/machine.ts';
import {
  type ActiveRule,
  activeRule,
  isAbout,
  isSilent,
} from '../../../infra/runtime/alarms/rule.ts';
import { type KeptState, lockStatesOf } from '../../../infra/runtime/alarms/states.ts';
import { saveStates, type StateRow } from '../../../infra/runtime/alarms/writes.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import type { Condition } from '../../../schemas/resources/rule.ts';
import { limits } from '../../limits.ts';
import type { Statements } from '../../stores/database.ts';
import type { StoredRule } from './sql.ts';
import { type End, endAlarmsOf, findWhereabouts, type Whereabouts } from './states-sql.ts';

const beforeAllThings = '00000000-0000-0000-0000-000000000000';

/**
 * After a change of a rule: alarms go on whose newest values are in breach of what the rule says now; all others end, and
 * things that were pending begin anew.
 */
export async function keepOrEnd(db: Statements, stored: StoredRule, end: End): Promise<void> {
  const rule = activeRule({ ...stored, receivers: end.told });
  if (rule === undefined) {
    await endAlarmsOf(db, end, 'all');
    return;
  }
  const rows: Rows = (text, values) => db.rows(text, values);
  let after = beforeAllThings;
  for (;;) {
    const states = await lockStatesOf(rows, rule.id, after, limits.statesAtOnce);
    const places = await findWhereabouts(
      db,
      states.map(({ thingId }) => thingId),
    );
    const byId = new Map(places.map((place) => [place.id, place]));
    const kept: StateRow[] = [];
    const ended: string[] = [];
    for (const state of states) {
      const row = rowIfFiring(rule, end.conditions, state, byId.get(state.thingId));
      if (row === undefined) ended.push(state.thingId);
      else kept.push(row);
    }
    const saved = await saveStates(rows, kept, null);
    assert.equal(saved.length, kept.length, 'a state that is held stays as it is');
    await endAlarmsOf(db, end, ended);
    const last = states.at(-1);
    if (last === undefined || states.length < limits.statesAtOnce) return;
    after = last.thingId;
  }
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
