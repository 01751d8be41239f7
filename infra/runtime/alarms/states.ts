import { Type } from 'typebox';
import { Compile } from 'typebox/compile';
import type { Rows } from '../stores/postgres.ts';
import type { Newest, RuleState } from './machine.ts';
import { usOf } from './microseconds.ts';

/** A thing that is not ok under a rule, as `alarm_states` has it. */
export type KeptState = {
  ruleId: string;
  thingId: string;
  state: RuleState;
  newest: (Newest | undefined)[];
  sequence: number;
  alarmId: string | null;
  episode: number | null;
};

const NewestFile = Type.Array(
  Type.Union([
    Type.Object({
      timeUs: Type.Number(),
      intervalUs: Type.Number(),
      intervalBeforeUs: Type.Number(),
      breach: Type.Boolean(),
      clears: Type.Boolean(),
      value: Type.Optional(Type.Union([Type.Number(), Type.String(), Type.Boolean()])),
    }),
    Type.Null(),
  ]),
);
const isNewest = Compile(NewestFile);

type Row = {
  rule_id: string;
  thing_id: string;
  state: 'pending' | 'firing' | 'clearing';
  since_us: number;
  gap_us: number;
  fired_us: number | null;
  sequence: number;
  alarm_id: string | null;
  episode: number | null;
  newest: unknown;
};

/** The columns of a row, for the queries here: `state` is `alarm_states`, and its alarm, if it has one, `alarm`. */
const columns = `
  state.rule_id, state.thing_id, state.state, state.since_us::float8, state.gap_us::float8,
  ${usOf('alarm.fired_at')} AS fired_us, state.sequence::float8, state.alarm_id,
  state.episode, state.newest`;

/** A row of what its rule says now, and not of what it said before a change. Uses `rule_endings_rule`. */
const isOfNow = `
  NOT EXISTS (
    SELECT FROM rule_endings AS ending
    WHERE ending.rule_id = state.rule_id AND ending.until_sequence > state.sequence
  )`;

/** A row that went: its thing is ok again, or nobody watches it any more. */
export type GoneState = Pick<KeptState, 'ruleId' | 'thingId' | 'newest' | 'sequence'>;

/**
 * Rows that others than this log changed since a time, and those that went: with the time until which it is known. Uses
 * `alarm_states_updated` and `alarm_states_gone_at`.
 */
export async function loadChangedStates(
  rows: Rows,
  logId: string,
  since: string,
): Promise<{ states: KeptState[]; gone: GoneState[]; until: string }> {
  const until = await findKnownUntil(rows);
  const found = await rows<Omit<GoneState, 'newest'> & { newest: unknown }>(
    `SELECT rule_id AS "ruleId", thing_id AS "thingId", newest, sequence::float8 FROM alarm_states_gone
     WHERE gone_at > $2::timestamptz AND log_id IS DISTINCT FROM $1
     ORDER BY sequence`,
    [logId, since],
  );
  const gone = found.map((row) => ({ ...row, newest: newestOf(row.newest) }));
  const states = await rows<Row>(
    `SELECT ${columns}
     FROM alarm_states AS state LEFT JOIN alarms AS alarm ON alarm.id = state.alarm_id
     WHERE state.updated_at > $2::timestamptz AND state.log_id IS DISTINCT FROM $1 AND ${isOfNow}`,
    [logId, since],
  );
  return { states: states.map(stateOf), gone, until };
}

/**
 * The time until which whatever is read after this call is known. A row has the time at which its transaction began, and is seen
 * once that has ended: all is known from before the oldest one that goes on, with some room for the one that has just begun. Where
 * one goes on for long, a dump say, or PostgreSQL does not show the sessions of other roles, half a minute is looked at again: no
 * transaction of ours takes that long.
 */
export async function findKnownUntil(rows: Rows): Promise<string> {
  const [found] = await rows<{ until: string }>(
    `SELECT greatest(
              now() - interval '30 seconds',
              CASE WHEN bool_or(query = '<insufficient privilege>') THEN '-infinity'
                   ELSE least(min(xact_start), now()) - interval '1 second' END
            )::text AS until
     FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()`,
    [],
  );
  return found?.until ?? '-infinity';
}

