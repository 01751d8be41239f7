import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import { type SeriesValue, valuesOf } from '../../../infra/runtime/alarms/history.ts';
import { note, type Pair, take, type Update } from '../../../infra/runtime/alarms/machine.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Batch } from '../../log/reader.ts';
import { KnownPairs } from './known-pairs.ts';
import type { NotOk } from './not-ok.ts';
import type { OrgBudgets } from './org-budgets.ts';
import { type AlarmRow, nextRowAt, readHead, readRow } from './records.ts';
import { type NumberedRule, WatchedSeries } from './watched.ts';

/** An alarm fires, or ends: of several of a pair in one batch, in their order. */
type Transition =
  | { kind: 'fired'; beganUs: number; firedUs: number; values: SeriesValue[] }
  | { kind: 'ended'; endedUs: number; values: SeriesValue[] };

/** A pair that a batch has changed, or only looked at. */
export type Touched = {
  rule: OrgRule;
  thingId: string;
  pairs: KnownPairs;
  slot: number;
  pair: Pair;
  /** Undefined: it was ok. */
  was: NotOk | undefined;
  isMoved: boolean;
  transitions: Transition[];
};

/** Records of a rule and a thing that came late. */
export type LateRecords = {
  ruleId: string;
  thingId: string;
  fromUs: number;
  toUs: number;
  /** None of them is in breach: they matter only where there was an alarm. */
  onlyIfAlarm: boolean;
};

