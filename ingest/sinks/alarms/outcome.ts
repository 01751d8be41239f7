import type {
  AlarmEnd,
  NewAlarm,
  NewNotice,
  NumberedAlarm,
  StateRow,
} from '../../../infra/runtime/alarms/writes.ts';
import {
  endAlarms,
  insertAlarms,
  insertNotices,
  removeStates,
  saveStates,
} from '../../../infra/runtime/alarms/writes.ts';
import { type LateRecords, noteCorrections } from '../../../infra/runtime/alarms/corrections.ts';
import { holdStates } from '../../../infra/runtime/alarms/locks.ts';
import { columnsOfState } from '../../../infra/runtime/alarms/states.ts';
import type { Rows } from '../../../infra/runtime/stores/postgres.ts';
import { type NotOk, steadyS } from './not-ok.ts';
import type { Touched } from './touched.ts';

/** The alarm that a touched pair has after its transitions. */
type Open = { alarmId: string; episode: number } | undefined;

/** Writes what came of a batch, in the transaction of its position. */
export class Outcome {
  readonly #touched: readonly Touched[];
  readonly #late: readonly LateRecords[];
  readonly #logId: string;
  readonly #open = new Map<Touched, Open>();
  /** Of each rule and thing the number of the change that was written. */
  readonly #sequences = new Map<string, number>();
  readonly counts = { fired: 0, ended: 0 };

  constructor(touched: readonly Touched[], late: readonly LateRecords[], logId: string) {
    // Those whose alarm or state is to be written: of others only the times were noted.
    this.#touched = touched.filter(({ isMoved }) => isMoved);
    this.#late = late;
    this.#logId = logId;
  }

  /** The touched pairs whose states are written. */
  get moved(): readonly Touched[] {
    return this.#touched;
  }

  /** Where an alarm or a state is to be made. */
  get places(): { groupId: string; thingId: string }[] {
    return this.#touched
      .filter(({ was, transitions }) => was === undefined || transitions.length > 0)
      .map(({ rule: { groupId }, thingId }) => ({ groupId, thingId }));
  }

  get isEmpty(): boolean {
    return this.#touched.length === 0 && this.#late.length === 0;
  }

  /** False if another has changed one of the pairs meanwhile, or its rule or thing is gone: nothing may stay then. */
  async write(rows: Rows): Promise<boolean> {
    await holdStates(
      rows,
      this.#touched.map(({ rule, thingId }) => ({ ruleId: rule.id, thingId })),
    );
    const fired = this.#fired();
    const numbered = await insertAlarms(rows, fired);
    if (numbered.length < fired.length) return false;
    const { ends, notices } = this.#transitions(numbered);
    await endAlarms(rows, ends);
    const states = this.#touched.flatMap((touched) => this.#stateOf(touched));
    const saved = await saveStates(rows, states, this.#logId);
    if (saved.length < states.length) return false;
    for (const { ruleId, thingId, sequence } of saved) {
      this.#sequences.set(ruleId + thingId, sequence);
    }
    const gone = this.#touched.flatMap(({ rule, thingId, pair, was }) =>
      was === undefined || pair.state.kind !== 'ok'
        ? []
        : [{ ruleId: rule.id, thingId, sequence: was.sequence, newest: newestOf(pair) }],
    );
    if ((await removeStates(rows, gone, this.#logId)) < gone.length) return false;
    await insertNotices(rows, notices);
    await noteCorrections(rows, this.#late);
    return true;
  }

  /** A pair that is not ok, as it was written. */
  savedOf(touched: Touched): NotOk {
    const { pair, was, isMoved } = touched;
    const { state } = pair;
    if (!isMoved && was !== undefined) return { ...was, state };
    const { alarmId = null, episode = null } = this.#open.get(touched) ?? {};
    const sequence = this.#sequences.get(touched.rule.id + touched.thingId) ?? 0;
    return { state, sequence, alarmId, episode, savedAtS: steadyS() };
  }

  #fired(): NewAlarm[] {
    return this.#touched.flatMap(({ rule, thingId, transitions }) => {
      let nth = 0;
      return transitions.flatMap((transition) => {
        if (transition.kind !== 'fired') return [];
        nth += 1;
        return [
          {
            ruleId: rule.id,
            thingId,
            groupId: rule.groupId,
            ruleName: rule.name,
            severity: rule.severity,
            clock: 'record' as const,
            beganUs: transition.beganUs,
            firedUs: transition.firedUs,
            beganValues: transition.values,
            nth,
          },
        ];
      });
    });
  }

  /** Each end is of the alarm that was open, or fired before it in the same batch. */
  #transitions(numbered: readonly NumberedAlarm[]): { ends: AlarmEnd[]; notices: NewNotice[] } {
    const byPair = Map.groupBy(numbered, ({ ruleId, thingId }) => ruleId + thingId);
    const ends: AlarmEnd[] = [];
    const notices: NewNotice[] = [];
    for (const touched of this.#touched) {
      const { rule, thingId, transitions, was } = touched;
      const made = (byPair.get(rule.id + thingId) ?? []).toSorted((a, b) => a.episode - b.episode);
      let open: Open = alarmOf(was);
      for (const transition of transitions) {
        if (transition.kind === 'fired') {
          const next = made.shift();
          open = next && { alarmId: next.id, episode: next.episode };
        }
        if (open === undefined) continue;
        const { alarmId, episode } = open;
        const { id: ruleId, orgId, receivers } = rule;
        const common = { alarmId, ruleId, orgId, thingId, episode, receivers };
        if (transition.kind === 'fired') {
          notices.push({ ...common, transition: 'fired', atUs: transition.firedUs });
        } else {
          const { endedUs, values } = transition;
          ends.push({ alarmId, endedUs, values, why: 'cleared' });
          notices.push({ ...common, transition: 'ended', atUs: endedUs });
          open = undefined;
        }
      }
      this.#open.set(touched, open);
    }
    this.counts.fired = numbered.length;
    this.counts.ended = ends.length;
    return { ends, notices };
  }

  #stateOf(touched: Touched): StateRow[] {
    const { rule, thingId, pair, was } = touched;
    const { state } = pair;
    if (state.kind === 'ok') return [];
    const open = this.#open.get(touched);
    return [
      {
        ruleId: rule.id,
        thingId,
        ...columnsOfState(state),
        alarmId: open?.alarmId ?? null,
        episode: open?.episode ?? null,
        newest: newestOf(pair),
        sequence: was?.sequence ?? 0,
        repeatInS: state.kind === 'firing' ? (rule.repeatS ?? null) : null,
      },
    ];
  }
}

const newestOf = ({ newest }: Touched['pair']) => newest.map((one) => one ?? null);

const alarmOf = (was: NotOk | undefined): Open =>
  was === undefined || was.alarmId === null || was.episode === null
    ? undefined
    : { alarmId: was.alarmId, episode: was.episode };