/** All rows of some rules. Uses the primary key. */
export async function loadStatesOf(rows: Rows, ruleIds: readonly string[]): Promise<KeptState[]> {
  if (ruleIds.length === 0) return [];
  const found = await rows<Row>(
    `SELECT ${columns}
     FROM alarm_states AS state LEFT JOIN alarms AS alarm ON alarm.id = state.alarm_id
     WHERE state.rule_id = ANY ($1::uuid[]) AND ${isOfNow}`,
    [ruleIds],
  );
  return found.map(stateOf);
}

/** So many states of a rule, of the things after one; or those of these things. */
export type SomeStates =
  | { kind: 'after'; thing: string; rowsMax: number }
  | { kind: 'things'; ids: readonly string[] };

/**
 * Rows of a rule from before a change of it, held until the end of the transaction: so many, of the things after one, or those
 * of these things. Uses the primary key.
 */
export async function lockStatesBefore(
  rows: Rows,
  ruleId: string,
  untilSequence: string,
  some: SomeStates,
): Promise<KeptState[]> {
  const isOfThings = some.kind === 'things';
  const which = isOfThings ? 'state.thing_id = ANY ($3::uuid[])' : 'state.thing_id > $3';
  const limit = isOfThings ? '' : 'LIMIT $4';
  const found = await rows<Row>(
    `SELECT ${columns}
     FROM alarm_states AS state LEFT JOIN alarms AS alarm ON alarm.id = state.alarm_id
     WHERE state.rule_id = $1 AND state.sequence < $2 AND ${which}
     ORDER BY state.thing_id ${limit} FOR UPDATE OF state`,
    [ruleId, untilSequence, ...(some.kind === 'things' ? [some.ids] : [some.thing, some.rowsMax])],
  );
  return found.map(stateOf);
}

/** When the last alarm of each of these pairs was over, in microseconds. Uses `alarms_episode`. */
export async function loadLastEnds(
  rows: Rows,
  pairs: readonly { ruleId: string; thingId: string }[],
): Promise<{ ruleId: string; thingId: string; endedUs: number }[]> {
  return rows(
    `SELECT rule_id AS "ruleId", thing_id AS "thingId", ceil(extract(epoch FROM max(ended_at)) * 1000000)::float8 AS "endedUs"
     FROM unnest($1::uuid[], $2::uuid[]) AS asked (rule_id, thing_id)
     JOIN alarms USING (rule_id, thing_id)
     WHERE ended_why = 'cleared' AND NOT history
     GROUP BY rule_id, thing_id`,
    [pairs.map(({ ruleId }) => ruleId), pairs.map(({ thingId }) => thingId)],
  );
}

/** The rows of these pairs. Uses the primary key. */
export async function loadStates(
  rows: Rows,
  pairs: readonly { ruleId: string; thingId: string }[],
): Promise<KeptState[]> {
  const found = await rows<Row>(
    `SELECT ${columns}
     FROM unnest($1::uuid[], $2::uuid[]) AS asked (rule_id, thing_id)
     JOIN alarm_states AS state USING (rule_id, thing_id)
     LEFT JOIN alarms AS alarm ON alarm.id = state.alarm_id
     WHERE ${isOfNow}`,
    [pairs.map(({ ruleId }) => ruleId), pairs.map(({ thingId }) => thingId)],
  );
  return found.map(stateOf);
}

function stateOf(row: Row): KeptState {
  return {
    ruleId: row.rule_id,
    thingId: row.thing_id,
    state: ruleStateOf(row),
    newest: newestOf(row.newest),
    sequence: row.sequence,
    alarmId: row.alarm_id,
    episode: row.episode,
  };
}

function ruleStateOf({ state: kind, since_us: sinceUs, gap_us: gapUs, fired_us }: Row): RuleState {
  if (kind === 'firing') return { kind, sinceUs };
  if (kind === 'pending') return { kind, sinceUs, gapUs };
  return { kind, sinceUs, gapUs, firedUs: fired_us ?? sinceUs };
}

function newestOf(newest: unknown): (Newest | undefined)[] {
  if (!isNewest.Check(newest)) return [];
  return newest.map((one) => (one === null ? undefined : { ...one, value: one.value }));
}

/** The members of a row that say its state. */
export function columnsOfState(state: Exclude<RuleState, { kind: 'ok' }>) {
  const { kind, sinceUs } = state;
  return { state: kind, sinceUs, gapUs: kind === 'firing' ? 0 : Math.round(state.gapUs) };
}
