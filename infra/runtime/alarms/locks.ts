import type { Rows } from '../stores/postgres.ts';

/*
 * All who write about alarms take their locks in one order, so that two who do so at the same moment do not wait for each other
 * in turns: groups, things, rules, states by thing and rule, alarms, corrections. Who changes an alarm that goes on holds its
 * state before. So does whoever deletes a thing, by a trigger; who deletes several holds all their states first, since a
 * trigger sees one at a time, in whichever order.
 */

/**
 * Holds the groups and things of which alarms or states are about to be made, until the end of the transaction. Uses primary
 * keys.
 */
export async function holdPlaces(
  rows: Rows,
  places: readonly { groupId: string; thingId: string }[],
): Promise<void> {
  if (places.length === 0) return;
  const of = (ids: string[]) => [...new Set(ids)];
  await rows('SELECT FROM groups WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE', [
    of(places.map(({ groupId }) => groupId)),
  ]);
  await rows('SELECT FROM things WHERE id = ANY ($1::uuid[]) ORDER BY id FOR KEY SHARE', [
    of(places.map(({ thingId }) => thingId)),
  ]);
}

/** Holds the states of pairs that are not ok until the end of the transaction. Uses the primary key. */
export async function holdStates(
  rows: Rows,
  pairs: readonly { ruleId: string; thingId: string }[],
): Promise<void> {
  if (pairs.length === 0) return;
  await rows(
    `SELECT FROM unnest($1::uuid[], $2::uuid[]) AS asked (rule_id, thing_id)
     JOIN alarm_states AS state USING (rule_id, thing_id)
     ORDER BY thing_id, rule_id FOR UPDATE OF state`,
    [pairs.map(({ ruleId }) => ruleId), pairs.map(({ thingId }) => thingId)],
  );
}

/** Holds the states of things that are held, and about to be deleted. Uses `alarm_states_thing`. */
export async function holdStatesOf(rows: Rows, thingIds: readonly string[]): Promise<void> {
  await rows(
    `SELECT FROM alarm_states WHERE thing_id = ANY ($1::uuid[]) ORDER BY thing_id, rule_id FOR UPDATE`,
    [thingIds],
  );
}

/**
 * Holds the things that are not ok, and their states, of groups that are held, and about to be deleted. Uses `things_group` and
 * `alarm_states_thing`.
 */
export async function holdStatesIn(rows: Rows, groupIds: readonly string[]): Promise<void> {
  const held = await rows<{ id: string }>(
    `SELECT id FROM things
     WHERE group_id = ANY ($1::uuid[]) AND EXISTS (SELECT FROM alarm_states WHERE thing_id = things.id)
     ORDER BY id FOR UPDATE`,
    [groupIds],
  );
  await holdStatesOf(
    rows,
    held.map(({ id }) => id),
  );
}