/** The thing that a message is of. */
type Sender = {
  view: DataView;
  thingAt: number;
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

/**
 * The states of all things under rules, as far as this edge has seen them, in memory. A batch is evaluated, and then
 * either kept, once PostgreSQL has what came of it, or dropped as if it had never been looked at.
 */
export class Evaluation {
  #rules: readonly NumberedRule[] = [];
  #series = new WatchedSeries([]);
  #byId: ReadonlyMap<string, NumberedRule> = new Map();
  #nextNumber = 0;
  #ending: ReadonlySet<number> = new Set();
  /** By the number of series. */
  #known = new Map<number, KnownPairs>();
  /** By table and slot. */
  #touched = new Map<KnownPairs, Map<number, Touched>>();
  /** By rule and thing. */
  #late = new Map<string, Map<string, LateRecords>>();
  /** Whether a batch was kept since the snapshot. */
  hasChanged = false;
  readonly counts = noCounts();
  /** Of the batch that is looked at. */
  #counted = noCounts();
  /** When the batch is looked at. */
  #nowS = steadyS();
  readonly #budgets: EvaluationBudgets;

  constructor(budgets: EvaluationBudgets) {
    this.#budgets = budgets;
  }

  get rules(): readonly NumberedRule[] {
    return this.#rules;
  }

  get known(): readonly KnownPairs[] {
    return [...this.#known.values()];
  }

  /** Takes pairs that a snapshot has, of rules by their keys there. The states of some of them are known before. */
  restore(pairs: KnownPairs, keyOfNumber: ReadonlyMap<number, string>): void {
    const numbers = new Map(this.#rules.map((one) => [keyOf(one.rule), one.number]));
    const known = this.#tableOf(pairs.series);
    pairs.forEach((slot, thing, at, before) => {
      const number = numbers.get(keyOfNumber.get(before) ?? '');
      if (number === undefined) return;
      putLater(known, slotOf(known, thing, at, number), pairs.newestAt(slot));
    });
  }

  /** Takes rules as they are now. A rule whose conditions stay keeps its things. */
  setRules(rules: readonly OrgRule[]): void {
    const before = new Map(this.#rules.map((one) => [keyOf(one.rule), one.number]));
    this.#rules = rules.map((rule) => ({
      rule,
      number: before.get(keyOf(rule)) ?? this.#nextNumber++,
    }));
    this.#byId = new Map(this.#rules.map((one) => [one.rule.id, one]));
    this.#series = new WatchedSeries(this.#rules);
    const live = new Set(this.#rules.map(({ number }) => number));
    if ([...before.values()].some((number) => !live.has(number))) this.#keepOnly(live);
  }

  /** Drops the pairs of rules that are gone. */
  #keepOnly(live: ReadonlySet<number>): void {
    const known = new Map<number, KnownPairs>();
    for (const [series, pairs] of this.#known) {
      const kept = new KnownPairs(series);
      pairs.forEach((slot, thing, at, rule) => {
        if (!live.has(rule)) return;
        const to = kept.add(thing, at, rule);
        kept.put(to, pairs.newestAt(slot));
        const state = pairs.notOk.get(slot);
        if (state !== undefined) kept.notOk.set(to, state);
      });
      known.set(series, kept);
    }
    this.#known = known;
  }

  /** A thing is not ok, or is (undefined), as another process has left it. `thing`: its 16 bytes. */
  setState(
    ruleId: string,
    thing: Uint8Array,
    newest: Pair['newest'],
    state: NotOk | undefined,
  ): void {
    const of = this.#byId.get(ruleId);
    if (of === undefined) return;
    const view = new DataView(thing.buffer, thing.byteOffset, thing.byteLength);
    const pairs = this.#tableOf(of.rule.conditions.length);
    const slot = slotOf(pairs, view, 0, of.number);
    // The edge may have seen later records than the process that wrote it.
    putLater(pairs, slot, newest);
    if (state === undefined) pairs.notOk.delete(slot);
    else pairs.notOk.set(slot, state);
  }

  /** An alarm of a thing was over then: no record of before moves anything any more. */
  isOver(ruleId: string, thing: Uint8Array, endedUs: number): void {
    const of = this.#byId.get(ruleId);
    if (of === undefined) return;
    const newest = of.rule.conditions.map(() => ({ ...overAt, timeUs: endedUs }));
    this.setState(ruleId, thing, newest, this.stateOf(ruleId, thing));
  }

  /** All states of these rules are about to be set. */
  clearStates(ruleIds: readonly string[]): void {
    const numbers = this.#numbersOf(ruleIds);
    if (numbers.size === 0) return;
    for (const pairs of this.#known.values()) {
      if (pairs.notOk.size === 0) continue;
      pairs.forEach((slot, _thing, _at, rule) => {
        if (numbers.has(rule)) pairs.notOk.delete(slot);
      });
    }
  }

  /** The rules that have states from before a change: PostgreSQL is asked for them before anything is made of a value. */
  setEnding(ruleIds: readonly string[]): void {
    this.#ending = this.#numbersOf(ruleIds);
  }

  #numbersOf(ruleIds: readonly string[]): ReadonlySet<number> {
    return new Set(ruleIds.flatMap((id) => this.#byId.get(id)?.number ?? []));
  }

  /** Pairs that were touched and are taken for ok, of rules that have states from before. */
  get perhapsFromBefore(): { ruleId: string; thingId: string }[] {
    if (this.#ending.size === 0) return [];
    return this.outcome.touched
      .filter(({ rule, was }) => {
        const number = this.#byId.get(rule.id)?.number;
        return was === undefined && number !== undefined && this.#ending.has(number);
      })
      .map(({ rule, thingId }) => ({ ruleId: rule.id, thingId }));
  }

  stateOf(ruleId: string, thing: Uint8Array): NotOk | undefined {
    const of = this.#byId.get(ruleId);
    if (of === undefined) return undefined;
    const view = new DataView(thing.buffer, thing.byteOffset, thing.byteLength);
    const pairs = this.#tableOf(of.rule.conditions.length);
    return pairs.notOk.get(pairs.find(view, 0, of.number));
  }

  get notOk(): number {
    return this.known.reduce((sum, { notOk }) => sum + notOk.size, 0);
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
    const sender = { view, thingAt, thingId, isKnown };
    const isAffordable = (orgId: string, evaluations: number) =>
      this.#isAffordable(orgId, evaluations, receivedMs / 1_000);
    const skipped = this.#series.forEachUpdate(
      body,
      row,
      thingId,
      isAffordable,
      (of, timeUs, updates) => {
        const ageUs = receivedMs * 1_000 - timeUs;
        if (ageUs < -futureUsMax) this.#counted.future += 1;
        else if (ageUs > pastUsMin) this.#noteLate(of.rule, thingId(), timeUs, updates);
        else this.#take(of, timeUs, updates, sender);
      },
    );
    this.#counted.skipped += skipped;
  }

  /** Takes so many evaluations from the org's budget. */
  #isAffordable(orgId: string, evaluations: number, atS: number): boolean {
    const { evaluations: budgets } = this.#budgets;
    if (!budgets.has(orgId, evaluations, atS)) return false;
    budgets.take(orgId, evaluations, atS);
    return true;
  }

  #take(of: NumberedRule, timeUs: number, updates: readonly Update[], sender: Sender): void {
    const { view, thingAt, thingId, isKnown } = sender;
    const { rule, number } = of;
    this.#counted.evaluated += 1;
    const pairs = this.#tableOf(rule.conditions.length);
    const found = pairs.find(view, thingAt, number);
    if (this.#isNoted(pairs, found, of, timeUs, updates, sender)) return;
    const slot = found === none ? pairs.add(view, thingAt, number) : found;
    const touched = this.#touch(rule, pairs, slot, thingId);
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
    touched.transitions.push({ ...step, values: valuesOf(rule, touched.pair) });
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
    { rule, number }: NumberedRule,
    timeUs: number,
    updates: readonly Update[],
    sender: Sender,
  ): boolean {
    const [update, other] = updates;
    const [condition] = rule.conditions;
    if (pairs.series !== 1 || slot === none || update === undefined || other !== undefined) {
      return false;
    }
    if (condition === undefined) return false;
    if (this.#ending.size > 0 && this.#ending.has(number)) return false;
    if (this.#touched.get(pairs)?.has(slot) === true) return false;
    const judged = judge(condition, update.value);
    if (judged === undefined) return true;
    const newestUs = pairs.timeAt(slot, 0);
    if (timeUs < newestUs) {
      if (!sender.isKnown) this.#noteLate(rule, sender.thingId(), timeUs, updates);
      return true;
    }
    if (timeUs === newestUs) return false;
    const savedAtS = pairs.notOk.savedAtS(slot);
    const wouldMove =
      savedAtS === undefined ? judged.breach : judged.clears || !pairs.notOk.isFiring(slot);
    if (savedAtS !== undefined && this.#nowS - savedAtS >= savedEveryS) return false;
    if (wouldMove && !sender.isKnown) {
      if (!this.#mustWait(rule)) return false;
      this.#counted.throttled += 1;
    }
    pairs.move(slot, timeUs, judged);
    return true;
  }

  #touch(rule: OrgRule, pairs: KnownPairs, slot: number, thingId: () => string): Touched {
    const ofTable = this.#touched.get(pairs) ?? new Map<number, Touched>();
    this.#touched.set(pairs, ofTable);
    const before = ofTable.get(slot);
    if (before !== undefined) return before;
    const was = pairs.notOk.get(slot);
    const pair = { state: was?.state ?? ok, newest: pairs.newestAt(slot) };
    // Of one that is not ok for long, the newest record is written now and then.
    const isMoved = was !== undefined && this.#nowS - was.savedAtS >= savedEveryS;
    const common = { rule, thingId: thingId(), pairs, slot, pair, was };
    const touched: Touched = { ...common, isMoved, transitions: [] };
    ofTable.set(slot, touched);
    return touched;
  }

  #noteLate(rule: OrgRule, thingId: string, timeUs: number, updates: readonly Update[]): void {
    this.#counted.late += 1;
    const ofRule = this.#late.get(rule.id) ?? new Map<string, LateRecords>();
    this.#late.set(rule.id, ofRule);
    const late = ofRule.get(thingId) ?? {
      ruleId: rule.id,
      thingId,
      fromUs: timeUs,
      toUs: timeUs,
      onlyIfAlarm: true,
    };
    ofRule.set(thingId, late);
    late.fromUs = Math.min(late.fromUs, timeUs);
    late.toUs = Math.max(late.toUs, timeUs);
    if (late.onlyIfAlarm) late.onlyIfAlarm = !isAnyBreach(rule, updates);
  }

  #tableOf(series: number): KnownPairs {
    const known = this.#known.get(series);
    if (known !== undefined) return known;
    const pairs = new KnownPairs(series);
    this.#known.set(series, pairs);
    return pairs;
  }

  /** The pairs that were touched since the last batch was kept or dropped, and the records that came late. */
  get outcome(): { touched: readonly Touched[]; late: readonly LateRecords[] } {
    const touched = [...this.#touched.values()].flatMap((ofTable) => [...ofTable.values()]);
    return { touched, late: [...this.#late.values()].flatMap((ofRule) => [...ofRule.values()]) };
  }

  /** PostgreSQL has what came of the batch: `saved` has the new states of pairs that are not ok. */
  keep(saved: (touched: Touched) => NotOk | undefined): void {
    for (const pairs of this.#known.values()) pairs.keepMoves();
    this.#budgets.transitions.keep();
    this.#budgets.evaluations.keep();
    this.hasChanged = true;
    for (const touched of this.outcome.touched) {
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
    for (const pairs of this.#known.values()) pairs.undoMoves();
    this.#budgets.transitions.drop();
    this.#budgets.evaluations.drop();
    this.#forgetBatch();
  }

  #forgetBatch(): void {
    this.#touched = new Map();
    this.#late = new Map();
    this.#counted = noCounts();
  }
}

const isAnyBreach = ({ conditions }: OrgRule, updates: readonly Update[]): boolean =>
  updates.some(({ condition: at, value }) => {
    const condition = conditions[at];
    return condition !== undefined && judge(condition, value)?.breach === true;
  });

/** Rules with the same key have the same pairs. */
export const keyOf = ({ id, conditions }: OrgRule): string => id + JSON.stringify(conditions);

const noCounts = () => ({ evaluated: 0, skipped: 0, future: 0, late: 0, throttled: 0 });

const none = -1;
const ok = { kind: 'ok' } as const;

/** So often the newest record of a thing that is not ok is written, while it stays so. */
const savedEveryS = 60;

/** Seconds of a clock that nobody sets. */
export const steadyS = (): number => Math.floor(performance.now() / 1_000);

const overAt = {
  intervalUs: 0,
  intervalBeforeUs: 0,
  breach: false,
  clears: true,
  value: undefined,
};

/** The one slot of a pair: a new one, if it has none. */
function slotOf(pairs: KnownPairs, thing: DataView, at: number, rule: number): number {
  const found = pairs.find(thing, at, rule);
  return found === none ? pairs.add(thing, at, rule) : found;
}

/** Of each series the later record stays. */
function putLater(pairs: KnownPairs, slot: number, newest: Pair['newest']): void {
  const own = pairs.newestAt(slot);
  pairs.put(
    slot,
    own.map((one, at) => laterOf(newest[at], one)),
  );
}

const laterOf = <Record extends Pair['newest'][number]>(one: Record, other: Record): Record =>
  (other?.timeUs ?? -Infinity) > (one?.timeUs ?? -Infinity) ? other : one;
