import { holdPlaces } from '../../../infra/runtime/alarms/locks.ts';
import type { ActiveRule } from '../../../infra/runtime/alarms/rule.ts';
import {
  endAlarms,
  insertAlarms,
  insertNotices,
  removeStates,
  saveStates,
} from '../../../infra/runtime/alarms/writes.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import { silentAt, type Span } from './hearing.ts';
import type { HeardAgain, SilentThing } from './sql.ts';

/** Somebody changed a state meanwhile, or a rule or a thing is gone: it is looked at again. */
class StateChanged extends Error {}

/** Alarms of a rule fire for things that have fallen silent. */
export async function fireSilent(
  rows: Rows,
  rule: ActiveRule,
  spans: readonly Span[],
  things: readonly SilentThing[],
): Promise<void> {
  const firedUs = new Map(
    things.map(({ thingId, heardUs }) => [thingId, silentAt(spans, heardUs, rule.forUs)]),
  );
  await holdPlaces(rows, things);
  const numbered = await insertAlarms(
    rows,
    things.map(({ thingId, groupId, heardUs }) => ({
      ruleId: rule.id,
      thingId,
      groupId,
      ruleName: rule.name,
      severity: rule.severity,
      clock: 'receipt',
      beganUs: heardUs,
      firedUs: firedUs.get(thingId) ?? heardUs,
      beganValues: [],
      nth: 1,
    })),
  );
  const saved = await saveStates(
    rows,
    numbered.map(({ id: alarmId, ruleId, thingId, episode }) => ({
      ruleId,
      thingId,
      state: 'firing',
      sinceUs: firedUs.get(thingId) ?? 0,
      gapUs: 0,
      alarmId,
      episode,
      newest: [null],
      sequence: 0,
      repeatInS: rule.repeatS ?? null,
    })),
    null,
  );
  if (saved.length < numbered.length) throw new StateChanged('a thing is no longer as it was');
  await insertNotices(
    rows,
    numbered.map(({ id: alarmId, ruleId, thingId, episode }) => ({
      alarmId,
      ruleId,
      thingId,
      episode,
      transition: 'fired',
      atUs: firedUs.get(thingId) ?? 0,
      receivers: rule.receivers,
    })),
  );
}

/** Alarms end of things that are heard again. */
export async function endSilent(
  rows: Rows,
  rules: ReadonlyMap<string, ActiveRule>,
  heard: readonly HeardAgain[],
): Promise<void> {
  await endAlarms(
    rows,
    heard.map(({ alarmId, heardUs }) => ({
      alarmId,
      endedUs: heardUs,
      values: [],
      why: 'cleared',
    })),
  );
  const gone = heard.map((one) => ({ ...one, newest: [null] }));
  const removed = await removeStates(rows, gone, null);
  if (removed < heard.length) throw new StateChanged('a thing is no longer as it was');
  await insertNotices(
    rows,
    heard.map(({ alarmId, ruleId, thingId, episode, heardUs }) => ({
      alarmId,
      ruleId,
      thingId,
      episode,
      transition: 'ended',
      atUs: heardUs,
      receivers: rules.get(ruleId)?.receivers ?? {},
    })),
  );
}
