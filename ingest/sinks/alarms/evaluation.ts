import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import type { LateRecords } from '../../../infra/runtime/alarms/corrections.ts';
import { valuesOf } from '../../../infra/runtime/alarms/history.ts';
import { note, take, type Update } from '../../../infra/runtime/alarms/machine.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Batch } from '../../log/reader.ts';
import { absent, type KnownPairs } from './known-pairs.ts';
import type { KnownStates } from './known-states.ts';
import { LateOfBatch } from './late-records.ts';
import { isDueToSave, type NotOk, steadyS } from './not-ok.ts';
import type { OrgBudgets } from './org-budgets.ts';
import { type AlarmRow, nextRowAt, readHead, readRow, unitOf } from './records.ts';
import { type Touched, TouchedPairs } from './touched.ts';
import { type NumberedRule, type RecordUpdate, WatchedSeries } from './watched.ts';

/** The row of a message, and the thing that it is of. */
type Source = {
  body: Buffer;
  view: DataView;
  row: AlarmRow;
  thingId: () => string;
  /** The state already has what the message says: only its times are noted. */
  isKnown: boolean;
};

/**
 * Transitions by a steady clock, as they load PostgreSQL now. Evaluations by the times of receipt: a backlog is looked at
 * as it would have been in time.
 */
type EvaluationBudgets = { transitions: OrgBudgets; evaluations: OrgBudgets };

/** Records further in the future than this, when they came, are not looked at. */
const futureUsMax = 5 * 60 * 1_000_000;
/** Records older than this, when they came, are of the past: nobody is told of them. */
const pastUsMin = 60 * 60 * 1_000_000;

const noCounts = () => ({ evaluated: 0, skipped: 0, future: 0, late: 0, throttled: 0 });

/**
 * Holds the values of batches against rules, one batch after the other. A batch is evaluated, and then either kept, once
 * PostgreSQL has what came of it, or dropped as if it had never been looked at.
 */
export class Evaluation {
  readonly counts = noCounts();
  readonly #states: KnownStates;
  readonly #budgets: EvaluationBudgets;
  #series = new WatchedSeries([]);
  readonly #touched = new TouchedPairs();
  readonly #late = new LateOfBatch();
  /** Of the batch that is looked at. */
  #counted = noCounts();
  /** When the batch is looked at. */
  #nowS = steadyS();

  constructor(states: KnownStates, budgets: EvaluationBudgets) {
    this.#states = states;
    this.#budgets = budgets;
  }

  /** Takes rules as they are now. */
  setRules(rules: readonly OrgRule[]): void {
    this.#states.setRules(rules);
    this.#series = new WatchedSeries(this.#states.rules);
  }

  /** Looks at the frames of a batch; of those that are `known` only the times are noted. */
  look({ body, ends }: Pick<Batch, 'body' | 'ends'>, isKnown: (frame: number) => boolean): void {
    this.#nowS = steadyS();
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    let start = 0;
    for (const [at, end] of ends.entries()) {
      const head = readHead(body, start);
      const isFrameKnown = isKnown(at);
      for (let rowAt = head.rowsAt; rowAt < end; ) {
        const row = readRow(body, head, rowAt);
        this.#lookAt(body, view, row, isFrameKnown);
        rowAt = nextRowAt(body, row, end);
      }
      start = end;
    }
  }

