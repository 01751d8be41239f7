import { findEndings, type RuleEnding } from '../../../infra/runtime/alarms/endings.ts';
import {
  decidesAlike,
  findRulesVersion,
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
import { type Pool, rowsOf } from '../../../infra/runtime/stores/postgres.ts';
import { uuidToRowBinary } from '../../codecs/uuid.ts';
import type { Evaluation } from './evaluation.ts';
import type { KnownStates } from './known-states.ts';
import { steadyS } from './not-ok.ts';
import type { Touched } from './touched.ts';

type PairIds = { ruleId: string; thingId: string };

export type ChangesOptions = {
  pool: Pool;
  logId: string;
  states: KnownStates;
  evaluation: Evaluation;
  /** So long rules and what others have changed are taken for what they were. */
  freshMs: number;
};

/** Reads what people, workers and other edges have changed: rules, and the states of their things. */
export class ChangesOfOthers {
  readonly #options: ChangesOptions;
  #rulesVersion = '';
  /** By rule. */
  #revisions: ReadonlyMap<string, string> = new Map();
  #rules: ReadonlyMap<string, OrgRule> = new Map();
  #endings: readonly RuleEnding[] = [];
  #freshAt = Number.NEGATIVE_INFINITY;
  /** Until then the changes of others are known. */
  #knownUntil: string | undefined;

  constructor(options: ChangesOptions) {
    this.#options = options;
  }

  /** When a rule that was read was changed last. */
  revisionOf(ruleId: string): string {
    return this.#revisions.get(ruleId) ?? '-infinity';
  }

  /** Changes of a rule that have left states from before, in their order. */
  endingsOf(ruleId: string): readonly RuleEnding[] {
    return this.#endings.filter((one) => one.ruleId === ruleId);
  }

  async refreshIfOld(): Promise<void> {
    if (performance.now() - this.#freshAt >= this.#options.freshMs) await this.#refresh();
  }

  /** Reads the states of these pairs as they are now. */
  async refreshStates(pairs: readonly PairIds[]): Promise<void> {
    this.#take(await loadStates(rowsOf(this.#options.pool), pairs));
  }

  /** Reads all about pairs that could not be written, since somebody had changed them. */
  async refreshPairs(moved: readonly Touched[]): Promise<void> {
    const { pool, states } = this.#options;
    for (const { pairs, slot } of moved) pairs.notOk.delete(slot);
    this.#rulesVersion = '';
    await this.#refresh();
    const pairs = moved.map(({ rule, thingId }) => ({ ruleId: rule.id, thingId }));
    await this.refreshStates(pairs);
    for (const { ruleId, thingId, endedUs } of await loadLastEnds(rowsOf(pool), pairs)) {
      states.isOver(ruleId, uuidToRowBinary(thingId), endedUs);
    }
  }

  async #refresh(): Promise<void> {
    const { pool, logId } = this.#options;
    const rows = rowsOf(pool);
    // Before the first states are read: a transaction that ends right after that is looked at again.
    const since = (this.#knownUntil ??= await findKnownUntil(rows));
    const version = await findRulesVersion(rows);
    if (version === this.#rulesVersion) await this.#refreshEndings();
    else await this.#refreshRules(version);
    const { states, gone, until } = await loadChangedStates(rows, logId, since);
    for (const one of gone) this.#forget(one);
    this.#take(states);
    this.#knownUntil = until;
    this.#freshAt = performance.now();
  }

  async #refreshRules(version: string): Promise<void> {
    const { pool, states, evaluation } = this.#options;
    const rows = rowsOf(pool);
    const rules = await loadRules(rows);
    evaluation.setRules(rules);
    const begun = rules.filter((rule) => {
      const before = this.#rules.get(rule.id);
      return before === undefined || !decidesAlike(before, rule);
    });
    this.#revisions = new Map(rules.map(({ id, revision }) => [id, revision]));
    // Rules that decide otherwise now have begun anew, and so have those that did in between.
    const ended = await this.#refreshEndings();
    const ids = [...new Set([...begun.map(({ id }) => id), ...ended])];
    const found = await loadStatesOf(rows, ids);
    states.clearStates(ids);
    this.#take(found);
    this.#rules = new Map(rules.map((rule) => [rule.id, rule]));
    this.#rulesVersion = version;
  }

  /** Gives the rules that have others than before. */
  async #refreshEndings(): Promise<string[]> {
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
}
