import type { SeriesValue } from '../../../infra/runtime/alarms/history.ts';
import type { Pair } from '../../../infra/runtime/alarms/machine.ts';
import type { OrgRule } from '../../../infra/runtime/alarms/rule.ts';
import type { KnownPairs } from './known-pairs.ts';
import { isDueToSave, type NotOk } from './not-ok.ts';

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

const ok = { kind: 'ok' } as const;

/** The pairs that a batch has touched. */
export class TouchedPairs {
  /** By table and slot. */
  readonly #bySlot = new Map<KnownPairs, Map<number, Touched>>();

  get all(): Touched[] {
    return [...this.#bySlot.values()].flatMap((ofTable) => [...ofTable.values()]);
  }

  has(pairs: KnownPairs, slot: number): boolean {
    return this.#bySlot.get(pairs)?.has(slot) === true;
  }

  /** The pair of a slot as the batch has left it so far. */
  touch(
    rule: OrgRule,
    pairs: KnownPairs,
    slot: number,
    thingId: () => string,
    nowS: number,
  ): Touched {
    const ofTable = this.#bySlot.get(pairs) ?? new Map<number, Touched>();
    this.#bySlot.set(pairs, ofTable);
    const before = ofTable.get(slot);
    if (before !== undefined) return before;
    const was = pairs.notOk.get(slot);
    const pair = { state: was?.state ?? ok, newest: pairs.newestAt(slot) };
    const isMoved = was !== undefined && isDueToSave(was.savedAtS, nowS);
    const common = { rule, thingId: thingId(), pairs, slot, pair, was };
    const touched: Touched = { ...common, isMoved, transitions: [] };
    ofTable.set(slot, touched);
    return touched;
  }

  clear(): void {
    this.#bySlot.clear();
  }
}
