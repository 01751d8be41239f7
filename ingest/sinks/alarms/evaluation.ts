import { judge } from '../../../infra/runtime/alarms/conditions.ts';
import { type SeriesValue, valuesOf } from '../../../infra/runtime/alarms/history.ts';
import { newPair, note, type Pair, take } from '../../../infra/runtime/alarms/machine.ts';
import type { ActiveRule } from '../../../infra/runtime/alarms/rule.ts';
import { uuidFromRowBinary } from '../../codecs/uuid.ts';
import type { Batch } from '../../log/reader.ts';
import { KnownPairs } from './known-pairs.ts';
import { readHead } from './records.ts';
import { type NumberedRule, type RuleUpdates, WatchedSeries } from './watched.ts';

/** A thing that is not ok under a rule, as PostgreSQL has it. */
export type NotOk = {
  pair: Pair;
  sequence: number;
  alarmId: string | null;
  episode: number | null;
};

/** An alarm fires, or ends: of several of a pair in one batch, in their order. */
type Transition =
  | { kind: 'fired'; beganUs: number; firedUs: number; values: SeriesValue[] }
  | { kind: 'ended'; endedUs: number; values: SeriesValue[] };

/** A pair that a batch has changed, or only looked at. */
export type Touched = {
  rule: ActiveRule;
  number: number;
  thingId: string;
  /** 16 bytes as Latin-1. */
  thingKey: string;
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
  /** By the number of series. */
  #known = new Map<number, KnownPairs>();
  /** By thing, and within by rule. */
  readonly #notOk = new Map<string, Map<string, NotOk>>();
  #touched = new Map<string, Touched>();
  #late = new Map<string, LateRecords>();
  /** Whether a batch was kept since the snapshot. */
  hasChanged = false;
  readonly counts = { evaluated: 0, future: 0, late: 0 };
  /** Of the batch that is looked at. */
  #counted = { evaluated: 0, future: 0, late: 0 };

  get rules(): readonly NumberedRule[] {
    return this.#rules;
  }

  get known(): readonly KnownPairs[] {
    return [...this.#known.values()];
  }

  /** Takes pairs that a snapshot has, of rules by their keys there. */
  restore(pairs: KnownPairs, keyOfNumber: ReadonlyMap<number, string>): void {
    const numbers = new Map(this.#rules.map((one) => [keyOf(one.rule), one.number]));
    const known = this.#tableOf(pairs.series);
    pairs.forEach((slot, thing, at, before) => {
      const number = numbers.get(keyOfNumber.get(before) ?? '');
      if (number !== undefined) known.put(known.add(thing, at, number), pairs.newestAt(slot));
    });
  }

  /** Takes rules as they are now. A rule whose conditions stay keeps its things. */
  setRules(rules: readonly ActiveRule[]): void {
    const before = new Map(this.#rules.map((one) => [keyOf(one.rule), one.number]));
    this.#rules = rules.map((rule) => ({
      rule,
      number: before.get(keyOf(rule)) ?? this.#nextNumber++,
    }));
    this.#byId = new Map(this.#rules.map((one) => [one.rule.id, one]));
    this.#series = new WatchedSeries(this.#rules);
    this.#forgetRules();
  }

  /** Drops the pairs of rules that are gone. */
  #forgetRules(): void {
    const live = new Set(this.#rules.map(({ number }) => number));
    const known = new Map<number, KnownPairs>();
    let isSame = true;
    for (const [series, pairs] of this.#known) {
      const kept = new KnownPairs(series);
      pairs.forEach((slot, thing, at, rule) => {
        if (!live.has(rule)) isSame = false;
        else kept.put(kept.add(thing, at, rule), pairs.newestAt(slot));
      });
      known.set(series, kept);
    }
    if (!isSame) this.#known = known;
  }

  /** A thing is not ok, or (undefined) is, as another process has left it. */
  setState(ruleId: string, thingKey: string, state: NotOk | undefined): void {
    const ofThing = this.#notOk.get(thingKey);
    if (state !== undefined) {
      if (ofThing === undefined) this.#notOk.set(thingKey, new Map([[ruleId, state]]));
      else ofThing.set(ruleId, state);
    } else if (ofThing !== undefined) {
      this.#putKnown(ruleId, thingKey, ofThing.get(ruleId)?.pair.newest);
      ofThing.delete(ruleId);
      if (ofThing.size === 0) this.#notOk.delete(thingKey);
    }
  }

  stateOf(ruleId: string, thingKey: string): NotOk | undefined {
    return this.#notOk.get(thingKey)?.get(ruleId);
  }

  get notOk(): number {
    let all = 0;
    for (const ofThing of this.#notOk.values()) all += ofThing.size;
    return all;
  }

  /** Looks at the frames of a batch; of those that are `known` only the times are noted. */
  look({ body, ends }: Pick<Batch, 'body' | 'ends'>, isKnown: (frame: number) => boolean): void {
    const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
    let start = 0;
    for (const [at, end] of ends.entries()) {
      const frame = readHead(body, start);
      const { thingAt, receivedMs } = frame;
      let id: string | undefined;
      const thingId = () => (id ??= uuidFromRowBinary(body, thingAt));
      const onlyNote = isKnown(at);
      for (const one of this.#series.updatesIn(body, frame, thingId)) {
        const ageUs = receivedMs * 1_000 - one.timeUs;
        if (ageUs < -futureUsMax) this.#counted.future += 1;
        else if (ageUs > pastUsMin) this.#noteLate(one, thingId());
        else this.#take(one, view, thingAt, thingId, onlyNote);
      }
      start = end;
    }
  }

  #take(
    { of: { rule, number }, timeUs, updates }: RuleUpdates,
    view: DataView,
    thingAt: number,
    thingId: () => string,
    onlyNote: boolean,
  ): void {
    this.#counted.evaluated += 1;
    const pairs = this.#tableOf(rule.conditions.length);
    const slot = pairs.find(view, thingAt, number);
    if (this.#staysOk(pairs, slot, rule, timeUs, updates, view, thingAt)) return;
    const touched = this.#touch({ rule, number }, pairs, slot, view, thingAt, thingId);
    if (onlyNote) {
      note(rule, touched.pair, timeUs, updates);
      return;
    }
    const step = take(rule, touched.pair, timeUs, updates);
    if (step.kind === 'late') this.#noteLate({ of: { rule, number }, timeUs, updates }, thingId());
    else if (step.kind !== 'none') touched.isMoved = true;
    if (step.kind === 'fired' || step.kind === 'ended') {
      touched.transitions.push({ ...step, values: valuesOf(rule, touched.pair) });
    }
  }

  /** The usual case, without an object: a rule of one series, whose thing is ok, and whose newest value is so too. */
  #staysOk(
    pairs: KnownPairs,
    slot: number,
    rule: ActiveRule,
    timeUs: number,
    updates: RuleUpdates['updates'],
    view: DataView,
    thingAt: number,
  ): boolean {
    const [update, other] = updates;
    const [condition] = rule.conditions;
    if (pairs.series !== 1 || slot === -1 || update === undefined || other !== undefined) {
      return false;
    }
    if (condition === undefined || this.#isTouchedOrNotOk(rule, view, thingAt)) return false;
    const judged = judge(condition, update.value);
    if (judged === undefined) return true;
    if (judged.breach || !judged.clears) return false;
    if (timeUs <= pairs.timeAt(slot, 0)) return false;
    pairs.move(slot, timeUs);
    return true;
  }

  #isTouchedOrNotOk({ id }: ActiveRule, view: DataView, thingAt: number): boolean {
    if (this.#notOk.size === 0 && this.#touched.size === 0) return false;
    const key = keyAt(view, thingAt);
    return this.#touched.has(id + key) || this.#notOk.get(key)?.has(id) === true;
  }

  #touch(
    { rule, number }: NumberedRule,
    pairs: KnownPairs,
    slot: number,
    view: DataView,
    thingAt: number,
    thingId: () => string,
  ): Touched {
    const thingKey = keyAt(view, thingAt);
    const key = rule.id + thingKey;
    const before = this.#touched.get(key);
    if (before !== undefined) return before;
    const was = this.#notOk.get(thingKey)?.get(rule.id);
    const pair =
      was === undefined
        ? { ...newPair(rule), ...(slot === -1 ? {} : { newest: pairs.newestAt(slot) }) }
        : { state: was.pair.state, newest: [...was.pair.newest] };
    const id = thingId();
    const touched = { rule, number, thingId: id, thingKey, pair, was };
    const made: Touched = { ...touched, isMoved: false, transitions: [] };
    this.#touched.set(key, made);
    return made;
  }

  #noteLate({ of: { rule }, timeUs, updates }: RuleUpdates, thingId: string): void {
    const isBreach = updates.some(({ condition: at, value }) => {
      const condition = rule.conditions[at];
      return condition !== undefined && judge(condition, value)?.breach === true;
    });
    this.#counted.late += 1;
    const key = rule.id + thingId;
    const before = this.#late.get(key);
    this.#late.set(key, {
      ruleId: rule.id,
      thingId,
      fromUs: Math.min(before?.fromUs ?? timeUs, timeUs),
      toUs: Math.max(before?.toUs ?? timeUs, timeUs),
      onlyIfAlarm: !isBreach && before?.onlyIfAlarm !== false,
    });
  }

  /** The newest records of a thing that is ok. */
  #putKnown(ruleId: string, thingKey: string, newest: Pair['newest'] | undefined): void {
    const of = this.#byId.get(ruleId);
    if (of === undefined || newest?.length !== of.rule.conditions.length) return;
    const thing = Buffer.from(thingKey, 'latin1');
    const view = new DataView(thing.buffer, thing.byteOffset, thing.byteLength);
    const pairs = this.#tableOf(newest.length);
    const slot = pairs.find(view, 0, of.number);
    pairs.put(slot === -1 ? pairs.add(view, 0, of.number) : slot, newest);
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
    return { touched: [...this.#touched.values()], late: [...this.#late.values()] };
  }

  /** PostgreSQL has what came of the batch: `saved` has the new states of pairs that are not ok. */
  keep(saved: (touched: Touched) => NotOk | undefined): void {
    for (const pairs of this.#known.values()) pairs.keepMoves();
    this.hasChanged = true;
    for (const touched of this.#touched.values()) {
      const { rule, thingKey, pair, was } = touched;
      if (pair.state.kind !== 'ok') {
        this.setState(rule.id, thingKey, saved(touched));
        continue;
      }
      if (was !== undefined) this.setState(rule.id, thingKey, undefined);
      this.#putKnown(rule.id, thingKey, pair.newest);
    }
    this.counts.evaluated += this.#counted.evaluated;
    this.counts.future += this.#counted.future;
    this.counts.late += this.#counted.late;
    this.#forgetBatch();
  }

  /** Nothing came of the batch: it will be looked at again. */
  drop(): void {
    for (const pairs of this.#known.values()) pairs.undoMoves();
    this.#forgetBatch();
  }

  #forgetBatch(): void {
    this.#touched = new Map();
    this.#late = new Map();
    this.#counted = { evaluated: 0, future: 0, late: 0 };
  }
}

/** Rules with the same key have the same pairs. */
export const keyOf = ({ id, conditions }: ActiveRule): string => id + JSON.stringify(conditions);

const idBytes = 16;

const keyAt = ({ buffer, byteOffset }: DataView, at: number): string =>
  Buffer.from(buffer, byteOffset + at, idBytes).toString('latin1');
