import { isDeepStrictEqual } from 'node:util';
import {
  findEndings,
  type RuleEnding,
  reviewStates,
} from '../../../infra/runtime/alarms/endings.ts';
import {
  findRulesVersion,
  holdRule,
  holdRules,
  loadRules,
  type OrgRule,
} from '../../../infra/runtime/alarms/rule.ts';
import {
  findKnownUntil,
  type GoneState,
  type KeptState,
  loadChangedStates,
  loadLastEnds,
  loadStates,
  loadStatesOf,
} from '../../../infra/runtime/alarms/states.ts';
import { holdPlaces } from '../../../infra/runtime/alarms/writes.ts';
import { postgresFailure } from '../../../infra/runtime/stores/postgres-failure.ts';
import { type Pool, rowsOf, transaction } from '../../../infra/runtime/stores/postgres.ts';
import { uuidToRowBinary } from '../../codecs/uuid.ts';
import { before, type Position } from '../../log/format.ts';
import type { Batch, LogReader } from '../../log/reader.ts';
import type { SinkTarget } from '../driver.ts';
import type { KeptPosition } from '../kept-position.ts';
import type { Evaluation } from './evaluation.ts';
import type { KnownStates } from './known-states.ts';
import { steadyS } from './not-ok.ts';
import { Outcome } from './outcome.ts';
import type { Snapshot } from './snapshot.ts';
import { findThingsElsewhere } from './sql.ts';
import type { Touched } from './touched.ts';

type AlarmTargetOptions = {
  pool: Pool;
  logId: string;
  position: KeptPosition;
  states: KnownStates;
  evaluation: Evaluation;
  /** So long rules and what others have changed are taken for what they were. */
  freshMs: number;
  snapshot: Snapshot;
  /** Reads the log up to there. */
  openReader: (to: Position) => LogReader;
};

/** Others change the same things now and then, and never so often in a row: an operator is told then, and it goes on slowly. */
const triesMax = 100;

/** Ends a transaction of which nothing may stay. */
class StateChanged extends Error {}

/**
 * Evaluates messages against the rules of their things, and writes what comes of it to Postgres, once: alarms, states,
 * notices, and how far the log is then, in one transaction.
 */
export class AlarmTarget implements SinkTarget {
  readonly classify = postgresFailure;
  readonly counts = { fired: 0, ended: 0 };
  readonly #options: AlarmTargetOptions;
  #isOpen = false;
  #rulesVersion = '';
  /** By rule. */
  #revisions: ReadonlyMap<string, string> = new Map();
  #rules: ReadonlyMap<string, OrgRule> = new Map();
  #endings: readonly RuleEnding[] = [];
  #freshAt = Number.NEGATIVE_INFINITY;
  /** Until then the changes of others are known. */
  #statesUntil: string | undefined;
  /** Things of a batch that are gone, or left the group from which they sent it: nothing is raised for them. */
  readonly #elsewhere = new Set<string>();

  constructor(options: AlarmTargetOptions) {
    this.#options = options;
  }