  #lookAt(body: Buffer, view: DataView, row: AlarmRow, isKnown: boolean): void {
    const { thingAt, receivedMs } = row;
    let id: string | undefined;
    const thingId = () => (id ??= uuidFromRowBinary(body, thingAt));
    const source = { body, view, row, thingId, isKnown };
    const tryAfford = (orgId: string, evaluations: number) =>
      this.#tryAfford(orgId, evaluations, receivedMs / 1_000);
    const skipped = this.#series.forEachUpdate(
      body,
      row,
      thingId,
      tryAfford,
      (of, timeUs, updates) => {
        const ageUs = receivedMs * 1_000 - timeUs;
        if (ageUs < -futureUsMax) this.#counted.future += 1;
        else if (ageUs > pastUsMin) this.#noteLate(of.rule, thingId(), timeUs, updates);
        else this.#take(of, timeUs, updates, source);
      },
    );
    this.#counted.skipped += skipped;
  }

  /** Takes so many evaluations from the org's budget. False: it has no more. */
  #tryAfford(orgId: string, evaluations: number, atS: number): boolean {
    const { evaluations: budgets } = this.#budgets;
    if (!budgets.has(orgId, evaluations, atS)) return false;
    budgets.take(orgId, evaluations, atS);
    return true;
  }

  #take(of: NumberedRule, timeUs: number, updates: readonly RecordUpdate[], source: Source): void {
    const { view, row, thingId, isKnown } = source;
    const { rule, number } = of;
    this.#counted.evaluated += 1;
    const pairs = this.#states.tableOf(rule.conditions.length);
    const found = pairs.find(view, row.thingAt, number);
    if (this.#isNoted(pairs, found, rule, timeUs, updates, source)) return;
    const slot = found === absent ? pairs.add(view, row.thingAt, number) : found;
    const touched = this.#touched.touch(rule, pairs, slot, thingId, this.#nowS);
    if (isKnown) {
      note(rule, touched.pair, timeUs, updates);
      return;
    }
    const { state } = touched.pair;
    const step = take(rule, touched.pair, timeUs, updates);
    if (step.kind === 'none') return;
    if (step.kind === 'late') {
      this.#noteLate(rule, thingId(), timeUs, updates);
      return;
    }
    if (this.#mustWait(rule)) {
      touched.pair.state = state;
      this.#counted.throttled += 1;
      return;
    }
    touched.isMoved = true;
    if (step.kind === 'moved') return;
    this.#budgets.transitions.take(rule.orgId, 1, this.#nowS);
    const values = valuesOf(rule, touched.pair, withUnits(updates, source));
    touched.transitions.push({ ...step, values });
  }

  /** Whether the org has no transition left: the next record of the thing moves it then. */
  #mustWait({ orgId }: OrgRule): boolean {
    return !this.#budgets.transitions.has(orgId, 1, this.#nowS);
  }

  /**
   * The usual cases, without an object: a rule of one series whose thing stays as it is, or may not be moved now. Only that
   * the record is the newest, or came late, is noted then.
   */
  #isNoted(
    pairs: KnownPairs,
    slot: number,
    rule: OrgRule,
    timeUs: number,
    updates: readonly Update[],
    source: Source,
  ): boolean {
    const [update, other] = updates;
    const [condition] = rule.conditions;
    if (pairs.series !== 1 || slot === absent || update === undefined || other !== undefined) {
      return false;
    }
    if (condition === undefined || this.#states.isEnding(rule.id)) return false;
    if (this.#touched.has(pairs, slot)) return false;
    const judged = judge(condition, update.value);
    if (judged === undefined) return true;
    const newestUs = pairs.timeAt(slot, 0);
    if (timeUs < newestUs) {
      if (!source.isKnown) this.#noteLate(rule, source.thingId(), timeUs, updates);
      return true;
    }
    if (timeUs === newestUs) return false;
    const savedAtS = pairs.notOk.savedAtS(slot);
    const wouldMove =
      savedAtS === undefined ? judged.breach : judged.clears || !pairs.notOk.isFiring(slot);
    if (savedAtS !== undefined && isDueToSave(savedAtS, this.#nowS)) return false;
    if (wouldMove && !source.isKnown) {
      if (!this.#mustWait(rule)) return false;
      this.#counted.throttled += 1;
    }
    pairs.move(slot, timeUs, judged);
    return true;
  }

  #noteLate(rule: OrgRule, thingId: string, timeUs: number, updates: readonly Update[]): void {
    this.#counted.late += 1;
    this.#late.note(rule, thingId, timeUs, updates);
  }

  /** The pairs that were touched since the last batch was kept or dropped, and the records that came late. */
  get outcome(): { touched: readonly Touched[]; late: readonly LateRecords[] } {
    return { touched: this.#touched.all, late: this.#late.all };
  }

  /** Pairs that were touched and are taken for ok, of rules that have states from before. */
  get perhapsFromBefore(): { ruleId: string; thingId: string }[] {
    if (!this.#states.hasEnding) return [];
    return this.#touched.all
      .filter(({ rule, was }) => was === undefined && this.#states.isEnding(rule.id))
      .map(({ rule, thingId }) => ({ ruleId: rule.id, thingId }));
  }

  /** PostgreSQL has what came of the batch: `saved` has the new states of pairs that are not ok. */
  keep(saved: (touched: Touched) => NotOk | undefined): void {
    for (const pairs of this.#states.tables) pairs.keepMoves();
    this.#budgets.transitions.keep();
    this.#budgets.evaluations.keep();
    this.#states.hasChanged = true;
    for (const touched of this.#touched.all) {
      const { pairs, slot, pair } = touched;
      pairs.put(slot, pair.newest);
      const state = pair.state.kind === 'ok' ? undefined : saved(touched);
      if (state === undefined) pairs.notOk.delete(slot);
      else pairs.notOk.set(slot, state);
    }
    this.counts.evaluated += this.#counted.evaluated;
    this.counts.future += this.#counted.future;
    this.counts.late += this.#counted.late;
    this.counts.throttled += this.#counted.throttled;
    this.counts.skipped += this.#counted.skipped;
    this.#forgetBatch();
  }

  /** Nothing came of the batch: it will be looked at again. */
  drop(): void {
    for (const pairs of this.#states.tables) pairs.undoMoves();
    this.#budgets.transitions.drop();
    this.#budgets.evaluations.drop();
    this.#forgetBatch();
  }

  #forgetBatch(): void {
    this.#touched.clear();
    this.#late.clear();
    this.#counted = noCounts();
  }
}

const withUnits = (updates: readonly RecordUpdate[], { body, row }: Source) =>
  updates.map(({ condition, value, record }) => {
    const unit = unitOf(body, row, record);
    return { condition, value, ...(unit === undefined ? {} : { unit }) };
  });
