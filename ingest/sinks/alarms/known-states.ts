import type { Pair } from '../../../infra/runtime/alarms/machine.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import { absent, KnownPairs } from './known-pairs.ts';
import type { NotOk } from './not-ok.ts';
import type { NumberedRule } from './watched.ts';

/** Rules with the same key have the same pairs. */
export const keyOf = ({ id, conditions }: OrgRule): string => id + JSON.stringify(conditions);

/** The states of all things under rules, as far as this edge has seen them, in memory. */
export class KnownStates {
  /** Whether a batch was kept since the snapshot. */
  hasChanged = false;
  #rules: readonly NumberedRule[] = [];
  #byId: ReadonlyMap<string, NumberedRule> = new Map();
  #nextNumber = 0;
  #ending: ReadonlySet<string> = new Set();
  /** By the number of series. */
  #tables = new Map<number, KnownPairs>();

  get rules(): readonly NumberedRule[] {
    return this.#rules;
  }

  get tables(): readonly KnownPairs[] {
    return [...this.#tables.values()];
  }

  /** Things that are not ok under a rule. */
  get notOk(): number {
    return this.tables.reduce((sum, { notOk }) => sum + notOk.size, 0);
  }

  /** The pairs of rules with so many series. */
  tableOf(series: number): KnownPairs {
    const known = this.#tables.get(series);
    if (known !== undefined) return known;
    const pairs = new KnownPairs(series);
    this.#tables.set(series, pairs);
    return pairs;
  }

  /** Takes pairs that a snapshot has, of rules by their keys there. The states of some of them are known before. */
  restore(pairs: KnownPairs, keyOfNumber: ReadonlyMap<number, string>): void {
    const numbers = new Map(this.#rules.map((one) => [keyOf(one.rule), one.number]));
    const table = this.tableOf(pairs.series);
    pairs.forEach((slot, thing, at, before) => {
      const number = numbers.get(keyOfNumber.get(before) ?? '');
      if (number === undefined) return;
      putLater(table, slotOf(table, thing, at, number), pairs.newestAt(slot));
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
    const live = new Set(this.#rules.map(({ number }) => number));
    if ([...before.values()].some((number) => !live.has(number))) this.#keepOnly(live);
  }

  /** Drops the pairs of rules that are gone. */
  #keepOnly(live: ReadonlySet<number>): void {
    const tables = new Map<number, KnownPairs>();
    for (const [series, pairs] of this.#tables) {
      const kept = new KnownPairs(series);
      pairs.forEach((slot, thing, at, rule) => {
        if (!live.has(rule)) return;
        const to = kept.add(thing, at, rule);
        kept.put(to, pairs.newestAt(slot));
        const state = pairs.notOk.get(slot);
        if (state !== undefined) kept.notOk.set(to, state);
      });
      tables.set(series, kept);
    }
    this.#tables = tables;
  }

  /** The state of a thing that is not ok; undefined: it is. `thing`: its 16 bytes. */
  stateOf(ruleId: string, thing: Uint8Array): NotOk | undefined {
    const of = this.#byId.get(ruleId);
    if (of === undefined) return undefined;
    const pairs = this.tableOf(of.rule.conditions.length);
    return pairs.notOk.get(pairs.find(viewOf(thing), 0, of.number));
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
    const pairs = this.tableOf(of.rule.conditions.length);
    const slot = slotOf(pairs, viewOf(thing), 0, of.number);
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
    const numbers = new Set(ruleIds.flatMap((id) => this.#byId.get(id)?.number ?? []));
    if (numbers.size === 0) return;
    for (const pairs of this.#tables.values()) {
      if (pairs.notOk.size === 0) continue;
      pairs.forEach((slot, _thing, _at, rule) => {
        if (numbers.has(rule)) pairs.notOk.delete(slot);
      });
    }
  }

  /** The rules that have states from before a change: PostgreSQL is asked for them before anything is made of a value. */
  setEnding(ruleIds: readonly string[]): void {
    this.#ending = new Set(ruleIds);
  }

  get hasEnding(): boolean {
    return this.#ending.size > 0;
  }

  isEnding(ruleId: string): boolean {
    return this.hasEnding && this.#ending.has(ruleId);
  }
}

const overAt = {
  intervalUs: 0,
  intervalBeforeUs: 0,
  breach: false,
  clears: true,
  value: undefined,
};

const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/** The one slot of a pair: a new one, if it has none. */
function slotOf(pairs: KnownPairs, thing: DataView, at: number, rule: number): number {
  const found = pairs.find(thing, at, rule);
  return found === absent ? pairs.add(thing, at, rule) : found;
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