  async send(batch: Batch): Promise<void> {
    const { position, evaluation } = this.#options;
    try {
      if (performance.now() - this.#freshAt >= this.#options.freshMs) await this.#refresh();
      if (!this.#isOpen) await this.#open(batch.from);
      for (let tries = 1; !(await this.#trySend(batch)); tries++) {
        if (tries === triesMax) throw new Error(`no state of a batch was taken in ${tries} tries`);
      }
    } catch (error) {
      position.ended(undefined);
      evaluation.drop();
      throw error;
    }
  }

  /** Takes the snapshot, and notes the times of what the log has after it and before the first batch. */
  async #open(first: Position): Promise<void> {
    const { evaluation, snapshot, openReader } = this.#options;
    let at = await snapshot.open(first);
    const reader = before(at, first) ? openReader(first) : undefined;
    while (reader !== undefined && before(at, first)) {
      const batch = await reader.read(at, replayed);
      if (batch === undefined) break;
      evaluation.look(batch, () => true);
      evaluation.keep(({ was }) => was);
      at = batch.to;
    }
    this.#isOpen = true;
  }

  /**
   * False if it must be evaluated again: Postgres has more of the log than was known, since a transaction whose answer was
   * lost has ended; or another process changed what this batch changes too.
   */
  async #trySend(batch: Batch): Promise<boolean> {
    const { logId, position, evaluation } = this.#options;
    const { segment } = batch.from;
    const known = await position.find(batch.from);
    evaluation.look(batch, (frame) => {
      const offset = batch.offsets[frame] ?? 0;
      return before({ segment, offset }, known);
    });
    if (await this.#reviewFirst()) return false;
    const { touched, late } = evaluation.outcome;
    const live = touched.filter((one) => !this.#elsewhere.has(placeOf(one)));
    const outcome = new Outcome(live, late, logId);
    const written = outcome.isEmpty ? 'empty' : await this.#write(outcome, known, batch.to);
    if (written === 'positionMoved' || written === 'stateChanged') {
      evaluation.drop();
      if (written === 'stateChanged') await this.#reload(outcome);
      else position.ended(undefined);
      return false;
    }
    if (written === 'written') position.ended(batch.to);
    this.#elsewhere.clear();
    evaluation.keep((one) => outcome.savedOf(one));
    this.counts.fired += outcome.counts.fired;
    this.counts.ended += outcome.counts.ended;
    return true;
  }

  async #write(
    outcome: Outcome,
    from: Position,
    to: Position,
  ): Promise<'written' | 'positionMoved' | 'stateChanged'> {
    const { pool, position } = this.#options;
    try {
      return await transaction(pool, async (client) => {
        const rows = rowsOf(client);
        if (!(await position.move(rows, from, to))) return 'positionMoved';
        await holdPlaces(rows, outcome.places);
        // A rule that was changed has ended what fired: nothing may fire by what it was before.
        const isSame = await holdRules(rows, this.#rulesOf(outcome));
        if (isSame && (await outcome.write(rows))) return 'written';
        throw new StateChanged();
      });
    } catch (error) {
      // A rule or a thing may have gone since it was looked for, or another may have given an alarm of theirs the number.
      const isMet = metViolations.has(postgresFailure(error).code);
      if (error instanceof StateChanged || isMet) return 'stateChanged';
      throw error;
    }
  }

  /**
   * States that things have from before a change of their rule are reviewed before anything is made of their values. Whether
   * there were some: the batch is looked at again.
   */
  async #reviewFirst(): Promise<boolean> {
    const { pool, evaluation } = this.#options;
    const pairs = evaluation.perhapsFromBefore;
    let reviewed = 0;
    for (const [ruleId, of] of Map.groupBy(pairs, (pair) => pair.ruleId)) {
      const some = { kind: 'things', ids: of.map(({ thingId }) => thingId) } as const;
      for (const ending of this.#endings.filter((one) => one.ruleId === ruleId)) {
        reviewed += await transaction(pool, async (client) => {
          const rows = rowsOf(client);
          const rule = await holdRule(rows, ruleId);
          return (await reviewStates(rows, ending, rule, some)).count;
        });
      }
    }
    if (reviewed === 0) return false;
    evaluation.drop();
    this.#take(await loadStates(rowsOf(pool), pairs));
    return true;
  }

  /** The rules whose things are written. */
  #rulesOf({ moved }: Outcome): { id: string; revision: string }[] {
    return [...new Set(moved.map(({ rule }) => rule.id))].map((id) => ({
      id,
      revision: this.#revisions.get(id) ?? '-infinity',
    }));
  }

  /** Reads the rules anew if they were changed, and what others have changed of states. */
  async #refresh(): Promise<void> {
    const { pool, logId, states: known, evaluation } = this.#options;
    const rows = rowsOf(pool);
    // Before the first states are read: a transaction that ends right after that is looked at again.
    const since = (this.#statesUntil ??= await findKnownUntil(rows));
    const version = await findRulesVersion(rows);
    if (version !== this.#rulesVersion) {
      const rules = await loadRules(rows);
      evaluation.setRules(rules);
      const begun = rules.filter((rule) => !isSameRule(this.#rules.get(rule.id), rule));
      this.#revisions = new Map(rules.map(({ id, revision }) => [id, revision]));
      // Rules that decide otherwise now have begun anew, and so have those that did in between.
      const ended = await this.#loadEndings();
      const ids = [...new Set([...begun.map(({ id }) => id), ...ended])];
      const states = await loadStatesOf(rows, ids);
      known.clearStates(ids);
      this.#take(states);
      this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
      this.#rulesVersion = version;
    } else {
      await this.#loadEndings();
    }
    const { states, gone, until } = await loadChangedStates(rows, logId, since);
    for (const one of gone) this.#forget(one);
    this.#take(states);
    this.#statesUntil = until;
    this.#freshAt = performance.now();
  }

  /** Gives the rules that have others than before. */
  async #loadEndings(): Promise<string[]> {
    const { pool, states } = this.#options;
    const known = new Set(this.#endings.map(({ id }) => id));
    this.#endings = await findEndings(rowsOf(pool));
    states.setEnding(this.#endings.map(({ ruleId }) => ruleId));
    return this.#endings.filter(({ id }) => !known.has(id)).map(({ ruleId }) => ruleId);
  }

  /** Of each state the later change counts. */
  #take(changed: readonly KeptState[]): void {
    const { states } = this.#options;
    for (const state of changed) {
      const thing = uuidToRowBinary(state.thingId);
      const known = states.stateOf(state.ruleId, thing);
      if (known !== undefined && known.sequence >= state.sequence) continue;
      states.setState(state.ruleId, thing, state.newest, { ...state, savedAtS: steadyS() });
    }
  }

  #forget({ ruleId, thingId, newest, sequence }: GoneState): void {
    const { states } = this.#options;
    const thing = uuidToRowBinary(thingId);
    const known = states.stateOf(ruleId, thing);
    if (known !== undefined && known.sequence > sequence) return;
    states.setState(ruleId, thing, newest, undefined);
  }

  /** The pairs of a batch that could not be written, as they are now. */
  async #reload({ moved }: Outcome): Promise<void> {
    const rows = rowsOf(this.#options.pool);
    const asked = moved.map(({ thingId, rule: { groupId } }) => ({ thingId, groupId }));
    for (const { thingId, groupId } of await findThingsElsewhere(rows, asked)) {
      this.#elsewhere.add(thingId + groupId);
    }
    for (const { pairs, slot } of moved) pairs.notOk.delete(slot);
    this.#rulesVersion = '';
    await this.#refresh();
    const pairs = moved.map(({ rule, thingId }) => ({ ruleId: rule.id, thingId }));
    this.#take(await loadStates(rows, pairs));
    for (const { ruleId, thingId, endedUs } of await loadLastEnds(rows, pairs)) {
      this.#options.states.isOver(ruleId, uuidToRowBinary(thingId), endedUs);
    }
  }
}

/** Whether states of the one are states of the other. */
const isSameRule = (earlier: OrgRule | undefined, now: OrgRule): boolean =>
  earlier !== undefined && isDeepStrictEqual(decidingIn(earlier), decidingIn(now));

const decidingIn = ({
  match,
  conditions,
  forUs,
  clearForUs,
  gapUs,
  profileId,
  thingIds,
}: OrgRule) => ({ match, conditions, forUs, clearForUs, gapUs, profileId, thingIds });

const placeOf = ({ thingId, rule }: Touched): string => thingId + rule.groupId;

/** Of a foreign key, and of what is unique. */
const metViolations = new Set(['23503', '23505']);

const replayed = { bytesMax: 4 * 1024 * 1024, framesMax: Number.MAX_SAFE_INTEGER };
